package sun.nio.ch;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/**
 * The switch's side of a listening channel: it decides for the channel and holds a queue of
 * connections beside the kernel's. {@link #poll} is for one thread at a time, the other methods are
 * for any thread.
 */
public interface SecondQueue {
    /**
     * Binds the channel, see {@link ListeningChannel#bindKernel}, and begins to listen.
     *
     * @param backlog the backlog that the application asked for
     */
    void bind(ListeningChannel channel, SocketAddress address, int backlog) throws IOException;

    /** Takes a connection from the second queue; null if none waits, or it is the kernel's turn. */
    SocketChannel poll(ListeningChannel channel, boolean kernelHasNone) throws IOException;

    /** Returns the channel for a connection that came by TCP; null if the connection is refused. */
    SocketChannel accepted(ListeningChannel channel, SocketChannel byTcp) throws IOException;

    /** Whether {@link #poll} would find a connection. */
    boolean pending();

    /** Makes the epoll descriptor readable. */
    void signal();

    /** Ends {@link #signal}. Callers look at the queue after this, not before. */
    void consume();

    /** Called when the channel is closed. */
    void close();

    /** Releases the descriptors: no thread waits, and no selector knows the channel. */
    void release() throws IOException;
}
