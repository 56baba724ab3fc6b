package io.sdp4j.shim;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;

/**
 * A plain program for the doctor: sends blocks through one loopback connection and back, for a
 * second or {@value #ROUNDS} times; an argument above 0 replaces that number. Prints {@code
 * bytes=N}; exit code 1 when a byte differs.
 */
public final class SelfTest {
    private static final int ROUNDS = 10_000;
    private static final int BLOCK_BYTES = 4096;
    private static final long LIMIT_NANOS = 1_000_000_000L;
    private static final int TIMEOUT_MILLIS = 10_000;

    private SelfTest() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        int wanted = args.length == 0 ? 0 : Integer.parseInt(args[0]);
        int rounds = wanted > 0 ? wanted : ROUNDS;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listener.setSoTimeout(TIMEOUT_MILLIS);
            Thread server = Thread.ofPlatform().daemon().start(() -> serve(listener));
            try (Socket socket = new Socket(listener.getInetAddress(), listener.getLocalPort())) {
                socket.setSoTimeout(TIMEOUT_MILLIS);
                System.out.println("bytes=" + exchange(socket, rounds));
            }
            server.join();
        }
    }

    private static long exchange(Socket socket, int rounds) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        long start = System.nanoTime();
        long bytes = 0;
        for (int i = 0; i < rounds && System.nanoTime() - start < LIMIT_NANOS; i++) {
            Arrays.fill(block, (byte) (i * 31));
            block[i % BLOCK_BYTES] = (byte) i;
            out.write(block);
            if (!Arrays.equals(block, in.readNBytes(BLOCK_BYTES))) {
                System.err.println("block " + i + " came back different");
                System.exit(1);
            }
            bytes += 2L * BLOCK_BYTES;
        }
        return bytes;
    }

    private static void serve(ServerSocket listener) {
        try (Socket socket = listener.accept()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
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
