package io.sdp4j.offload.contract.nio;

import io.sdp4j.offload.contract.Here;
import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** The channels that a contract is about; both ends of every connection are in this JVM. */
public interface NioChannels {
    InetAddress LOOPBACK = InetAddress.ofLiteral(Here.ADDRESS.getHostAddress());

    /** Where channels and selectors come from. */
    SelectorProvider provider();

    /** Whether the data of these channels goes another way than the kernel's TCP. */
    boolean offloads();

    /**
     * Whether a selection may return 0 for no reason: for what was read meanwhile, or at the end of
     * an attempt to offload (docs/jdk-contract.md).
     */
    default boolean wakesForNothing() {
        return offloads();
    }

    /** Whether the kernel may carry output, if only at first. */
    default boolean writesByKernel() {
        return !offloads();
    }

    /** Whether a channel whose first bytes are urgent stays on the kernel's TCP. */
    default boolean urgentByKernel() {
        return !offloads();
    }

    /**
     * Least that a peer that does not read takes. Kernels take some 4 MB over the loopback
     * interface; less is asked for here because a writer that is kept from running takes longer,
     * and then less is gathered in each message.
     */
    default int leastUnreadBytes() {
        return 1_500_000;
    }

    /**
     * The same of small writes with pauses between them, of which few are made on a busy machine.
     */
    default int leastUnreadInSmallWrites() {
        return Math.min(leastUnreadBytes(), 500_000);
    }

    /** Checks that a connected channel is carried as {@link #offloads} has it. */
    default void checkCarrier(SocketChannel connected) {}

    /** As {@code SocketChannel.open()}. */
    default SocketChannel open() throws IOException {
        return provider().openSocketChannel();
    }

    /** A listener on an ephemeral port of {@link Here#ADDRESS}. */
    default ServerSocketChannel listen(int backlog) throws IOException {
        return provider()
                .openServerSocketChannel()
                .bind(new InetSocketAddress(LOOPBACK, 0), backlog);
    }

    /** A connected pair in blocking mode. */
    default Pair<ServerSocketChannel, SocketChannel> pair() throws IOException {
        ServerSocketChannel listener = listen(8);
        SocketChannel client = open();
        client.connect(listener.getLocalAddress());
        return new Pair<>(listener, client, listener.accept());
    }

    /** A connected pair in non-blocking mode. */
    default Pair<ServerSocketChannel, SocketChannel> polledPair() throws IOException {
        Pair<ServerSocketChannel, SocketChannel> p = pair();
        p.client().configureBlocking(false);
        p.server().configureBlocking(false);
        return p;
    }
}
