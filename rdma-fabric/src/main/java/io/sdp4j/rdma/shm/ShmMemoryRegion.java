package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.MemoryRegion;
import java.lang.foreign.MemorySegment;

/**
 * Memory that the peer of one queue pair may reach. Addresses count from 0.
 *
 * <p>Its monitor is held while bytes are copied, so {@link #close} returns only when no access runs
 * any more.
 */
final class ShmMemoryRegion implements MemoryRegion {
    private final ShmRegions owner;
    private final MemorySegment memory;
    private final int rkey;
    final boolean remoteRead;
    final boolean remoteWrite;
    private boolean closed;

    ShmMemoryRegion(
            ShmRegions owner,
            MemorySegment memory,
            int rkey,
            boolean remoteRead,
            boolean remoteWrite) {
        this.owner = owner;
        this.memory = memory;
        this.rkey = rkey;
        this.remoteRead = remoteRead;
        this.remoteWrite = remoteWrite;
    }

    @Override
    public long address() {
        return 0;
    }

    @Override
    public long lenBytes() {
        return memory.byteSize();
    }

    @Override
    public int rkey() {
        return rkey;
    }

    boolean belongsTo(ShmRegions regions) {
        return owner == regions;
    }

    boolean covers(long offset, long lenBytes) {
        return offset >= 0 && lenBytes >= 0 && offset <= memory.byteSize() - lenBytes;
    }

    /** Copies into the region; false if it was closed or its memory is gone. */
    synchronized boolean put(long offset, MemorySegment from, long fromOffset, long lenBytes) {
        if (closed || !covers(offset, lenBytes)) {
            return false;
        }
        try {
            MemorySegment.copy(from, fromOffset, memory, offset, lenBytes);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /** Copies out of the region; false if it was closed or its memory is gone. */
    synchronized boolean get(long offset, MemorySegment to, long toOffset, long lenBytes) {
        if (closed || !covers(offset, lenBytes)) {
            return false;
        }
        try {
            MemorySegment.copy(memory, offset, to, toOffset, lenBytes);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        owner.forget(this);
    }
}
