package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;

/**
 * Memory that the peer of one queue pair may reach, or that this side reads into.
 *
 * <p>Addresses count from 0.
 *
 * <p>It has another key each time that it is opened: keys that the peer was told before reach
 * nothing. Its monitor is held while bytes are copied, so {@link #close} returns only when no
 * access runs any more. While it is closed it keeps no memory from being collected.
 */
final class ShmMemoryRegion implements MemoryRegion {
    /** In place of a key: an access of this side, which needs none. */
    static final int OWN = 0;

    private final ShmRegions owner;
    private final WeakReference<MemorySegment> known;
    private final long lenBytes;
    final boolean remoteRead;
    final boolean remoteWrite;

    /** Null while it is closed. */
    private volatile MemorySegment memory;

    private volatile int rkey;

    /** Closed at first. */
    ShmMemoryRegion(
            ShmRegions owner, MemorySegment memory, boolean remoteRead, boolean remoteWrite) {
        this.owner = owner;
        this.known = new WeakReference<>(memory);
        this.lenBytes = memory.byteSize();
        this.remoteRead = remoteRead;
        this.remoteWrite = remoteWrite;
    }

    /** It has this key from now on; false if its memory has gone, or it is open. */
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
    public long lenBytes() {
        return lenBytes;
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

    /** The memory, if that key opens so much of it now; else null. */
    private MemorySegment opened(int key, long offset, long lenBytes) {
        return (key == OWN || key == rkey) && covers(offset, lenBytes) ? memory : null;
    }

    /** Copies into the region; false if that key does not open it or its memory is gone. */
    synchronized boolean put(
            int key, long offset, MemorySegment from, long fromOffset, long lenBytes) {
        MemorySegment to = opened(key, offset, lenBytes);
        return to != null && copy(from, fromOffset, to, offset, lenBytes);
    }

    /** Copies out of the region; false if that key does not open it or its memory is gone. */
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
