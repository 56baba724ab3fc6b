package sun.nio.ch;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/**
 * The switch's side of a listening channel: its decision, and a queue of connections beside the
 * kernel's. {@link #poll} is for one thread at a time, the rest for any thread.
 */
public interface SecondQueue {
    /**
     * Binds the channel, see {@link ListeningChannel#bindKernel}, and begins to listen.
     *
     * @param backlog as the application asked for it
     */
    void bind(ListeningChannel channel, SocketAddress address, int backlog) throws IOException;

    /** A connection of the second queue; null if none waits, or it is the kernel's turn. */
    SocketChannel poll(ListeningChannel channel, boolean kernelHasNone) throws IOException;

    /** The channel for a connection that came by TCP; null if it is refused. */
    SocketChannel accepted(ListeningChannel channel, SocketChannel byTcp) throws IOException;

    /** Whether {@link #poll} would find a connection. */
    boolean pending();

    /** Makes the epoll descriptor readable. */
    void signal();

    /** Ends {@link #signal}; look at what it stands for after this. */
    void consume();

    /** The channel is closed. */
    void close();

    /** No thread waits, and no selector knows the channel. */
    void release() throws IOException;
}
