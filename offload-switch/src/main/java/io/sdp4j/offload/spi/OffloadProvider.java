package io.sdp4j.offload.spi;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/**
 * A way to carry streams outside the kernel's TCP. Thread-safe.
 *
 * <p>A plug-in with a protocol of its own implements this as a service. Such a provider is asked
 * only if the rule allows any fabric or names this provider as one, and asked to move a connection
 * only if it {@link #moves} it. It is asked in a kernel scope: sockets that it opens to set a
 * connection up are the kernel's.
 */
public interface OffloadProvider {
    /**
     * Short name for reports, for example {@code sdp}. The name of a plug-in is also for rules:
     * ASCII letters, digits, {@code _} and {@code -}.
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
     * see {@link ConnectSpec#socket}. If so, a connection whose rule allows a fallback begins on
     * TCP. Never blocks.
     *
     * @param remote resolved
     * @param fabrics as in {@link ConnectSpec}
     */
    default boolean moves(InetAddress remote, List<String> fabrics) {
        return false;
    }

    /**
     * Whether a listener whose rule allows a fallback need not wait for {@link #listen}, because
     * every peer reaches it by kernel TCP first and asks again if it finds no listener here yet. If
     * all providers say so, they are not asked to connect to a destination to which they do not
     * {@linkplain #moves move} connections. Never blocks.
     *
     * @param fabrics as in {@link ListenSpec}
     */
    default boolean listensLater(List<String> fabrics) {
        return false;
    }

    /**
     * Whether a connection that {@linkplain #moves moves} within this process, and carries a few
     * bytes there, prepares this provider for connections of the program. If so, one is made once a
     * listener is there, where connections move at once. Never blocks.
     *
     * @param fabrics as in {@link ListenSpec}
     */
    default boolean rehearses(List<String> fabrics) {
        return false;
    }

    /**
     * Chooses the port of a listener that takes any port, if {@link #listen} would fail at some
     * ports. Returns the first suitable port of a few that {@code free} offers; 0 if any port suits
     * the provider, or it finds none.
     *
     * @param fabrics as in {@link ListenSpec}
     * @param free returns the listener's address with a port that is free there, another port each
     *     time; null if there is none
     */
    default int choosePort(List<String> fabrics, Supplier<InetSocketAddress> free) {
        return 0;
    }

    /**
     * Listens beside a kernel listener that is bound already. Returns at once.
     *
     * @throws OffloadUnavailable if the provider cannot listen
     */
    OffloadListener listen(ListenSpec spec) throws OffloadUnavailable;
}
