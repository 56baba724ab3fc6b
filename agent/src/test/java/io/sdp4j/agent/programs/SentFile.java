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

/**
 * Sends a file to itself by {@code transferTo} and prints whether it came, and whether the kernel
 * read it: what is mapped into memory and written from there is not counted as read.
 */
public final class SentFile {
    private static final int BYTES = 1 << 20;

    private SentFile() {}

    /** {@code SentFile FILE PIECE}: the file is written first; a channel that does not block. */
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
            ByteBuffer got = ByteBuffer.allocate(BYTES);
            Thread reader = Thread.ofPlatform().start(() -> fill(accepted, got));
            client.configureBlocking(false);
            long before = bytesRead();
            long sent = 0;
            while (sent < BYTES) {
                sent += file.transferTo(sent, Math.min(piece, BYTES - sent), client);
            }
            long read = bytesRead() - before;
            reader.join();
            System.out.println("same=" + Arrays.equals(content, got.array()));
            System.out.println("read=" + (read >= BYTES));
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
