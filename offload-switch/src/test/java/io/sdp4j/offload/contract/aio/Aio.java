package io.sdp4j.offload.contract.aio;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Here;
import io.sdp4j.offload.contract.nio.Nio;
import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Assertions;

/** The asynchronous channels that a contract is about. */
public interface Aio {
    int PATIENCE_SECONDS = 20;

    AsynchronousChannelProvider provider();

    /** Whether the data of these channels goes another way than the kernel's TCP. */
    boolean offloads();

    default AsynchronousSocketChannel channel(AsynchronousChannelGroup group) throws IOException {
        return provider().openAsynchronousSocketChannel(group);
    }

    /** A listener on an ephemeral port of {@link Here#ADDRESS}. */
    default AsynchronousServerSocketChannel listen(AsynchronousChannelGroup group)
            throws IOException {
        return provider()
                .openAsynchronousServerSocketChannel(group)
                .bind(new InetSocketAddress(Here.ADDRESS, 0));
    }

    /** A group with that many threads, which are named {@code name}. */
    default AsynchronousChannelGroup group(int threads, String name) throws IOException {
        return provider().openAsynchronousChannelGroup(threads, named(name));
    }

    static ThreadFactory named(String name) {
        return Thread.ofPlatform().daemon().name(name).factory();
    }

    /** A connected pair in the default group. */
    default Pair<AsynchronousServerSocketChannel, AsynchronousSocketChannel> pair()
            throws Exception {
        return pair(null);
    }

    default Pair<AsynchronousServerSocketChannel, AsynchronousSocketChannel> pair(
            AsynchronousChannelGroup group) throws Exception {
        AsynchronousServerSocketChannel listener = listen(group);
        AsynchronousSocketChannel client = channel(group);
        Future<Void> connect = client.connect(listener.getLocalAddress());
        AsynchronousSocketChannel server = get(listener.accept());
        get(connect);
        return new Pair<>(listener, client, server);
    }

    /** Result of a future; nothing waits for ever. */
    static <V> V get(Future<V> future) throws Exception {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** How a future fails. */
    static void failed(Class<? extends Throwable> type, String message, Future<?> future)
            throws InterruptedException, TimeoutException {
        try {
            Object value = future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            Assertions.fail("gave " + value);
        } catch (ExecutionException e) {
            Expect.is(type, message, e.getCause());
        }
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
    }

    static void send(AsynchronousSocketChannel channel, String text) throws Exception {
        ByteBuffer src = bytes(text);
        while (src.hasRemaining()) {
            get(channel.write(src));
        }
    }

    /** Exactly that many characters. */
    static String receive(AsynchronousSocketChannel channel, int length) throws Exception {
        ByteBuffer dst = ByteBuffer.allocate(length);
        while (dst.hasRemaining()) {
            if (get(channel.read(dst)) < 0) {
                break;
            }
        }
        return Expect.text(java.util.Arrays.copyOf(dst.array(), dst.position()));
    }

    /**
     * Writes until one write stays pending, and gives that one's outcome. A write that has taken
     * from its buffer does not wait, however late its handler is told. One that has taken nothing
     * is given as many turns of the processor as this thread needs for so many short pauses.
     */
    static Outcome<Integer> fill(AsynchronousSocketChannel channel) throws Exception {
        while (true) {
            Outcome<Integer> write = new Outcome<>();
            ByteBuffer src = ByteBuffer.allocate(256 * 1024);
            channel.write(src, null, write);
            for (int turns = 0; turns < 40 && src.position() == 0 && !write.done(); turns++) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            if (src.position() == 0 && !write.done()) {
                return write;
            }
            write.get();
        }
    }

    /** Reads until a write at the other end is over; may leave a read pending. */
    static void drainUntil(AsynchronousSocketChannel from, Outcome<?> write) throws Exception {
        while (!write.done()) {
            Outcome<Integer> read = new Outcome<>();
            from.read(ByteBuffer.allocate(1 << 20), null, read);
            Nio.await().until(() -> read.done() || write.done());
            if (read.done()) {
                Assertions.assertTrue(read.get() > 0);
            }
        }
    }
}
