package io.sdp4j.offload.contract.nio;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Task;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.function.Executable;

/** Steps of the channel contracts; every wait here ends. */
public final class Nio {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private Nio() {}

    public static ConditionFactory await() {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1));
    }

    /** Writes all of it, in either mode. */
    public static void send(WritableByteChannel c, String text) throws IOException {
        send(c, ByteBuffer.wrap(text.getBytes(ISO_8859_1)));
    }

    static void send(WritableByteChannel c, ByteBuffer b) throws IOException {
        long start = System.nanoTime();
        while (b.hasRemaining()) {
            if (c.write(b) == 0) {
                pause(start, "no room for " + b);
            }
        }
    }

    /** Exactly that many characters, in either mode. */
    public static String receive(ReadableByteChannel c, int length) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(length);
        readFully(c, b);
        return Expect.text(b.array());
    }

    static void readFully(ReadableByteChannel c, ByteBuffer b) throws IOException {
        long start = System.nanoTime();
        while (b.hasRemaining()) {
            int n = c.read(b);
            assertTrue(n >= 0, () -> "end of stream before " + b);
            if (n == 0) {
                pause(start, "nothing to read into " + b);
            }
        }
    }

    /** The first result of a read that is not 0. */
    static int awaitRead(ReadableByteChannel c, ByteBuffer b) throws IOException {
        long start = System.nanoTime();
        while (true) {
            int n = c.read(b);
            if (n != 0 || !b.hasRemaining()) {
                return n;
            }
            pause(start, "nothing to read");
        }
    }

    /** Reads up to the end of the stream. */
    static String receiveAll(ReadableByteChannel c) throws IOException {
        StringBuilder all = new StringBuilder();
        ByteBuffer b = ByteBuffer.allocate(8192);
        while (awaitRead(c, b) >= 0) {
            b.flip();
            all.append(ISO_8859_1.decode(b));
            b.clear();
        }
        return all.toString();
    }

    /** Lets some time pass, but only so often. */
    static void pause(long startNanos, String what) {
        assertTrue(System.nanoTime() - startNanos < PATIENCE_NANOS, what);
        try {
            TimeUnit.MICROSECONDS.sleep(200);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted: " + what, e);
        }
    }

    /** Writes until nothing has fitted for a while; the number of bytes. */
    static long fill(SocketChannel c) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(64 * 1024);
        long total = 0;
        for (int idle = 0; idle < 40; ) {
            chunk.clear();
            int n = c.write(chunk);
            total += n;
            idle = n == 0 ? idle + 1 : 0;
            if (n == 0) {
                pause(System.nanoTime(), "never");
            }
        }
        return total;
    }

    /** Writes from another thread, which stays blocked without a reader. */
    static Task<Void> fillBlocking(Task.Kind kind, SocketChannel c) throws InterruptedException {
        Task<Void> writer =
                Task.start(
                        kind,
                        () -> {
                            ByteBuffer chunk = ByteBuffer.allocateDirect(64 * 1024);
                            while (true) {
                                c.write(chunk.clear());
                            }
                        });
        writer.awaitBlocked();
        return writer;
    }

    /** Throws away that many bytes, in either mode. */
    static void drain(SocketChannel c, long count) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(64 * 1024);
        for (long left = count; left > 0; ) {
            chunk.clear().limit((int) Math.min(left, chunk.capacity()));
            left -= awaitRead(c, chunk);
        }
    }

    /** Selects until {@code key} is ready for exactly {@code ops}. */
    static void awaitReady(Selector selector, SelectionKey key, int ops) {
        await().until(() -> readyNow(selector, key), r -> r == ops);
    }

    /** Selects until something is ready; how often it returned without. */
    static int firstReady(Selector selector) throws IOException {
        int early = 0;
        while (selector.select(20_000) == 0) {
            early++;
        }
        return early;
    }

    /** Readiness of {@code key} in a selection that does not wait. */
    static int readyNow(Selector selector, SelectionKey key) throws IOException {
        selector.selectedKeys().clear();
        selector.selectNow();
        return selector.selectedKeys().contains(key) ? key.readyOps() : 0;
    }

    /** Calls until it throws, and returns that. */
    public static Throwable awaitThrown(Executable call) {
        return await().until(
                        () -> {
                            try {
                                call.execute();
                                return null;
                            } catch (Throwable e) {
                                return e;
                            }
                        },
                        e -> e != null);
    }

    /** A plain TCP listener that does not answer any more. */
    public static final class Deaf implements AutoCloseable {
        private final ServerSocket full = new ServerSocket(0, 1, NioChannels.LOOPBACK);
        private final List<Socket> fillers = new ArrayList<>();

        public Deaf() throws IOException {
            for (boolean room = true; room; ) {
                Socket filler = new Socket();
                fillers.add(filler);
                try {
                    filler.connect(full.getLocalSocketAddress(), 200);
                } catch (SocketTimeoutException e) {
                    room = false;
                }
            }
        }

        public InetSocketAddress address() {
            return (InetSocketAddress) full.getLocalSocketAddress();
        }

        @Override
        public void close() throws IOException {
            for (Socket filler : fillers) {
                filler.close();
            }
            full.close();
        }
    }
}
