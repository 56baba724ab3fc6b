package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.contract.SwitchedTest;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import io.sdp4j.testing.Pair;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of {@code java.net} sockets that leave kernel TCP with the first byte. */
class MovingSocketTest extends SwitchedTest {
    private static final TestFabric FABRIC = TestFabric.opened();
    private static final AtomicInteger CONNECTED = new AtomicInteger();

    MovingSocketTest() {
        super(
                Policy.allowAll(),
                List.of(new Counting(FABRIC.provider())),
                UpgradePolicy.afterBytes(1));
    }

    /** Counts the streams that connecting ends have got. */
    private record Counting(OffloadProvider provider) implements OffloadProvider {
        @Override
        public String name() {
            return provider.name();
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            OffloadStream stream = provider.connect(spec);
            CONNECTED.incrementAndGet();
            return stream;
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            return provider.listen(spec);
        }
    }

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    @Override
    public boolean offloads() {
        return false;
    }

    /** Where it has moved, what was written is with the peer already. */
    @Override
    public boolean keepsUnsent() {
        return false;
    }

    private static ReasonCode reason(Socket socket) {
        return SwitchedSockets.explain(socket).orElseThrow().reason();
    }

    private static void echo(Pair<ServerSocket, Socket> p, int value) throws IOException {
        p.client().getOutputStream().write(value);
        assertEquals(value, p.server().getInputStream().read());
        p.server().getOutputStream().write(value + 1);
        assertEquals(value + 1, p.client().getInputStream().read());
    }

    /** Makes round trips until both directions run on the stream. */
    private static void move(Pair<ServerSocket, Socket> p) {
        await().atMost(30, TimeUnit.SECONDS)
                .until(
                        () -> {
                            echo(p, 1);
                            return carried(p.client()) > 0 && carried(p.server()) > 0;
                        });
    }

    private static long carried(Socket socket) {
        var info = SwitchedSockets.explain(socket).orElseThrow();
        return Math.min(info.bytesRead(), info.bytesWritten()) - 8; // the limit
    }

    @Test
    @Timeout(60)
    void beginsOnTcpAndMovesBothWays() throws IOException {
        try (var p = pair()) {
            assertEquals(ReasonCode.YOUNG, reason(p.client()));
            assertEquals(ReasonCode.ACCEPTED_TCP, reason(p.server()));
            move(p);
            assertEquals(ReasonCode.OFFLOADED, reason(p.client()));
            assertEquals(ReasonCode.OFFLOADED, reason(p.server()));
            for (int i = 0; i < 100; i++) {
                echo(p, i);
            }
        }
    }

    /** The reader sleeps in the kernel while everything else moves. */
    @Test
    @Timeout(60)
    void wakesWhoWaitsInTheKernel() throws Exception {
        try (var p = pair()) {
            CompletableFuture<Integer> read =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return p.client().getInputStream().read();
                                } catch (IOException e) {
                                    throw new java.io.UncheckedIOException(e);
                                }
                            });
            p.client().getOutputStream().write(1);
            await().until(() -> reason(p.server()) == ReasonCode.OFFLOADED);
            p.server().getOutputStream().write(77);
            assertEquals(77, read.get(30, TimeUnit.SECONDS));
        }
    }

    /** The limit that is told must not leave out what a write has sent that did not end. */
    @Test
    @Timeout(60)
    void whatAnInterruptedWriteHasSentArrives() throws Exception {
        try (var p = pair()) {
            CompletableFuture<Throwable> failed = new CompletableFuture<>();
            CONNECTED.set(0);
            Thread writer =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            p.client().getOutputStream().write(new byte[64 << 20]);
                                        } catch (IOException e) {
                                            failed.complete(e);
                                        }
                                    });
            await().until(() -> writer.getState() == Thread.State.WAITING);
            p.server().getOutputStream().write(1);
            assertEquals(1, p.client().getInputStream().read());
            await().until(() -> CONNECTED.get() > 0);
            writer.interrupt();
            assertEquals("Closed by interrupt", failed.get(30, TimeUnit.SECONDS).getMessage());
            long bytes = p.server().getInputStream().transferTo(OutputStream.nullOutputStream());
            assertNotEquals(0, bytes);
        }
    }

    /** Some meet the moment in which the peer's limit ends the wait in the kernel. */
    @Test
    @Timeout(120)
    void readsThatTimeOutWhileItMovesLoseNothing() throws Exception {
        for (int round = 0; round < 200; round++) {
            try (var p = pair()) {
                p.client().setSoTimeout(1);
                InputStream in = p.client().getInputStream();
                Task<byte[]> reader =
                        Task.start(
                                () -> {
                                    byte[] all = new byte[20];
                                    for (int have = 0; have < all.length; ) {
                                        try {
                                            all[have] = (byte) in.read();
                                            have++;
                                        } catch (SocketTimeoutException e) {
                                            // again
                                        }
                                    }
                                    return all;
                                });
                p.client().getOutputStream().write(1);
                for (byte b = 0; b < 20; b++) {
                    p.server().getOutputStream().write(b);
                    if (b == round % 20) {
                        await().pollInterval(1, TimeUnit.MILLISECONDS)
                                .until(() -> carried(p.client()) >= 0 && carried(p.server()) >= 0);
                    }
                }
                byte[] all = reader.get();
                for (byte b = 0; b < 20; b++) {
                    assertEquals(b, all[b]);
                }
            }
        }
    }

    @Test
    @Timeout(60)
    void timesOutAfterTheMove() throws IOException {
        try (var p = pair()) {
            move(p);
            p.client().setSoTimeout(20);
            InputStream in = p.client().getInputStream();
            assertThrows(SocketTimeoutException.class, in::read);
            p.server().getOutputStream().write(5);
            p.client().setSoTimeout(0);
            assertEquals(5, in.read());
        }
    }

    /** Both the stream and TCP below are reset. */
    @Test
    @Timeout(60)
    void aResetIsToldOnce() throws IOException {
        try (var p = pair()) {
            move(p);
            p.client().setSoLinger(true, 0);
            p.client().close();
            OutputStream out = p.server().getOutputStream();
            SocketException reset =
                    assertThrows(
                            SocketException.class,
                            () -> {
                                while (true) {
                                    out.write(1);
                                }
                            });
            assertEquals("Connection reset by peer", reset.getMessage());
            assertEquals(-1, p.server().getInputStream().read());
        }
    }

    /** Whether the reader stands before an urgent byte right behind the move is as on TCP. */
    @Test
    @Timeout(60)
    void urgentBytesRightAfterTheMove() throws IOException {
        for (int round = 0; round < 200; round++) {
            try (var p = pair()) {
                p.client().getOutputStream().write('a');
                while (reason(p.client()) == ReasonCode.YOUNG) {
                    Thread.onSpinWait();
                }
                p.client().sendUrgentData('!');
                boolean behind = round % 2 == 0; // then the byte is an ordinary one
                if (!behind) {
                    assertEquals('a', p.server().getInputStream().read());
                }
                p.client().getOutputStream().write('b');
                p.client().sendUrgentData('?');
                InputStream in = p.server().getInputStream();
                if (behind) {
                    while (in.available() != 3) {
                        Thread.onSpinWait();
                    }
                    assertEquals('a', in.read());
                    assertEquals('!', in.read());
                }
                p.client().getOutputStream().write('c');
                assertEquals('b', in.read());
                assertEquals('c', in.read());
            }
        }
    }

    /** Bytes written before and after are there, then the end, however it came about. */
    @Test
    @Timeout(120)
    void everyByteAndThenTheEnd() throws Exception {
        long seed = Long.getLong("sdp4j.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int bytes = random.nextInt(1, 200_000);
            int chunk = random.nextInt(1, 9_000);
            boolean answer = random.nextBoolean();
            boolean close = random.nextBoolean();
            try (var p = pair()) {
                CompletableFuture<Void> writer =
                        CompletableFuture.runAsync(() -> write(p.client(), bytes, chunk, close));
                if (answer && !close) { // what is not read when one closes resets the connection
                    p.server().getOutputStream().write(9);
                }
                DataInputStream in = new DataInputStream(p.server().getInputStream());
                byte[] all = new byte[bytes];
                in.readFully(all);
                for (int i = 0; i < bytes; i++) {
                    if (all[i] != (byte) (i * 31 + (i >> 8))) {
                        throw new AssertionError("byte " + i + ", seed " + seed + ":" + round);
                    }
                }
                assertEquals(-1, in.read(), "seed " + seed + ":" + round);
                writer.get();
            } catch (IOException | ExecutionException e) {
                throw new AssertionError("seed " + seed + ":" + round, e);
            }
        }
    }

    private static void write(Socket to, int bytes, int chunk, boolean close) {
        byte[] all = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            all[i] = (byte) (i * 31 + (i >> 8));
        }
        try {
            OutputStream out = to.getOutputStream();
            for (int at = 0; at < bytes; at += chunk) {
                out.write(all, at, Math.min(chunk, bytes - at));
            }
            if (close) {
                to.close();
            } else {
                to.shutdownOutput();
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
