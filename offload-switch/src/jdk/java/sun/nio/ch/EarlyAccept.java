package sun.nio.ch;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/** The part beside a listening channel in a JVM whose switch has not started. Thread-safe. */
interface EarlyAccept {
    /**
     * Whether accepted connections may move, now or later. Called once, when the kernel listens.
     *
     * @param asked the address that the application asked to bind to, or null
     */
    boolean mayMove(SocketAddress asked);

    /**
     * Has the switch go on with {@code channel} once it has started. Called only if {@link
     * #mayMove}.
     */
    void listens(ListeningChannel channel, SocketAddress asked, int backlog);

    /**
     * Returns the channel of a connection that the kernel has accepted.
     *
     * @param by the listener, for which {@link #mayMove} was asked
     * @param byTcp the JDK's channel, which is also the result if the connection cannot move
     */
    SocketChannel accepted(ListeningChannel by, SocketChannel byTcp) throws IOException;
}
