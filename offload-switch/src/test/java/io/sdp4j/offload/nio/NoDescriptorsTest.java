package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.UnaskedProvider;
import io.sdp4j.offload.spi.AcceptedConnections;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: a connection whose stream cannot be shown to selectors, as descriptors are short, works on
 * by TCP. Method: a notify descriptor that no epoll takes.
 */
@Timeout(60)
class NoDescriptorsTest extends MovedByHand {
    @BeforeEach
    void noDescriptor() {
        notifyFd = Integer.MAX_VALUE;
    }

    @Test
    void oneThatDoesNotBlockStays() throws Exception {
        channel.write(ByteBuffer.allocate(1));
        await().until(() -> closed);
        assertFalse(SwitchedConnection.of(channel).moving.handover.outMoved());
        assertEquals(ReasonCode.MEMORY, SwitchChannels.explain(channel).orElseThrow().reason());
        assertEquals(Map.of(ReasonCode.MEMORY, 1L), owner.report().reasons());
        assertEquals(1, owner.report().kernelFallback());
        channel.register(selector, SelectionKey.OP_READ);
        assertEquals(0, selector.selectNow());
        accepted.write(ByteBuffer.allocate(3));
        assertEquals(1, selector.select(20_000));
        assertEquals(3, channel.read(ByteBuffer.allocate(9)));
    }

    /** Uses a connection that the peer has asked to move. */
    @FunctionalInterface
    private interface Moving {
        void use(AcceptedConnections table, SocketChannel server, SocketChannel client)
                throws Exception;
    }

    private static void accepted(Moving moving) throws Exception {
        AtomicReference<AcceptedConnections> table = new AtomicReference<>();
        UnaskedProvider listening =
                new UnaskedProvider() {
                    @Override
                    public OffloadListener listen(ListenSpec spec) {
                        table.set(spec.accepted());
                        return new LoopbackProvider().listen(spec);
                    }
                };
        SelectorProvider provider =
                SwitchChannels.provider(
                        new OffloadSwitch(
                                Policy::allowAll,
                                List.of(new MovingProvider(listening)),
                                SwitchSettings.defaults()));
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel server = listener.accept()) {
                assertTrue(table.get().begin(local(server), remote(server)));
                moving.use(table.get(), server, client);
            }
        }
    }

    private static InetSocketAddress local(SocketChannel channel) throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    private static InetSocketAddress remote(SocketChannel channel) throws IOException {
        return (InetSocketAddress) channel.getRemoteAddress();
    }

    private static void assertReset(Executable read) {
        assertEquals("Connection reset", assertThrows(IOException.class, read).getMessage());
    }

    /** Its peer may have gone on by the stream, and then ended TCP. */
    @Test
    void anAcceptedOneIsReset() throws Exception {
        accepted(
                (table, server, client) -> {
                    server.configureBlocking(false);
                    client.shutdownOutput();
                    table.moved(stream(local(server), remote(server)));
                    for (SocketChannel end : List.of(server, client)) {
                        assertReset(() -> end.read(ByteBuffer.allocate(1)));
                    }
                });
    }

    /** Some systems refuse the reset while a thread waits for input, which then sees the end. */
    @Test
    void aReaderThatWaitsIsToldOfTheReset() throws Exception {
        accepted(
                (table, server, client) -> {
                    Task<Integer> reader = Task.start(() -> server.read(ByteBuffer.allocate(1)));
                    await().until(() -> reader.isIn("sun.nio.ch.SocketDispatcher"));
                    reader.awaitBlocked();
                    table.broken(local(server), remote(server));
                    client.shutdownOutput();
                    assertReset(reader::get);
                });
    }

    private static OffloadStream stream(InetSocketAddress local, InetSocketAddress remote) {
        return Streams.of(
                (method, _) ->
                        switch (method) {
                            case "localAddress" -> local;
                            case "remoteAddress" -> remote;
                            case "notifyFd" -> Integer.MAX_VALUE;
                            default -> null;
                        });
    }

    /** One that offload was to connect fails, and was never established. */
    @Test
    void aConnectThatFailsIsNotCounted() throws Exception {
        UnaskedProvider connecting =
                new UnaskedProvider() {
                    @Override
                    public OffloadStream connect(ConnectSpec spec) {
                        return stream(spec.remote(), spec.remote());
                    }
                };
        OffloadSwitch direct =
                new OffloadSwitch(Policy::allowAll, List.of(connecting), SwitchSettings.defaults());
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                SocketChannel client = SwitchChannels.provider(direct).openSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client.configureBlocking(false);
            assertFalse(client.connect(listener.getLocalAddress()));
            assertThrows(
                    IOException.class,
                    () -> {
                        while (!client.finishConnect()) {
                            Thread.onSpinWait();
                        }
                    });
            assertEquals(Map.of(), direct.report().reasons());
        }
    }

    /** It has moved by half. */
    @Test
    void oneThatBlocksGoesOnBlocking() throws Exception {
        channel.configureBlocking(true);
        moveOutput();
        assertThrows(IOException.class, () -> channel.configureBlocking(false));
        assertTrue(channel.isBlocking());
        accepted.write(ByteBuffer.allocate(3));
        assertEquals(3, channel.read(ByteBuffer.allocate(9)));
    }
}
