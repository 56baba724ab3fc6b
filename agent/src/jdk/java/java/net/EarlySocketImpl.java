package java.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import jdk.internal.misc.InnocuousThread;

/**
 * A socket of a connection in a JVM whose switch has not started: the JDK's own with a count of
 * bytes. It is in this package because only here one {@code SocketImpl} may call another without
 * method handles, which take a short program longer than its connection.
 *
 * <p>Shape: {@code kernel} does everything until {@code next}, the switch's implementation, is
 * there: before {@code connect} returns if the destination needs the switch, or after the
 * connection has carried a part of what makes it worth moving, if it must carry anything; an
 * accepted one also once the switch has gone on with its listener. {@code next} then takes the
 * kernel's socket, both locks and both counts over. {@code this} guards every field without another
 * remark; nothing blocks while holding it.
 *
 * <p>Others know this only by interfaces of the JDK. To the switch, {@code Supplier} gives its
 * implementation and {@code IntSupplier} tells how long an accept into it may wait; the shim runs
 * it once it has carried enough.
 */
final class EarlySocketImpl extends EarlyImpl
        implements Supplier<SocketImpl>, IntSupplier, Runnable {
    /** Answer of {@code place}: the switch decides. */
    static final int SWITCH = 0;

    /** Answer of {@code place}: on the kernel, from where the connection may move. */
    static final int MAY_MOVE = 1;

    /**
     * Answer of {@code place}: the switch decides, and the kernel may not be asked instead, not
     * even if the time is too short for the switch.
     */
    static final int SWITCH_ONLY = 6;

    /** Answer of {@code place}: as {@link #MAY_MOVE}, and the switch starts at once. */
    static final int MOVES = 12;

    // Less than what the switch asks of a connection that moves, so that it has started by then.
    private static final long ENOUGH_BYTES = 2 << 20;
    private static final int ENOUGH_TURNS = 500;
    private static final int ENOUGH_ALL_TURNS = 30_000;

    // With one processor a connection does not move in its first minute.
    private static final boolean ALONE = Runtime.getRuntime().availableProcessors() == 1;
    private static final long ENOUGH_NANOS = ALONE ? 60_000_000_000L : 250_000_000;

    /**
     * One of this many calls, a power of two, checks whether it is enough, as reading the clock
     * costs.
     */
    private static final int LOOK_CALLS = ALONE ? 64 : 1;

    /** Answers that a connection adds to {@link #ALL_TURNS} in one step. */
    private static final int TELL_TURNS = 100;

    private static final AtomicLong ALL_TURNS = new AtomicLong();

    private final ToIntBiFunction<InetSocketAddress, InetSocketAddress> place;
    private final AtomicLongArray connected;
    private SocketImpl platform = SocketImpl.createPlatformSocketImpl(false);
    private volatile SocketImpl kernel = new SocksSocketImpl(platform); // set under this

    private boolean created;
    private boolean stays; // something was done that a connection which moves later cannot know
    private InetSocketAddress bound; // what the application asked for, or null
    private InetSocketAddress remote; // null before it is connected
    private volatile boolean nonBlocking; // its descriptor; also set by readers and writers
    private volatile boolean timed; // reads have a time limit

    /** Where it was accepted, if it may move; null for one that has connected. */
    private volatile WeakReference<EarlyServerImpl> listener; // set before counted

    private volatile boolean counted; // set once, when connected
    private long bornNanos; // set before counted

    // made before counted is set, as most sockets of some programs are not counted
    private ReentrantLock readLock;
    private ReentrantLock writeLock;
    private AtomicLong sent; // its value: set under writeLock
    private AtomicLong received; // its value: set under readLock

    private boolean wrote; // since the last read; a lost update counts a turn too few
    private long turns; // set under readLock
    private boolean ended; // a read has returned the end, and so must the next
    private int acceptMillis = -1; // used by the thread that accepts into this socket
    private boolean asked; // set by a reader or a writer; asking twice does no harm
    private int calls; // a lost update does no harm

    /** See {@link EarlySocketMaker#accept}. */
    EarlySocketImpl(
            ToIntBiFunction<InetSocketAddress, InetSocketAddress> place,
            Function<Map<String, Object>, SocketImpl> start,
            AtomicLongArray connected) {
        super(start);
        this.place = place;
        this.connected = connected;
    }

    // --- the way to the switch ---

    /**
     * Returns the switch's implementation, for a listener that accepts into this socket; or null.
     */
    @Override
    public SocketImpl get() {
        SocketImpl _ = start.apply(Map.of());
        goOn();
        return next;
    }

    /**
     * Sets the time for the next accept into this socket.
     *
     * @param millis how long the switch's listener may wait; 0 = there is no limit
     */
    void acceptsWithin(int millis) {
        acceptMillis = millis;
    }

    /**
     * Returns how long the next accept into this socket may wait, in milliseconds; -1 = as long as
     * the listener says.
     */
    @Override
    public int getAsInt() {
        int millis = acceptMillis;
        acceptMillis = -1;
        return millis;
    }

    /** Has the switch go on with the connection, which may propose to move from now on. */
    @Override
    public void run() {
        get();
        left(); // it may move without another call of the application's
    }

    /** Lets the switch take over, if it runs. */
    private synchronized void goOn() {
        if (next != null || closed || stays) {
            return;
        }
        EarlyServerImpl by = listener();
        SocketImpl switched = by == null ? null : by.next;
        if (listener != null && switched == null) {
            return; // no switch, or it does not know the listener, or the listener is garbage
        }
        if (remote != null) {
            makeCounts(); // the switch may count what was not counted here
        }
        Map<String, Object> state = new HashMap<>();
        state.put("platform", platform);
        state.put("listener", switched);
        state.put("created", created);
        state.put("bound", bound);
        state.put("options", options);
        state.put("remote", remote);
        state.put("readLock", readLock);
        state.put("writeLock", writeLock);
        state.put("sent", sent);
        state.put("received", received);
        state.put("turns", turns);
        state.put("ended", ended);
        state.put("nonBlocking", nonBlocking);
        state.put("bornNanos", bornNanos);
        next = start.apply(state);
    }

    /**
     * Starts the switch for a connect.
     *
     * @param millis how long to wait until it has started; 0 = as long as it takes
     * @return whether it has
     */
    private boolean started(int millis) throws IOException {
        if (millis == 0) {
            SocketImpl _ = start.apply(Map.of());
            return true;
        }
        // the JDK's own threads, of which it is none, as those refuse a context class loader
        ThreadGroup jdk = InnocuousThread.newSystemThread(null).getThreadGroup();
        Thread starter = new Thread(jdk, new Start(start), "sdp4j-start", 0, false);
        starter.setDaemon(true);
        starter.setContextClassLoader(null);
        try {
            starter.start();
        } catch (OutOfMemoryError e) { // no thread but this one
            return started(0);
        }
        awaitEnd(starter, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
        return !starter.isAlive();
    }

    /**
     * Waits for the end of {@code starter}. As in a connect of the JDK's, an interrupt ends the
     * wait of a virtual thread only.
     */
    private void awaitEnd(Thread starter, long deadline) throws IOException {
        boolean interrupted = false;
        try {
            long left = deadline - System.nanoTime();
            while (left > 0 && starter.isAlive()) {
                try {
                    TimeUnit.NANOSECONDS.timedJoin(starter, left);
                } catch (InterruptedException e) {
                    interrupted = true;
                    if (Thread.currentThread().isVirtual()) {
                        close();
                        throw new SocketException("Closed by interrupt");
                    }
                }
                left = deadline - System.nanoTime();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private record Start(Function<Map<String, Object>, SocketImpl> start) implements Runnable {
        @Override
        public void run() {
            SocketImpl _ = start.apply(Map.of());
        }
    }

    /**
     * Returns the JDK's own implementation that a listener is to accept into. It must be a new one,
     * so another is made if this socket's was used already.
     */
    synchronized SocketImpl into() {
        return created ? SocketImpl.createPlatformSocketImpl(false) : platform;
    }

    /**
     * Takes over an accepted connection.
     *
     * @param into the result of {@link #into}
     * @param by the listener, if the connection may move; else null
     */
    void accepted(SocketImpl into, EarlyServerImpl by) throws IOException {
        InetAddress there = into.getInetAddress();
        boolean moves =
                by != null
                        && (there.isLoopbackAddress() || there.equals(into.getOption(SO_BINDADDR)));
        synchronized (this) {
            if (into != platform) {
                replaceBy(into);
            }
            created = true;
            fd = platform.fd; // as in the JDK's own, for code that looks there
            address = null; // a blank one, made by ServerSocket for other implementations
            remote = new InetSocketAddress(there, platform.getPort());
            bornNanos = System.nanoTime();
            listener = moves ? new WeakReference<>(by) : null;
            stays = !moves;
            counts(moves);
        }
    }

    /**
     * Replaces the implementation of this socket. As in the JDK, only SO_TIMEOUT is kept of the old
     * one.
     */
    private void replaceBy(SocketImpl accepted) throws IOException {
        if (closed) {
            accepted.close();
            throw new SocketException("Socket closed");
        }
        accepted.setOption(SO_TIMEOUT, kernel.getOption(SO_TIMEOUT));
        kernel.close();
        platform = accepted;
        kernel = new SocksSocketImpl(accepted);
        options = null;
        bound = null;
    }

    private void counts(boolean moves) {
        assert Thread.holdsLock(this);
        if (moves) {
            makeCounts();
        }
        counted = moves;
    }

    private void makeCounts() {
        if (readLock == null) {
            readLock = new ReentrantLock();
            writeLock = new ReentrantLock();
            sent = new AtomicLong();
            received = new AtomicLong();
        }
    }

    private void consider() {
        if (asked || (++calls & LOOK_CALLS - 1) != 0) {
            return;
        }
        if (enough() || listenerWentOn()) {
            goOnSoon();
        }
    }

    private void goOnSoon() {
        try {
            SocketImpl _ = start.apply(Map.of("enough", this));
            asked = true;
        } catch (OutOfMemoryError e) {
            // the connection is there, and bytes of the caller have gone or come; a later call asks
        }
    }

    private boolean enough() {
        return (answeredEnough() || sent.get() + received.get() >= ENOUGH_BYTES)
                && System.nanoTime() - bornNanos >= ENOUGH_NANOS;
    }

    /**
     * Returns the listener that has accepted the connection; null if the connection stays on the
     * kernel, or the program has forgotten the listener.
     */
    private EarlyServerImpl listener() {
        WeakReference<EarlyServerImpl> by = listener;
        return by == null ? null : by.get();
    }

    /** Whether the switch has gone on with its listener, so that a peer may ask it to move. */
    private boolean listenerWentOn() {
        EarlyServerImpl by = listener();
        return by != null && by.next != null;
    }

    private boolean answeredEnough() {
        return turns >= ENOUGH_TURNS && ALL_TURNS.get() >= ENOUGH_ALL_TURNS;
    }

    @Override
    SocketImpl kernel() {
        return kernel;
    }

    @Override
    void timeout(int millis) throws SocketException {
        super.timeout(millis);
        timed = millis > 0;
    }

    // --- life ---

    @Override
    protected synchronized void create(boolean stream) throws IOException {
        target().create(stream);
        created = true;
    }

    @Override
    protected synchronized void bind(InetAddress host, int port) throws IOException {
        target().bind(host, port);
        bound = new InetSocketAddress(host, port);
    }

    @Override
    protected void connect(SocketAddress address, int millis) throws IOException {
        long startNanos = System.nanoTime();
        InetSocketAddress to = address instanceof InetSocketAddress known ? known : null;
        int where = to == null ? SWITCH : place(to);
        boolean only = where == SWITCH_ONLY;
        // if the kernel can be asked instead, half of the time is left to it
        int mostMillis = only || millis == 0 ? millis : Math.max(1, millis / 2);
        if (only || where == SWITCH) {
            if (started(mostMillis)) {
                goOn();
                if (next == null && !only && to != null) {
                    where = place(to); // again: the switch did not take it
                }
            } else if (only) {
                close();
                throw new SocketTimeoutException("Connect timed out");
            }
        }
        SocketImpl switched = next;
        int left = EarlyServerImpl.millisLeft(millis, startNanos);
        if (switched != null) {
            switched.connect(address, left);
            return;
        }
        if (only) {
            synchronized (this) {
                if (closed) {
                    throw new SocketException("Socket closed");
                }
            }
            close();
            throw new ConnectException(
                    "Connection refused (a rule allows nothing but offload,"
                            + " and the switch is not there)");
        }
        kernel.connect(address, left);
        synchronized (this) {
            remote = to;
            nonBlocking = left > 0 || Thread.currentThread().isVirtual();
            bornNanos = System.nanoTime();
            counts(where == MAY_MOVE || where == MOVES);
        }
        connected.incrementAndGet(where);
        if (where == MOVES) {
            goOnSoon();
        }
    }

    private int place(InetSocketAddress to) {
        InetSocketAddress from;
        synchronized (this) {
            from = bound;
        }
        return place.applyAsInt(from, to); // may read the rules, and a close must not wait
    }

    /** Keeps the connection on the kernel, before a call that the switch would not know of. */
    private synchronized SocketImpl changed() {
        stays = true;
        return target();
    }

    @Override
    protected void shutdownInput() throws IOException {
        changed().shutdownInput();
    }

    @Override
    protected void shutdownOutput() throws IOException {
        changed().shutdownOutput();
    }

    @Override
    protected boolean supportsUrgentData() {
        return true;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        changed().sendUrgentData(data);
    }

    @Override
    protected void listen(int backlog) throws IOException {
        target().listen(backlog);
    }

    @Override
    protected void accept(SocketImpl s) throws IOException {
        target().accept(s);
    }

    // --- data ---

    @Override
    protected InputStream getInputStream() throws IOException {
        SocketImpl switched = next; // read once, so that no plain stream of the kernel's results
        if (switched != null) {
            return switched.getInputStream();
        }
        InputStream in = kernel.getInputStream();
        return counted ? new EarlySocketInput(this, in) : in;
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        SocketImpl switched = next;
        if (switched != null) {
            return switched.getOutputStream();
        }
        OutputStream out = kernel.getOutputStream();
        return counted ? new EarlySocketOutput(this, out) : out;
    }

    /** As {@code read} of the kernel's stream; 0 = from now on {@link #next} reads. */
    int read(InputStream in, byte[] b, int off, int len) throws IOException {
        lockToRead();
        try {
            if (next != null) {
                return 0;
            }
            noteUse(timed);
            int n = in.read(b, off, len);
            if (n < 0) {
                return toldEnd() ? n : 0; // the switch may have ended the wait
            }
            received.set(received.get() + n);
            if (wrote) {
                wrote = false;
                if (++turns % TELL_TURNS == 0) {
                    long _ = ALL_TURNS.addAndGet(TELL_TURNS);
                }
            }
            consider();
            return n;
        } catch (SocketException e) {
            if (next == null) {
                throw e;
            }
            tellNext(e);
            return 0;
        } finally {
            readLock.unlock();
            left();
        }
    }

    private synchronized boolean toldEnd() {
        ended = next == null;
        return ended;
    }

    /**
     * Called after a lock was given back: a stream that came meanwhile, or a close, may wait for
     * it.
     */
    private void left() {
        if (next instanceof Runnable switched) {
            switched.run();
        }
    }

    /**
     * The JDK makes the descriptor non-blocking for a virtual thread and for a read with a time
     * limit, and leaves it so.
     */
    private void noteUse(boolean timed) {
        if (!nonBlocking && (timed || Thread.currentThread().isVirtual())) {
            nonBlocking = true;
        }
    }

    /**
     * Passes a failure of a read on to {@link #next}, as the kernel reports a reset only once; or,
     * as null, that of a write that may have sent a part.
     */
    @SuppressWarnings("unchecked") // the switch's takes nothing else
    private void tellNext(SocketException e) {
        if (next instanceof Consumer<?> switched) {
            ((Consumer<IOException>) switched).accept(e);
        }
    }

    /** Takes the read lock within SO_TIMEOUT; as in the JDK, waiting for another reader counts. */
    private void lockToRead() throws IOException {
        int millis = readLock.tryLock() ? -1 : (int) kernel.getOption(SO_TIMEOUT);
        if (millis == 0) {
            readLock.lock();
        } else if (millis > 0) {
            lockWithin(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    private void lockWithin(long nanos) throws SocketTimeoutException {
        long deadline = System.nanoTime() + nanos;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (!readLock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                        throw new SocketTimeoutException("Read timed out");
                    }
                    return;
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

    /** As {@code write} of the kernel's stream; false = from now on {@link #next} writes. */
    boolean write(OutputStream out, byte[] b, int off, int len) throws IOException {
        writeLock.lock();
        try {
            if (next != null) {
                return false;
            }
            noteUse(false);
            out.write(b, off, len);
            sent.set(sent.get() + len);
            wrote = true;
            consider();
            return true;
        } catch (InterruptedIOException e) {
            close(); // as Socket does; a part that has gone is not counted
            throw e;
        } catch (IOException | Error e) { // here neither
            SocketImpl _ = changed();
            tellNext(null);
            throw e;
        } finally {
            writeLock.unlock();
            left();
        }
    }
}
