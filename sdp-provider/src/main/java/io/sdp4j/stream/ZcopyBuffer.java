package io.sdp4j.stream;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.MemoryLife;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QueuePair;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A buffer of the application that the stream has borrowed, or room for one.
 *
 * <p>Shape: <em>away</em> from lend to return, while the machine has it and the peer may touch it;
 * then back, with {@code done} bytes that have moved, of which the application is told once.
 * Guarded by the stream's lock.
 */
final class ZcopyBuffer {
    private final FamiliarBuffers familiar = new FamiliarBuffers();
    private ByteBuffer owner;
    private MemoryRegion region;
    private MemorySegment memory;
    private boolean away;
    private boolean told;

    /** Bytes from the start that the peer has, or has filled. */
    long done;

    /** Source: the rest must follow as Data. */
    boolean owed;

    /** Whether a buffer is worth a loan, if it may be lent. */
    static boolean worthLending(ByteBuffer b, int thresholdBytes) {
        return b.isDirect() && b.remaining() >= thresholdBytes;
    }

    /**
     * Registers the remaining bytes of {@code b}, with the same rights each time.
     *
     * @return false if that is not possible: the fabric refuses, or the buffer's memory may go away
     */
    boolean register(QueuePair qp, ByteBuffer b, boolean remoteRead, boolean remoteWrite) {
        region = familiar.reopen(qp, b);
        if (region == null) {
            region = registerAnew(qp, MemorySegment.ofBuffer(b), remoteRead, remoteWrite);
            if (region == null) {
                return false;
            }
            familiar.add(b, region);
        }
        owner = b;
        memory = region.memory();
        away = true;
        told = false;
        done = 0;
        owed = false;
        return true;
    }

    private static MemoryRegion registerAnew(
            QueuePair qp, MemorySegment memory, boolean remoteRead, boolean remoteWrite) {
        if (!MemoryLife.lasting(memory)) {
            return null;
        }
        try {
            return qp.register(memory, remoteRead, remoteWrite);
        } catch (FabricException e) {
            return null; // at a limit: it is copied
        }
    }

    MemoryRegion region() {
        return region;
    }

    MemorySegment memory() {
        return memory;
    }

    long lenBytes() {
        return memory.byteSize();
    }

    boolean away() {
        return away;
    }

    @SuppressWarnings("ReferenceEquality") // the same object, not one with equal content
    boolean holds(ByteBuffer b) {
        return owner == b;
    }

    /**
     * The machine gave it back: it must not be touched any more.
     *
     * @param cut whether the connection is over, so that transfers may have been under way
     */
    void back(long doneBytes, boolean cut) {
        away = false;
        done = doneBytes;
        if (cut) {
            region.discard();
        } else {
            region.close();
        }
    }

    /** Bytes to tell the application of, which are {@link #untold} until now. */
    int tell() {
        told = true;
        return Math.toIntExact(done);
    }

    boolean untold() {
        return !told && done > 0;
    }

    /** The loan is over. */
    void forget() {
        if (away) {
            back(done, false);
        }
        owner = null;
        region = null;
        memory = null;
        owed = false;
    }
}
