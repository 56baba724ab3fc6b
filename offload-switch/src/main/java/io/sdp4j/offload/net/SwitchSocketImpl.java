package io.sdp4j.offload.net;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.KernelSockets;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.KernelSocket;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Common part of client and server sockets of the switch: life cycle, kernel socket and options.
 *
 * <p>Shape: {@code kernel} is the JDK's own implementation. It is created at once and does
 * everything until the switch decides which stack carries the data. Options are always set on it,
 * so that the JDK checks, rounds and returns them (behaviours 23 and 24).
 *
 * <p>States: NEW, UNCONNECTED (also: listening), CONNECTING, CONNECTED, CLOSED. {@code stateLock}
 * guards the state and every field without a comment that says otherwise; no thread blocks while
 * holding it.
 */
public abstract sealed class SwitchSocketImpl extends SocketImpl
        permits SwitchClientImpl, SwitchServerImpl {
    enum State {
        NEW,
        UNCONNECTED,
        CONNECTING,
        CONNECTED,
        CLOSED
    }

    final OffloadSwitch owner;
    final boolean kernelOnly = KernelSockets.active();
    final Object stateLock = new Object();

    State state = State.NEW;
    volatile KernelSocket kernel; // set under stateLock
    volatile int timeoutMillis; // set under stateLock

    /**
     * The connection, if it is offloaded or may move; null while the kernel's socket does
     * everything.
     */
    volatile Duplex carried; // set under stateLock, once for each connection

    OptionLog options; // null until one is set
    InetSocketAddress asked; // what the application asked to bind to, or null
    ConnectionInfo kernelInfo; // why the kernel carries the connection, or accepted connections

    SwitchSocketImpl(OffloadSwitch owner) {
        this.owner = owner;
    }

    /**
     * Makes the implementation of a socket that connects or is accepted.
     *
     * @param proxies whether the kernel path obeys the {@code ProxySelector}, as {@code new
     *     Socket()} does
     */
    public static SwitchSocketImpl client(OffloadSwitch owner, boolean proxies) {
        return new SwitchClientImpl(owner, proxies);
    }

    /**
     * Makes the implementation that takes over an early socket: one that was made, and perhaps
     * connected or accepted, or that listened, before the switch had started.
     *
     * @param state always: {@code platform}, the JDK's own implementation; {@code bound}, the
     *     address that the application asked to bind to, or null; {@code options} that were set, as
     *     in {@link OptionLog}, or null. For a listener also its {@code backlog}, at least 1, and
     *     its {@code timeout}. For another socket also {@code listener}, the switch's
     *     implementation that accepted it, or null; {@code created}, whether it has a descriptor;
     *     {@code remote}, the address that it is connected to, or null; {@code ended}, whether a
     *     read was told the end; {@code nonBlocking}, whether its descriptor does not block since
     *     it connected; and, if it is connected, the parts of {@link io.sdp4j.offload.Began}
     * @return null if the socket is connected and its connection may not move
     */
    public static SwitchSocketImpl early(OffloadSwitch owner, Map<String, Object> state)
            throws IOException {
        if (state.containsKey("backlog")) {
            SwitchServerImpl server = new SwitchServerImpl(owner);
            server.goOn(state);
            return server;
        }
        SwitchClientImpl client = new SwitchClientImpl(owner, true);
        return client.goOn(state) ? client : null;
    }

    /** Takes over the state that sockets and listeners have in common. Under the state lock. */
    final void before(Map<String, Object> early) {
        options = early.get("options") instanceof Map<?, ?> set ? new OptionLog(set) : null;
        asked = (InetSocketAddress) early.get("bound");
        state = State.UNCONNECTED;
    }

    public static SwitchSocketImpl server(OffloadSwitch owner) {
        return new SwitchServerImpl(owner);
    }

    /** Where the connection runs, why, and what it has carried; empty while there is none. */
    public Optional<ConnectionInfo> connectionInfo() {
        Duplex connection = carried;
        if (connection != null) {
            return Optional.of(connection.info());
        }
        synchronized (stateLock) {
            return Optional.ofNullable(kernelInfo);
        }
    }

    /** See {@link io.sdp4j.offload.spi.OffloadStream#migrate}; false while nothing is offloaded. */
    public boolean migrate() throws IOException {
        Duplex connection = carried;
        return connection != null && connection.migrate();
    }

    /** Returns a kernel socket of the right kind, on which {@code create} was not called yet. */
    abstract KernelSocket newKernel();

    /** Applies a new value of SO_TIMEOUT. Called under the state lock. */
    abstract void timeoutChanged() throws SocketException;

    static KernelSocket createdNow(KernelSocket fresh) throws IOException {
        fresh.create();
        return fresh;
    }

    @Override
    protected void create(boolean stream) throws IOException {
        if (!stream) {
            throw new IOException("Datagram socket creation not supported");
        }
        synchronized (stateLock) {
            if (state != State.NEW) {
                throw new IOException("Already created");
            }
            kernel = createdNow(newKernel());
            state = State.UNCONNECTED;
        }
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        synchronized (stateLock) {
            ensureOpen();
            InetSocketAddress to = new InetSocketAddress(host, port);
            bindKernel(to);
            asked = to;
        }
    }

    /** Binds the kernel's socket. Called under the state lock. */
    void bindKernel(InetSocketAddress to) throws IOException {
        assert Thread.holdsLock(stateLock);
        kernel.bind(to.getAddress(), to.getPort());
    }

    @Override
    protected final void connect(String host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected final void connect(InetAddress address, int port) throws IOException {
        connect(new InetSocketAddress(address, port), 0);
    }

    @Override
    protected boolean supportsUrgentData() {
        return true;
    }

    final KernelSocket created() throws SocketException {
        KernelSocket current = kernel;
        if (current == null) {
            throw new SocketException("Socket not created");
        }
        return current;
    }

    final void ensureOpen() throws SocketException {
        assert Thread.holdsLock(stateLock);
        if (state == State.NEW) {
            throw new SocketException("Socket not created");
        }
        if (state == State.CLOSED) {
            throw new SocketException("Socket closed");
        }
    }

    /** Returns the kernel socket that holds the options. Called under the state lock. */
    KernelSocket optionSocket() throws SocketException {
        ensureOpen();
        return kernel;
    }

    @Override
    public void setOption(int id, Object value) throws SocketException {
        synchronized (stateLock) {
            if (id == SO_TIMEOUT) {
                setTimeout(value);
            } else {
                optionSocket().setOption(id, value);
                remember(id, value);
            }
        }
    }

    private void setTimeout(Object value) throws SocketException {
        assert Thread.holdsLock(stateLock);
        ensureOpen();
        if (!(value instanceof Integer millis)) {
            throw new SocketException("Bad value for SO_TIMEOUT");
        }
        if (millis < 0) {
            throw new SocketException("timeout < 0");
        }
        timeoutMillis = millis;
        timeoutChanged();
    }

    @Override
    public Object getOption(int id) throws SocketException {
        synchronized (stateLock) {
            ensureOpen();
            return id == SO_TIMEOUT ? (Object) timeoutMillis : optionSocket().option(id);
        }
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (stateLock) {
            optionSocket().setOption(name, value);
            remember(name, value);
        }
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (stateLock) {
            return optionSocket().option(name);
        }
    }

    private void remember(Object key, Object value) {
        if (options == null) {
            options = new OptionLog();
        }
        options.put(key, value);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        KernelSocket current = kernel;
        return (current != null ? current : newKernel()).supportedOptions();
    }

    @Override
    protected FileDescriptor getFileDescriptor() {
        KernelSocket current = kernel;
        return current != null ? current.fileDescriptor() : null;
    }

    @Override
    protected InetAddress getInetAddress() {
        KernelSocket current = kernel;
        return current != null ? current.inetAddress() : null;
    }

    @Override
    protected int getPort() {
        KernelSocket current = kernel;
        return current != null ? current.port() : 0;
    }

    @Override
    protected int getLocalPort() {
        KernelSocket current = kernel;
        return current != null ? current.localPort() : 0;
    }

    // --- reading and writing: by the stack that carries the connection ---

    @Override
    protected InputStream getInputStream() throws IOException {
        Duplex connection = carried;
        return connection != null
                ? connection.inputStream()
                : created().inputStream(); // the kernel's own
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        Duplex connection = carried;
        return connection != null
                ? connection.outputStream()
                : created().outputStream(); // the kernel's own
    }

    @Override
    protected int available() throws IOException {
        Duplex connection = carried;
        return connection != null ? connection.available() : created().available();
    }

    @Override
    protected void shutdownInput() throws IOException {
        Duplex connection = carried;
        if (connection != null) {
            connection.shutdownInput();
        } else {
            created().shutdownInput();
        }
    }

    @Override
    protected void shutdownOutput() throws IOException {
        Duplex connection = carried;
        if (connection != null) {
            connection.shutdownOutput();
        } else {
            created().shutdownOutput();
        }
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        Duplex connection = carried;
        if (connection != null) {
            connection.sendUrgent(data);
        } else {
            created().sendUrgentData(data);
        }
    }
}
