package sun.nio.ch;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;

/**
 * The switch's side of a {@link ConnectionChannel}: it connects the channel, and answers the
 * questions of selectors and of other code. Thread-safe.
 */
public interface ConnectionSwitch {
    void bind(SocketAddress local) throws IOException;

    /**
     * Connects.
     *
     * @param nanos upper bound for the socket adaptor, which needs a blocking channel; -1 = the
     *     channel's own connect, in its present mode
     */
    boolean connect(SocketAddress remote, long nanos) throws IOException;

    boolean finishConnect() throws IOException;

    boolean isConnected();

    boolean isConnectionPending();

    /** The local address of the connection; null = the kernel knows it. */
    default SocketAddress localAddress() {
        return null;
    }

    /** The other end of the connection; null = the kernel knows it. */
    default SocketAddress remoteAddress() {
        return null;
    }

    <T> void setOption(SocketOption<T> name, T value) throws IOException;

    <T> T getOption(SocketOption<T> name) throws IOException;

    void configureBlocking(boolean block) throws IOException;

    /** The channel is closed; the kernel's socket is about to be. */
    default void closing() throws IOException {}

    /** The kernel's socket is closed, unless selectors or threads still hold it. */
    default void closed() throws IOException {}

    /** The channel is closed, and no selector knows it any more. */
    default void killed() {}

    /**
     * Called when other code asks for the descriptor.
     *
     * @throws UnsupportedOperationException if the descriptor means nothing, with a sentence for
     *     people
     */
    default void checkDescriptor() {}

    /** Returns the events to watch the descriptor for. */
    int interest(int ops);

    /** See {@link SocketChannelImpl#translateReadyOps}. */
    boolean ready(int ops, int initialOps, SelectionKeyImpl key);
}
