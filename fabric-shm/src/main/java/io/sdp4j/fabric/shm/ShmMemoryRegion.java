package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;

/**
 * Memory that the peer of one queue pair may reach, or that this side reads into.
 *
 * <p>
 *
 * <p>Addresses count from 0. The region gets another key each time it is opened, so keys that the
 * peer learned before reach nothing. Its monitor is held while bytes are copied, so {@link #close}
 * returns only when no access runs any more. A closed region does not keep its memory from being
 * collected. Thread-safe.
 */
final class ShmMemoryRegion implements MemoryRegion {
    /** Stands for a key in accesses of this side, which need none. */
    static final int OWN = 0;

    private final ShmRegions owner;
    private final WeakReference<MemorySegment> known;
    private final long lenBytes;
    final boolean remoteRead;
    final boolean remoteWrite;

    /** Null while the region is closed. */
    private volatile MemorySegment memory;

    private volatile int rkey;

    /** Makes a closed region. */
    ShmMemoryRegion(
            ShmRegions owner, MemorySegment memory, boolean remoteRead, boolean remoteWrite) {
        this.owner = owner;
        this.known = new WeakReference<>(memory);
        this.lenBytes = memory.byteSize();
        this.remoteRead = remoteRead;
        this.remoteWrite = remoteWrite;
    }

    /** Opens the region with this key; false if the memory is gone or the region is open. */
    synchronized boolean open(int key) {
        if (memory != null) {
            return false;
        }
        rkey = key;
        memory = known.get();
        return memory != null;
    }

    @Override
    public boolean reopen() {
        return owner.open(this);
    }

    @Override
    public long address() {
        return 0;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    boolean belongsTo(ShmRegions regions) {
        return owner == regions;
    }

    boolean covers(long offset, long lenBytes) {
        return offset >= 0 && lenBytes >= 0 && offset <= this.lenBytes - lenBytes;
    }

    /** Returns the memory if the key opens this part of it now; else null. */
    private MemorySegment opened(int key, long offset, long lenBytes) {
        return (key == OWN || key == rkey) && covers(offset, lenBytes) ? memory : null;
    }

    /** Copies into the region; false if the key does not open it or its memory is gone. */
    synchronized boolean put(
            int key, long offset, MemorySegment from, long fromOffset, long lenBytes) {
        MemorySegment to = opened(key, offset, lenBytes);
        return to != null && copy(from, fromOffset, to, offset, lenBytes);
    }

    /** Copies out of the region; false if the key does not open it or its memory is gone. */
    synchronized boolean get(int key, long offset, MemorySegment to, long toOffset, long lenBytes) {
        MemorySegment from = opened(key, offset, lenBytes);
        return from != null && copy(from, offset, to, toOffset, lenBytes);
    }

    private static boolean copy(
            MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lenBytes) {
        try {
            MemorySegment.copy(from, fromOffset, to, toOffset, lenBytes);
            return true;
        } catch (IllegalStateException | WrongThreadException e) {
            return false;
        }
    }

    @Override
    public void close() {
        int key;
        synchronized (this) {
            if (memory == null) {
                return;
            }
            memory = null;
            key = rkey;
        }
        owner.onClosed(this, key);
    }
}
