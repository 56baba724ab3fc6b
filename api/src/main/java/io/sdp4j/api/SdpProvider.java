package io.sdp4j.api;

import java.io.IOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.Optional;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Opens sockets, channels and listeners over SDP with one configuration. A JVM may have any number
 * of them, each with fabrics, buffers and rules of its own; {@link Sdp} has one that is always
 * there.
 *
 * <p>Unless the configuration has rules, everything opened here is SDP or fails: no rule is asked,
 * and nothing falls back to the kernel's TCP. The exception is what is opened inside a {@link
 * KernelSockets} scope, which stays on the kernel.
 *
 * <p>It needs native calls, without which connections fail, and access to packages of the JDK,
 * without which nothing can be opened. Start Java with {@code
 * --enable-native-access=io.sdp4j.linux,io.sdp4j.fabric.verbs --add-opens
 * java.base/java.net=io.sdp4j.offload --add-opens java.base/sun.nio.ch=io.sdp4j.offload --add-opens
 * java.base/java.nio.channels.spi=io.sdp4j.offload --add-exports
 * java.base/sun.nio.ch=io.sdp4j.offload}, or with {@code ALL-UNNAMED} in place of the modules if
 * sdp4j is on the class path. The agent has access for itself alone, so the options are needed
 * beside it, too.
 *
 * <p>Thread-safe. Starts nothing before its first use.
 *
 * @since 0.1
 */
public interface SdpProvider extends AutoCloseable {
    /**
     * A new provider, apart from all others.
     *
     * @param config what differs from the defaults
     * @return the provider; the caller closes it
     * @throws IllegalArgumentException if the configuration has rules that are no good; the message
     *     has line and column
     * @throws IllegalStateException with one sentence for people: the implementation, the module
     *     {@code io.sdp4j}, is missing; or the JVM does not give it access to the JDK, and which
     *     options do
     */
    static SdpProvider open(SdpConfig config) {
        return Sdp.service().open(config, true);
    }

    /**
     * An unconnected socket.
     *
     * @return a new socket
     * @throws IOException if this provider is closed, or the kernel gives no socket
     */
    SdpSocket openSocket() throws IOException;

    /**
     * An unbound listener.
     *
     * @return a new listener
     * @throws IOException if this provider is closed, or the kernel gives no socket
     */
    SdpServerSocket openServerSocket() throws IOException;

    /**
     * An unconnected channel of {@link #selectorProvider}.
     *
     * @return a new channel
     * @throws IOException if this provider is closed, or the kernel gives no socket
     * @throws IllegalStateException as {@link #selectorProvider}
     */
    SocketChannel openSocketChannel() throws IOException;

    /**
     * An unbound listening channel of {@link #selectorProvider}.
     *
     * @return a new channel
     * @throws IOException if this provider is closed, or the kernel gives no socket
     * @throws IllegalStateException as {@link #selectorProvider}
     */
    ServerSocketChannel openServerSocketChannel() throws IOException;

    /**
     * An unconnected channel of {@link #asynchronousChannelProvider}.
     *
     * @param group one that this provider's {@link AsynchronousChannelProvider} has opened; null
     *     for its default group
     * @return a new channel
     * @throws IOException if this provider is closed, or the kernel gives no socket
     * @throws java.nio.channels.IllegalChannelGroupException if the group is another provider's
     * @throws java.nio.channels.ShutdownChannelGroupException if the group has been shut down
     * @throws IllegalStateException as {@link #asynchronousChannelProvider}
     */
    AsynchronousSocketChannel openAsynchronousSocketChannel(
            @Nullable AsynchronousChannelGroup group) throws IOException;

    /**
     * An unbound listening channel of {@link #asynchronousChannelProvider}.
     *
     * @param group as in {@link #openAsynchronousSocketChannel}
     * @return a new channel
     * @throws IOException if this provider is closed, or the kernel gives no socket
     * @throws java.nio.channels.IllegalChannelGroupException if the group is another provider's
     * @throws java.nio.channels.ShutdownChannelGroupException if the group has been shut down
     * @throws IllegalStateException as {@link #asynchronousChannelProvider}
     */
    AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(
            @Nullable AsynchronousChannelGroup group) throws IOException;

    /**
     * For a component that can be given a factory of client sockets. They are {@link SdpSocket}s.
     *
     * @return always the same one
     */
    SocketFactory socketFactory();

    /**
     * For a component that can be given a factory of listeners. They are {@link SdpServerSocket}s.
     *
     * @return always the same one
     */
    ServerSocketFactory serverSocketFactory();

    /**
     * For a component that can be given a provider of selectable channels. Selectors, datagram
     * channels, pipes and UNIX-domain channels are the JDK's own; a selector of this one takes
     * every channel of the JDK's, and the JDK's take channels of this one.
     *
     * @return always the same one
     * @throws IllegalStateException with one sentence for people if the access that channels need
     *     is missing
     */
    SelectorProvider selectorProvider();

    /**
     * For a component that can be given a provider of asynchronous channels.
     *
     * @return always the same one
     * @throws IllegalStateException with one sentence for people if the access that these channels
     *     need is missing
     */
    AsynchronousChannelProvider asynchronousChannelProvider();

    /**
     * Where a channel's connection runs, why, and what it has carried. For a socket see {@link
     * SdpSocket#connectionInfo}.
     *
     * @param channel any channel
     * @return a snapshot; empty while the channel has no connection, and for one of another kind
     */
    Optional<ConnectionInfo> connectionInfo(NetworkChannel channel);

    /**
     * Closes every socket, channel and listener that was opened or accepted through this provider,
     * each as by its own {@code close}, and opens nothing any more. Does not wait: bytes written
     * before are delivered in the background, within 60 s. Idempotent.
     *
     * @throws UnsupportedOperationException if this is the provider of {@link Sdp}
     */
    @Override
    void close();
}
