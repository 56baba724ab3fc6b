package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.util.Set;

/**
 * The kernel side of a switched socket.
 *
 * <p>Every method does what the method of the same name in {@link SocketImpl} does, with its
 * exceptions and its thread-safety. One that {@link KernelSocketSource} gives has to be created
 * first; one that was accepted is connected. It may be of one kind alone: then it refuses what the
 * other kind does.
 */
public abstract class KernelSocket {
    KernelSocket() {}

    public abstract void create() throws IOException;

    public void connect(SocketAddress remote, int timeoutMillis) throws IOException {
        throw notConnected();
    }

    public abstract void bind(InetAddress host, int port) throws IOException;

    public void listen(int backlog) throws IOException {
        throw notListening();
    }

    /** Accepts; blocks up to this socket's SO_TIMEOUT. */
    public KernelSocket accept() throws IOException {
        throw notListening();
    }

    /**
     * The waiter for a connection at this listener, or for something else. From now on {@link
     * #accept} may answer at once, with a time-out.
     */
    public ListenWaiter waiter() throws IOException {
        throw notListening();
    }

    public InputStream inputStream() throws IOException {
        throw notConnected();
    }

    public OutputStream outputStream() throws IOException {
        throw notConnected();
    }

    /** As {@code in.read}, where {@code in} is of {@link #inputStream}. */
    public int read(InputStream in, byte[] b, int off, int len) throws IOException {
        return in.read(b, off, len);
    }

    /** As {@code out.write}, where {@code out} is of {@link #outputStream}. */
    public void write(OutputStream out, byte[] b, int off, int len) throws IOException {
        out.write(b, off, len);
    }

    public int available() throws IOException {
        throw notConnected();
    }

    public abstract void close() throws IOException;

    public void shutdownInput() throws IOException {
        throw notConnected();
    }

    public void shutdownOutput() throws IOException {
        throw notConnected();
    }

    public void sendUrgentData(int data) throws IOException {
        throw notConnected();
    }

    /** Null where it is not known. */
    public abstract FileDescriptor fileDescriptor();

    public abstract InetAddress inetAddress();

    public abstract int port();

    public abstract int localPort();

    public abstract void setOption(int id, Object value) throws SocketException;

    public abstract Object option(int id) throws SocketException;

    public abstract <T> void setOption(SocketOption<T> name, T value) throws IOException;

    public abstract <T> T option(SocketOption<T> name) throws IOException;

    /** Works before {@link #create} too. */
    public abstract Set<SocketOption<?>> supportedOptions();

    private static SocketException notConnected() {
        return new SocketException("Not connected: a listener");
    }

    private static SocketException notListening() {
        return new SocketException("Not a listener");
    }
}
