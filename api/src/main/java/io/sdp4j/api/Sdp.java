package io.sdp4j.api;

import io.sdp4j.api.spi.SdpService;
import java.io.IOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Opens sockets and channels that are SDP or fail: no rule is asked, nothing falls back to the
 * kernel's TCP.
 *
 * <p>Works with and without the agent. Either way the JVM needs the options that {@link
 * SdpProvider} names, and every method here throws {@link IllegalStateException} as {@link
 * SdpProvider#open} does. Settings are read from system properties at the first use; for others
 * there is {@link SdpProvider#open}.
 *
 * <p>Thread-safe.
 *
 * @since 0.1
 */
public final class Sdp {
    private Sdp() {}

    private static final class Service {
        static final Optional<SdpService> INSTANCE =
                ServiceLoader.load(SdpService.class, SdpService.class.getClassLoader()).findFirst();
    }

    private static final class Provider {
        private static @Nullable SdpProvider instance; // null until one could be opened

        /** Opens it once. A problem is told to every caller, not to the first alone. */
        static synchronized SdpProvider get() {
            if (instance == null) {
                instance = service().open(SdpConfig.defaults(), false);
            }
            return instance;
        }
    }

    static SdpService service() {
        return Service.INSTANCE.orElseThrow(Sdp::missing);
    }

    private static IllegalStateException missing() {
        return new IllegalStateException(
                "sdp4j's module io.sdp4j is not in this JVM: add sdp-provider to its path");
    }

    /**
     * The provider that all methods here use. It cannot be closed.
     *
     * @return always the same one
     * @throws IllegalStateException as {@link SdpProvider#open}
     */
    public static SdpProvider provider() {
        return Provider.get();
    }

    /**
     * An unconnected SDP socket.
     *
     * @return a new socket
     * @throws IOException if the kernel gives none
     */
    public static SdpSocket openSocket() throws IOException {
        return provider().openSocket();
    }

    /**
     * An unbound SDP listener.
     *
     * @return a new listener
     * @throws IOException if the kernel gives none
     */
    public static SdpServerSocket openServerSocket() throws IOException {
        return provider().openServerSocket();
    }

    /**
     * An unconnected SDP channel.
     *
     * @return a new channel, for any selector of the JDK's
     * @throws IOException if the kernel gives none
     * @throws IllegalStateException as {@link SdpProvider#selectorProvider}
     */
    public static SocketChannel openSocketChannel() throws IOException {
        return provider().openSocketChannel();
    }

    /**
     * An unbound SDP listening channel.
     *
     * @return a new channel, for any selector of the JDK's
     * @throws IOException if the kernel gives none
     * @throws IllegalStateException as {@link SdpProvider#selectorProvider}
     */
    public static ServerSocketChannel openServerSocketChannel() throws IOException {
        return provider().openServerSocketChannel();
    }

    /**
     * An unconnected asynchronous SDP channel.
     *
     * @param group as in {@link SdpProvider#openAsynchronousSocketChannel}
     * @return a new channel
     * @throws IOException if the kernel gives none
     */
    public static AsynchronousSocketChannel openAsynchronousSocketChannel(
            @Nullable AsynchronousChannelGroup group) throws IOException {
        return provider().openAsynchronousSocketChannel(group);
    }

    /**
     * An unbound asynchronous SDP listening channel.
     *
     * @param group as in {@link SdpProvider#openAsynchronousSocketChannel}
     * @return a new channel
     * @throws IOException if the kernel gives none
     */
    public static AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(
            @Nullable AsynchronousChannelGroup group) throws IOException {
        return provider().openAsynchronousServerSocketChannel(group);
    }
}
