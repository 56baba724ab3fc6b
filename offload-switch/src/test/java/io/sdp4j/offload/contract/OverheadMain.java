package io.sdp4j.offload.contract;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Prints what a read and a write of a switched socket cost beyond the stream's own try-operations:
 * the stream here does nothing but count. Run it on an idle machine; no test depends on it.
 */
final class OverheadMain {
    private OverheadMain() {}

    public static void main(String[] args) throws Exception {
        Nothing stream = new Nothing();
        OffloadProvider provider =
                new OffloadProvider() {
                    @Override
                    public String name() {
                        return "nothing";
                    }

                    @Override
                    public OffloadStream connect(ConnectSpec spec) {
                        return stream;
                    }

                    @Override
                    public OffloadListener listen(ListenSpec spec) {
                        throw new UnsupportedOperationException();
                    }
                };
        OffloadSwitch owner =
                new OffloadSwitch(Policy::allowAll, List.of(provider), SwitchSettings.defaults());
        try (Socket s = SwitchedSockets.socket(owner)) {
            s.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9));
            for (int round = 0; round < 8; round++) {
                System.out.printf(
                        "stream alone %.1f ns, read %.1f ns, write %.1f ns, timed read %.1f ns%n",
                        alone(stream), read(s, 0), write(s), read(s, 1000));
            }
        }
    }

    private static final int CALLS = 20_000_000;

    private static double alone(OffloadStream stream) throws IOException {
        byte[] b = new byte[64];
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            stream.tryRead(b, 0, 64);
        }
        return (double) (System.nanoTime() - start) / CALLS;
    }

    private static double read(Socket s, int timeout) throws IOException {
        s.setSoTimeout(timeout);
        InputStream in = s.getInputStream();
        byte[] b = new byte[64];
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            in.read(b, 0, 64);
        }
        return (double) (System.nanoTime() - start) / CALLS;
    }

    private static double write(Socket s) throws IOException {
        OutputStream out = s.getOutputStream();
        byte[] b = new byte[64];
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            out.write(b, 0, 64);
        }
        return (double) (System.nanoTime() - start) / CALLS;
    }

    /** A stream that is always ready. */
    private static final class Nothing implements OffloadStream {
        private long bytes;

        @Override
        public int tryRead(byte[] b, int off, int len) {
            bytes += len;
            return len;
        }

        @Override
        public int tryRead(ByteBuffer dst) {
            return 0;
        }

        @Override
        public int tryWrite(byte[] b, int off, int len) {
            bytes += len;
            return len;
        }

        @Override
        public int tryWrite(ByteBuffer src) {
            return 0;
        }

        @Override
        public boolean tryWriteUrgent(int value) {
            return true;
        }

        @Override
        public void oobInline(boolean inline) {}

        @Override
        public int available() {
            return 1;
        }

        @Override
        public int ready() {
            return READ | WRITE;
        }

        @Override
        public void await(int ops, long nanos) {}

        @Override
        public void wake() {}

        @Override
        public boolean arm(int ops, Runnable onReady) {
            return false;
        }

        @Override
        public void shutdownInput() {}

        @Override
        public void shutdownOutput() {}

        @Override
        public boolean drained() {
            return true;
        }

        @Override
        public void close(boolean abortive) {}

        @Override
        public InetSocketAddress localAddress() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
        }

        @Override
        public ConnectionInfo info() {
            return new ConnectionInfo(ReasonCode.OFFLOADED, "nothing", "nothing", bytes, 0);
        }
    }
}
