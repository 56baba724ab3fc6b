package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.SocketEvents;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.function.IntSupplier;

/**
 * Input and output streams of a channel in blocking mode. Unlike those that the JDK makes for a
 * channel that it does not know, a reader does not keep a writer waiting (behaviour 56).
 */
final class ChannelStreams {
    private ChannelStreams() {}

    static final class Input extends InputStream {
        private final SwitchSocketChannel channel;
        private final IntSupplier timeoutMillis;
        private InputStream kernel; // made when needed; lost updates do no harm

        /**
         * @param timeoutMillis of an offloaded connection's reads; 0 = none
         */
        Input(SwitchSocketChannel channel, IntSupplier timeoutMillis) {
            this.channel = channel;
            this.timeoutMillis = timeoutMillis;
        }

        private InputStream kernel() {
            if (kernel == null) {
                kernel = Channels.newInputStream(channel.kernel);
            }
            return kernel;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
        }

        @Override
        public int read(byte[] b, int off, int len) throws IOException {
            ChannelStream s = channel.connectedStream();
            MovingChannel m = s == null && len > 0 ? channel.moving() : null;
            if (m != null) {
                Objects.checkFromIndexSize(off, len, b.length);
                int n = m.read(len, room -> kernel().read(b, off, room));
                if (n != MovingChannel.MOVED) {
                    return n;
                }
                s = channel.movedStream();
            }
            if (s != null) {
                int millis = timeoutMillis.getAsInt();
                long start = SocketEvents.readStart();
                int n = s.blockingRead(b, off, len, millis * 1_000_000L);
                channel.recordRead(start, n, millis);
                return n;
            }
            try {
                return kernel().read(b, off, len);
            } finally {
                channel.followKernel();
            }
        }

        @Override
        public int available() throws IOException {
            ChannelStream s = channel.connectedStream();
            if (s == null) {
                MovingChannel m = channel.moving();
                return m != null ? m.available(_ -> kernel().available()) : kernel().available();
            }
            int n = s.availableBytes();
            if (n < 0) {
                throw new ClosedChannelException();
            }
            return n;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    static final class Output extends OutputStream {
        private final SwitchSocketChannel channel;
        private OutputStream kernel; // made when needed; lost updates do no harm

        Output(SwitchSocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] b, int off, int len) throws IOException {
            ChannelStream s = channel.connectedStream();
            MovingChannel m = s == null ? channel.moving() : null;
            if (m != null) {
                long n = m.write(len > 0, () -> writeKernel(b, off, len));
                if (n != MovingChannel.MOVED) {
                    return;
                }
                s = channel.movedStream();
            }
            if (s != null) {
                long start = SocketEvents.writeStart();
                s.blockingWrite(b, off, len);
                channel.recordWrite(start, len);
                return;
            }
            try {
                writeKernel(b, off, len);
            } finally {
                channel.followKernel();
            }
        }

        private long writeKernel(byte[] b, int off, int len) throws IOException {
            if (kernel == null) {
                kernel = Channels.newOutputStream(channel.kernel);
            }
            kernel.write(b, off, len);
            return len;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** The adaptor's own stream, which knows the time-out; but the channel is what it closes. */
    static final class KernelInput extends InputStream {
        private final SwitchSocketChannel channel;
        private final InputStream in;

        private final IntSupplier timeoutMillis;

        KernelInput(SwitchSocketChannel channel, InputStream in, IntSupplier timeoutMillis) {
            this.channel = channel;
            this.in = in;
            this.timeoutMillis = timeoutMillis;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
        }

        @Override
        public int read(byte[] b, int off, int len) throws IOException {
            MovingChannel m = len > 0 ? channel.moving() : null;
            if (m != null) {
                Objects.checkFromIndexSize(off, len, b.length);
                int n = m.read(len, room -> in.read(b, off, room));
                return n != MovingChannel.MOVED
                        ? n
                        : channel.movedStream()
                                .blockingRead(b, off, len, timeoutMillis.getAsInt() * 1_000_000L);
            }
            try {
                return in.read(b, off, len);
            } finally {
                channel.followKernel();
            }
        }

        @Override
        public int available() throws IOException {
            MovingChannel m = channel.moving();
            return m != null ? m.available(_ -> in.available()) : in.available();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
