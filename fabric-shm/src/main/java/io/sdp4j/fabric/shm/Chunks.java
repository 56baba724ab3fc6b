package io.sdp4j.fabric.shm;

import io.sdp4j.linux.Mapping;
import java.lang.foreign.MemorySegment;

/**
 * The chunks that carry the RDMA operations of one side: which chunks are free, and which operation
 * each of the others serves.
 *
 * <p>Guarded by the queue pair's lock.
 */
final class Chunks {
    /** Stands for an operation in chunks of read requests and responses. */
    static final RdmaOperation NO_OPERATION = new RdmaOperation();

    private final MemorySegment mem;
    private final ShmLayout layout;
    private final int direction;
    private final int[] free;
    private int freeCount;

    /** For each chunk, the operation whose bytes it carries; null = the chunk is free. */
    private final RdmaOperation[] carries;

    /** Chunks were written since their pages were last given back. */
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

    /** Offset of the chunk that {@link #take} returns next; there must be a free one. */
    long next() {
        return layout.chunkAt(direction, free[freeCount - 1]);
    }

    int take(RdmaOperation op) {
        used = true;
        int chunk = free[--freeCount];
        carries[chunk] = op;
        return chunk;
    }

    /** Frees a chunk that the peer returned; false if the chunk was free already. */
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

    /** Gives back the pages of the chunks; false if a chunk is in use. */
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
