package io.sdp4j.offload;

import java.time.Duration;
import java.util.Locale;

/**
 * When a connection that began on kernel TCP is worth moving onto an offload stream. Immutable.
 *
 * <p>A channel that does not block is served by a selector, and a virtual thread by the JDK's
 * poller. Both gain by offload if each call carries much; a selector's channel also gains if
 * answers come so fast that the kernel takes most of their time. Otherwise they hardly gain. A
 * selector's channel also has to last (docs/decisions/0002-tcp-connects-first.md).
 *
 * @param bytes payload of both directions that a connection has carried
 * @param turns how often a connection has answered: a read that follows a write. Enough {@code
 *     bytes} or enough {@code turns} will do
 * @param allTurns how often all connections of this JVM together must have answered before {@code
 *     turns} counts: the first move makes the JVM compile the offloaded path, which only many
 *     answers repay
 * @param ageNanos least age of a connection
 * @param bulkBytes replaces {@code bytes} and {@code turns} for a channel that does not block,
 *     unless it is quick; 0 = every connection is judged as if threads waited in it; {@link
 *     Long#MAX_VALUE} = such a channel does not move, quick or not
 * @param bulkAgeNanos replaces {@code ageNanos} for a channel that does not block
 */
public record UpgradePolicy(
        long bytes, long turns, long allTurns, long ageNanos, long bulkBytes, long bulkAgeNanos) {
    /** How the application waits in a connection. */
    public enum Waits {
        /** In a thread of the operating system, which sleeps in the call. */
        THREAD,
        /** In a virtual thread, which parks until the JDK's poller wakes it. */
        VIRTUAL_THREAD,
        /** In a selector: a call does not wait. */
        SELECTOR
    }

    /** Average payload of a call from which on the traffic is bulk. */
    static final int BULK_CALL_BYTES = 8 << 10;

    /**
     * Longest time between two answers of a quick channel: one that does not block and is worth
     * moving although its calls carry less.
     */
    static final long QUICK_NANOS = 125_000;

    /** More than any connection carries. */
    private static final long NEVER = Long.MAX_VALUE;

    /** As soon as the kernel has connected. */
    public static final UpgradePolicy AT_CONNECT = afterBytes(0);

    /**
     * When a connection has proved long-lived: a short one never pays for offload. Until the
     * offloaded path is compiled, for some seconds, a program with selectors is slower than on TCP,
     * and only a connection that lasts makes up for that.
     */
    public static final UpgradePolicy AUTO =
            new UpgradePolicy(
                    4 << 20,
                    1_000,
                    60_000,
                    Duration.ofMillis(500).toNanos(),
                    1 << 30,
                    Duration.ofSeconds(10).toNanos());

    /**
     * As {@link #AUTO}, for one processor, which both ends and their compilers may share. There a
     * connection that has moved is several times slower until everything is compiled. So it must be
     * so old that this hardly counts, and likely to live on.
     */
    static final UpgradePolicy AUTO_ALONE =
            new UpgradePolicy(
                    8L << 30, 100_000, 500_000, Duration.ofSeconds(60).toNanos(), NEVER, NEVER);

    /** As soon as a connection has carried {@code bytes}, in whatever way the application waits. */
    public static UpgradePolicy afterBytes(long bytes) {
        return new UpgradePolicy(bytes, NEVER, 0, 0, 0, 0);
    }

    /**
     * The policy of a setting's text, for the processors of this JVM.
     *
     * @throws IllegalArgumentException if it is none of {@code connect}, {@code auto} and a number
     */
    public static UpgradePolicy of(String text) {
        return of(text, Runtime.getRuntime().availableProcessors());
    }

    static UpgradePolicy of(String text, int processors) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "connect" -> AT_CONNECT;
            case "auto" -> processors == 1 ? AUTO_ALONE : AUTO;
            default -> {
                long bytes;
                try {
                    bytes = Long.parseLong(text);
                } catch (NumberFormatException e) {
                    bytes = -1;
                }
                if (bytes < 0) {
                    throw new IllegalArgumentException(
                            "'" + text + "' is not connect, auto or a number of bytes");
                }
                yield afterBytes(bytes);
            }
        };
    }

    /** Whether a connection need not carry anything to be worth moving. */
    public boolean atConnect() {
        return bytes == 0;
    }

    /**
     * Whether a connection that is worth moving stays on TCP while too many threads want to run,
     * see {@link UpgradeGate}.
     */
    boolean waitsInCrowd() {
        // AUTO and AUTO_ALONE; a record's equals takes 10 ms when it is first asked
        return bulkBytes != 0;
    }

    /**
     * Whether a connection has carried enough; its age is checked elsewhere.
     *
     * @param allAnswered answers of all connections of this JVM
     * @param calls calls that carried something
     * @param turnNanos average time between the last answers
     */
    boolean carriedEnough(
            Waits waits,
            long carriedBytes,
            long answered,
            long allAnswered,
            long calls,
            long turnNanos) {
        if (waits == Waits.THREAD || bulkBytes == 0) {
            return carriedBytes >= bytes || (answered >= turns && allAnswered >= allTurns);
        }
        return waits == Waits.VIRTUAL_THREAD
                ? carriedBytes >= bytes && carriedBytes / BULK_CALL_BYTES >= calls
                : carriedBytes >= bulkBytes || turnNanos <= QUICK_NANOS;
    }

    /** Whether no channel in a selector moves, whatever it carries. */
    boolean keepsSelectors() {
        return bulkBytes == NEVER;
    }

    /** Least age at which a connection moves. */
    long ageNanos(Waits waits) {
        return waits == Waits.SELECTOR ? bulkAgeNanos : ageNanos;
    }

    /** Whether a channel that does not block clearly carries too little to be worth moving. */
    boolean carriesLittle(long calls, long carriedBytes, long ageNanos, long turnNanos) {
        return bulkBytes != 0
                && ageNanos >= bulkAgeNanos / 2
                && turnNanos > QUICK_NANOS
                && carriedBytes / BULK_CALL_BYTES < calls;
    }
}
