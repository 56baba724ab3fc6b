package io.sdp4j.agent.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Sends a file to itself by {@code transferTo}, again and again until the kernel has read all of it
 * or some seconds have passed, and prints whether it came, and whether the kernel read it: what is
 * mapped into memory and written from there is not counted as read.
 */
public final class SentFile {
    private static final int BYTES = 1 << 20;
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(3);

    private SentFile() {}

    /**
     * {@code SentFile FILE PIECE [END]}: the file is written first; a channel that does not block
     * sends it, the {@code connected} one or the {@code accepted} one.
     */
    public static void main(String[] args) throws Exception {
        byte[] content = new byte[BYTES];
        Arrays.fill(content, (byte) 42);
        long piece = Long.parseLong(args[1]);
        Path path = Files.write(Path.of(args[0]), content);
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open()
                                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel accepted = listener.accept();
                FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            SocketChannel from = args.length > 2 && args[2].equals("accepted") ? accepted : client;
            from.configureBlocking(false);
            boolean same = true;
            boolean read = false;
            for (long start = System.nanoTime();
                    same && !read && System.nanoTime() - start < MOST_NANOS; ) {
                ByteBuffer got = ByteBuffer.allocate(BYTES);
                SocketChannel to = from == client ? accepted : client;
                Thread reader = Thread.ofPlatform().start(() -> fill(to, got));
                long before = bytesRead();
                long sent = 0;
                while (sent < BYTES) {
                    sent += file.transferTo(sent, Math.min(piece, BYTES - sent), from);
                }
                read = bytesRead() - before >= BYTES;
                reader.join();
                same = Arrays.equals(content, got.array());
            }
            System.out.println("same=" + same);
            System.out.println("read=" + read);
        }
    }

    private static void fill(SocketChannel from, ByteBuffer to) {
        try {
            while (to.hasRemaining() && from.read(to) >= 0) {}
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** By the system calls of this thread. */
    private static long bytesRead() throws IOException {
        String counters = Files.readString(Path.of("/proc/thread-self/io"));
        String first = counters.lines().findFirst().orElseThrow();
        return Long.parseLong(first.substring("rchar: ".length()));
    }
}
