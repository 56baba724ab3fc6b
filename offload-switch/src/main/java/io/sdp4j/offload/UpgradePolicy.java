package io.sdp4j.offload;

import java.time.Duration;
import java.util.Locale;

/**
 * When a connection that began on kernel TCP is worth moving onto an offload stream. Immutable.
 *
 * @param atConnect connections are offloaded before {@code connect} returns, and never later
 * @param bytes payload of both directions that a connection has carried
 * @param turns how often it has answered: a read that follows a write. Enough of either will do
 * @param ageNanos how old it is at least
 * @param selected whether it may also be a channel that does not block
 */
public record UpgradePolicy(
        boolean atConnect, long bytes, long turns, long ageNanos, boolean selected) {
    /** Before {@code connect} returns. */
    public static final UpgradePolicy AT_CONNECT = new UpgradePolicy(true, 0, 0, 0, true);

    /**
     * When a connection has shown that it stays: a short one never pays for offload. Programs that
     * serve their connections by selectors are slower offloaded for many seconds, and then hardly
     * faster (docs/decisions/0002-tcp-connects-first.md).
     */
    public static final UpgradePolicy AUTO =
            new UpgradePolicy(false, 4 << 20, 1_000, Duration.ofMillis(500).toNanos(), false);

    /** Never. Connections that a peer wants to move still move. */
    static final UpgradePolicy NEVER = afterBytes(Long.MAX_VALUE);

    /** As soon as a connection has carried so many bytes. */
    public static UpgradePolicy afterBytes(long bytes) {
        return new UpgradePolicy(false, bytes, Long.MAX_VALUE, 0, true);
    }

    /**
     * The policy of a setting's text, for the processors of this JVM. On one processor both ends
     * and their compilers share it, and a connection that moves takes longer to be faster than TCP
     * again than most connections live: there {@code auto} never moves one.
     *
     * @throws IllegalArgumentException if it is none of {@code connect}, {@code auto} and a number
     */
    public static UpgradePolicy of(String text) {
        return of(text, Runtime.getRuntime().availableProcessors());
    }

    static UpgradePolicy of(String text, int processors) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "connect" -> AT_CONNECT;
            case "auto" -> processors == 1 ? NEVER : AUTO;
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

    /** Whether a connection has carried enough; its age is another question. */
    boolean carriedEnough(long carriedBytes, long answered) {
        return carriedBytes >= bytes || answered >= turns;
    }
}
