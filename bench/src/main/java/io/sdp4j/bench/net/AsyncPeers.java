package io.sdp4j.bench.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.Locale;
import java.util.concurrent.ExecutionException;

/**
 * Both programs of the benchmark of asynchronous channels: {@code AsyncPeers serve} prints {@code
 * READY port}; {@code AsyncPeers PORT} obeys one command a line, see {@link Commands}:
 *
 * <ul>
 *   <li>{@code async SIZE BUFFERS WARM_MS MEASURE_MS}: gathering writes of so many direct buffers
 *       of that size, received by scattering reads of as many; {@code bytes} per second and {@code
 *       cpu} nanoseconds of both processes per byte.
 * </ul>
 *
 * Both end when their standard input does.
 */
public final class AsyncPeers {
    private static final int REQUEST_BYTES = 16;

    private AsyncPeers() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("serve")) {
            serve();
        }
        int port = Integer.parseInt(args[0]);
        Commands.obey((_, n) -> measure(port, n[0], n[1], n[2], n[3]));
    }

    private static void serve() throws IOException {
        AsynchronousServerSocketChannel listener =
                AsynchronousServerSocketChannel.open().bind(new InetSocketAddress(Place.here(), 0));
        Thread.ofPlatform().daemon().start(() -> accept(listener));
        System.out.println("READY " + ((InetSocketAddress) listener.getLocalAddress()).getPort());
        NetServer.untilInputEnds();
    }

    private static void accept(AsynchronousServerSocketChannel listener) {
        while (true) {
            try {
                AsynchronousSocketChannel channel = listener.accept().get();
                Thread.ofPlatform().daemon().start(() -> serve(channel));
            } catch (ExecutionException | InterruptedException broken) {
                System.err.println("accept: " + broken);
                return;
            }
        }
    }

    private static void serve(AsynchronousSocketChannel channel) {
        ByteBuffer[] buffers = {};
        try (channel) {
            ByteBuffer request = ByteBuffer.allocate(REQUEST_BYTES);
            while (receives(channel, request.clear())) {
                int sizeBytes = request.getInt(0);
                int count = request.getInt(4);
                if (buffers.length != count || buffers[0].capacity() != sizeBytes) {
                    buffers = buffers(count, sizeBytes);
                }
                long cpu = Usage.cpuNanos();
                new AsyncFlow(channel, buffers, true, request.getLong(8)).run();
                send(channel, ByteBuffer.allocate(8).putLong(0, Usage.cpuNanos() - cpu));
            }
        } catch (IOException | ExecutionException | InterruptedException gone) {
            System.err.println("connection ended: " + gone);
        }
    }

    /** Fills a buffer; false where the stream ends before. */
    private static boolean receives(AsynchronousSocketChannel channel, ByteBuffer into)
            throws ExecutionException, InterruptedException {
        boolean more = true;
        while (more && into.hasRemaining()) {
            more = channel.read(into).get() >= 0;
        }
        return more;
    }

    private static void send(AsynchronousSocketChannel channel, ByteBuffer message)
            throws ExecutionException, InterruptedException {
        while (message.hasRemaining()) {
            channel.write(message).get();
        }
    }

    private static ByteBuffer[] buffers(int count, int sizeBytes) {
        ByteBuffer[] buffers = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = ByteBuffer.allocateDirect(sizeBytes);
            for (int at = 0; at < sizeBytes; at += 512) {
                buffers[i].put(at, (byte) i); // a page of its own, not the page of zeros
            }
        }
        return buffers;
    }

    private record Flow(long bytes, long nanos, long cpuNanos) {}

    private static String measure(int port, int sizeBytes, int count, int warmMs, int measureMs)
            throws Exception {
        try (AsynchronousSocketChannel channel = AsynchronousSocketChannel.open()) {
            channel.connect(new InetSocketAddress(Place.here(), port)).get();
            ByteBuffer[] buffers = buffers(count, sizeBytes);
            long unit = (long) sizeBytes * count;
            long start = System.nanoTime();
            long bytes = unit;
            Flow flow = flow(channel, buffers, bytes);
            while (System.nanoTime() - start < warmMs * 1_000_000L) {
                if (flow.nanos < 50_000_000) {
                    bytes *= 2;
                }
                flow = flow(channel, buffers, bytes);
            }
            long units = (long) ((double) flow.bytes / flow.nanos * measureMs * 1e6 / unit);
            flow = flow(channel, buffers, Math.max(1, units) * unit);
            return String.format(
                    Locale.ROOT,
                    "bytes=%.1f cpu=%.5f n=%d",
                    flow.bytes * 1e9 / flow.nanos,
                    flow.cpuNanos / (double) flow.bytes,
                    flow.bytes / unit);
        }
    }

    private static Flow flow(AsynchronousSocketChannel channel, ByteBuffer[] buffers, long bytes)
            throws Exception {
        long cpu = Usage.cpuNanos();
        long start = System.nanoTime();
        ByteBuffer request = ByteBuffer.allocate(REQUEST_BYTES);
        request.putInt(0, buffers[0].capacity()).putInt(4, buffers.length).putLong(8, bytes);
        send(channel, request);
        new AsyncFlow(channel, buffers, false, bytes).run();
        ByteBuffer answer = ByteBuffer.allocate(8);
        if (!receives(channel, answer)) {
            throw new IOException("the server left");
        }
        long nanos = System.nanoTime() - start;
        return new Flow(bytes, nanos, Usage.cpuNanos() - cpu + answer.getLong(0));
    }
}
