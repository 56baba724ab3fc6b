package io.sdp4j.shim;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A plain program for the doctor: sends blocks through one connection of this host with itself and
 * back. Arguments: the most blocks; the address; the longest wait for the next bytes, in ms. No
 * block is begun after half of that time, or after a second.
 *
 * <p>Prints {@code step=WORD} before each step, so that the doctor knows where it stopped, then
 * {@code bytes=N}; or {@code failed=WHY}, with {@code reason=CODE} if a provider gave one, and exit
 * code 1.
 */
public final class SelfTest {
    private static final int BLOCK_BYTES = 64 << 10;
    private static final long LIMIT_NANOS = 1_000_000_000L;

    private SelfTest() {}

    public static void main(String[] args) throws InterruptedException {
        int blocks = Integer.parseInt(args[0]);
        int timeoutMillis = Integer.parseInt(args[2]);
        step("listen");
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName(args[1]))) {
            Thread server =
                    Thread.ofPlatform().daemon().start(() -> serve(listener, timeoutMillis));
            step("connect");
            try (Socket socket = new Socket(listener.getInetAddress(), listener.getLocalPort())) {
                socket.setSoTimeout(timeoutMillis);
                step("transfer");
                long limitNanos = Math.min(LIMIT_NANOS, timeoutMillis * 500_000L);
                long bytes = exchange(socket, blocks, limitNanos);
                step("close");
                socket.shutdownOutput();
                if (socket.getInputStream().read() >= 0) {
                    throw new IOException("there is more than was sent");
                }
                System.out.println("bytes=" + bytes);
            }
            server.join();
        } catch (IOException e) {
            Throwable why = e.getCause() == null ? e : e.getCause();
            System.out.println("reason=" + reason(why));
            System.out.println("failed=" + String.valueOf(why.getMessage()).replace('\n', ' '));
            System.exit(1);
        }
    }

    private static void step(String word) {
        System.out.println("step=" + word);
    }

    /** The code of an {@code OffloadUnavailable}, a class that this one cannot name; else empty. */
    private static String reason(Throwable why) {
        try {
            return why.getClass().getMethod("reason").invoke(why).toString();
        } catch (ReflectiveOperationException none) {
            return "";
        }
    }

    private static long exchange(Socket socket, int blocks, long limitNanos) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        SplittableRandom random = new SplittableRandom(BLOCK_BYTES);
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        long start = System.nanoTime();
        long bytes = 0;
        int i = 0;
        do {
            random.nextBytes(block);
            out.write(block);
            if (!Arrays.equals(block, in.readNBytes(BLOCK_BYTES))) {
                throw new IOException("block " + i + " came back different");
            }
            bytes += 2L * BLOCK_BYTES;
        } while (++i < blocks && System.nanoTime() - start < limitNanos);
        return bytes;
    }

    private static void serve(ServerSocket listener, int timeoutMillis) {
        try (Socket socket = listener.accept()) {
            socket.setSoTimeout(timeoutMillis);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            byte[] block = new byte[BLOCK_BYTES];
            for (int n = in.read(block); n >= 0; n = in.read(block)) {
                out.write(block, 0, n);
            }
        } catch (IOException e) {
            System.err.println("server: " + e);
        }
    }
}
