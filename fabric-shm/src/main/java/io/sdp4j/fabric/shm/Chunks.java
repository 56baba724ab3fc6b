package io.sdp4j.fabric.shm;

import io.sdp4j.linux.Mapping;
import java.lang.foreign.MemorySegment;

/**
 * The chunks in which RDMA of one side travels: which are free, and whose bytes the others carry.
 *
 * <p>Guarded by the queue pair's lock.
 */
final class Chunks {
    /** Owns the chunks of read requests and responses. */
    static final RdmaOperation NO_OPERATION = new RdmaOperation();

    private final MemorySegment mem;
    private final ShmLayout layout;
    private final int direction;
    private final int[] free;
    private int freeCount;

    /** The operation whose bytes each chunk that is out carries; null = not out. */
    private final RdmaOperation[] carries;

    /** Chunks were written since they were given back last. */
    private boolean used;

    Chunks(MemorySegment mem, ShmLayout layout, int direction) {
        this.mem = mem;
        this.layout = layout;
        this.direction = direction;
        free = new int[layout.chunks];
        for (int i = 0; i < layout.chunks; i++) {
            free[freeCount++] = layout.chunks - 1 - i;
        }
        carries = new RdmaOperation[layout.chunks];
    }

    boolean none() {
        return freeCount == 0;
    }

    /** Where the chunk starts that {@link #take} will give; there must be one. */
    long next() {
        return layout.chunkAt(direction, free[freeCount - 1]);
    }

    int take(RdmaOperation op) {
        used = true;
        int chunk = free[--freeCount];
        carries[chunk] = op;
        return chunk;
    }

    /** A chunk came back; false if it was not out. */
    boolean returned(int chunk) {
        if (chunk >= carries.length || carries[chunk] == null) {
            return false;
        }
        RdmaOperation op = carries[chunk];
        carries[chunk] = null;
        free[freeCount++] = chunk;
        if (op != NO_OPERATION) {
            op.chunkReturned();
        }
        return true;
    }

    /** Gives back their pages; false if one is out. */
    boolean trim() {
        boolean quiet = freeCount == layout.chunks;
        if (quiet && used) {
            used = false;
            long lenBytes = (long) layout.chunks * layout.chunkStride();
            Mapping.giveBack(mem, layout.chunk[direction], lenBytes);
        }
        return quiet;
    }
}
