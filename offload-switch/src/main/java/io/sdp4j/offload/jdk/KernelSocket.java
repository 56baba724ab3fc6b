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
 * first; one that was accepted is connected.
 */
public abstract class KernelSocket {
    KernelSocket() {}

    public abstract void create() throws IOException;

    public abstract void connect(SocketAddress remote, int timeoutMillis) throws IOException;

    public abstract void bind(InetAddress host, int port) throws IOException;

    public abstract void listen(int backlog) throws IOException;

    /** Accepts; blocks up to this socket's SO_TIMEOUT. */
    public abstract KernelSocket accept() throws IOException;

    /**
     * The waiter for a connection at this listener, or for something else. From now on {@link
     * #accept} may answer at once, with a time-out.
     */
    public abstract ListenWaiter waiter() throws IOException;

    public abstract InputStream inputStream() throws IOException;

    public abstract OutputStream outputStream() throws IOException;

    public abstract int available() throws IOException;

    public abstract void close() throws IOException;

    public abstract void shutdownInput() throws IOException;

    public abstract void shutdownOutput() throws IOException;

    public abstract void sendUrgentData(int data) throws IOException;

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
}
