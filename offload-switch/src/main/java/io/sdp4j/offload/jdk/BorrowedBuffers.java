package io.sdp4j.offload.jdk;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The application's buffers while one operation uses them. As in the JDK's channels, their arenas
 * stay open, and a buffer that occurs twice in a gathering write is written twice. Used again by
 * the next operation; for one thread at a time.
 */
@SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same bytes
public final class BorrowedBuffers {
    /** Most buffers that are compared with each other: for more, a set is quicker. */
    private static final int FEW = 32;

    private final Set<ByteBuffer> seen = Collections.newSetFromMap(new IdentityHashMap<>(0));
    private ByteBuffer[] held = {}; // buffers whose arenas are kept open
    private int holds;
    private ByteBuffer[] given; // the array of the caller if a buffer occurs twice; else null
    private ByteBuffer[] apart; // a copy of it, with slices for further occurrences

    /**
     * Borrows one more buffer. Throws what the JDK throws if its arena is closed or confined to
     * another thread.
     *
     * @param anyThread whether threads other than this one may use and give back the buffer
     */
    public void borrow(ByteBuffer buffer, boolean anyThread) {
        if (holds == held.length) {
            held = Arrays.copyOf(held, 2 * holds + 1); // may fail: an arena must not be held yet
        }
        if (JdkClasses.CHANNELS.hold(buffer, anyThread)) {
            held[holds++] = buffer;
        }
    }

    /**
     * Returns the same buffers, with a slice of its own for each further occurrence of a buffer. No
     * element may be null.
     */
    public ByteBuffer[] apart(ByteBuffer[] many, int from, int to) {
        boolean few = to - from <= FEW;
        for (int i = from; i < to; i++) {
            boolean again = few ? occurs(many, from, i) : !seen.add(many[i]);
            if (again && many[i].hasRemaining()) {
                if (given == null) {
                    given = many.clone();
                    apart = many.clone();
                }
                apart[i] = many[i].slice();
            }
        }
        if (!few) {
            seen.clear();
        }
        return given == null ? many : apart;
    }

    /** Whether the buffer at {@code i} occurs before that place. */
    private static boolean occurs(ByteBuffer[] many, int from, int i) {
        for (int j = from; j < i; j++) {
            if (many[j] == many[i]) {
                return true;
            }
        }
        return false;
    }

    /** Lets arenas be closed from now on. */
    public void releaseArenas() {
        while (holds > 0) {
            ByteBuffer buffer = held[--holds];
            held[holds] = null;
            JdkClasses.CHANNELS.release(buffer);
        }
    }

    /**
     * Ends the operation. A buffer that occurs several times gets the position of its last
     * occurrence that was used.
     */
    public void giveBack() {
        releaseArenas();
        if (given != null) {
            for (int i = 0; i < given.length; i++) {
                if (apart[i] != given[i] && apart[i].position() > 0) {
                    given[i].position(given[i].limit() - apart[i].remaining());
                }
            }
            given = null;
            apart = null;
        }
    }
}
