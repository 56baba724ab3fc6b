package java.net;

import java.io.FileDescriptor;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A socket that is made before the switch has started. The JDK's own implementation does everything
 * until the switch goes on with the socket.
 *
 * <p>{@code this} guards every field without another remark; nothing blocks while holding it.
 */
abstract class EarlyImpl extends SocketImpl {
    /** Starts the switch; see {@link EarlySocketMaker#accept}. */
    final Function<Map<String, Object>, SocketImpl> start;

    /** The switch's implementation; null until the switch goes on with the socket. Set once. */
    volatile SocketImpl next;

    boolean closed;

    /** The options in the order of their last setting; null until one is set. */
    Map<Object, Object> options;

    EarlyImpl(Function<Map<String, Object>, SocketImpl> start) {
        this.start = start;
    }

    /** Returns the JDK's own implementation. */
    abstract SocketImpl kernel();

    /** Returns the implementation that is in use now. */
    final SocketImpl target() {
        SocketImpl switched = next;
        return switched != null ? switched : kernel();
    }

    @Override
    protected final void close() throws IOException {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        target().close();
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
    protected final int available() throws IOException {
        return target().available();
    }

    /** Sets how long a call may take, for the application; the value is allowed. */
    void timeout(int millis) throws SocketException {
        target().setOption(SO_TIMEOUT, millis);
    }

    @Override
    public final synchronized void setOption(int id, Object value) throws SocketException {
        if (id == SO_TIMEOUT) {
            timeout((Integer) value);
            return;
        }
        target().setOption(id, value);
        remember(id, value);
    }

    @Override
    protected final synchronized <T> void setOption(SocketOption<T> name, T value)
            throws IOException {
        target().setOption(name, value);
        remember(name, value);
    }

    private void remember(Object key, Object value) {
        if (options == null) {
            options = new LinkedHashMap<>();
        }
        options.remove(key);
        options.put(key, value);
    }

    @Override
    public Object getOption(int id) throws SocketException {
        return target().getOption(id);
    }

    @Override
    protected final <T> T getOption(SocketOption<T> name) throws IOException {
        return target().getOption(name);
    }

    @Override
    protected final Set<SocketOption<?>> supportedOptions() {
        return target().supportedOptions();
    }

    @Override
    protected final FileDescriptor getFileDescriptor() {
        return target().getFileDescriptor();
    }

    @Override
    protected final InetAddress getInetAddress() {
        return target().getInetAddress();
    }

    @Override
    protected final int getPort() {
        return target().getPort();
    }

    @Override
    protected final int getLocalPort() {
        return target().getLocalPort();
    }
}
