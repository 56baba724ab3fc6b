package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Buffers of one device's queue pairs, in memory that is registered in large pieces, so that a
 * connection costs no registration.
 *
 * <p>Shape: slabs of one size, each with a map of its free extents (offset to length); first fit,
 * whole pages. Where a limit forbids a slab, it is tried at half the size, down to what is asked
 * for. A slab that is empty is given back unless it is the only one, which stays until it stands in
 * the way of a larger one. Set-up path only; guarded by this object's monitor.
 */
final class SlabPool {
    /** Memory is registered in pieces of this size, or smaller ones where a limit forbids it. */
    static final long SLAB_BYTES = 4L << 20;

    /** Registered memory of all queue pairs' buffers together. */
    static final long MAX_BYTES = 1L << 30;

    private static final long PAGE = 4096;

    /** Registers memory; replaced in tests. */
    interface Registrar {
        /**
         * Registers memory for local use. Returns the address of the registration, or {@code
         * -errno}.
         */
        long register(MemorySegment memory);

        int lkey(long registration);

        void deregister(long registration);
    }

    private final Registrar registrar;
    private final long slabBytes;
    private final long maxBytes;
    private final List<Slab> slabs = new ArrayList<>();
    private long bytes;

    SlabPool(Registrar registrar, long maxBytes, long slabBytes) {
        this.registrar = registrar;
        this.maxBytes = maxBytes;
        this.slabBytes = slabBytes;
    }

    private static final class Slab {
        final Arena arena;
        final MemorySegment memory;
        final long registration;
        final int lkey;
        final TreeMap<Long, Long> free = new TreeMap<>();

        Slab(Arena arena, MemorySegment memory, long registration, int lkey) {
            this.arena = arena;
            this.memory = memory;
            this.registration = registration;
            this.lkey = lkey;
            free.put(0L, memory.byteSize());
        }

        boolean empty() {
            Map.Entry<Long, Long> first = free.firstEntry();
            return first != null && first.getValue() == memory.byteSize();
        }

        /** Takes {@code want} bytes. Returns their offset, or -1. */
        long take(long want) {
            Map.Entry<Long, Long> fit = null;
            for (Map.Entry<Long, Long> e : free.entrySet()) {
                if (e.getValue() >= want) {
                    fit = e;
                    break;
                }
            }
            if (fit == null) {
                return -1;
            }
            long at = fit.getKey();
            long left = fit.getValue() - want;
            free.remove(at);
            if (left > 0) {
                free.put(at + want, left);
            }
            return at;
        }

        void giveBack(long at, long len) {
            long from = at;
            long to = at + len;
            Long behind = free.remove(to);
            if (behind != null) {
                to += behind;
            }
            Map.Entry<Long, Long> before = free.lowerEntry(from);
            if (before != null && before.getKey() + before.getValue() == from) {
                from = before.getKey();
            }
            free.put(from, to - from);
        }
    }

    /** A part of a slab that belongs to one queue pair. */
    final class Lease {
        private final Slab slab;
        private final long at;
        private final long taken;
        private boolean closed;

        private Lease(Slab slab, long at, long taken) {
            this.slab = slab;
            this.at = at;
            this.taken = taken;
        }

        MemorySegment memory() {
            return slab.memory.asSlice(at, taken);
        }

        int lkey() {
            return slab.lkey;
        }

        /** Idempotent. */
        void close() {
            synchronized (SlabPool.this) {
                if (!closed) {
                    closed = true;
                    slab.giveBack(at, taken);
                    if (slab.empty() && slabs.size() > 1) {
                        release(slab);
                    }
                }
            }
        }
    }

    /**
     * Leases {@code want} bytes, page-aligned. They are not cleared after their former owner.
     *
     * @throws FabricException RESOURCES if a limit is reached
     */
    synchronized Lease lease(long want) throws FabricException {
        long rounded = (want + PAGE - 1) & -PAGE;
        for (Slab s : slabs) {
            long at = s.take(rounded);
            if (at >= 0) {
                return new Lease(s, at, rounded);
            }
        }
        Slab s = grow(rounded);
        return new Lease(s, s.take(rounded), rounded);
    }

    private Slab grow(long need) throws FabricException {
        assert Thread.holdsLock(this);
        if (need > maxBytes - bytes) {
            releaseEmpty();
        }
        if (need > maxBytes - bytes) {
            throw new FabricException(
                    Cause.RESOURCES,
                    need
                            + " bytes more for buffers would exceed the limit of "
                            + maxBytes
                            + ", of which "
                            + bytes
                            + " are registered");
        }
        long size = Math.max(need, Math.min(slabBytes, maxBytes - bytes) & -PAGE);
        while (true) {
            Arena arena = Arena.ofShared();
            MemorySegment memory = null;
            long registration = -Linux.ENOMEM;
            OutOfMemoryError scarce = null;
            try {
                memory = arena.allocate(size, PAGE);
                registration = registrar.register(memory);
            } catch (OutOfMemoryError e) {
                scarce = e; // a limit of the address space, for example
            }
            if (registration > 0) {
                boolean kept = false;
                try {
                    Slab s = new Slab(arena, memory, registration, registrar.lkey(registration));
                    kept = slabs.add(s);
                    bytes += size;
                    return s;
                } finally {
                    if (!kept) {
                        registrar.deregister(registration);
                        arena.close();
                    }
                }
            }
            arena.close();
            if (size == need && !releaseEmpty()) {
                throw scarce == null
                        ? VerbsFailures.memory(need, (int) registration)
                        : new FabricException(
                                Cause.RESOURCES, "no memory for buffers: " + scarce, scarce);
            }
            size = Math.max(need, (size / 2) & -PAGE);
        }
    }

    private boolean releaseEmpty() {
        assert Thread.holdsLock(this);
        boolean any = false;
        for (Slab s : List.copyOf(slabs)) {
            if (s.empty()) {
                release(s);
                any = true;
            }
        }
        return any;
    }

    private void release(Slab s) {
        assert Thread.holdsLock(this);
        slabs.remove(s);
        bytes -= s.memory.byteSize();
        registrar.deregister(s.registration);
        s.arena.close();
    }

    /** Returns the number of bytes that are registered now. */
    synchronized long bytes() {
        return bytes;
    }

    /** Gives everything back. No lease may be left. */
    synchronized void close() {
        for (Slab s : List.copyOf(slabs)) {
            assert s.empty() : "a queue pair is left";
            release(s);
        }
    }
}
