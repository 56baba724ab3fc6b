package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.MemoryLife;
import io.sdp4j.rdma.MemoryRegion;
import io.sdp4j.rdma.os.ProcessMemory;
import java.lang.foreign.MemorySegment;

/**
 * Memory that the peer of one queue pair may reach.
 *
 * <p>Addresses count from 0. Those of a region that the peer may read straight from this process
 * are the process's own.
 *
 * <p>Its monitor is held while bytes are copied, so {@link #close} returns only when no access runs
 * any more.
 */
final class ShmMemoryRegion implements MemoryRegion {
    private final ShmRegions owner;
    private final MemorySegment memory;
    private final int rkey;
    private final long address;
    private final boolean direct;
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
        this.direct = MemoryLife.lasting(memory);
        this.address = (rkey & OpenKeys.PLACE_MASK) == 0 ? 0 : memory.address();
        this.remoteRead = remoteRead;
        this.remoteWrite = remoteWrite;
    }

    @Override
    public long address() {
        return address;
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

    /** Where a remote address lies in the region; out of it if it does not. */
    long offsetOf(long remoteAddress) {
        return remoteAddress - address;
    }

    /**
     * Whether its raw address may be given to the kernel: nothing can free the memory meanwhile.
     */
    boolean direct() {
        return direct;
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
        } catch (IllegalStateException | WrongThreadException e) {
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
        } catch (IllegalStateException | WrongThreadException e) {
            return false;
        }
    }

    /** Copies from another process into the region; false if that cannot be done. */
    synchronized boolean fill(
            long offset,
            ProcessMemory from,
            long fromAddress,
            long lenBytes,
            long badgeAddress,
            long badge) {
        return direct
                && !closed
                && covers(offset, lenBytes)
                && from.read(fromAddress, memory, offset, lenBytes, badgeAddress, badge);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        owner.forget(this);
    }
}
