package io.sdp4j.offload.contract.nio;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.Task.Kind;
import io.sdp4j.testing.FreePorts;
import io.sdp4j.testing.Pair;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The socket of a channel, streams over channels, files, and many virtual threads. */
interface StreamingContract extends NioChannels {
    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("8, 55: the Socket of a channel reads with a time-out, and goes on")
    default void adaptorReadsTimed(Kind kind) throws Exception {
        try (var p = pair()) {
            Socket socket = p.client().socket();
            assertSame(p.client(), socket.getChannel());
            assertSame(socket, p.client().socket());
            InputStream in = socket.getInputStream();
            socket.setSoTimeout(30);
            long start = System.nanoTime();
            Task<Integer> timed = Task.start(kind, in::read);
            Expect.is(SocketTimeoutException.class, "Read timed out", timed.thrown());
            assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(30));
            Nio.send(p.server(), "xy");
            assertEquals('x', Task.start(kind, in::read).get());
            socket.setSoTimeout(0);
            assertEquals(1, in.available());
            assertEquals('y', Task.start(kind, in::read).get());
            Task<Integer> blocked = Task.start(kind, in::read);
            blocked.awaitBlocked();
            socket.getOutputStream().write("out".getBytes(ISO_8859_1));
            assertEquals("out", Nio.receive(p.server(), 3));
            p.server().shutdownOutput();
            assertEquals(-1, blocked.get());
            assertEquals(-1, in.read());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("55: the Socket of a channel is closed, interrupted, refused as the JDK's")
    default void adaptorEnds(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Integer> blocked = Task.start(kind, p.client().socket().getInputStream()::read);
            blocked.awaitBlocked();
            p.client().socket().close();
            assertFalse(p.client().isOpen());
            Expect.is(AsynchronousCloseException.class, null, blocked.thrown());
        }
        try (var p = pair()) {
            Task<Integer> blocked = Task.start(kind, p.client().socket().getInputStream()::read);
            blocked.awaitBlocked();
            blocked.thread().interrupt();
            assertSame(ClosedByInterruptException.class, blocked.thrown().getClass());
            assertFalse(p.client().isOpen());
        }
    }

    @Test
    @DisplayName("55: the Socket of a channel and non-blocking mode exclude each other")
    default void adaptorNeedsBlockingMode() throws Exception {
        try (var p = polledPair()) {
            Socket socket = p.client().socket();
            assertThrows(IllegalBlockingModeException.class, socket.getInputStream()::read);
            assertThrows(
                    IllegalBlockingModeException.class, () -> socket.getOutputStream().write(1));
            assertFalse(socket.isClosed());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("3, 55: a timed connect of the Socket of a channel")
    default void adaptorConnectsTimed(Kind kind) throws Exception {
        try (ServerSocketChannel listener = listen(4);
                SocketChannel c = open()) {
            c.socket().connect(listener.getLocalAddress(), 10_000);
            assertTrue(c.isConnected() && c.isBlocking());
            listener.accept().close();
        }
        try (Nio.Deaf deaf = new Nio.Deaf();
                SocketChannel c = open()) {
            Task<Void> connecting =
                    Task.start(
                            kind,
                            () -> {
                                c.socket().connect(deaf.address(), 100);
                                return null;
                            });
            Expect.is(SocketTimeoutException.class, "Connect timed out", connecting.thrown());
            assertFalse(c.isOpen());
        }
        InetSocketAddress unused = new InetSocketAddress(LOOPBACK, FreePorts.one());
        try (SocketChannel c = open()) {
            Expect.thrown(
                    ConnectException.class,
                    "Connection refused",
                    () -> c.socket().connect(unused, 10_000));
            assertFalse(c.isOpen());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("56: streams over one channel do not stop each other")
    default void streamsAreIndependent(Kind kind) throws Exception {
        try (var p = pair()) {
            InputStream in = Channels.newInputStream(p.client());
            OutputStream out = Channels.newOutputStream(p.client());
            Task<Integer> reader = Task.start(kind, in::read);
            reader.awaitBlocked();
            Task<Void> writer =
                    Task.start(
                            kind,
                            () -> {
                                out.write("hello".getBytes(ISO_8859_1));
                                return null;
                            });
            writer.get();
            assertEquals("hello", Nio.receive(p.server(), 5));
            Nio.send(p.server(), "x");
            assertEquals('x', reader.get());
        }
    }

    @Test
    default void streamsOverChannels() throws Exception {
        try (var p = pair()) {
            byte[] sent = Expect.bytes(1 << 20, 9);
            Task<Void> writer =
                    Task.start(
                            () -> {
                                try (OutputStream out = Channels.newOutputStream(p.server())) {
                                    out.write(sent);
                                }
                                return null;
                            });
            InputStream in = Channels.newInputStream(p.client());
            assertArrayEquals(sent, in.readAllBytes());
            assertEquals(-1, in.read());
            writer.get();
            assertFalse(p.server().isOpen());
            p.client().configureBlocking(false);
            assertThrows(IllegalBlockingModeException.class, in::read);
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    default void interruptedStreamRead(Kind kind) throws Exception {
        try (var p = pair()) {
            InputStream in = Channels.newInputStream(p.client());
            Task<Integer> reader = Task.start(kind, in::read);
            reader.awaitBlocked();
            reader.thread().interrupt();
            assertSame(ClosedByInterruptException.class, reader.thrown().getClass());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, false",
        "100, false",
        "20480, false",
        "9000000, false",
        "100, true",
        "20480, true",
        "9000000, true"
    })
    @DisplayName("57: files go out by transferTo and come in by transferFrom")
    default void filesAreTransferred(int length, boolean byAccepted) throws Exception {
        byte[] content = Expect.bytes(length, length);
        Path from = Files.write(Files.createTempFile("from", ".bin"), content);
        Path to = Files.createTempFile("to", ".bin");
        try (var p = pair();
                FileChannel source = FileChannel.open(from, StandardOpenOption.READ);
                FileChannel sink = FileChannel.open(to, StandardOpenOption.WRITE)) {
            SocketChannel out = byAccepted ? p.server() : p.client();
            SocketChannel in = byAccepted ? p.client() : p.server();
            Task<Void> sender =
                    Task.start(
                            () -> {
                                long at = 0;
                                while (at < length) {
                                    at += source.transferTo(at, length - at, out);
                                }
                                assertEquals(0, source.transferTo(length, 10, out));
                                out.shutdownOutput();
                                return null;
                            });
            long at = 0;
            while (at < length) {
                at += sink.transferFrom(in, at, length - at);
            }
            sender.get();
            assertEquals(-1, in.read(ByteBuffer.allocate(1)));
            assertArrayEquals(content, Files.readAllBytes(to));
        } finally {
            Files.delete(from);
            Files.delete(to);
        }
    }

    @Test
    @DisplayName("57: transferTo a non-blocking channel stops at a full one and loses nothing")
    default void filesToNonBlockingChannels() throws Exception {
        int length = 9_000_000;
        byte[] content = Expect.bytes(length, 4);
        Path from = Files.write(Files.createTempFile("from", ".bin"), content);
        try (var p = polledPair();
                FileChannel source = FileChannel.open(from, StandardOpenOption.READ)) {
            ByteBuffer got = ByteBuffer.allocate(length);
            long at = 0;
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (got.hasRemaining()) {
                assertTrue(System.nanoTime() < deadline, "stuck at " + at);
                at += source.transferTo(at, length - at, p.client());
                p.server().read(got);
            }
            assertEquals(length, at);
            assertArrayEquals(content, got.array());
        } finally {
            Files.delete(from);
        }
    }

    @Test
    @DisplayName("57: an interrupt ends transferTo and closes both the file and the channel")
    default void anInterruptEndsATransfer() throws Exception {
        int length = 9_000_000;
        Path from = Files.write(Files.createTempFile("from", ".bin"), new byte[length]);
        try (var p = pair();
                FileChannel source = FileChannel.open(from, StandardOpenOption.READ)) {
            Task<Void> sender =
                    Task.start(
                            () -> {
                                while (true) {
                                    long _ = source.transferTo(0, length, p.client());
                                }
                            });
            sender.awaitBlocked();
            sender.thread().interrupt();
            Expect.is(ClosedByInterruptException.class, null, sender.thrown());
            assertFalse(source.isOpen());
            assertFalse(p.client().isOpen());
        } finally {
            Files.delete(from);
        }
    }

    /** How many virtual threads wait at once. */
    default int manyConnections() {
        return 300;
    }

    /**
     * Goal: blocked virtual threads pin no carrier. Method: many wait, one pair plays ping-pong.
     */
    @Test
    @DisplayName("60: virtual threads that wait in channels leave their carriers to others")
    default void virtualThreadsDoNotPin() throws Exception {
        List<Pair<ServerSocketChannel, SocketChannel>> waiting = new ArrayList<>();
        List<Task<?>> tasks = new ArrayList<>();
        try (var p = pair()) {
            for (int i = 0; i < manyConnections(); i++) {
                Pair<ServerSocketChannel, SocketChannel> w = pair();
                waiting.add(w);
                int n = i;
                tasks.add(
                        Task.start(
                                Kind.VIRTUAL,
                                () -> {
                                    if ((n & 1) == 0) {
                                        return w.client().read(one());
                                    }
                                    w.listener().accept().close();
                                    return 1;
                                }));
            }
            tasks.getFirst().awaitBlocked();
            Task<Integer> echo = Task.start(Kind.VIRTUAL, () -> bounce(p.server(), 1000));
            Nio.send(p.client(), "x");
            assertEquals(1000, Task.start(Kind.VIRTUAL, () -> bounce(p.client(), 1000)).get());
            echo.get();
            for (Pair<ServerSocketChannel, SocketChannel> w : waiting) {
                Nio.send(w.server(), "x");
                try (SocketChannel c = open()) {
                    c.connect(w.listener().getLocalAddress());
                }
            }
            for (Task<?> task : tasks) {
                task.get();
            }
        } finally {
            for (Pair<ServerSocketChannel, SocketChannel> w : waiting) {
                w.close();
            }
        }
    }

    private static ByteBuffer one() {
        return ByteBuffer.allocate(1);
    }

    private static int bounce(SocketChannel c, int times) throws java.io.IOException {
        ByteBuffer b = one();
        int done = 0;
        for (; done < times && c.read(b.clear()) == 1; done++) {
            c.write(b.flip());
        }
        return done;
    }
}
