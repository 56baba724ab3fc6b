package java.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A listener that is made before the switch has started: the JDK's own, which listens at once. The
 * switch is started meanwhile on another thread, and {@code accept} waits for it.
 *
 * <p>Shape: {@code kernel} does everything until {@code next}, the switch's implementation, is
 * there, which takes the kernel's socket over; that stays {@code null} if the switch cannot start.
 * {@code this} guards every field without another remark; nothing blocks while holding it.
 */
final class EarlyServerImpl extends EarlyImpl {
    private final SocketImpl kernel = SocketImpl.createPlatformSocketImpl(true);
    private volatile Thread starting; // set once

    private InetSocketAddress asked; // what the application asked to bind to, or null

    EarlyServerImpl(Function<Map<String, Object>, SocketImpl> start) {
        super(start);
    }

    private record Start(EarlyServerImpl listener, int backlog) implements Runnable {
        @Override
        public void run() {
            SocketImpl _ = listener.start.apply(Map.of());
            listener.goOn(backlog);
        }
    }

    /** The switch takes over, if it runs. */
    private synchronized void goOn(int backlog) {
        if (closed) {
            return;
        }
        Map<String, Object> state = new HashMap<>();
        state.put("platform", kernel);
        state.put("backlog", backlog);
        state.put("bound", asked);
        state.put("options", options);
        next = start.apply(state);
    }

    @Override
    SocketImpl kernel() {
        return kernel;
    }

    @Override
    protected synchronized void create(boolean stream) throws IOException {
        target().create(stream);
        fd = kernel.fd; // as in the JDK's own, for code that looks there
    }

    @Override
    protected synchronized void bind(InetAddress host, int port) throws IOException {
        target().bind(host, port);
        asked = new InetSocketAddress(host, port);
    }

    @Override
    protected synchronized void listen(int backlog) throws IOException {
        target().listen(backlog);
        if (starting == null) {
            starting = EarlySocketImpl.starter(new Start(this, Math.max(backlog, 1)));
        }
    }

    @Override
    protected void accept(SocketImpl si) throws IOException {
        awaitSwitch();
        SocketImpl switched = next;
        if (switched != null) {
            switched.accept(si);
        } else if (si instanceof EarlySocketImpl early) {
            kernel.accept(early.staying());
        } else {
            kernel.accept(si instanceof DelegatingSocketImpl other ? other.delegate() : si);
        }
    }

    /** Waits until the switch has started, or could not, no longer than an accept may take. */
    private void awaitSwitch() throws IOException {
        Thread starter = starting;
        if (starter == null || !starter.isAlive()) {
            return;
        }
        int millis = (int) kernel.getOption(SO_TIMEOUT);
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean interrupted = false;
        try {
            // an interrupt ends the accept of a virtual thread, and is the JDK's to deal with
            while (starter.isAlive() && !(interrupted && Thread.currentThread().isVirtual())) {
                long left = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
                if (millis > 0 && left <= 0) {
                    throw new SocketTimeoutException("Accept timed out");
                }
                try {
                    starter.join(millis > 0 ? left : 0);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // --- what a listener does not do ---

    @Override
    protected void connect(String host, int port) throws IOException {
        kernel.connect(host, port);
    }

    @Override
    protected void connect(InetAddress address, int port) throws IOException {
        kernel.connect(address, port);
    }

    @Override
    protected void connect(SocketAddress address, int timeout) throws IOException {
        kernel.connect(address, timeout);
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        return kernel.getInputStream();
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        return kernel.getOutputStream();
    }

    @Override
    protected int available() throws IOException {
        return kernel.available();
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        kernel.sendUrgentData(data);
    }
}
