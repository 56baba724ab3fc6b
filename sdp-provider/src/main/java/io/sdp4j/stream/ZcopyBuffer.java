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
    private final ZcopyThreshold threshold;
    private final FamiliarBuffers familiar = new FamiliarBuffers();
    private ByteBuffer owner;
    private MemoryRegion region;
    private MemorySegment memory;
    private boolean away;
    private boolean told;

    /** Whether the cost of the loan is measured. */
    private boolean timed;

    /** Time that the loan has cost this side so far. */
    private long nanos;

    /** Bytes from the start that the peer has, or has filled. */
    long done;

    /** Source: the rest must follow as Data. */
    boolean owed;

    /**
     * @param threshold says which loans are timed, and is told what they have cost
     */
    ZcopyBuffer(ZcopyThreshold threshold) {
        this.threshold = threshold;
    }

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
        timed = threshold.timesNext();
        long start = clock();
        region = familiar.reopen(qp, b);
        if (region == null) {
            region = registerAnew(qp, MemorySegment.ofBuffer(b), remoteRead, remoteWrite);
            if (region == null) {
                return false;
            }
            familiar.add(b, region);
        }
        nanos = clock() - start;
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

    /** For {@link #cost}; always 0 where nothing is measured. */
    long clock() {
        return timed ? System.nanoTime() : 0;
    }

    /**
     * Adds the time of work that has ended.
     *
     * @param start the {@link #clock} when it began
     */
    void cost(long start) {
        nanos += clock() - start;
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
        long start = clock();
        if (cut) {
            region.discard();
        } else {
            region.close();
        }
        if (timed) {
            threshold.onLoan(nanos + clock() - start);
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
