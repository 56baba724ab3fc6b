package io.sdp4j.stream;

import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QueuePair;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The last {@value #MAX} buffers that were lent, with their registrations (MR). If a program lends
 * the same few again and again, they are registered without a search, an object or a lock.
 *
 * <p>A buffer is recognized by the object, the range in it and its address, because some libraries
 * point a buffer of theirs at other memory. This class keeps no buffer from being collected; a
 * region that can be opened again may, for as long as its fabric keeps it. A region belongs to one
 * queue pair: when the session goes on over another one, all regions are forgotten. They are closed
 * already, and end with their queue pair. Guarded by the stream's lock.
 */
final class FamiliarBuffers {
    private static final int MAX = 4;

    private record Familiar(
            WeakReference<ByteBuffer> buffer,
            int position,
            int limit,
            long address,
            MemoryRegion region) {
        Familiar(ByteBuffer b, MemoryRegion region) {
            this(new WeakReference<>(b), b.position(), b.limit(), address(b), region);
        }

        boolean is(ByteBuffer b) {
            return position == b.position()
                    && limit == b.limit()
                    && buffer.refersTo(b)
                    && address == address(b);
        }

        private static long address(ByteBuffer b) {
            return MemorySegment.ofBuffer(b).address();
        }
    }

    private final Familiar[] last = new Familiar[MAX];
    private int oldest;

    /** The queue pair of the regions in {@link #last}. */
    private WeakReference<QueuePair> owner = new WeakReference<>(null);

    /**
     * The earlier registration of the remaining bytes of {@code b} with {@code qp}, open again; or
     * null.
     */
    MemoryRegion reopen(QueuePair qp, ByteBuffer b) {
        if (!owner.refersTo(qp)) {
            owner = new WeakReference<>(qp);
            Arrays.fill(last, null);
        }
        for (int i = 0; i < MAX; i++) {
            Familiar f = last[i];
            if (f != null && f.is(b)) {
                if (f.region.reopen()) {
                    return f.region;
                }
                last[i] = null;
                oldest = i; // the next one takes its place, and no other's
            }
        }
        return null;
    }

    /**
     * Remembers that the remaining bytes of {@code b} are registered as {@code region} with the
     * queue pair of the last {@link #reopen}.
     */
    void add(ByteBuffer b, MemoryRegion region) {
        last[oldest] = new Familiar(b, region);
        oldest = (oldest + 1) % MAX;
    }
}
