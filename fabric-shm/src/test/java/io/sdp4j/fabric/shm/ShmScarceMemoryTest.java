package io.sdp4j.fabric.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.RequestHandler;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.UnixFd;
import io.sdp4j.testing.JvmCommand;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a peer is told where memory has run out for a while. */
@Timeout(60)
@SuppressWarnings("try") // listeners are closed with their fabric
final class ShmScarceMemoryTest extends ShmDirectory {
    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private final EpollLoop loop = new EpollLoop("test-memory", thrown::add);

    @AfterEach
    void end() {
        loop.end();
    }

    @Test
    void aHandlerWithoutMemoryIsCalledAgain() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch told = new CountDownLatch(1);
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = ShmFabric.open(Ends.config(dir), loop)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            BlockingQueue<QueuePair> accepted = new ArrayBlockingQueue<>(1);
            fabric.listen(
                    new ListenRequest(
                            at,
                            false,
                            r -> r.accept(SPEC, new byte[0], new Taker(accepted::add, f -> {}))));
            ShmQueuePair peer = (ShmQueuePair) Ends.connect(fabric, at, SPEC);
            QueuePair waiting = accepted.take();
            waiting.completions()
                    .onNotify(
                            () -> {
                                if (calls.incrementAndGet() < 3) {
                                    throw new OutOfMemoryError("test");
                                }
                                told.countDown();
                            });
            assertTrue(waiting.completions().arm());
            peer.fail(WcStatus.REM_OP_ERR);
            assertTrue(told.await(30, TimeUnit.SECONDS));
            assertEquals(1, thrown.size(), thrown::toString);
            peer.close();
            waiting.close();
        }
    }

    @Test
    void aClientThatCannotBeTakenIsLetGo() throws Exception {
        PeerCredentials strict =
                new PeerCredentials(Ends.UID) {
                    @Override
                    String refuseClient(long client) {
                        throw new OutOfMemoryError("test");
                    }
                };
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = new ShmFabric(Ends.config(dir), loop, strict, warning -> {})) {
            fabric.listen(
                    new ListenRequest(
                            (InetSocketAddress) kernel.getLocalSocketAddress(), false, r -> {}));
            int fd = UnixFd.open();
            String at = Ends.meeting(dir).resolve(names().getFirst()).toString();
            assertEquals(0, UnixFd.connect(fd, at));
            PeerSocket client = new PeerSocket(fd, loop);
            await().until(() -> client.receive(new byte[1], 0, 1) < 0);
            client.close();
        }
    }

    /** The operator can mend it. */
    @Test
    void aShortageIsToldThoughTheClientHasLeft() throws Exception {
        AtomicBoolean asked = new AtomicBoolean();
        CountDownLatch gone = new CountDownLatch(1);
        BlockingQueue<FabricException> failures = new ArrayBlockingQueue<>(1);
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric server = ShmFabric.open(Ends.config(dir, 1), loop);
                ShmFabric client = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            Taker taker = new Taker(qp -> {}, failures::add);
            server.listen(
                    new ListenRequest(
                            at,
                            false,
                            r -> {
                                asked.set(true);
                                assertDoesNotThrow(() -> gone.await());
                                r.accept(SPEC, new byte[0], taker);
                            }));
            long now = System.nanoTime();
            long deadline = now + TimeUnit.SECONDS.toNanos(20);
            ConnectRequest leaving =
                    new ConnectRequest(
                            at,
                            _ -> Ends.HELD,
                            new byte[0],
                            SPEC,
                            now,
                            deadline,
                            deadline,
                            asked::get,
                            _ -> {},
                            -1);
            FabricException e = assertThrows(FabricException.class, () -> client.connect(leaving));
            assertEquals(FabricException.Cause.ABANDONED, e.why());
            gone.countDown();
            assertEquals(FabricException.Cause.RESOURCES, failures.take().why());
        } finally {
            gone.countDown();
        }
    }

    @Test
    void aTransportThatCannotBeKeptIsReleased() throws Exception {
        String path = dir.resolve("s").toString();
        int listener = UnixFd.listen(path, 1);
        int peer = UnixFd.open();
        assertEquals(0, UnixFd.connect(peer, path));
        try (ShmFabric fabric = ShmFabric.open(Ends.config(dir), loop)) {
            ShmLayout layout = ShmFabric.layout(SPEC, SPEC);
            fabric.reserve(layout.bookedBytes());
            int memory = Segment.create(layout.totalBytes);
            ShmTransport transport =
                    new ShmTransport(
                            fabric,
                            new PeerSocket(UnixFd.accept(listener), loop),
                            Segment.map(memory, layout.totalBytes),
                            layout);
            Linux.close(memory);
            ShmQueuePair qp =
                    fabric.queuePair(
                            0,
                            transport,
                            _ -> {
                                throw new OutOfMemoryError("test");
                            });
            assertThrows(OutOfMemoryError.class, () -> qp.liveness.close(true));
            assertEquals(0, fabric.reservedBytes());
        }
        assertTrue(UnixFd.awaitReadable(peer, 0), "it is closed");
        UnixFd.close(peer);
        UnixFd.close(listener);
        Files.delete(dir.resolve("s"));
    }

    /** Else none is left after so many. */
    @Test
    void aClientThatCannotBeTakenTakesNoPlace() throws Exception {
        Process victim =
                JvmCommand.of(OutOfMemory.class, dir.toString())
                        .options(
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-exports",
                                "java.base/jdk.internal.misc=ALL-UNNAMED",
                                "-XX:-UseTLAB")
                        .small()
                        .builder()
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            String lost = victim.inputReader().readLine();
            assertTrue(lost.endsWith(": 0 places, 0 sockets"), lost);
        } finally {
            victim.destroyForcibly();
        }
    }

    /** Its Hello is there before the hand-shake starts. */
    @Test
    void aHandShakeThatFailsAtItsStartEndsThere() throws Exception {
        Queue<String> shortOf = new ConcurrentLinkedQueue<>();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = ShmFabric.open(Ends.config(dir), loop)) {
            fabric.listen(
                    new ListenRequest(
                            (InetSocketAddress) kernel.getLocalSocketAddress(),
                            false,
                            new RequestHandler() {
                                @Override
                                public void onRequest(ConnectionRequest request) {}

                                @Override
                                public void onRefused(String peer, String why) {
                                    throw new OutOfMemoryError("test");
                                }

                                @Override
                                public void onShort(String why) {
                                    shortOf.add(why);
                                }
                            }));
            loop.execute(
                    () -> {
                        held.countDown();
                        assertDoesNotThrow(() -> free.await());
                    });
            held.await();
            int fd = UnixFd.open();
            String at = Ends.meeting(dir).resolve(names().getFirst()).toString();
            assertEquals(0, UnixFd.connect(fd, at));
            PeerSocket client = new PeerSocket(fd, loop);
            client.send(new byte[ShmHandshake.MESSAGE_BYTES], ShmHandshake.MESSAGE_BYTES, -1);
            free.countDown();
            await().until(() -> client.receive(new byte[1], 0, 1) < 0);
            await().until(() -> shortOf.size() == 1);
            assertTrue(thrown.isEmpty(), thrown::toString);
            client.close();
        } finally {
            free.countDown();
        }
    }

    /** The operator is told afterwards, if there is memory for that. */
    @Test
    void aClientIsRefusedThoughTheShortageCannotBeTold() throws Exception {
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric server = ShmFabric.open(Ends.config(dir), loop);
                ShmFabric client = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            server.listen(
                    new ListenRequest(
                            at,
                            false,
                            new RequestHandler() {
                                @Override
                                public void onRequest(ConnectionRequest request) {
                                    throw new OutOfMemoryError("test");
                                }

                                @Override
                                public void onShort(String why) {
                                    throw new OutOfMemoryError("test");
                                }
                            }));
            FabricException e =
                    assertThrows(FabricException.class, () -> client.connect(request(at)));
            assertEquals(FabricException.Cause.RESOURCES, e.why(), e.toString());
        }
    }

    /** Its data does not fit into one, as where there is no memory for it. */
    @Test
    void aHandShakeWhoseRefusalCannotBeMadeEnds() throws Exception {
        BlockingQueue<ConnectionRequest> asked = new ArrayBlockingQueue<>(1);
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric server = ShmFabric.open(Ends.config(dir), loop);
                ShmFabric client = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            server.listen(new ListenRequest(at, false, asked::add));
            CompletableFuture<FabricException.Cause> told =
                    CompletableFuture.supplyAsync(
                            () ->
                                    assertThrows(
                                                    FabricException.class,
                                                    () -> client.connect(request(at)))
                                            .why());
            asked.take().reject(new byte[ShmHandshake.MESSAGE_BYTES]);
            assertNotEquals(FabricException.Cause.TIMED_OUT, told.get());
        }
    }

    @Test
    void aHangUpIsToldThoughReadingFails() throws Exception {
        String path = dir.resolve("s").toString();
        int listener = UnixFd.listen(path, 1);
        int client = UnixFd.open();
        assertEquals(0, UnixFd.connect(client, path));
        PeerSocket link = new PeerSocket(UnixFd.accept(listener), loop);
        CountDownLatch over = new CountDownLatch(1);
        link.watch(
                new PeerSocket.Handler() {
                    @Override
                    public void onReadable() {
                        throw new OutOfMemoryError("test");
                    }

                    @Override
                    public void onHangup() {
                        over.countDown();
                    }
                });
        UnixFd.close(client);
        await().until(() -> over.getCount() == 0);
        link.close();
        UnixFd.close(listener);
        Files.delete(dir.resolve("s"));
    }
}
