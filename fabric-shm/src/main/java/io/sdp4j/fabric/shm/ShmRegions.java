package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The registered memory of one queue pair, by key. Keys are random, so that a peer cannot guess a
 * key that it was not told. Memory that the peer may not access has no key. Thread-safe.
 */
final class ShmRegions {
    private static final int MAX_REGIONS = 4096;

    private final RandomKeys keys = new RandomKeys();

    private final ConcurrentHashMap<Integer, ShmMemoryRegion> byKey = new ConcurrentHashMap<>();

    MemoryRegion register(MemorySegment memory, boolean remoteRead, boolean remoteWrite)
            throws FabricException {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("heap memory cannot be registered");
        }
        ShmMemoryRegion r = new ShmMemoryRegion(this, memory, remoteRead, remoteWrite);
        try {
            if (!open(r)) {
                throw new FabricException(
                        Cause.RESOURCES,
                        "a queue pair has at most " + MAX_REGIONS + " memory regions");
            }
        } finally {
            // a closed region does not keep its memory alive, and the caller may not need it any
            // more
            Reference.reachabilityFence(memory);
        }
        return r;
    }

    /** Opens a closed region; false if a limit is reached or the memory is gone. */
    boolean open(ShmMemoryRegion r) {
        if (!r.remoteRead && !r.remoteWrite) {
            return r.open(ShmMemoryRegion.OWN);
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

    /** The region of that key, or null. */
    ShmMemoryRegion get(int key) {
        return byKey.get(key);
    }

    void onClosed(ShmMemoryRegion r, int key) {
        if (key != ShmMemoryRegion.OWN) {
            byKey.remove(key, r);
        }
    }
}
