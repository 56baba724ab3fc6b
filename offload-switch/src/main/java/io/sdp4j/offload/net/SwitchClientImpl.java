package io.sdp4j.offload.net;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.Began;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.offload.jdk.KernelSocketSource;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Verdict;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A socket that decides when it connects whether the kernel's TCP or an offload provider carries
 * it. An offloaded connection stays offloaded.
 *
 * <p>Shape: on the kernel, {@code kernel} does everything and hands out its own streams. A
 * connection that may move later is {@code carried} on top of {@code kernel}. Of an offloaded one,
 * {@code kernel} stays, unconnected, to hold the port number and to answer for options (behaviour
 * 6); an accepted one gets its {@code kernel} only when an option is asked for. {@code connectLock}
 * is held while connecting.
 *
 * <p>{@code Runnable} and {@code Consumer} are for {@code java.net.EarlySocketImpl}, which cannot
 * name this class; so are {@code Supplier} and {@code IntSupplier} in {@link
 * SwitchServerImpl#accept}, in the other direction.
 */
final class SwitchClientImpl extends SwitchSocketImpl implements Runnable, Consumer<IOException> {
    private final boolean proxies;
    private final ReentrantLock connectLock = new ReentrantLock();

    private boolean holdsPort; // bound by us, for an offload attempt
    private InetSocketAddress local; // of an offloaded connection
    private InetSocketAddress remote; // of an offloaded connection
    private Decision movesBy; // connectLock: the rule by which the connection may move, or null
    private OptionLog inherited; // of an accepted offloaded socket, from its listener, or null

    SwitchClientImpl(OffloadSwitch owner, boolean proxies) {
        super(owner);
        this.proxies = proxies;
    }

    @Override
    KernelSocket newKernel() {
        return owner.kernel().client(proxies);
    }

    /** Takes over what was there before the switch; whether it could. */
    boolean goOn(Map<String, Object> early) throws IOException {
        synchronized (stateLock) {
            InetSocketAddress to = (InetSocketAddress) early.get("remote");
            SwitchServerImpl listener = (SwitchServerImpl) early.get("listener");
            Decision decision = null;
            if (to != null && listener == null) {
                decision = owner.policy().decide((InetSocketAddress) early.get("bound"), to);
                if (!owner.beginsOnKernel(decision, to)) {
                    return false;
                }
            }
            if (!(boolean) early.get("created")) {
                return true;
            }
            kernel = KernelSocketSource.client((SocketImpl) early.get("platform"), to == null);
            timeoutMillis = (Integer) kernel.option(SO_TIMEOUT);
            before(early);
            if (to == null) {
                return true;
            }
            kernelInfo = OffloadSwitch.YOUNG.kernelInfo();
            AcceptedTable table = null;
            if (listener != null) {
                kernelInfo = listener.whyByTcp();
                table = listener.table(kernel);
                if (table == null) {
                    return false;
                }
            }
            MovingConnection moving = moving(kernel, decision, table, kernelInfo, began(early));
            if (Boolean.TRUE.equals(early.get("ended"))) {
                moving.endTold();
            }
            moving.startLater(); // the early socket does not know of it yet
            carried = moving;
            state = State.CONNECTED;
            return true;
        }
    }

    private static Began began(Map<String, Object> early) {
        return new Began(
                (ReentrantLock) early.get("readLock"),
                (ReentrantLock) early.get("writeLock"),
                (AtomicLong) early.get("sent"),
                (AtomicLong) early.get("received"),
                (long) early.get("turns"),
                (long) early.get("bornNanos"));
    }

    /** The early socket has given back one of the locks that it shares. */
    @Override
    public void run() {
        if (carried instanceof MovingConnection moving) {
            moving.earlyCallLeft();
        }
    }

    /** A read of the early socket has met an exception in the kernel, and goes on here. */
    @Override
    public void accept(IOException e) {
        if (carried instanceof MovingConnection moving) {
            moving.earlyReadFailed(e);
        }
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
            movesBy = null;
            Attempt attempt = attempt(address, startNanos, millis);
            if (attempt.stream() != null) {
                adopt(attempt.stream(), State.CONNECTING, false, millis > 0);
            } else if (attempt.reason() == ReasonCode.ABANDONED) {
                throw givenUpException();
            } else {
                connectKernel(address, millis, startNanos, attempt);
            }
        } catch (RuntimeException e) { // of a proxy selector: as in the JDK, it may be tried again
            if (!unconnectedAgain()) {
                close();
            }
            throw e;
        } catch (IOException | Error e) {
            close();
            throw e;
        } finally {
            connectLock.unlock();
        }
    }

    private boolean unconnectedAgain() {
        synchronized (stateLock) {
            boolean trying = state == State.CONNECTING;
            if (trying) {
                state = State.UNCONNECTED;
            }
            return trying;
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

    private Attempt attempt(InetSocketAddress target, long startNanos, int millis)
            throws IOException {
        if (kernelOnly) {
            return OffloadSwitch.IN_SCOPE;
        }
        if (target.isUnresolved()) {
            Proxies.requireTcpAllowed(proxyTowards(target), this::decision, owner.counters());
            return Attempt.kernel(ReasonCode.PROXY, "a proxy resolves " + target.getHostString());
        }
        InetSocketAddress resolved =
                target.getAddress().isAnyLocalAddress()
                        ? new InetSocketAddress(InetAddress.getLocalHost(), target.getPort())
                        : target;
        Decision decision = decision(resolved);
        Proxy proxy = proxyTowards(target);
        if (proxy != null) {
            if (decision.verdict() == Verdict.OFFLOAD_ONLY) {
                throw Proxies.refused(target, decision, owner.counters());
            }
            Proxies.requireTcpAllowed(proxy, this::decision, owner.counters());
            if (decision.verdict().offloads()) {
                return Attempt.kernel(ReasonCode.PROXY, "a SOCKS proxy handles " + target);
            }
        }
        if (owner.beginsOnKernel(decision, resolved)) {
            movesBy = decision;
            return OffloadSwitch.YOUNG;
        }
        requireFamilyOf(resolved);
        return owner.connect(
                decision,
                resolved,
                ConnectSpec.LocalAddress.of(
                        bound(), source -> localAddressTowards(resolved, source)),
                startNanos,
                millis > 0 ? TimeUnit.MILLISECONDS.toNanos(millis) : Long.MAX_VALUE,
                givenUp(Thread.currentThread()),
                _ -> {});
    }

    /** As the kernel has it: from an address that was bound none of the other family is reached. */
    private void requireFamilyOf(InetSocketAddress target) throws SocketException {
        synchronized (stateLock) {
            if (asked == null || asked.getAddress().isAnyLocalAddress()) {
                return;
            }
            boolean four = asked.getAddress() instanceof Inet4Address;
            if (four != (target.getAddress() instanceof Inet4Address)) {
                throw new SocketException(
                        four
                                ? "Address family not supported by protocol"
                                : "Network is unreachable");
            }
        }
    }

    private Proxy proxyTowards(InetSocketAddress target) {
        return proxies ? Proxies.towards(target) : null;
    }

    /**
     * Whether a connect was given up, as the JDK's can be: by a close, or the interrupt of a
     * virtual thread.
     */
    private BooleanSupplier givenUp(Thread connecting) {
        return () -> {
            synchronized (stateLock) {
                return state != State.CONNECTING
                        || (connecting.isVirtual() && connecting.isInterrupted());
            }
        };
    }

    private SocketException givenUpException() {
        synchronized (stateLock) {
            return new SocketException(
                    state != State.CONNECTING ? "Socket closed" : "Closed by interrupt");
        }
    }

    private Decision decision(InetSocketAddress target) {
        synchronized (stateLock) {
            return owner.policy().decide(asked, target);
        }
    }

    /** The address that the application asked to bind to, or null. */
    private InetAddress bound() {
        synchronized (stateLock) {
            return asked == null ? null : asked.getAddress();
        }
    }

    /** Binds the kernel's socket, so that the number is ours against TCP too (behaviour 6). */
    private InetSocketAddress localAddressTowards(InetSocketAddress target, InetAddress known)
            throws IOException {
        InetAddress source = SourceAddressSelection.towards(target, known);
        synchronized (stateLock) {
            if (state != State.CONNECTING) {
                throw new SocketException("Socket closed");
            }
            if (asked != null) {
                InetSocketAddress chosen = kernel.localAddress();
                return chosen.getAddress().isAnyLocalAddress()
                        ? new InetSocketAddress(source, chosen.getPort())
                        : chosen;
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
            // However little is left: what the kernel knows at once is told rather than the time.
            left = (int) Math.max(1, millis - TimeUnit.NANOSECONDS.toMillis(usedNanos));
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
        MovingConnection moving = null;
        synchronized (stateLock) {
            if (state != State.CONNECTING) {
                throw new SocketException("Socket closed");
            }
            kernelInfo = why.kernelInfo();
            if (movesBy != null) {
                moving = moving(current, movesBy, null, kernelInfo, begun());
                carried = moving;
            }
            state = State.CONNECTED;
        }
        owner.kernelConnected(moving == null ? target : null, why.reason());
        if (moving != null) {
            moving.start();
        }
    }

    private static Began begun() {
        return Began.now(new ReentrantLock(), new ReentrantLock());
    }

    private MovingConnection moving(
            KernelSocket connected,
            Decision decision,
            AcceptedTable table,
            ConnectionInfo why,
            Began began)
            throws IOException {
        return new MovingConnection(owner, connected, decision, table, why, timeoutMillis, began);
    }

    /** An attempt has bound the kernel's socket; TCP shall choose as if there had been none. */
    private void replaceKernel() throws IOException {
        assert Thread.holdsLock(stateLock);
        KernelSocket fresh = createdNow(newKernel());
        KernelSocket old = kernel;
        kernel = fresh;
        holdsPort = false;
        old.close();
        if (options != null) {
            options.applyTo(fresh);
        }
        if (timeoutMillis > 0) { // which the options do not have
            fresh.setOption(SO_TIMEOUT, timeoutMillis);
        }
    }

    private void adopt(OffloadStream stream, State expected, boolean accepted, boolean timed)
            throws IOException {
        synchronized (stateLock) {
            if (state != expected) {
                stream.close(true);
                throw new SocketException("Socket closed");
            }
            local = stream.localAddress();
            remote = stream.remoteAddress();
            owner.counters().opened(stream.info(), accepted);
            carried =
                    new OffloadedConnection(
                            stream,
                            owner.counters(),
                            timeoutMillis,
                            timed,
                            new ReentrantLock(),
                            new ReentrantLock());
            boolean usual = kernel == null || options == null; // nothing to ask the kernel for
            if (!usual && Boolean.TRUE.equals(kernel.option(SO_OOBINLINE))) {
                carried.oobInline(true);
            }
            if (!usual && Boolean.TRUE.equals(kernel.option(SO_KEEPALIVE))) {
                carried.keepAlive(true);
            }
            state = State.CONNECTED;
        }
    }

    /**
     * Takes an accepted offloaded connection.
     *
     * @param listeners the options that were set on the listener, or null
     */
    void accepted(OffloadStream stream, OptionLog listeners) throws IOException {
        forgetOld();
        synchronized (stateLock) {
            inherited = listeners;
        }
        adopt(stream, State.UNCONNECTED, true, false);
    }

    /**
     * Takes a connection that was accepted from the kernel.
     *
     * @param table where a peer finds it that wants to move it; null = it may not move
     */
    void accepted(KernelSocket connected, ConnectionInfo why, AcceptedTable table)
            throws IOException {
        MovingConnection moving = null;
        forgetOld();
        synchronized (stateLock) {
            if (state != State.UNCONNECTED) {
                connected.close();
                throw new SocketException("Socket closed");
            }
            kernel = connected;
            fd = connected.fileDescriptor(); // as in the JDK's own, for code that looks there
            if (timeoutMillis > 0) {
                connected.setOption(SO_TIMEOUT, timeoutMillis); // behaviour 30
            }
            kernelInfo = why;
            if (table != null) {
                moving = moving(connected, null, table, why, begun());
                carried = moving;
            }
            state = State.CONNECTED;
        }
        owner.counters().kernelAccepted(why.reason()); // first: a peer may move it at once
        if (moving != null) {
            moving.start();
        }
    }

    /**
     * A socket that existed before it was accepted into keeps its SO_TIMEOUT only (behaviour 30);
     * what it was connected to is closed, as in the JDK.
     */
    private void forgetOld() {
        KernelSocket beside;
        Duplex connection;
        synchronized (stateLock) {
            if (state == State.CONNECTING || state == State.CLOSED) {
                return;
            }
            state = State.UNCONNECTED;
            beside = kernel;
            connection = carried;
            kernel = null;
            carried = null;
            local = null;
            remote = null;
            options = null;
        }
        try {
            close(connection, beside, -1);
        } catch (IOException e) {
            // as the JDK: what comes in its place matters more
        }
    }

    private static void close(Duplex connection, KernelSocket beside, int lingerSeconds)
            throws IOException {
        try {
            if (connection != null) {
                connection.close(lingerSeconds);
            }
        } finally {
            if (beside != null) {
                beside.close();
            }
        }
    }

    /**
     * Code that asks for it by reflection wants to read, write or pass the kernel's socket on.
     * Beside an offloaded connection there is one, which carries nothing: better a clear word than
     * that.
     */
    @Override
    protected FileDescriptor getFileDescriptor() {
        if (carried instanceof OffloadedConnection) {
            throw new UnsupportedOperationException(
                    "the connection to "
                            + remote
                            + " is offloaded and has no socket of the kernel's that carries it;"
                            + " a rule 'use tcp' for it gives it one");
        }
        return super.getFileDescriptor();
    }

    @Override
    protected void listen(int backlog) throws IOException {
        throw new SocketException("Not a listener");
    }

    @Override
    protected void accept(SocketImpl si) throws IOException {
        throw new SocketException("Not a listener");
    }

    @Override
    protected void close() throws IOException {
        KernelSocket beside;
        Duplex connection;
        int lingerSeconds = -1;
        synchronized (stateLock) {
            if (state == State.CLOSED) {
                return;
            }
            beside = kernel;
            connection = carried;
            if (connection != null
                    && beside != null
                    && options != null
                    && beside.option(SO_LINGER) instanceof Integer seconds) {
                lingerSeconds = seconds;
            }
            state = State.CLOSED;
        }
        close(connection, beside, lingerSeconds);
    }

    @Override
    KernelSocket optionSocket() throws SocketException {
        ensureOpen();
        if (kernel == null) {
            try {
                KernelSocket fresh = createdNow(owner.kernel().client(false));
                fresh.setOption(SO_REUSEADDR, true); // as accepted sockets have it
                if (inherited != null) {
                    inherited.applyTo(fresh);
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
    void timeoutChanged() throws SocketException {
        assert Thread.holdsLock(stateLock);
        if (carried != null) {
            carried.timeoutMillis(timeoutMillis);
        } else {
            kernel.setOption(SO_TIMEOUT, timeoutMillis);
        }
    }

    @Override
    public void setOption(int id, Object value) throws SocketException {
        synchronized (stateLock) {
            super.setOption(id, value);
            if (id == SO_OOBINLINE && carried != null) {
                carried.oobInline((Boolean) value);
            } else if (id == SO_KEEPALIVE && carried != null) {
                carried.keepAlive((Boolean) value);
            }
        }
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (stateLock) {
            super.setOption(name, value);
            if (name == StandardSocketOptions.SO_KEEPALIVE && carried != null) {
                carried.keepAlive((Boolean) value);
            }
        }
    }

    @Override
    public Object getOption(int id) throws SocketException {
        synchronized (stateLock) {
            ensureOpen();
            return id == SO_BINDADDR && local != null ? local.getAddress() : super.getOption(id);
        }
    }

    @Override
    protected InetAddress getInetAddress() {
        synchronized (stateLock) {
            return remote != null ? remote.getAddress() : super.getInetAddress();
        }
    }

    @Override
    protected int getPort() {
        synchronized (stateLock) {
            return remote != null ? remote.getPort() : super.getPort();
        }
    }

    @Override
    protected int getLocalPort() {
        synchronized (stateLock) {
            return local != null ? local.getPort() : super.getLocalPort();
        }
    }
}
