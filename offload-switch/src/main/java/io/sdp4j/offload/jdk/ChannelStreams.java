package io.sdp4j.offload.jdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;

/**
 * The streams of a channel's socket, which end and fail as those of other sockets do. {@code
 * Socket} wraps them, and closes itself.
 */
final class ChannelStreams {
    private ChannelStreams() {}

    /**
     * Turns the failure of a channel into the one that {@code java.net} throws.
     *
     * @param open whether the channel is open; its input or output may be shut then
     */
    static IOException told(IOException e, boolean open) {
        if (e instanceof SocketException || e instanceof InterruptedIOException) {
            return e;
        }
        if (e instanceof ClosedByInterruptException && Thread.currentThread().isVirtual()) {
            return new InterruptedIOException(); // behaviour 21
        }
        String text = e.getMessage();
        if (e instanceof ClosedByInterruptException) {
            text = "Closed by interrupt";
        } else if (e instanceof ClosedChannelException) {
            text = open ? "Broken pipe" : "Socket closed";
        }
        return new SocketException(text, e);
    }

    static final class Input extends InputStream {
        private final Socket socket;
        private final InputStream in;
        private volatile boolean ended; // never reset (behaviour 14)

        Input(Socket socket) throws IOException {
            this.socket = socket;
            this.in = socket.getInputStream();
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
        }

        @Override
        public int read(byte[] b, int off, int len) throws IOException {
            Objects.checkFromIndexSize(off, len, b.length);
            if (len == 0) {
                return 0;
            }
            if (ended) {
                return -1;
            }
            try {
                int n = in.read(b, off, len);
                ended = n < 0 && !socket.isInputShutdown();
                return n;
            } catch (IOException e) {
                throw told(e, !socket.isClosed());
            }
        }

        @Override
        public int available() throws IOException {
            try {
                return in.available();
            } catch (IOException e) {
                throw told(e, !socket.isClosed());
            }
        }
    }

    static final class Output extends OutputStream {
        private final Socket socket;
        private final OutputStream out;

        Output(Socket socket) throws IOException {
            this.socket = socket;
            this.out = socket.getOutputStream();
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] b, int off, int len) throws IOException {
            Objects.checkFromIndexSize(off, len, b.length);
            if (len == 0) {
                return;
            }
            try {
                out.write(b, off, len);
            } catch (IOException e) {
                throw told(e, !socket.isClosed());
            }
        }
    }
}
