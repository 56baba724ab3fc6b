package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The registered memory of one queue pair, by key. Keys are random, so that a peer cannot guess one
 * it was not told; what the peer has no right to has none. Thread-safe.
 */
final class ShmRegions {
    private static final int MAX_REGIONS = 4096;

    private final OpenKeys open;
    private final RandomKeys keys = new RandomKeys();

    /** Those that the peer may read by itself. */
    private final AtomicReferenceArray<ShmMemoryRegion> byPlace =
            new AtomicReferenceArray<>(OpenKeys.PLACES + 1);

    /** Others. */
    private final ConcurrentHashMap<Integer, ShmMemoryRegion> byKey = new ConcurrentHashMap<>();

    /**
     * @param open where keys are shown to a peer that may read this process; null = nothing is
     */
    ShmRegions(OpenKeys open) {
        this.open = open;
    }

    MemoryRegion register(MemorySegment memory, boolean remoteRead, boolean remoteWrite)
            throws FabricException {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("heap memory cannot be registered");
        }
        ShmMemoryRegion r = new ShmMemoryRegion(this, memory, remoteRead, remoteWrite);
        if (!open(r)) {
            throw new FabricException(
                    FabricException.Cause.RESOURCES,
                    "a queue pair has at most " + MAX_REGIONS + " memory regions");
        }
        return r;
    }

    /** Opens a closed region; false at a limit, or when its memory is gone. */
    boolean open(ShmMemoryRegion r) {
        if (!r.remoteRead && !r.remoteWrite) {
            return r.open(ShmMemoryRegion.OWN);
        }
        int place = open != null && r.remoteRead && r.direct() ? open.take() : 0;
        if (place != 0) {
            return openAt(place, r);
        }
        if (byKey.size() >= MAX_REGIONS) {
            return false;
        }
        int key = keys.next();
        while (byKey.putIfAbsent(key, r) != null) {
            key = keys.next();
        }
        if (!r.open(key)) {
            byKey.remove(key);
            return false;
        }
        return true;
    }

    private boolean openAt(int place, ShmMemoryRegion r) {
        int key = keys.next() | place;
        if (!r.open(key)) {
            open.close(place);
            return false;
        }
        byPlace.set(place, r);
        open.open(key);
        return true;
    }

    /** The region of that key, or null. */
    ShmMemoryRegion get(int key) {
        int place = key & OpenKeys.PLACE_MASK;
        if (place == 0) {
            return byKey.get(key);
        }
        ShmMemoryRegion r = place <= OpenKeys.PLACES ? byPlace.get(place) : null;
        return r != null && r.rkey() == key ? r : null;
    }

    /** The peer may not read any of them any more; they are still to be closed. */
    void end() {
        if (open != null) {
            open.closeAll();
        }
    }

    void onClosed(ShmMemoryRegion r, int key) {
        int place = key & OpenKeys.PLACE_MASK;
        if (place != 0) {
            byPlace.compareAndSet(place, r, null);
            open.close(key);
        } else if (key != ShmMemoryRegion.OWN) {
            byKey.remove(key, r);
        }
    }
}
