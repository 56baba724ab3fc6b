package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.linux.TcpSocketFd;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchReport;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.AcceptedConnections;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a connection that ends while it moves ends as the kernel's does. Method: the test gives
 * each end its stream, so the move stands still as long as it likes.
 */
@Timeout(60)
final class EndWhileMovingTest {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final TestFabric fabric = TestFabric.opened();
    private final CountDownLatch clientTakes = new CountDownLatch(1);
    private final BlockingQueue<Runnable> serverTakes = new LinkedBlockingQueue<>();
    private volatile AcceptedConnections accepted;
    private volatile Runnable whenOutputIsShut; // of the server's stream, which stays on TCP then

    @AfterEach
    void close() throws IOException {
        clientTakes.countDown();
        fabric.close();
    }

    private OffloadSwitch owner() {
        OffloadProvider real = fabric.provider();
        OffloadProvider held =
                Shims.proxy(
                        OffloadProvider.class,
                        (_, method, args) -> {
                            if (method.getName().equals("listen")) {
                                return real.listen(held((ListenSpec) args[0]));
                            }
                            Object result = Shims.invoke(method, real, args);
                            if (method.getName().equals("connect")) {
                                assertTrue(clientTakes.await(20, TimeUnit.SECONDS));
                            }
                            return result;
                        });
        return TestChannels.moving(held);
    }

    private ListenSpec held(ListenSpec spec) {
        accepted = spec.accepted();
        AcceptedConnections held =
                Shims.around(
                        AcceptedConnections.class,
                        spec.accepted(),
                        (_, method, args) -> {
                            if (method.getName().equals("moved")) {
                                OffloadStream stream = hooked((OffloadStream) args[0]);
                                serverTakes.add(() -> spec.accepted().moved(stream));
                                return true;
                            }
                            return null;
                        });
        return new ListenSpec(
                spec.address(),
                spec.dualStack(),
                spec.backlog(),
                spec.fabrics(),
                spec.onPending(),
                held);
    }

    private OffloadStream hooked(OffloadStream stream) {
        return Shims.around(
                OffloadStream.class,
                stream,
                (_, method, _) -> {
                    Runnable hook = whenOutputIsShut;
                    if (hook != null && method.getName().equals("tryBegin")) {
                        return false;
                    }
                    if (hook != null && method.getName().equals("shutdownOutput")) {
                        hook.run();
                    }
                    return null;
                });
    }

    /** A connection that wants to move with its first byte; both ends block. */
    private interface Connected {
        void run(SocketChannel client, SocketChannel server) throws Exception;
    }

    private void connected(Connected test) throws Exception {
        connected(owner(), test);
    }

    private static void connected(OffloadSwitch owner, Connected test) throws Exception {
        SelectorProvider provider = SwitchChannels.provider(owner);
        try (ServerSocketChannel listener = TestChannels.listen(provider);
                SocketChannel client = provider.openSocketChannel()) {
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                test.run(client, server);
            }
        }
    }

    private Runnable serverTakes() throws InterruptedException {
        return serverTakes.poll(20, TimeUnit.SECONDS);
    }

    private static int write(SocketChannel channel) throws IOException {
        return channel.write(ByteBuffer.allocate(1));
    }

    private static int read(SocketChannel channel) throws IOException {
        return channel.read(ByteBuffer.allocate(1));
    }

    private static void reset(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    private static void awaitMoved(SocketChannel output) {
        await().until(() -> SwitchChannels.explain(output).orElseThrow().bytesWritten() > 0);
    }

    private static void awaitLimit(SocketChannel channel) {
        await().until(
                        () ->
                                SwitchChannels.explain(channel).orElseThrow().bytesRead()
                                        == OffloadStream.MOST_BEGIN_BYTES);
    }

    @Test
    void aWriteThatTcpHasToldOfAResetIsFollowedByABrokenPipe() throws Exception {
        connected(
                (client, server) -> {
                    write(client);
                    Runnable take = serverTakes();
                    reset(server);
                    IOException told = assertThrows(IOException.class, () -> write(client));
                    assertEquals("Connection reset by peer", told.getMessage());
                    clientTakes.countDown();
                    awaitMoved(client);
                    told = assertThrows(IOException.class, () -> write(client));
                    assertEquals("Broken pipe", told.getMessage());
                    take.run();
                    assertEquals(-1, read(client));
                });
    }

    /** The peer had ended before it was given the stream, where the first write goes. */
    @Test
    void aWriteToAPeerThatHadEndedIsFollowedByABrokenPipe() throws Exception {
        connected(
                (client, server) -> {
                    clientTakes.countDown();
                    write(client);
                    awaitMoved(client);
                    Runnable take = serverTakes();
                    assertEquals(1, read(server));
                    server.close();
                    assertEquals(1, write(client));
                    take.run();
                    IOException told =
                            assertThrows(
                                    IOException.class,
                                    () -> {
                                        while (true) {
                                            write(client);
                                        }
                                    });
                    assertEquals("Broken pipe", told.getMessage());
                    assertEquals(-1, read(client));
                });
    }

    /** Of TCP, below an output that had moved. */
    @Test
    void aWriteToAnOutputThatWasShutTakesTheNewsOfAReset() throws Exception {
        connected(
                (client, server) -> {
                    clientTakes.countDown();
                    write(client);
                    awaitMoved(client);
                    Runnable take = serverTakes();
                    client.shutdownOutput();
                    reset(server);
                    assertThrows(AsynchronousCloseException.class, () -> write(client));
                    take.run();
                    assertEquals(-1, read(client));
                });
    }

    /** Of TCP, which has the output, while the stream has the input. */
    @Test
    void aWriteToAnOutputThatStayedOnTcpTakesTheNewsOfAReset() throws Exception {
        connected(
                (client, server) -> {
                    clientTakes.countDown();
                    write(client);
                    Runnable take = serverTakes();
                    server.shutdownOutput();
                    take.run();
                    awaitLimit(server);
                    reset(client);
                    assertThrows(AsynchronousCloseException.class, () -> write(server));
                    assertEquals(1, read(server));
                    assertEquals(-1, read(server));
                });
    }

    /** The number of its descriptor is another socket's, of which there is news. */
    @Test
    void aWriteToAClosedChannelTakesNoNews() throws Exception {
        connected(
                (_, server) -> {
                    server.shutdownOutput();
                    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ANY)) {
                        server.close();
                        try (SocketChannel told = SocketChannel.open(listener.getLocalAddress())) {
                            reset(listener.accept());
                            assertThrows(ClosedChannelException.class, () -> write(server));
                            endsAtOnce(told, true);
                        }
                    }
                });
    }

    /** It could become an offloaded channel before TCP has ended. */
    @Test
    void anOutputThatStayedOnTcpEndsThere() throws Exception {
        connected(
                (client, server) -> {
                    clientTakes.countDown();
                    whenOutputIsShut =
                            () -> {
                                whenOutputIsShut = null;
                                try {
                                    server.write(ByteBuffer.allocate(0));
                                } catch (IOException e) {
                                    throw new AssertionError(e);
                                }
                            };
                    write(client);
                    serverTakes().run();
                    assertEquals(1, read(server));
                    awaitLimit(server);
                    server.shutdownOutput();
                    client.configureBlocking(false);
                    await().until(() -> read(client) == -1);
                });
    }

    /** The accepted end has its stream before the other one could tell that it gives up. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMoveThatIsGivenUpIsNotCounted(boolean givenUp) throws Exception {
        OffloadSwitch owner = owner();
        connected(
                owner,
                (client, server) -> {
                    write(client);
                    serverTakes().run();
                    assertEquals(1, read(server));
                    if (givenUp) {
                        client.close();
                    }
                    clientTakes.countDown();
                    if (!givenUp) {
                        awaitMoved(client);
                        awaitMoved(server);
                        client.close();
                    }
                    assertEquals(-1, read(server));
                });
        SwitchReport report = owner.report();
        assertEquals(givenUp ? 0 : 2, report.moved().connections(), report::toString);
        assertEquals(givenUp ? 1 : 0, report.acceptedKernel(), report::toString);
        assertEquals(givenUp ? 0 : 2, report.reasons().getOrDefault(ReasonCode.OFFLOADED, 0L));
    }

    private static void assertEnds(boolean reset, Task<Integer> reader) throws Exception {
        if (reset) {
            IOException told = assertThrows(IOException.class, reader::get);
            assertEquals("Connection reset", told.getMessage());
        } else {
            assertEquals(-1, reader.get());
        }
    }

    /** If it was stopped before, it has left a byte unread. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDeathBeforeItsLimit(boolean stops) throws Exception {
        try (ServerSocketChannel listener = TestChannels.listen(SwitchChannels.provider(owner()));
                HeldPeer peer =
                        new HeldPeer(HeldPeer.Role.ASKS, fabric, listener.socket().getLocalPort());
                SocketChannel server = listener.accept()) {
            peer.awaitHeld();
            serverTakes().run();
            assertEquals(1, read(server));
            if (stops) {
                peer.stop();
                assertEquals(1, write(server));
            }
            Task<Integer> reader = Task.start(() -> read(server));
            reader.awaitBlocked();
            peer.kill();
            assertEnds(stops, reader);
        }
    }

    /** Everything that it wrote is there. */
    @Test
    void aDeathBeforeTheOtherTakes() throws Exception {
        try (ServerSocketChannel listener = TestChannels.listen(SwitchChannels.provider(owner()));
                HeldPeer peer =
                        new HeldPeer(HeldPeer.Role.TOLD, fabric, listener.socket().getLocalPort());
                SocketChannel server = listener.accept()) {
            peer.awaitHeld();
            Runnable take = serverTakes();
            peer.kill();
            take.run();
            assertEquals(1, read(server));
            assertEquals(1, read(server));
            assertEquals(-1, read(server));
        }
    }

    /** All that it has not read then is the limit, which no program has written. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDeathOfTheAcceptedEndBeforeItsLimit(boolean unread) throws Exception {
        clientTakes.countDown();
        try (HeldPeer peer = new HeldPeer(HeldPeer.Role.ACCEPTS, fabric, 0);
                SocketChannel client = SwitchChannels.provider(owner()).openSocketChannel()) {
            client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), peer.port()));
            assertEquals(1, write(client));
            peer.awaitHeld();
            awaitMoved(client);
            if (unread) {
                assertEquals(1, write(client));
            }
            Task<Integer> reader = Task.start(() -> read(client));
            reader.awaitBlocked();
            peer.kill();
            assertEnds(unread, reader);
        }
    }

    /** TCP has ended, and the stream may go on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReadThatWaitsForThePeersAnswerEnds(boolean closes) throws Exception {
        connected(
                (client, server) -> {
                    write(client);
                    Runnable take = serverTakes();
                    assertEquals(1, read(server));
                    client.shutdownOutput();
                    Task<Integer> reader = Task.start(Task.Kind.VIRTUAL, () -> read(server));
                    await().until(() -> reader.isIn("goesOn"));
                    if (closes) {
                        server.close();
                    } else {
                        reader.thread().interrupt();
                        take.run();
                        clientTakes.countDown();
                    }
                    assertEquals(-1, reader.get());
                });
    }

    /** Another descriptor of the same socket, as the provider has it for a moment. */
    private int copy(InetSocketAddress local, InetSocketAddress remote) {
        int[] copy = {-1};
        accepted.with(local, remote, fd -> copy[0] = TcpSocketFd.duplicate(fd, local, remote));
        assertTrue(copy[0] >= 0);
        return copy[0];
    }

    private static void endsAtOnce(SocketChannel peer, boolean reset) throws IOException {
        if (reset) {
            IOException told = assertThrows(IOException.class, () -> read(peer));
            assertEquals("Connection reset", told.getMessage());
        } else {
            assertEquals(-1, read(peer));
        }
    }

    @Test
    void aChannelEndsThoughThereIsAnotherDescriptorOfItsSocket() throws Exception {
        SelectorProvider provider = SwitchChannels.provider(owner());
        try (ServerSocketChannel listener = TestChannels.listen(provider)) {
            for (boolean reset : new boolean[] {false, true}) {
                SocketChannel server;
                try (SocketChannel peer = SocketChannel.open(listener.getLocalAddress())) {
                    peer.configureBlocking(false);
                    server = listener.accept();
                    int copy =
                            copy(
                                    (InetSocketAddress) server.getLocalAddress(),
                                    (InetSocketAddress) server.getRemoteAddress());
                    if (reset) {
                        reset(server);
                    } else {
                        server.close();
                    }
                    endsAtOnce(peer, reset);
                    TcpSocketFd.closeStrange(copy);
                }
            }
        }
    }

    @Test
    void aSocketEndsThoughThereIsAnotherDescriptorOfIt() throws Exception {
        try (ServerSocket listener = SwitchedSockets.serverSocket(owner())) {
            listener.bind(ANY);
            for (boolean reset : new boolean[] {false, true}) {
                try (SocketChannel peer = SocketChannel.open(listener.getLocalSocketAddress())) {
                    peer.configureBlocking(false);
                    Socket server = listener.accept();
                    int copy =
                            copy(
                                    (InetSocketAddress) server.getLocalSocketAddress(),
                                    (InetSocketAddress) server.getRemoteSocketAddress());
                    server.setSoLinger(reset, 0);
                    server.close();
                    endsAtOnce(peer, reset);
                    TcpSocketFd.closeStrange(copy);
                }
            }
        }
    }
}
