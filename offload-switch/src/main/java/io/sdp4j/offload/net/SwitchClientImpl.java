package io.sdp4j.offload.net;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Began;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A socket that decides when it connects whether the kernel's TCP or an offload provider carries
 * it. An offloaded connection stays offloaded.
 *
 * <p>Shape: on the kernel, {@code kernel} does everything and hands out its own streams. A
 * connection that may move later is {@code carried} on top of {@code kernel}. Of an offloaded one,
 * {@code kernel} stays, unconnected, to hold the port number and to answer for options (behaviour
 * 6); an accepted one gets its {@code kernel} only when an option is asked for.
 *
 * <p>{@code Runnable} and {@code Consumer} are for {@code java.net.EarlySocketImpl}, which cannot
 * name this class; so are {@code Supplier} and {@code IntSupplier} in {@link
 * SwitchServerImpl#accept}, in the other direction.
 */
final class SwitchClientImpl extends SwitchSocketImpl implements Runnable, Consumer<IOException> {
    final boolean proxies; // whether the proxy selector is asked
    private SocketConnect connect; // null until it connects, and afterwards
    private InetSocketAddress local; // of an offloaded connection
    private InetSocketAddress remote; // of an offloaded connection
    private OptionLog inherited; // of an accepted offloaded socket, from its listener, or null

    SwitchClientImpl(OffloadSwitch owner, boolean proxies) {
        super(owner);
        this.proxies = proxies;
    }

    @Override
    KernelSocket newKernel() {
        return KernelSocket.client(proxies);
    }

    /**
     * Takes over a socket from before the start of the switch; false if its connection may not
     * move.
     */
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
            kernel = KernelSocket.client((SocketImpl) early.get("platform"), to == null);
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
            boolean nonBlocking = Boolean.TRUE.equals(early.get("nonBlocking"));
            MovingConnection moving =
                    moving(kernel, decision, table, kernelInfo, nonBlocking, began(early));
            if (Boolean.TRUE.equals(early.get("ended"))) {
                moving.endTold();
            }
            moving.startLater(); // the early socket does not use it yet
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

    /**
     * Called when the early socket knows this object, and when it has given back one of the shared
     * locks.
     */
    @Override
    public void run() {
        if (carried instanceof MovingConnection moving) {
            moving.earlyCallLeft();
            moving.consider();
        }
    }

    /**
     * Called when a read of the early socket got {@code e} from the kernel; the read goes on here.
     * Null: by the holder of the write lock, when a part of a write that failed may have gone.
     */
    @Override
    public void accept(IOException e) {
        if (carried instanceof MovingConnection moving) {
            if (e != null) {
                moving.earlyReadFailed(e);
            } else {
                moving.sentUncounted();
            }
        }
    }

    @Override
    protected void connect(SocketAddress target, int millis) throws IOException {
        if (!(target instanceof InetSocketAddress address)) {
            throw new IOException("Unsupported address type");
        }
        long startNanos = System.nanoTime();
        SocketConnect connects;
        synchronized (stateLock) {
            if (connect == null) {
                connect = new SocketConnect(this);
            }
            connects = connect;
        }
        connects.connect(address, startNanos, millis);
        synchronized (stateLock) {
            connect = null; // it is connected: there is none to come
        }
    }

    static Began begun() {
        return Began.now(new ReentrantLock(), new ReentrantLock());
    }

    MovingConnection moving(
            KernelSocket connected,
            Decision decision,
            AcceptedTable table,
            ConnectionInfo why,
            boolean nonBlocking,
            Began began)
            throws IOException {
        return new MovingConnection(
                owner, connected, decision, table, why, timeoutMillis, nonBlocking, began);
    }

    void adopt(OffloadStream stream, State expected, boolean accepted, boolean timed)
            throws IOException {
        synchronized (stateLock) {
            if (state != expected) {
                stream.close(true);
                throw new SocketException("Socket closed");
            }
            try {
                local = stream.localAddress();
                remote = stream.remoteAddress();
                OffloadedConnection ready =
                        new OffloadedConnection(
                                stream,
                                owner.counters(),
                                timeoutMillis,
                                timed,
                                new ReentrantLock(),
                                new ReentrantLock());
                owner.counters().opened(stream.info(), accepted);
                carried = ready;
            } finally {
                if (carried == null) { // no other code knows of it
                    stream.close(true);
                }
            }
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
     * @param table where a peer that wants to move the connection finds it; null = it may not move
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
            fd = connected.fileDescriptor(); // as in the JDK's own, for code that reads it
            address = null; // a blank one, made by ServerSocket for other implementations
            if (timeoutMillis > 0) {
                connected.setOption(SO_TIMEOUT, timeoutMillis); // behaviour 30
            }
            kernelInfo = why;
            if (table != null) {
                moving = moving(connected, null, table, why, false, begun());
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
     * Prepares an existing socket for an accepted connection: it keeps only its SO_TIMEOUT
     * (behaviour 30), and its old connection is closed, as in the JDK.
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
            // as in the JDK: the accepted connection matters more
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
     * Throws for an offloaded connection. Code that calls this by reflection wants to read, write
     * or pass on the kernel's socket, and the one beside an offloaded connection carries nothing.
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
                KernelSocket fresh = createdNow(KernelSocket.client(false));
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
