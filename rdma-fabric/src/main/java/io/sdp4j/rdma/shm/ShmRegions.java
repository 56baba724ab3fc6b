package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.FabricException;
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

    private final ConcurrentHashMap<Integer, ShmMemoryRegion> byKey = new ConcurrentHashMap<>();

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
        for (; ; ) {
            int key = KEYS.nextInt();
            ShmMemoryRegion r = new ShmMemoryRegion(this, memory, key, remoteRead, remoteWrite);
            if (key != 0 && byKey.putIfAbsent(key, r) == null) {
                return r;
            }
        }
    }

    /** The region of that key, or null. */
    ShmMemoryRegion get(int key) {
        return byKey.get(key);
    }

    void forget(ShmMemoryRegion region) {
        byKey.remove(region.rkey(), region);
    }
}
