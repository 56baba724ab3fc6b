package sun.nio.ch;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The JDK's listening channel, with a second queue of connections beside the kernel's. It is in
 * this package because the JDK's class can be extended only here.
 *
 * <p>Shape: without a second queue every call is the JDK's own. With one, threads and selectors
 * wait for an epoll descriptor instead of the kernel's listener. The epoll descriptor watches that
 * listener and a descriptor through which the second queue signals. The kernel's listener does not
 * block then: {@link #park}, with which the JDK's {@code accept} waits, also looks at the second
 * queue.
 *
 * <p>Early: a channel that is made before the switch has started listens and accepts at once, and
 * the switch goes on with it once it has started. Until then, and during a bind of the switch's, a
 * thread that accepts waits for half a second at a time, because it may have to look at a second
 * queue afterwards, and {@link #goOn} waits for it.
 *
 * <p>{@code accepting} is held over a whole {@code accept}, and by a change of the blocking mode,
 * which therefore waits for an accept as in the JDK. {@code turn}, taken after it, admits one
 * thread to the queues. {@code lock} guards every field without another remark.
 */
public final class ListeningChannel extends ServerSocketChannelImpl {
    /**
     * Ends the JDK's wait for the kernel's listener. It has no stack trace, as it is caught in this
     * class.
     */
    private static final class Elsewhere extends IOException {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ReentrantLock accepting = new ReentrantLock();
    private final ReentrantLock turn = new ReentrantLock(true); // fair, so that goOn gets it
    private final Object lock = new Object();
    private final ProtocolFamily family;
    private final EarlyAccept early; // null = not early

    private volatile SecondQueue beside; // early: set once, when the switch has started
    private volatile boolean settled; // it listens, and goOn does not follow any more
    private volatile boolean both; // there are two queues; set once
    private volatile int epoll = -1; // set once
    private FileDescriptor epollFd; // set before epoll
    private boolean polled; // a selector has looked at the kernel's descriptor
    private boolean adopting; // the epoll descriptor is lent; goOn follows
    private boolean released;
    private boolean blocks; // turn: the kernel's listener may block
    private boolean blocking = true; // accepting: the mode, before the JDK has stored it
    private Integer receiveBuffer; // SO_RCVBUF, if it was set

    /**
     * Makes a channel of the switch's.
     *
     * @param family null = the JDK's choice
     */
    public ListeningChannel(SelectorProvider provider, ProtocolFamily family, SecondQueue beside)
            throws IOException {
        this(provider, family, beside, null);
    }

    /**
     * Makes a channel of the switch's, or an early one, with {@code early} and without {@code
     * beside}.
     */
    ListeningChannel(
            SelectorProvider provider,
            ProtocolFamily family,
            SecondQueue beside,
            EarlyAccept early)
            throws IOException {
        super(provider, family(family));
        this.family = family(family);
        this.beside = beside;
        this.early = early;
    }

    static ProtocolFamily family(ProtocolFamily asked) {
        if (asked != null) {
            return asked;
        }
        return Net.isIPv6Available() ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
    }

    // --- binding ---

    @Override
    public ServerSocketChannel bind(SocketAddress address, int backlog) throws IOException {
        if (early == null) {
            try {
                beside.bind(this, address, backlog);
            } finally {
                settled = super.localAddress() != null;
            }
            return this;
        }
        bindKernel(address, backlog);
        boolean mayMove = early.mayMove(address);
        synchronized (lock) {
            settled = !mayMove;
            if (settled || !isOpen()) {
                return this;
            }
            if (!polled) {
                openEpoll();
            }
        }
        early.listens(this, address, backlog);
        return this;
    }

    /** Notes that the switch has gone on with this channel, or never will. */
    void settle() {
        settled = true;
    }

    /** Makes the kernel listen, by the JDK's own {@code bind}. */
    public void bindKernel(SocketAddress address, int backlog) throws IOException {
        ServerSocketChannel _ = super.bind(address, backlog);
    }

    /**
     * Returns the epoll descriptor that selectors watch from now on, and that watches the kernel's
     * listener. It stays until {@link #goOn}, which must follow, and then as long as the channel
     * needs it.
     *
     * @return -1 if a selector watches the kernel's listener already, or the channel is closed
     */
    public int lendEpoll() throws IOException {
        synchronized (lock) {
            if (polled || !isOpen()) {
                return -1;
            }
            openEpoll();
            adopting = true;
            return epoll;
        }
    }

    private void openEpoll() throws IOException {
        assert Thread.holdsLock(lock);
        if (epoll >= 0) {
            return;
        }
        int made = EPoll.create();
        int failed = EPoll.ctl(made, EPoll.EPOLL_CTL_ADD, super.getFDVal(), Net.POLLIN);
        if (failed != 0) {
            UnixFileDispatcherImpl.closeIntFD(made);
            throw new IOException("epoll_ctl failed with errno " + failed);
        }
        epollFd = IOUtil.newFD(made);
        epoll = made;
    }

    /**
     * Goes on with a second queue, or without one from now on.
     *
     * @param queue the object that decides from now on
     * @param listens whether {@code queue} can give connections
     */
    public void goOn(SecondQueue queue, boolean listens) throws IOException {
        if (listens) {
            turn.lock();
            try {
                super.implConfigureBlocking(false);
                beside = queue;
                both = true;
            } finally {
                turn.unlock();
            }
        } else {
            beside = queue;
        }
        synchronized (lock) {
            adopting = false;
        }
        if (!isOpen()) { // closed meanwhile
            queue.close();
            releaseIfIdle();
        }
    }

    /** Returns the switch's part; null while there is none. */
    public SecondQueue beside() {
        return beside;
    }

    /** Returns the protocol family of the accepted connections. */
    public ProtocolFamily family() {
        return family;
    }

    /** Returns the size that {@code SO_RCVBUF} was set to, or null. */
    public Integer receiveBuffer() {
        synchronized (lock) {
            return receiveBuffer;
        }
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        ServerSocketChannel _ = super.setOption(name, value);
        if (name.equals(StandardSocketOptions.SO_RCVBUF)) {
            synchronized (lock) {
                receiveBuffer = (Integer) value;
            }
        }
        return this;
    }

    // --- accepting ---

    @Override
    public SocketChannel accept() throws IOException {
        return accept(0, false);
    }

    @Override
    SocketChannel blockingAccept(long nanos) throws IOException {
        return accept(nanos, true);
    }

    private SocketChannel accept(long nanos, boolean timed) throws IOException {
        accepting.lock();
        try {
            if (timed && !isBlocking()) { // in the order of the JDK
                throw new IllegalBlockingModeException();
            }
            if (!timed && !isOpen()) {
                throw new ClosedChannelException();
            }
            long startNanos = timed ? System.nanoTime() : 0; // from here on, as in the JDK
            boolean more = true;
            while (more && !both) {
                SocketChannel accepted = acceptByKernel(left(nanos, startNanos, timed), timed);
                SocketChannel served = accepted == null ? null : byKernel(accepted);
                if (served != null) {
                    return served;
                }
                more = both || blocking;
            }
            return more ? acceptBoth(nanos, startNanos, timed) : null;
        } finally {
            accepting.unlock();
        }
    }

    private static long left(long nanos, long startNanos, boolean timed) {
        return timed ? nanos - (System.nanoTime() - startNanos) : 0;
    }

    private SocketChannel acceptBoth(long nanos, long startNanos, boolean timed)
            throws IOException {
        SecondQueue queue = beside;
        turn.lock();
        try {
            SocketChannel accepted = null;
            boolean more = true;
            try {
                while (more) {
                    accepted = next(queue, left(nanos, startNanos, timed), timed);
                    more = accepted == null && isBlocking();
                }
            } finally {
                if (queue.pending()) { // also where this one failed
                    queue.signal();
                }
            }
            return accepted;
        } finally {
            turn.unlock();
            if (!isOpen()) {
                releaseIfIdle();
            }
        }
    }

    /**
     * Accepts while there is one queue. Returns null if no connection waits, or if there may be two
     * queues now.
     */
    private SocketChannel acceptByKernel(long nanos, boolean timed) throws IOException {
        if (settled || !blocking || !isBlocking()) {
            if (both) { // settled is set after both: goOn may have come since the caller looked
                return null;
            }
            return timed ? super.blockingAccept(nanos) : super.accept();
        }
        turn.lock();
        try {
            return both
                    ? null
                    : super.blockingAccept(timed ? Math.min(nanos, WAIT_NANOS) : WAIT_NANOS);
        } catch (SocketTimeoutException e) {
            if (timed && nanos <= WAIT_NANOS) {
                throw e;
            }
            return null;
        } finally {
            turn.unlock();
            if (!isOpen()) {
                releaseIfIdle();
            }
        }
    }

    /** Returns the channel for a connection that the kernel has accepted. */
    private SocketChannel byKernel(SocketChannel accepted) throws IOException {
        SecondQueue queue = beside;
        if (queue != null) {
            return queue.accepted(this, accepted);
        }
        return early == null ? accepted : early.accepted(this, accepted);
    }

    /** Returns the next connection of either queue; null if none waits, or one was refused. */
    private SocketChannel next(SecondQueue queue, long nanos, boolean timed) throws IOException {
        if (!isOpen()) { // the caller looks only where the JDK does
            throw new AsynchronousCloseException();
        }
        queue.consume(); // before looking, so that no signal is lost
        // an interrupted thread goes on to the JDK's accept, which handles the interrupt
        boolean look = !Thread.currentThread().isInterrupted() || !isBlocking();
        SocketChannel waiting = look ? queue.poll(this, false) : null;
        if (waiting != null) {
            return waiting;
        }
        try {
            SocketChannel accepted = timed ? timedAccept(nanos) : untimedAccept();
            return accepted != null ? queue.accepted(this, accepted) : queue.poll(this, true);
        } catch (Elsewhere e) {
            return queue.poll(this, true);
        }
    }

    private SocketChannel timedAccept(long nanos) throws IOException {
        blocks = true; // the JDK makes the listener blocking again at the end of this call
        return super.blockingAccept(nanos);
    }

    private SocketChannel untimedAccept() throws IOException {
        if (blocks) {
            super.implConfigureBlocking(false);
            blocks = false;
        }
        return super.accept();
    }

    /**
     * Waits for the kernel's listener or for both queues, on behalf of the JDK's {@code accept}.
     */
    @Override
    public void park(int event, long nanos) throws IOException {
        if (!both) {
            await(super.getFD(), super.getFDVal(), event, nanos);
            return;
        }
        SecondQueue queue = beside;
        queue.consume();
        if (queue.pending()) {
            throw new Elsewhere();
        }
        if (isOpen()) { // a close after this look signals
            await(epollFd, epoll, event, nanos);
        }
        if (queue.pending()) {
            throw new Elsewhere();
        }
    }

    private void await(FileDescriptor fd, int fdVal, int event, long nanos) throws IOException {
        if (Thread.currentThread().isVirtual()) {
            Poller.poll(fdVal, event, nanos, this::isOpen);
        } else {
            int _ = Net.poll(fd, event, nanos <= 0 ? -1 : (nanos + 999_999) / 1_000_000);
        }
    }

    // --- blocking mode and closing ---

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        accepting.lock();
        try {
            turn.lock();
            try {
                super.implConfigureBlocking(block);
                blocks = both && block;
            } finally {
                turn.unlock();
            }
            blocking = block;
        } finally {
            accepting.unlock();
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        try {
            super.implCloseSelectableChannel();
        } finally {
            SecondQueue queue = beside;
            if (queue != null) {
                queue.close(); // wakes the thread that accepts
            }
            releaseIfIdle();
        }
    }

    @Override
    public void kill() {
        super.kill();
        if (!isOpen()) {
            releaseIfIdle();
        }
    }

    /**
     * Gives the descriptors back if no thread accepts and no selector knows the channel any more.
     */
    private void releaseIfIdle() {
        if (isRegistered() || !turn.tryLock()) {
            return;
        }
        try {
            synchronized (lock) {
                if (released || adopting) {
                    return;
                }
                released = true;
            }
            if (beside != null) {
                beside.release();
            }
            if (epoll >= 0) {
                UnixFileDispatcherImpl.closeIntFD(epoll);
            }
        } catch (IOException e) {
            // as in the JDK: no caller is left to be told
        } finally {
            turn.unlock();
        }
    }

    // --- what selectors ask ---

    @Override
    public FileDescriptor getFD() {
        synchronized (lock) {
            return epoll >= 0 ? epollFd : super.getFD();
        }
    }

    @Override
    public int getFDVal() {
        synchronized (lock) {
            if (epoll >= 0) {
                return epoll;
            }
            polled = true; // a selector may know this number, so it must not change any more
            return super.getFDVal();
        }
    }

    @Override
    public boolean translateReadyOps(int ops, int initialOps, SelectionKeyImpl key) {
        if (!both) {
            return super.translateReadyOps(ops, initialOps, key);
        }
        int before = key.nioReadyOps();
        int now = initialOps;
        if (anything()) {
            now |= SelectionKey.OP_ACCEPT & key.nioInterestOps();
        }
        key.nioReadyOps(now);
        return (now & ~before) != 0;
    }

    private boolean anything() {
        SecondQueue queue = beside;
        try {
            if (queue.pending() || Net.poll(super.getFD(), Net.POLLIN, 0) != 0) {
                return true;
            }
            queue.consume();
            if (queue.pending()) { // a connection may have come between pending and consume
                queue.signal();
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the JDK's text, under the name of the JDK's class. */
    @Override
    public String toString() {
        return super.toString()
                .replace(getClass().getName(), ServerSocketChannelImpl.class.getName());
    }
}
