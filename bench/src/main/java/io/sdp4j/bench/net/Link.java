package io.sdp4j.bench.net;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * One connected end and its one buffer: a {@link Socket} with a heap array, or a {@link
 * SocketChannel} with a direct buffer, each the fastest way to use what it stands for.
 *
 * <p>A JVM loads few kinds, and the same ones in every configuration. For one thread.
 */
public abstract class Link implements Closeable {
    public static final int MAX_BYTES = 1 << 20;

    private static final int FIRST_BYTES = 4096;

    /** Buffer that is sent and received, always from offset 0. Big-endian. */
    public abstract ByteBuffer buffer();

    /** Sends the first {@code lenBytes} of the buffer in one call. */
    public abstract void write(int lenBytes) throws IOException;

    /** Sends each write at once (TCP_NODELAY), where that is a question. */
    public abstract void noDelay() throws IOException;

    /** Receives what is there, at most {@code maxBytes}, into the buffer from {@code offset}. */
    public abstract int read(int offset, int maxBytes) throws IOException;

    /** Calls into the JDK that it takes to read one block and to write one. */
    public int callsPerTurn() {
        return 2;
    }

    /** Sends one byte. */
    public final void say(int word) throws IOException {
        buffer().put(0, (byte) word);
        write(1);
    }

    /** Receives exactly {@code lenBytes}; false at a clean end of the stream. */
    public final boolean readFully(int lenBytes) throws IOException {
        int have = 0;
        while (have < lenBytes) {
            int n = read(have, lenBytes - have);
            if (n < 0) {
                if (have == 0) {
                    return false;
                }
                throw new EOFException("after " + have + " of " + lenBytes + " bytes");
            }
            have += n;
        }
        return true;
    }

    /**
     * Connects to {@code target}: a port of {@link Place#here}, or {@code unix:PATH}.
     *
     * @param sendBufferBytes SO_SNDBUF of a socket; 0 = as the system makes it
     */
    static Link connect(String target, int sendBufferBytes) throws IOException {
        if (target.startsWith("unix:")) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(UnixDomainSocketAddress.of(Path.of(target.substring(5))));
            return new ChannelLink(channel);
        }
        return new SocketLink(socket(target, sendBufferBytes));
    }

    /** Connects; a send buffer of 0 bytes is the system's choice. */
    static Socket socket(String port, int sendBufferBytes) throws IOException {
        Socket socket = new Socket();
        if (sendBufferBytes > 0) {
            socket.setSendBufferSize(sendBufferBytes);
        }
        socket.connect(new InetSocketAddress(Place.here(), Integer.parseInt(port)), 10_000);
        return socket;
    }

    /** Blocking {@link Socket} streams. */
    static final class SocketLink extends Link {
        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;
        private byte[] bytes = new byte[FIRST_BYTES]; // grows once: hundreds of links may be small
        private ByteBuffer buffer = ByteBuffer.wrap(bytes);

        SocketLink(Socket socket) throws IOException {
            this.socket = socket;
            in = socket.getInputStream();
            out = socket.getOutputStream();
        }

        @Override
        public ByteBuffer buffer() {
            return buffer;
        }

        @Override
        public void noDelay() throws IOException {
            socket.setTcpNoDelay(true);
        }

        private void makeRoom(int lenBytes) {
            if (lenBytes > bytes.length) {
                bytes = Arrays.copyOf(bytes, MAX_BYTES);
                buffer = ByteBuffer.wrap(bytes);
            }
        }

        @Override
        public void write(int lenBytes) throws IOException {
            makeRoom(lenBytes);
            out.write(bytes, 0, lenBytes);
        }

        @Override
        public int read(int offset, int maxBytes) throws IOException {
            makeRoom(offset + maxBytes);
            return in.read(bytes, offset, maxBytes);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** A blocking {@link SocketChannel}, of any family. */
    public static final class ChannelLink extends Link {
        private final SocketChannel channel;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_BYTES);

        public ChannelLink(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public ByteBuffer buffer() {
            return buffer;
        }

        @Override
        public void noDelay() throws IOException {
            if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
        }

        @Override
        public void write(int lenBytes) throws IOException {
            buffer.limit(lenBytes).position(0);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            buffer.clear();
        }

        @Override
        public int read(int offset, int maxBytes) throws IOException {
            buffer.limit(offset + maxBytes).position(offset);
            int n = channel.read(buffer);
            buffer.clear();
            return n;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
