package io.sdp4j;

import io.sdp4j.offload.net.OffloadedConnection;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ConnectionInfo;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What an {@link SdpSocket} or {@link SdpServerSocket} is made of, with public API of the JDK
 * alone, so that it needs no agent.
 *
 * <p>Shape: {@code holder} is a kernel socket that holds the port and answers for options; {@code
 * connection} carries the data; a listener has {@code queue} instead. Fields are guarded by {@code
 * this}; nobody blocks while holding it.
 */
final class SdpSocketImpl extends SocketImpl {
    private final OffloadProvider provider;
    private final boolean server;
    private PortHolder holder;
    private AcceptQueue queue;
    private volatile OffloadedConnection connection;
    private volatile int timeoutMillis;
    private InetSocketAddress local;
    private InetSocketAddress remote;
    private boolean closed;

    SdpSocketImpl(OffloadProvider provider, boolean server) {
        this.provider = provider;
        this.server = server;
    }

    Optional<ConnectionInfo> connectionInfo() {
        OffloadedConnection c = connection;
        return c == null ? Optional.empty() : Optional.of(c.info());
    }

    @Override
    protected synchronized void create(boolean stream) throws IOException {
        holder = server ? PortHolder.listener() : PortHolder.client();
    }

    private synchronized PortHolder holder() throws SocketException {
        if (closed) {
            throw new SocketException("Socket closed");
        }
        if (holder == null) {
            holder = server ? PortHolder.listener() : PortHolder.client();
        }
        return holder;
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
            throw new IllegalArgumentException("Unsupported address type");
        }
        try {
            if (address.isUnresolved()) {
                throw new UnknownHostException(address.getHostName());
            }
            if (address.getAddress().isAnyLocalAddress()) {
                address = new InetSocketAddress(InetAddress.getLocalHost(), address.getPort());
            }
            long limitNanos =
                    millis == 0
                            ? TimeUnit.SECONDS.toNanos(60)
                            : TimeUnit.MILLISECONDS.toNanos(millis);
            InetSocketAddress to = address;
            adopt(
                    provider.connect(
                            new ConnectSpec(
                                    to,
                                    () -> bindTowards(to),
                                    List.of(),
                                    System.nanoTime() + limitNanos)),
                    false);
        } catch (OffloadUnavailable e) {
            close();
            throw failure(e);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private static IOException failure(OffloadUnavailable e) {
        IOException failure =
                switch (e.reason()) {
                    case TIMED_OUT -> new SocketTimeoutException("Connect timed out");
                    default -> new ConnectException("No SDP connection: " + e.getMessage());
                };
        failure.initCause(e);
        return failure;
    }

    private InetSocketAddress bindTowards(InetSocketAddress to) throws IOException {
        PortHolder h = holder();
        if (h.localPort() <= 0) {
            InetAddress address = to.getAddress();
            boolean loopback4 = address.isLoopbackAddress() && address instanceof Inet4Address;
            h.bind(
                    new InetSocketAddress(
                            loopback4
                                    ? InetAddress.getByAddress(new byte[] {127, 0, 0, 1})
                                    : address,
                            0));
        }
        InetAddress bound = h.localAddress();
        return new InetSocketAddress(
                bound.isAnyLocalAddress() ? to.getAddress() : bound, h.localPort());
    }

    private void adopt(OffloadStream stream, boolean accepted) throws SocketException {
        synchronized (this) {
            if (closed) {
                stream.close(true);
                throw new SocketException("Socket closed");
            }
            local = stream.localAddress();
            remote = stream.remoteAddress();
            Sdp.COUNTERS.opened(stream, accepted);
            connection = new OffloadedConnection(stream, Sdp.COUNTERS, timeoutMillis);
        }
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        holder().bind(new InetSocketAddress(host, port));
    }

    @Override
    protected void listen(int backlog) throws IOException {
        PortHolder h = holder();
        AcceptQueue q = AcceptQueue.listen(provider, h, Math.max(1, backlog));
        synchronized (this) {
            queue = q;
        }
    }

    @Override
    protected void accept(SocketImpl si) throws IOException {
        AcceptQueue q;
        synchronized (this) {
            q = queue;
        }
        if (q == null || !(si instanceof SdpSocketImpl target)) {
            throw new IOException("An SDP listener accepts into an SDP socket only");
        }
        target.adopt(q.accept(timeoutMillis), true);
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        return connected().inputStream(this::close);
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        return connected().outputStream(this::close);
    }

    private OffloadedConnection connected() throws SocketException {
        OffloadedConnection c = connection;
        if (c == null) {
            throw new SocketException("Not connected");
        }
        return c;
    }

    @Override
    protected int available() throws IOException {
        return connected().available();
    }

    @Override
    protected void shutdownInput() throws IOException {
        connected().shutdownInput();
    }

    @Override
    protected void shutdownOutput() throws IOException {
        connected().shutdownOutput();
    }

    @Override
    protected boolean supportsUrgentData() {
        return true;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        connected().sendUrgent(data);
    }

    @Override
    protected void close() throws IOException {
        PortHolder h;
        AcceptQueue q;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            h = holder;
            q = queue;
        }
        OffloadedConnection c = connection;
        try {
            if (q != null) {
                q.close();
            }
            if (c != null) {
                c.close(h == null ? -1 : h.lingerSeconds());
            }
        } finally {
            if (h != null) {
                h.close();
            }
        }
    }

    @Override
    public void setOption(int id, Object value) throws SocketException {
        PortHolder h = holder();
        if (id == SO_TIMEOUT) {
            timeoutMillis = (Integer) value;
            if (connection != null) {
                connection.timeoutMillis(timeoutMillis);
            }
            return;
        }
        h.setOption(id, value);
        if (id == SO_OOBINLINE && connection != null) {
            connection.oobInline((Boolean) value);
        }
    }

    @Override
    public Object getOption(int id) throws SocketException {
        PortHolder h = holder();
        if (id == SO_TIMEOUT) {
            return timeoutMillis;
        }
        synchronized (this) {
            if (id == SO_BINDADDR && local != null) {
                return local.getAddress();
            }
        }
        return h.option(id);
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        holder().setOption(name, value);
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        return holder().option(name);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        return PortHolder.supportedOptions(server);
    }

    @Override
    protected synchronized InetAddress getInetAddress() {
        return remote == null ? null : remote.getAddress();
    }

    @Override
    protected synchronized int getPort() {
        return remote == null ? 0 : remote.getPort();
    }

    @Override
    protected synchronized int getLocalPort() {
        if (local != null) {
            return local.getPort();
        }
        return holder == null ? 0 : holder.localPort();
    }
}
