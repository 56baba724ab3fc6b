package io.sdp4j.linux;

/**
 * Sleeps on a word of shared memory and wakes the sleepers. No call allocates. Thread-safe.
 *
 * <p>Shape: the limits of waits are in a table of constant {@code timespec}s, one for each power of
 * two of nanoseconds, so no thread needs scratch memory. A long wait therefore becomes a few
 * shorter ones; callers loop anyway.
 */
public final class Futex {
    private static final int WAIT = 0;
    private static final int WAKE = 1;
    private static final int SMALLEST = 14;
    private static final int LARGEST = 42;
    private static final int TIMESPEC_BYTES = 16;
    private static final SyscallBuffer TIMES =
            SyscallBuffer.lasting((LARGEST - SMALLEST + 1) * TIMESPEC_BYTES);

    static {
        for (int k = SMALLEST; k <= LARGEST; k++) {
            long nanos = 1L << k;
            int at = (k - SMALLEST) * TIMESPEC_BYTES;
            TIMES.putLong(at, nanos / 1_000_000_000L);
            TIMES.putLong(at + 8, nanos % 1_000_000_000L);
        }
    }

    private Futex() {}

    /**
     * Initialises the class. Called by a thread that sets up a connection: if the initialisation
     * fails, as on the full stack of a thread that writes, the JVM can never use the class.
     */
    public static void init() {}

    /**
     * Sleeps while the int at {@code address} is {@code value}, at most {@code nanos} (rounded down
     * to a power of two, 16 us to 73 min). May return early.
     *
     * @return true if the kernel says that the thread was woken; false if a signal or the time
     *     ended the wait
     */
    public static boolean await(long address, int value, long nanos) {
        int k = 63 - Long.numberOfLeadingZeros(Math.max(nanos, 1));
        k = Math.clamp(k, SMALLEST, LARGEST);
        long limit = TIMES.address() + (k - SMALLEST) * (long) TIMESPEC_BYTES;
        return Linux.callQuietly(Linux.FUTEX, address, WAIT, value, limit, 0, 0) == 0;
    }

    /** Wakes the threads that sleep there, in any process. */
    public static void wake(long address) {
        Linux.callQuietly(Linux.FUTEX, address, WAKE, Integer.MAX_VALUE, 0, 0, 0);
    }
}
