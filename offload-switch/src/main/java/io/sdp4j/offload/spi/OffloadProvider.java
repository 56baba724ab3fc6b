package io.sdp4j.offload.spi;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/**
 * A way to carry streams outside the kernel's TCP. Thread-safe.
 *
 * <p>Also the service that a plug-in with a protocol of its own provides. Such a provider is asked
 * only where the rule allows any fabric or names this provider as one, and to move a connection
 * only if it {@link #moves} it.
 */
public interface OffloadProvider {
    /**
     * Short name for reports, for example {@code sdp}; of a plug-in also for rules: ASCII letters,
     * digits, {@code _} and {@code -}.
     */
    String name();

    /**
     * Connects within the time of the request, or until it is abandoned. May be called on any
     * thread, virtual ones included; blocks it.
     *
     * @throws OffloadUnavailable for every failure before the stream is up
     */
    OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable;

    /**
     * Whether a connection that begins on kernel TCP can move onto a stream of this provider later,
     * see {@link ConnectSpec#socket}: then one that a rule lets fall back begins there. Never
     * blocks.
     *
     * @param remote resolved
     * @param fabrics as in {@link ConnectSpec}
     */
    default boolean moves(InetAddress remote, List<String> fabrics) {
        return false;
    }

    /**
     * Whether a listener that a rule lets fall back need not wait for {@link #listen}: every peer
     * reaches it by kernel TCP first, and asks again if it finds no listener here yet. Then this
     * one is not asked to connect to where it does not {@linkplain #moves move} connections. Never
     * blocks.
     *
     * @param fabrics as in {@link ListenSpec}
     */
    default boolean listensLater(List<String> fabrics) {
        return false;
    }

    /**
     * A port for a listener that any port will do for, where {@link #listen} would fail for some:
     * the first that suits of those that {@code free} draws, a few at most. 0 if the provider does
     * not mind which, or finds none.
     *
     * @param fabrics as in {@link ListenSpec}
     * @param free gives where the listener would be, with a port that the kernel has free there,
     *     another each time; null if there is none
     */
    default int choosePort(List<String> fabrics, Supplier<InetSocketAddress> free) {
        return 0;
    }

    /**
     * Listens beside a kernel listener that is bound already. Returns at once.
     *
     * @throws OffloadUnavailable if it cannot
     */
    OffloadListener listen(ListenSpec spec) throws OffloadUnavailable;
}
