package io.sdp4j.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.AcceptedConnections;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: an urgent byte of a channel, while its connection moves, loses nothing. Method: the move
 * stands still in its middle, as long as a writer waits, a thread is kept from running, or a byte
 * of TCP is not read.
 */
@Timeout(60)
final class UrgentMoveTest {
    private static final int FLOOD_BYTES = 32 << 20;

    private final TestFabric fabric = TestFabric.opened();

    /** A connection that moves with its first byte; the server does not block. */
    private interface Connected {
        void run(SocketChannel client, SocketChannel server) throws Exception;
    }

    private void connected(OffloadProvider offload, Connected test) throws Exception {
        SelectorProvider provider = SwitchChannels.provider(TestChannels.moving(offload));
        try (fabric;
                ServerSocketChannel listener = TestChannels.listen(provider);
                SocketChannel client = provider.openSocketChannel()) {
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                server.configureBlocking(false);
                test.run(client, server);
            }
        }
    }

    /** A thread of the client writes {@link #FLOOD_BYTES} by TCP, and both ends have a stream. */
    private interface Halfway {
        void run(SocketChannel client, SocketChannel server, CompletableFuture<Void> flood)
                throws Exception;
    }

    /** The client's output cannot move as long as the server does not read. */
    private void halfway(Halfway test) throws Exception {
        CountDownLatch taken = new CountDownLatch(2);
        connected(
                taken(taking(fabric.provider(), taken::countDown), taken::countDown),
                (client, server) -> {
                    CompletableFuture<Void> flood =
                            beside(
                                    () -> {
                                        write(client, 1);
                                        write(client, FLOOD_BYTES - 1);
                                    });
                    waitFor(taken);
                    test.run(client, server, flood);
                });
    }

    /** Both outputs have moved, and both ends know it. */
    private static void awaitMoved(SocketChannel client, SocketChannel server) {
        await().until(() -> offloaded(client) && offloaded(server));
        await().until(() -> limitRead(client) && limitRead(server));
    }

    private static boolean limitRead(SocketChannel channel) {
        return SwitchChannels.explain(channel).orElseThrow().bytesRead()
                == OffloadStream.MOST_BEGIN_BYTES;
    }

    /** On a thread of its own: the common pool may have a single one. */
    private static CompletableFuture<Void> beside(Runnable work) {
        return CompletableFuture.runAsync(work, Thread.ofPlatform().daemon()::start);
    }

    private static boolean offloaded(SocketChannel channel) {
        return SwitchChannels.explain(channel).orElseThrow().reason() == ReasonCode.OFFLOADED;
    }

    private static void write(SocketChannel channel, int bytes) {
        try {
            ByteBuffer all = ByteBuffer.allocate(bytes);
            while (all.hasRemaining()) {
                channel.write(all);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void read(SocketChannel server, int bytes) {
        ByteBuffer room = ByteBuffer.allocate(1 << 16);
        for (int left = bytes; left > 0; ) {
            try {
                int n = server.read(room.clear().limit(Math.min(left, room.capacity())));
                assertTrue(n >= 0, "end of stream");
                left -= n;
                if (n == 0) {
                    Thread.onSpinWait();
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void goesOn(SocketChannel client, SocketChannel server) throws IOException {
        write(client, 100);
        read(server, 100);
        byte[] text = "what the server says afterwards".getBytes(US_ASCII);
        assertEquals(text.length, server.write(ByteBuffer.wrap(text)));
        ByteBuffer came = ByteBuffer.allocate(text.length);
        while (came.hasRemaining()) {
            assertTrue(client.read(came) > 0);
        }
        assertEquals(new String(text, US_ASCII), new String(came.array(), US_ASCII));
    }

    @Test
    void nothingIsLostWhenTheServerReads() throws Exception {
        halfway(
                (client, server, flood) -> {
                    CompletableFuture<Void> reading = beside(() -> read(server, FLOOD_BYTES));
                    await().atMost(Duration.ofSeconds(20))
                            .ignoreExceptionsInstanceOf(SocketException.class)
                            .until(
                                    () -> {
                                        server.socket().sendUrgentData('!');
                                        return true;
                                    });
                    reading.get(30, TimeUnit.SECONDS);
                    flood.get(30, TimeUnit.SECONDS);
                    goesOn(client, server);
                });
    }

    /** Its thread is the one that reads: there is no room, as it would be with TCP sooner. */
    @Test
    void aServerThatDoesNotReadIsToldSo() throws Exception {
        halfway(
                (client, server, flood) -> {
                    try {
                        server.socket().sendUrgentData('!');
                    } catch (SocketException e) {
                        assertEquals("No buffer space available", e.getMessage());
                    }
                    read(server, FLOOD_BYTES);
                    flood.get(30, TimeUnit.SECONDS);
                    goesOn(client, server);
                });
    }

    /**
     * The reader does not stand before one of them when the next one comes. The event thread, which
     * would look at the stream meanwhile, is kept from running.
     */
    @Test
    void allButTheLastStayInLineForAReaderThatIsBehind() throws Exception {
        connected(
                fabric.provider(),
                (client, server) -> {
                    client.write(ByteBuffer.wrap(new byte[] {'a'}));
                    awaitMoved(client, server);
                    CountDownLatch held = new CountDownLatch(1);
                    CountDownLatch over = new CountDownLatch(1);
                    fabric.loop()
                            .execute(
                                    () -> {
                                        held.countDown();
                                        waitFor(over);
                                    });
                    waitFor(held);
                    ByteBuffer came = ByteBuffer.allocate(5);
                    try {
                        for (int i = 0; i < 5; i++) {
                            client.socket().sendUrgentData('!');
                        }
                        await().until(() -> server.read(came) == 0);
                    } finally {
                        over.countDown();
                    }
                    assertEquals("a!!!!", new String(came.array(), US_ASCII));
                    goesOn(client, server);
                });
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs {@code before} when the connecting end takes its stream. */
    private static OffloadProvider taking(OffloadProvider provider, Runnable before) {
        return TestChannels.around(
                OffloadProvider.class,
                provider,
                (_, result) ->
                        result instanceof OffloadStream stream
                                ? TestChannels.around(
                                        OffloadStream.class,
                                        stream,
                                        (method, value) -> {
                                            if (method.equals("readerBehind")) {
                                                before.run();
                                            }
                                            return value;
                                        })
                                : result);
    }

    /** Runs {@code after} when the accepted end has taken its stream. */
    private static OffloadProvider taken(OffloadProvider provider, Runnable after) {
        return Shims.around(
                OffloadProvider.class,
                provider,
                (_, _, args) -> {
                    if (args != null && args[0] instanceof ListenSpec spec) {
                        args[0] =
                                new ListenSpec(
                                        spec.address(),
                                        spec.dualStack(),
                                        spec.backlog(),
                                        spec.fabrics(),
                                        spec.onPending(),
                                        taken(spec.accepted(), after));
                    }
                    return null;
                });
    }

    private static AcceptedConnections taken(AcceptedConnections accepted, Runnable after) {
        return TestChannels.around(
                AcceptedConnections.class,
                accepted,
                (method, result) -> {
                    if (method.equals("moved")) {
                        after.run();
                    }
                    return result;
                });
    }

    /** The end that has connected need not wait to be told: the other one waits for it. */
    @Test
    void anUrgentByteThatComesWhileTheStreamIsTakenMovesTheOutput() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        AtomicReference<Task<Void>> sending = new AtomicReference<>();
        connected(
                taking(
                        fabric.provider(),
                        () -> {
                            if (taken.getCount() > 0) {
                                taken.countDown();
                                await().until(() -> blocked(sending.get()));
                            }
                        }),
                (client, server) -> {
                    Socket socket = client.socket();
                    client.write(ByteBuffer.wrap(new byte[] {'a'}));
                    waitFor(taken);
                    sending.set(
                            Task.start(
                                    () -> {
                                        socket.sendUrgentData('!');
                                        return null;
                                    }));
                    sending.get().get();
                    read(server, 1);
                    goesOn(client, server);
                });
    }

    private static boolean blocked(Task<Void> task) {
        return task != null && task.thread().getState() == Thread.State.BLOCKED;
    }
}
