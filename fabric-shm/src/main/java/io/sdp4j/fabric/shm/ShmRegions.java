package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The registered memory of one queue pair, by key. Keys are random, so that a peer cannot guess a
 * key that it was not told. Memory that the peer may not access has no key. Thread-safe.
 */
final class ShmRegions {
    private static final int MAX_REGIONS = 4096;

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Keys, drawn many at a time: that takes a lock of the whole process. Guarded by itself. */
    private final ByteBuffer drawn = ByteBuffer.allocate(256).limit(0);

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
        int key = newKey();
        while (byKey.putIfAbsent(key, r) != null) {
            key = newKey();
        }
        if (!r.open(key)) {
            byKey.remove(key);
            return false;
        }
        return true;
    }

    private int newKey() {
        synchronized (drawn) {
            int key = ShmMemoryRegion.OWN;
            while (key == ShmMemoryRegion.OWN) {
                if (!drawn.hasRemaining()) {
                    RANDOM.nextBytes(drawn.array());
                    drawn.clear();
                }
                key = drawn.getInt();
            }
            return key;
        }
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
