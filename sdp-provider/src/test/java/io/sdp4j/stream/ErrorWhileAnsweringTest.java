package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.trace.TraceWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a connection that fails in this process, while it is set up or right after, takes no place
 * in the backlog and leaves nothing open.
 */
@Timeout(60)
final class ErrorWhileAnsweringTest {
    @TempDir private Path folder;

    private final AtomicBoolean throwing = new AtomicBoolean();

    private Fabric throwing(Fabric fabric) {
        return throwing(fabric, "capabilities");
    }

    private Fabric throwing(Fabric fabric, String call) {
        return Shims.around(
                Fabric.class,
                fabric,
                (_, method, _) -> {
                    if (method.getName().equals(call) && throwing.getAndSet(false)) {
                        throw new StackOverflowError();
                    }
                    return null;
                });
    }

    @Test
    void theNextRequestIsAccepted() throws Exception {
        try (TestFabric fabric = new TestFabric();
                ServerSocket kernel = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            OffloadProvider connecting = fabric.provider();
            OffloadListener listener =
                    fabric.provider(this::throwing)
                            .listen(new ListenSpec(at, false, 1, List.of(), () -> {}));
            throwing.set(true);
            assertThrows(OffloadUnavailable.class, () -> connect(connecting, at));
            OffloadStream client = connect(connecting, at);
            await().until(listener::pending);
            client.close(true);
            listener.poll().close(true);
            listener.close();
        }
    }

    private static void awaitEnd(OffloadStream stream) {
        await().until(() -> (stream.ready() & OffloadStream.READ) != 0);
        stream.close(true);
    }

    /** The event loop has that error, which this test's fabric tells of when it is closed. */
    @Test
    void anAcceptedStreamThatCannotBeginEndsAndMakesRoom() throws Exception {
        TestFabric fabric = new TestFabric();
        try (ServerSocket kernel = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            OffloadListener listener =
                    fabric.provider(f -> throwing(f, "endsWithProcess"))
                            .listen(new ListenSpec(at, false, 1, List.of(), () -> {}));
            OffloadProvider connecting = fabric.provider();
            throwing.set(true);
            awaitEnd(connect(connecting, at));
            OffloadStream client = connect(connecting, at);
            await().until(listener::pending);
            client.close(true);
            listener.poll().close(true);
            listener.close();
        } finally {
            assertThrows(AssertionError.class, fabric::close);
        }
    }

    /** Its peer has a stream, and may have told where TCP ends. A trace asks for the name. */
    @ParameterizedTest
    @ValueSource(strings = {"name", "endsWithProcess"})
    void anAcceptedConnectionWhoseStreamCannotBeginIsReset(String call) throws Exception {
        TestFabric fabric = new TestFabric();
        TraceWriter trace =
                TraceWriter.create(folder.resolve("t"), 1 << 20, 0, 0, System.nanoTime(), 1);
        try (ServerSocketChannel listener =
                        TestChannels.listen(
                                moving(
                                        fabric.traced(
                                                f -> throwing(f, call),
                                                trace,
                                                TestFabric.NO_ZCOPY)));
                SocketChannel client = moving(fabric.provider()).openSocketChannel()) {
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                server.configureBlocking(false);
                throwing.set(true);
                client.write(ByteBuffer.allocate(1));
                AtomicReference<String> told = new AtomicReference<>();
                await().until(
                                () -> {
                                    try {
                                        assertNotEquals(-1, server.read(ByteBuffer.allocate(1)));
                                    } catch (SocketException e) {
                                        told.set(e.getMessage());
                                    }
                                    return told.get() != null;
                                });
                assertEquals("Connection reset", told.get());
            }
        } finally {
            assertThrows(AssertionError.class, fabric::close);
        }
    }

    /** Nothing more comes from a provider that has failed to answer the peer's request. */
    @Test
    void anAcceptedConnectionForWhichThereIsNoMemoryStays() throws Exception {
        try (TestFabric fabric = new TestFabric();
                ServerSocketChannel listener =
                        TestChannels.listen(
                                moving(fabric.provider(ErrorWhileAnsweringTest::scarce)));
                SocketChannel client = moving(fabric.provider()).openSocketChannel()) {
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                client.write(ByteBuffer.allocate(1));
                await().until(
                                () ->
                                        SwitchChannels.explain(client).orElseThrow().reason()
                                                != ReasonCode.YOUNG);
                client.shutdownOutput();
                assertEquals(1, server.read(ByteBuffer.allocate(9)));
                assertEquals(-1, server.read(ByteBuffer.allocate(9)));
            }
        }
    }

    /** {@code fabric} without memory to accept a request. */
    private static Fabric scarce(Fabric fabric) {
        return Shims.around(
                Fabric.class,
                fabric,
                (_, method, args) -> {
                    if (!method.getName().equals("listen")) {
                        return null;
                    }
                    ListenRequest all = (ListenRequest) args[0];
                    return fabric.listen(
                            new ListenRequest(
                                    all.address(),
                                    all.dualStack(),
                                    r -> all.handler().onRequest(unable(r)),
                                    all.accepted()));
                });
    }

    private static ConnectionRequest unable(ConnectionRequest request) {
        return Shims.around(
                ConnectionRequest.class,
                request,
                (_, method, _) -> {
                    if (method.getName().equals("accept")) {
                        throw new OutOfMemoryError("test");
                    }
                    return null;
                });
    }

    private static SelectorProvider moving(OffloadProvider provider) {
        return SwitchChannels.provider(TestChannels.moving(provider));
    }

    /** A call of a stream's constructor, and one when it is complete. */
    @ParameterizedTest
    @ValueSource(strings = {"receiveMemory", "endsWithProcess"})
    void aStreamThatCannotBeginHereEndsForThePeer(String call) throws Exception {
        try (TestFabric fabric = new TestFabric();
                ServerSocket kernel = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            OffloadListener listener =
                    fabric.provider().listen(new ListenSpec(at, false, 1, List.of(), () -> {}));
            OffloadProvider connecting =
                    fabric.provider(
                            f -> Shims.connecting(throwing(f, call), qp -> throwing(qp, call)));
            throwing.set(true);
            assertThrows(StackOverflowError.class, () -> connect(connecting, at));
            await().until(listener::pending);
            awaitEnd(listener.poll());
            listener.close();
        }
    }

    private QueuePair throwing(QueuePair real, String call) {
        return Shims.around(
                QueuePair.class,
                real,
                (_, method, _) -> {
                    if (method.getName().equals(call) && throwing.getAndSet(false)) {
                        throw new StackOverflowError();
                    }
                    return null;
                });
    }

    private static OffloadStream connect(OffloadProvider provider, InetSocketAddress at)
            throws IOException, OffloadUnavailable {
        try (Socket kernel = new Socket()) {
            kernel.bind(new InetSocketAddress(at.getAddress(), 0));
            InetSocketAddress own = (InetSocketAddress) kernel.getLocalSocketAddress();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(StreamPair.LIMIT_SECONDS);
            return provider.connect(
                    new ConnectSpec(at, _ -> own, List.of(), deadline, false, () -> false));
        }
    }
}
