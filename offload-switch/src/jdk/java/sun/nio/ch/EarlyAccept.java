package sun.nio.ch;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/** Stands beside a listening channel in a JVM whose switch has not started. Thread-safe. */
interface EarlyAccept {
    /**
     * Whether what is accepted there may move, now or later. Once, when the kernel listens.
     *
     * @param asked what the application asked to bind to, or null
     */
    boolean mayMove(SocketAddress asked);

    /** The switch is to go on with {@code channel} once it has started; only if that may be. */
    void listens(ListeningChannel channel, SocketAddress asked, int backlog);

    /**
     * The channel of a connection that the kernel has accepted.
     *
     * @param by has asked {@link #mayMove}
     * @param byTcp the JDK's channel, which is the result where the connection cannot move
     */
    SocketChannel accepted(ListeningChannel by, SocketChannel byTcp) throws IOException;
}
