package io.sdp4j.e2e.programs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;

/**
 * Sends random bytes to an echo server over several connections at once, and prints what came back:
 * {@code bytes=N} and {@code crc=N}. Arguments: the port, connections, bytes for each.
 */
public final class AsyncEchoClient {
    private static final int LIMIT_SECONDS = 60;

    private AsyncEchoClient() {}

    public static void main(String[] args) throws Exception {
        InetSocketAddress server =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        int connections = Integer.parseInt(args[1]);
        int bytes = Integer.parseInt(args[2]);
        long received = 0;
        long crc = 0;
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Callable<Long>> runs = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                int seed = i;
                runs.add(() -> exchange(server, bytes, seed));
            }
            for (Future<Long> run : threads.invokeAll(runs)) {
                crc = crc * 31 + run.get();
                received += bytes;
            }
        }
        System.out.println("bytes=" + received);
        System.out.println("crc=" + crc);
    }

    private static long exchange(InetSocketAddress server, int bytes, int seed) throws Exception {
        byte[] sent = new byte[bytes];
        new Random(seed).nextBytes(sent);
        try (AsynchronousSocketChannel channel = AsynchronousSocketChannel.open()) {
            get(channel.connect(server));
            ByteBuffer out = ByteBuffer.wrap(sent);
            ByteBuffer in = ByteBuffer.allocate(bytes);
            Future<Integer> read = channel.read(in);
            while (out.hasRemaining()) {
                out.limit(Math.min(bytes, out.position() + 10_000));
                get(channel.write(out));
                out.limit(bytes);
                if (read.isDone()) {
                    read = next(channel, in, read);
                }
            }
            while (in.hasRemaining()) {
                read = next(channel, in, read);
            }
            channel.shutdownOutput();
            if (get(channel.read(ByteBuffer.allocate(1))) != -1) {
                throw new IllegalStateException("more than was sent");
            }
            CRC32 crc = new CRC32();
            crc.update(in.array());
            return crc.getValue();
        }
    }

    private static Future<Integer> next(
            AsynchronousSocketChannel channel, ByteBuffer in, Future<Integer> read)
            throws Exception {
        if (get(read) < 0) {
            throw new IllegalStateException("ended after " + in.position());
        }
        return channel.read(in);
    }

    private static <V> V get(Future<V> future) throws Exception {
        return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
}
