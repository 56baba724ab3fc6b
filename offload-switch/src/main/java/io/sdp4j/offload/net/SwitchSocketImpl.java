package io.sdp4j.offload.net;

import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.KernelScope;
import io.sdp4j.offload.Listening;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.offload.spi.ConnectionInfo;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.ReasonCode;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Role;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A socket that decides when it connects or listens whether the kernel's TCP or an offload provider
 * carries it, and never changes its mind afterwards.
 *
 * <p>Shape: {@code kernel} is the JDK's own implementation and does everything until the decision;
 * if that is "kernel" it goes on doing everything, its streams are handed out as they are. If it is
 * "offload", {@code offloaded} carries the data and {@code kernel} stays, unconnected, to hold the
 * port number and to answer for options (NET-9, NET-20, NET-25). An accepted offloaded socket gets
 * its {@code kernel} only when an option is asked for.
 *
 * <p>States: NEW, UNCONNECTED (also: listening), CONNECTING, CONNECTED, CLOSED. {@code stateLock}
 * guards them and every field without another remark; nobody blocks while holding it. {@code
 * connectLock} is held while connecting.
 */
public final class SwitchSocketImpl extends SocketImpl {
    private enum State {
        NEW,
        UNCONNECTED,
        CONNECTING,
        CONNECTED,
        CLOSED
    }

    private static final Attempt IN_SCOPE =
            Attempt.kernel(ReasonCode.KERNEL_SCOPE, "created in a kernel scope");

    private final OffloadSwitch owner;
    private final boolean server;
    private final boolean proxies;
    private final boolean kernelOnly;
    private final ReentrantLock connectLock = new ReentrantLock();
    private final Object stateLock = new Object();

    private State state = State.NEW;
    private volatile KernelSocket kernel; // set under stateLock
    private volatile OffloadedConnection offloaded; // set once, under stateLock
    private volatile Acceptor acceptor; // set once, under stateLock
    private volatile int timeoutMillis; // set under stateLock
    private OptionLog options; // null until one is set
    private InetSocketAddress asked; // what the application asked to bind to, or null
    private boolean holdsPort; // bound by us, for an offload attempt
    private InetSocketAddress local; // of an offloaded connection
    private InetSocketAddress remote; // of an offloaded connection
    private ConnectionInfo kernelInfo; // why it is on the kernel
    private Integer inheritedReceiveBuffer; // of an accepted offloaded socket

    private SwitchSocketImpl(
            OffloadSwitch owner, boolean server, boolean proxies, boolean kernelOnly) {
        this.owner = owner;
        this.server = server;
        this.proxies = proxies;
        this.kernelOnly = kernelOnly;
    }

    /**
     * For a socket that connects or is accepted.
     *
     * @param proxies whether the kernel path obeys the {@code ProxySelector}, as {@code new
     *     Socket()} does
     */
    public static SwitchSocketImpl client(OffloadSwitch owner, boolean proxies) {
        return new SwitchSocketImpl(owner, false, proxies, KernelScope.active());
    }

    /** For a listener. */
    public static SwitchSocketImpl server(OffloadSwitch owner) {
        return new SwitchSocketImpl(owner, true, false, KernelScope.active());
    }

    /** Where the connection runs, why, and what it has carried; empty while there is none. */
    public Optional<ConnectionInfo> connectionInfo() {
        OffloadedConnection connection = offloaded;
        if (connection != null) {
            return Optional.of(connection.info());
        }
        synchronized (stateLock) {
            return Optional.ofNullable(kernelInfo);
        }
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
            kernel = newKernel();
            state = State.UNCONNECTED;
        }
    }

    private KernelSocket newKernel() throws IOException {
        KernelSocket fresh = server ? KernelSocket.server() : KernelSocket.client(proxies);
        fresh.create();
        return fresh;
    }

    @Override
    protected void connect(String host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(InetAddress address, int port) throws IOException {
        connect(new InetSocketAddress(address, port), 0);
    }

    @Override
    protected void connect(SocketAddress target, int millis) throws IOException {
        if (!(target instanceof InetSocketAddress address)) {
            throw new IOException("Unsupported address type");
        }
        long startNanos = System.nanoTime();
        connectLock.lock();
        try {
            beginConnect();
            Attempt attempt = attempt(address, millis);
            if (attempt.stream() != null) {
                adopt(attempt.stream(), State.CONNECTING, false);
            } else {
                connectKernel(address, millis, startNanos, attempt);
            }
        } catch (IOException e) {
            close();
            throw e;
        } finally {
            connectLock.unlock();
        }
    }

    private void beginConnect() throws SocketException {
        synchronized (stateLock) {
            String problem =
                    switch (state) {
                        case NEW -> "Not created";
                        case UNCONNECTED -> null;
                        case CONNECTING -> "Connection in progress";
                        case CONNECTED -> "Already connected";
                        case CLOSED -> "Socket closed";
                    };
            if (problem != null) {
                throw new SocketException(problem);
            }
            state = State.CONNECTING;
        }
    }

    private Attempt attempt(InetSocketAddress target, int millis) throws IOException {
        if (kernelOnly) {
            return IN_SCOPE;
        }
        if (target.isUnresolved()) {
            return Attempt.kernel(ReasonCode.PROXY, "a proxy resolves " + target.getHostString());
        }
        InetSocketAddress resolved =
                target.getAddress().isAnyLocalAddress()
                        ? new InetSocketAddress(InetAddress.getLocalHost(), target.getPort())
                        : target;
        Decision decision = decision(resolved);
        if (decision.verdict().offloads() && proxies && Proxies.handles(target)) {
            return Attempt.kernel(ReasonCode.PROXY, "a SOCKS proxy handles " + target);
        }
        return owner.connect(
                decision,
                resolved,
                () -> localAddressTowards(resolved),
                millis > 0 ? TimeUnit.MILLISECONDS.toNanos(millis) : Long.MAX_VALUE);
    }

    private Decision decision(InetSocketAddress target) {
        Policy policy = owner.policy();
        synchronized (stateLock) {
            return asked == null || policy.connectAfterBind()
                    ? policy.decide(Role.CONNECT, target)
                    : policy.decide(Role.LISTEN, asked);
        }
    }

    /** Binds the kernel's socket, so that the number is ours against TCP too (NET-25). */
    private InetSocketAddress localAddressTowards(InetSocketAddress target) throws IOException {
        InetAddress source = LocalAddresses.towards(target);
        synchronized (stateLock) {
            if (state != State.CONNECTING) {
                throw new SocketException("Socket closed");
            }
            if (asked != null) {
                InetAddress chosen = (InetAddress) kernel.option(SO_BINDADDR);
                return new InetSocketAddress(
                        chosen.isAnyLocalAddress() ? source : chosen, kernel.localPort());
            }
            if (!holdsPort) {
                kernel.bind(source, 0);
                holdsPort = true;
            }
            return new InetSocketAddress(source, kernel.localPort());
        }
    }

    private void connectKernel(InetSocketAddress target, int millis, long startNanos, Attempt why)
            throws IOException {
        int left = millis;
        if (millis > 0) {
            long usedNanos = System.nanoTime() - startNanos;
            left = (int) (millis - TimeUnit.NANOSECONDS.toMillis(usedNanos));
            if (left <= 0) {
                throw new SocketTimeoutException("Connect timed out");
            }
        }
        KernelSocket current;
        synchronized (stateLock) {
            if (state != State.CONNECTING) {
                throw new SocketException("Socket closed");
            }
            if (holdsPort) {
                replaceKernel();
            }
            current = kernel;
        }
        current.connect(target, left);
        synchronized (stateLock) {
            if (state != State.CONNECTING) {
                throw new SocketException("Socket closed");
            }
            kernelInfo = new ConnectionInfo(why.reason(), why.detail(), "", -1, -1);
            state = State.CONNECTED;
        }
        owner.counters().kernelConnected(why.reason());
    }

    /** An attempt has bound the kernel's socket; TCP shall choose as if there had been none. */
    private void replaceKernel() throws IOException {
        assert Thread.holdsLock(stateLock);
        KernelSocket fresh = newKernel();
        KernelSocket old = kernel;
        kernel = fresh;
        holdsPort = false;
        old.close();
        if (options != null) {
            options.applyTo(fresh);
        }
    }

    private void adopt(OffloadStream stream, State expected, boolean accepted) throws IOException {
        synchronized (stateLock) {
            if (state != expected) {
                stream.close(true);
                throw new SocketException("Socket closed");
            }
            local = stream.localAddress();
            remote = stream.remoteAddress();
            owner.counters().opened(stream, accepted);
            offloaded = new OffloadedConnection(stream, owner.counters(), timeoutMillis);
            if (kernel != null && Boolean.TRUE.equals(kernel.option(SO_OOBINLINE))) {
                offloaded.oobInline(true);
            }
            state = State.CONNECTED;
        }
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        synchronized (stateLock) {
            ensureOpen();
            kernel.bind(host, port);
            asked = new InetSocketAddress(host, port);
        }
    }

    @Override
    protected void listen(int backlog) throws IOException {
        synchronized (stateLock) {
            ensureOpen();
            kernel.listen(backlog);
            if (acceptor != null || kernelInfo != null) {
                return; // again, with another backlog
            }
            Attempt why = kernelOnly ? IN_SCOPE : listenOffloaded(Math.max(backlog, 1));
            kernelInfo = new ConnectionInfo(why.reason(), why.detail(), "", -1, -1);
        }
    }

    private Attempt listenOffloaded(int backlog) throws IOException {
        assert Thread.holdsLock(stateLock);
        Decision decision = owner.policy().decide(Role.LISTEN, asked);
        if (!decision.verdict().offloads()) {
            return OffloadSwitch.byRule(decision);
        }
        Acceptor both = new Acceptor(kernel);
        Listening listening = null;
        try {
            InetAddress at = (InetAddress) kernel.option(SO_BINDADDR);
            listening =
                    owner.listen(
                            decision,
                            new InetSocketAddress(at, kernel.localPort()),
                            at instanceof Inet6Address && at.isAnyLocalAddress(),
                            backlog,
                            both::onPending);
            if (listening.offloads()) {
                both.start(listening);
                acceptor = both;
            }
            return Attempt.kernel(listening.reason(), listening.detail());
        } finally {
            if (acceptor == null) {
                both.close();
            }
        }
    }

    @Override
    protected void accept(SocketImpl si) throws IOException {
        if (!(si instanceof SwitchSocketImpl target)) {
            throw new IOException(
                    "An instance of "
                            + getClass()
                            + " cannot accept a connection with an instance of "
                            + si.getClass());
        }
        Acceptor both = acceptor;
        if (both != null) {
            both.accept(timeoutMillis, new Taking(this, target));
        } else {
            KernelSocket listener;
            synchronized (stateLock) {
                ensureOpen();
                listener = kernel;
            }
            new Taking(this, target).take(listener.accept());
        }
    }

    /** Puts an accepted connection into the implementation that waits for it. */
    private record Taking(SwitchSocketImpl listener, SwitchSocketImpl target)
            implements Acceptor.Taker {
        @Override
        public void take(OffloadStream stream) throws IOException {
            synchronized (listener.stateLock) {
                target.inheritedReceiveBuffer =
                        listener.options == null ? null : listener.options.receiveBuffer();
            }
            synchronized (target.stateLock) {
                target.dropKernel();
                target.options = null;
            }
            target.adopt(stream, State.UNCONNECTED, true);
        }

        @Override
        public void take(KernelSocket accepted) throws IOException {
            ConnectionInfo why;
            synchronized (listener.stateLock) {
                why = listener.kernelInfo;
            }
            target.adopt(accepted, why);
        }
    }

    private void adopt(KernelSocket accepted, ConnectionInfo why) throws IOException {
        synchronized (stateLock) {
            if (state == State.CLOSED) {
                accepted.close();
                throw new SocketException("Socket is closed");
            }
            dropKernel();
            options = null;
            kernel = accepted;
            if (timeoutMillis > 0) {
                accepted.setOption(SO_TIMEOUT, timeoutMillis); // NET-6
            }
            kernelInfo = why;
            state = State.CONNECTED;
        }
        owner.counters().kernelAccepted(why.reason());
    }

    /** Of a socket that existed before it was accepted into. */
    private void dropKernel() throws IOException {
        assert Thread.holdsLock(stateLock);
        if (kernel != null) {
            kernel.close();
            kernel = null;
        }
        if (state == State.NEW) {
            state = State.UNCONNECTED;
        }
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        OffloadedConnection connection = offloaded;
        return connection != null
                ? connection.inputStream(this::close)
                : created().inputStream(); // NET-8
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        OffloadedConnection connection = offloaded;
        return connection != null
                ? connection.outputStream(this::close)
                : created().outputStream(); // NET-8
    }

    @Override
    protected int available() throws IOException {
        OffloadedConnection connection = offloaded;
        return connection != null ? connection.available() : created().available();
    }

    @Override
    protected void shutdownInput() throws IOException {
        OffloadedConnection connection = offloaded;
        if (connection != null) {
            connection.shutdownInput();
        } else {
            created().shutdownInput();
        }
    }

    @Override
    protected void shutdownOutput() throws IOException {
        OffloadedConnection connection = offloaded;
        if (connection != null) {
            connection.shutdownOutput();
        } else {
            created().shutdownOutput();
        }
    }

    @Override
    protected boolean supportsUrgentData() {
        return true;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        OffloadedConnection connection = offloaded;
        if (connection != null) {
            connection.sendUrgent(data);
        } else {
            created().sendUrgentData(data);
        }
    }

    @Override
    protected void close() throws IOException {
        KernelSocket oldKernel;
        int lingerSeconds = -1;
        synchronized (stateLock) {
            if (state == State.CLOSED) {
                return;
            }
            oldKernel = kernel;
            if (offloaded != null
                    && kernel != null
                    && kernel.option(SO_LINGER) instanceof Integer i) {
                lingerSeconds = i;
            }
            state = State.CLOSED;
        }
        try {
            if (acceptor != null) {
                acceptor.close();
            }
            if (offloaded != null) {
                offloaded.close(lingerSeconds);
            }
        } finally {
            if (oldKernel != null) {
                oldKernel.close();
            }
        }
    }

    private KernelSocket created() throws SocketException {
        KernelSocket current = kernel;
        if (current == null) {
            throw new SocketException("Socket not created");
        }
        return current;
    }

    private void ensureOpen() throws SocketException {
        assert Thread.holdsLock(stateLock);
        if (state == State.NEW) {
            throw new SocketException("Socket not created");
        }
        if (state == State.CLOSED) {
            throw new SocketException("Socket closed");
        }
    }

    /** The kernel socket that knows the options; made now if this was accepted without one. */
    private KernelSocket optionSocket() throws SocketException {
        assert Thread.holdsLock(stateLock);
        ensureOpen();
        if (kernel == null) {
            try {
                KernelSocket fresh = KernelSocket.client(false);
                fresh.create();
                fresh.setOption(SO_REUSEADDR, true); // as accepted sockets have it
                if (inheritedReceiveBuffer != null) {
                    fresh.setOption(SO_RCVBUF, inheritedReceiveBuffer);
                }
                kernel = fresh;
            } catch (SocketException e) {
                throw e;
            } catch (IOException e) {
                throw new SocketException(e.getMessage(), e);
            }
        }
        return kernel;
    }

    @Override
    public void setOption(int id, Object value) throws SocketException {
        synchronized (stateLock) {
            if (id == SO_TIMEOUT) {
                setTimeout(value);
                return;
            }
            optionSocket().setOption(id, value);
            remember(id, value);
            if (id == SO_OOBINLINE && offloaded != null) {
                offloaded.oobInline((Boolean) value);
            }
        }
    }

    private void setTimeout(Object value) throws SocketException {
        ensureOpen();
        if (!(value instanceof Integer millis)) {
            throw new SocketException("Bad value for SO_TIMEOUT");
        }
        if (millis < 0) {
            throw new SocketException("timeout < 0");
        }
        timeoutMillis = millis;
        if (offloaded != null) {
            offloaded.timeoutMillis(millis);
        } else if (acceptor == null) {
            kernel.setOption(SO_TIMEOUT, millis);
            remember(SO_TIMEOUT, millis);
        }
    }

    @Override
    public Object getOption(int id) throws SocketException {
        synchronized (stateLock) {
            ensureOpen();
            if (id == SO_TIMEOUT) {
                return timeoutMillis;
            }
            if (id == SO_BINDADDR && offloaded != null) {
                return local.getAddress();
            }
            return optionSocket().option(id);
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
        assert Thread.holdsLock(stateLock);
        if (options == null) {
            options = new OptionLog();
        }
        options.put(key, value);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        KernelSocket current = kernel;
        if (current == null) {
            current = server ? KernelSocket.server() : KernelSocket.client(false);
        }
        return current.supportedOptions();
    }

    @Override
    protected FileDescriptor getFileDescriptor() {
        KernelSocket current = kernel;
        return current != null ? current.fileDescriptor() : null;
    }

    @Override
    protected InetAddress getInetAddress() {
        synchronized (stateLock) {
            if (remote != null) {
                return remote.getAddress();
            }
            return kernel != null ? kernel.inetAddress() : null;
        }
    }

    @Override
    protected int getPort() {
        synchronized (stateLock) {
            if (remote != null) {
                return remote.getPort();
            }
            return kernel != null ? kernel.port() : 0;
        }
    }

    @Override
    protected int getLocalPort() {
        synchronized (stateLock) {
            if (local != null) {
                return local.getPort();
            }
            return kernel != null ? kernel.localPort() : 0;
        }
    }
}
