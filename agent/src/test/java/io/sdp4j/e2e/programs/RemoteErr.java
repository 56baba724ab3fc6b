package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/**
 * {@code PORT [apart]}: standard error connects to that port when it is first written to, itself or
 * by another thread that it waits for. Prints whether it, and a socket made before, are {@code
 * connected}.
 */
public final class RemoteErr {
    /** An attempt to connect lasts so long if only offload is allowed and the peer knows none. */
    private static final int MILLIS = 2_000;

    private RemoteErr() {}

    /** Makes a socket, which has the agent say something. */
    public static void main(String[] args) throws Exception {
        InetSocketAddress to =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        CountDownLatch over = new CountDownLatch(1);
        OutputStream lazy = new Lazy(to, args.length > 1, over);
        System.setErr(new PrintStream(lazy, true, StandardCharsets.UTF_8));
        try (Socket first = new Socket()) {
            over.await();
            System.out.println("first=" + connect(first, to));
        }
    }

    private static final class Lazy extends OutputStream {
        private final InetSocketAddress to;
        private final boolean apart;
        private final CountDownLatch over;
        private boolean begun;

        Lazy(InetSocketAddress to, boolean apart, CountDownLatch over) {
            this.to = to;
            this.apart = apart;
            this.over = over;
        }

        @Override
        public void write(int b) throws IOException {
            if (begun) {
                return;
            }
            begun = true;
            if (apart) {
                Thread other = Thread.ofPlatform().start(this::open);
                try {
                    other.join();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            } else {
                open();
            }
            over.countDown();
        }

        private void open() {
            try (Socket socket = new Socket()) {
                System.out.println("stream=" + connect(socket, to));
            } catch (IOException e) {
                System.out.println("stream=" + e);
            }
        }
    }

    private static String connect(Socket socket, InetSocketAddress to) {
        try {
            socket.connect(to, MILLIS);
            return "connected";
        } catch (IOException e) {
            return "refused";
        }
    }
}
