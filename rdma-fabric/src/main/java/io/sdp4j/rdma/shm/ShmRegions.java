package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.MemoryLife;
import io.sdp4j.rdma.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The registered memory of one queue pair, by key. Keys are random, so that a peer cannot guess one
 * it was not told. Thread-safe.
 */
final class ShmRegions {
    private static final int MAX_REGIONS = 4096;
    private static final SecureRandom KEYS = new SecureRandom();

    private final OpenKeys open;
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
        if (byKey.size() >= MAX_REGIONS) {
            throw new FabricException(
                    FabricException.Cause.RESOURCES,
                    "a queue pair has at most " + MAX_REGIONS + " memory regions");
        }
        int place = open != null && remoteRead && MemoryLife.lasting(memory) ? open.take() : 0;
        for (; ; ) {
            int key = (KEYS.nextInt() & ~OpenKeys.PLACE_MASK) | place;
            ShmMemoryRegion r = new ShmMemoryRegion(this, memory, key, remoteRead, remoteWrite);
            if (key != place && byKey.putIfAbsent(key, r) == null) {
                if (place != 0) {
                    open.open(key);
                }
                return r;
            }
        }
    }

    /** The region of that key, or null. */
    ShmMemoryRegion get(int key) {
        return byKey.get(key);
    }

    /** The peer may not read any of them any more; they are still to be closed. */
    void end() {
        if (open != null) {
            byKey.keySet().forEach(open::close);
        }
    }

    void forget(ShmMemoryRegion region) {
        if (open != null) {
            open.close(region.rkey());
        }
        byKey.remove(region.rkey(), region);
    }
}
