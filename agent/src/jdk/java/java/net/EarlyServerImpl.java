package java.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.function.ToIntBiFunction;

/**
 * A listener that is made before the switch has started. It is the JDK's own, which listens and
 * accepts at once. The switch starts on another thread, when it is needed or the program rests.
 *
 * <p>Shape: {@code kernel} does everything until {@code next} is there, the switch's
 * implementation, which takes over the kernel's socket. A thread that accepts waits for half a
 * second at a time, because {@code next} may have another queue to accept from. {@code this} guards
 * every field without another remark; nothing blocks while holding it.
 */
final class EarlyServerImpl extends EarlyImpl {
    /** The answer of {@code place} for a listener whose connections may move. */
    private static final int ACCEPTS = 7;

    /** The answer if they may move only once the switch has started, and are not counted before. */
    private static final int ACCEPTS_UNCOUNTED = 8;

    private static final int WAIT_MILLIS = 500;

    private final SocketImpl kernel = SocketImpl.createPlatformSocketImpl(true);
    private final ToIntBiFunction<InetSocketAddress, InetSocketAddress> place;
    private final AtomicLongArray accepted;

    private InetSocketAddress asked; // what the application asked to bind to, or null
    private int timeoutMillis; // as the application has set it
    private int backlog; // set when it listens
    private volatile int where = -1; // the answer of place; set once, when it listens
    private volatile boolean settled; // the switch has gone on with it, or never will

    /**
     * @param place as in {@link EarlySocketMaker}; with null for the other address it says what
     *     this accepts
     * @param accepted the counts of accepted connections, by what {@code place} says
     */
    EarlyServerImpl(
            ToIntBiFunction<InetSocketAddress, InetSocketAddress> place,
            Function<Map<String, Object>, SocketImpl> start,
            AtomicLongArray accepted) {
        super(start);
        this.place = place;
        this.accepted = accepted;
    }

    private record GoOn(EarlyServerImpl listener) implements Runnable {
        @Override
        public void run() {
            try {
                SocketImpl _ = listener.start.apply(Map.of());
            } finally {
                listener.goOn();
            }
        }
    }

    /** Lets the switch take over, if it runs. */
    private synchronized void goOn() {
        try {
            if (!closed && next == null) {
                Map<String, Object> state = new HashMap<>();
                state.put("platform", kernel);
                state.put("backlog", backlog);
                state.put("bound", asked);
                state.put("options", options);
                state.put("timeout", timeoutMillis);
                next = start.apply(state);
            }
        } finally {
            settled = true;
            notifyAll();
            if (!closed && next == null) {
                timeoutAsSet();
            }
        }
    }

    private void timeoutAsSet() {
        try {
            kernel.setOption(SO_TIMEOUT, timeoutMillis);
        } catch (SocketException e) {
            // it was closed meanwhile
        }
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
    protected void listen(int backlog) throws IOException {
        InetSocketAddress from;
        synchronized (this) {
            from = asked;
        }
        int at = place.applyAsInt(from, null); // may read the rules, and a close must not wait
        synchronized (this) {
            target().listen(backlog);
            if (where < 0) {
                this.backlog = Math.max(backlog, 1);
                where = at;
                settled = at != ACCEPTS && at != ACCEPTS_UNCOUNTED;
                if (settled) {
                    kernel.setOption(SO_TIMEOUT, timeoutMillis);
                } else {
                    SocketImpl _ = start.apply(Map.of("listens", new GoOn(this)));
                }
            }
        }
    }

    @Override
    void timeout(int millis) throws SocketException {
        timeoutMillis = millis;
        if (next != null || settled) {
            target().setOption(SO_TIMEOUT, millis);
        }
    }

    @Override
    public Object getOption(int id) throws SocketException {
        Object value = super.getOption(id); // also says that it is closed
        if (id != SO_TIMEOUT) {
            return value;
        }
        return timeoutMillis();
    }

    @Override
    protected void accept(SocketImpl si) throws IOException {
        long startNanos = System.nanoTime();
        int millis = timeoutMillis(); // as in the JDK, a change counts from the next call on
        boolean plain = si instanceof EarlySocketImpl early && early.next == null;
        if (!plain) {
            awaitSwitch();
        }
        for (boolean alone = settled; next == null; alone = settled) { // in this order
            int left = millisLeft(millis, startNanos);
            try {
                if (alone) {
                    acceptSettled(si, left);
                } else {
                    waitAtMost(left == 0 ? WAIT_MILLIS : Math.min(left, WAIT_MILLIS));
                    acceptByKernel(si);
                }
                return;
            } catch (SocketTimeoutException e) {
                long tookNanos = System.nanoTime() - startNanos;
                boolean over = millis > 0 && tookNanos >= TimeUnit.MILLISECONDS.toNanos(millis);
                if (over && next == null) { // with next the switch has ended the wait
                    throw e;
                }
            }
        }
        if (si instanceof EarlySocketImpl early) {
            early.acceptsWithin(millisLeft(millis, startNanos));
        }
        next.accept(si);
    }

    /**
     * Accepts once it is settled that only the kernel accepts.
     *
     * @param millis what is left of the time of the call; 0 = there is no limit
     */
    private void acceptSettled(SocketImpl si, int millis) throws IOException {
        boolean rest;
        synchronized (this) {
            rest = next == null && millis > 0 && millis < timeoutMillis;
            if (rest) {
                kernel.setOption(SO_TIMEOUT, millis);
            }
        }
        try {
            acceptByKernel(si);
        } finally {
            synchronized (this) {
                if (rest && !closed && next == null) {
                    kernel.setOption(SO_TIMEOUT, timeoutMillis);
                }
            }
        }
    }

    private synchronized int timeoutMillis() {
        return timeoutMillis;
    }

    /** Waits for the switch, as only the switch can accept into a socket of its own. */
    private void awaitSwitch() {
        if (settled) { // by a rule; or the switch could not go on, which is tried again
            if (next == null) {
                new GoOn(this).run();
            }
            return;
        }
        boolean interrupted = false;
        synchronized (this) {
            while (!settled && !closed) {
                SocketImpl _ = start.apply(Map.of("wanted", true)); // there may be no thread yet
                try {
                    wait(WAIT_MILLIS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the rest of the time that a call may take, at least 1; 0 = there is no limit. */
    static int millisLeft(int millis, long startNanos) {
        if (millis == 0) {
            return 0;
        }
        long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
        return (int) Math.max(1, millis - took);
    }

    private synchronized void waitAtMost(int millis) throws SocketException {
        if (!settled) { // once settled, the time-out is the application's or the switch's
            kernel.setOption(SO_TIMEOUT, millis);
        }
    }

    private void acceptByKernel(SocketImpl si) throws IOException {
        if (si instanceof EarlySocketImpl early) {
            SocketImpl into = early.into();
            kernel.accept(into);
            early.accepted(into, where == ACCEPTS && (!settled || next != null) ? this : null);
        } else {
            throw new IOException("Only the switch accepts into " + si.getClass());
        }
        long _ = accepted.incrementAndGet(where);
    }

    // --- what a listener does not do ---

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
    protected void sendUrgentData(int data) throws IOException {
        kernel.sendUrgentData(data);
    }
}
