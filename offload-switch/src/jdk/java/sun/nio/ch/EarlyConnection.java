package sun.nio.ch;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.ToIntBiFunction;
import jdk.internal.misc.InnocuousThread;

/**
 * A channel's connection in a JVM whose switch has not started. It is made by TCP, and the switch
 * goes on with it later: before it connects, if the destination needs the switch; once it has
 * carried a part of what makes it worth moving; or, if it was accepted, once the switch has gone on
 * with its listener.
 *
 * <p>{@code this} guards every field without another remark, and which object decides for the
 * channel; nothing blocks while holding it.
 */
public final class EarlyConnection implements ConnectionSwitch, Runnable {
    /** Answer of {@code place}: the switch decides. */
    private static final int SWITCH = 0;

    /** Answer of {@code place}: on the kernel, from where the connection may move. */
    private static final int MAY_MOVE = 1;

    /** Answer of {@code place}: the switch decides, and the kernel may not be asked instead. */
    private static final int SWITCH_ONLY = 6;

    /** Answer of {@code place}: as {@link #MAY_MOVE}, and the switch starts at once. */
    private static final int MOVES = 12;

    /** Index of the count of connections that might have moved and are not worth it. */
    private static final int NOT_WORTH = 9;

    /**
     * The shim's answers for early connections.
     *
     * @param place says where a connection is made, from the address that the application has bound
     *     the channel to, or null, to another address: one of the constants, or another number for
     *     a place on the kernel that the connection does not leave
     * @param starter starts the switch, which then goes on with the channel in the array, if that
     *     is not null; or takes a task that does so: at once for a connection that has carried
     *     enough, later for a listener
     * @param connected counts connections that were made on the kernel, by the answer of {@code
     *     place}
     * @param accepted counts connections that the kernel has accepted, by the answer of {@code
     *     place}
     */
    record Rules(
            ToIntBiFunction<InetSocketAddress, InetSocketAddress> place,
            Consumer<Object[]> starter,
            AtomicLongArray connected,
            AtomicLongArray accepted)
            implements Runnable {
        /** Starts the switch, which goes on with no channel. */
        @Override
        public void run() {
            starter.accept(new Object[] {null});
        }
    }

    private final ConnectionChannel channel;
    public final ProtocolFamily family; // the family that was asked for, or null
    private final Rules rules;
    public final ListeningChannel listener; // the listener that has accepted it, or null
    private Map<SocketOption<?>, Object> options = Map.of(); // replaced when one is set
    private InetSocketAddress asked; // what the application asked to bind to, or null
    private boolean begun; // connecting
    private int where;
    private boolean connected; // and added to the counts
    private CountedKernel counted; // null = the connection does not move
    private boolean starting;
    private boolean stays;
    private boolean blocking = true; // the mode, before the JDK has stored it

    private EarlyConnection(
            ConnectionChannel channel,
            ProtocolFamily family,
            Rules rules,
            ListeningChannel listener) {
        this.channel = channel;
        this.family = family;
        this.rules = rules;
        this.listener = listener;
    }

    /** Makes a channel to connect. */
    static SocketChannel toConnect(SelectorProvider provider, ProtocolFamily family, Rules rules)
            throws IOException {
        ConnectionChannel channel = new ConnectionChannel(provider, family);
        channel.decidedBy(new EarlyConnection(channel, family, rules, null));
        return channel;
    }

    /** Makes the channel of a connection that the kernel has accepted and that may move. */
    static SocketChannel accepted(Rules rules, ListeningChannel by, SocketChannel byTcp)
            throws IOException {
        ConnectionChannel channel = new ConnectionChannel(by.provider(), by.family(), byTcp);
        new EarlyConnection(channel, by.family(), rules, by).accepted();
        return channel;
    }

    private synchronized void accepted() {
        begun = true;
        connected = true;
        counted = new CountedKernel(channel, this);
        channel.decidedBy(this);
        channel.carriedBy(counted);
    }

    // --- the way to the switch ---

    /** Has the switch go on with the connection, as soon as it has started. */
    void goOnSoon() {
        synchronized (this) {
            if (starting || stays) {
                return;
            }
            starting = true;
        }
        try {
            rules.starter().accept(new Object[] {this});
        } catch (OutOfMemoryError e) {
            // the connection is there, and bytes of the caller have gone or come
            synchronized (this) {
                starting = false; // a later call asks again
            }
        }
    }

    /** Starts the switch, which goes on with the connection. If it does not, the count ends. */
    @Override
    public void run() {
        start();
        stays();
    }

    private void start() {
        rules.starter().accept(new Object[] {channel});
    }

    /**
     * Starts the switch on another thread.
     *
     * @param nanos how long to wait until it has started; an interrupt ends the wait, and is left
     *     to the connect that follows
     * @return whether it has, or this thread has to start it
     */
    private boolean startedWithin(long nanos) {
        // the JDK's own threads, of which it is none, as those refuse a context class loader
        ThreadGroup jdk = InnocuousThread.newSystemThread(null).getThreadGroup();
        Thread starter = new Thread(jdk, rules, "sdp4j-start", 0, false);
        starter.setDaemon(true);
        starter.setContextClassLoader(null);
        try {
            starter.start();
        } catch (OutOfMemoryError e) { // no thread but this one
            return true;
        }
        try {
            TimeUnit.NANOSECONDS.timedJoin(starter, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !starter.isAlive();
    }

    /** Whether the switch has gone on with its listener, so that a peer may ask it to move. */
    boolean listenerWentOn() {
        return listener != null && listener.beside() != null;
    }

    /**
     * Ends the count of a connection that was made here and carries too little to be worth moving.
     */
    synchronized void isNotWorthMoving() {
        if (!starting && !stays) {
            stays();
            long _ = rules.connected().decrementAndGet(where);
            long _ = rules.connected().incrementAndGet(NOT_WORTH);
        }
    }

    /** Leaves the connection on the kernel, unless the switch has gone on with it. */
    synchronized void stays() {
        if (channel.decider() == this) {
            stays = true;
            channel.carriedBy(null);
        }
    }

    /**
     * Hands the channel to the switch: {@code next} decides from now on.
     *
     * @param carrier the carrier of the connection, or null while there is no connection
     * @return false if the channel stays as it is
     */
    public synchronized boolean goesOn(ConnectionSwitch next, Carrier carrier) {
        if (stays || channel.decider() != this) {
            return false;
        }
        channel.decidedBy(next);
        if (carrier != null) {
            channel.carriedBy(carrier);
        }
        return true;
    }

    /** Returns the address that the application asked to bind to, or null. */
    public synchronized InetSocketAddress asked() {
        return asked;
    }

    /** Returns the options that were set, in the order of the last setting of each. */
    public synchronized Map<SocketOption<?>, Object> options() {
        return new LinkedHashMap<>(options);
    }

    /** Whether it is connected, and may move. */
    public synchronized boolean mayMove() {
        return connected && counted != null;
    }

    /** Returns the kernel's connection with its counts if it may move, else null. */
    public synchronized CountedKernel counted() {
        return counted;
    }

    // --- the connection ---

    @Override
    public void bind(SocketAddress local) throws IOException {
        InetSocketAddress bound = channel.bindKernel(local);
        synchronized (this) {
            asked = bound;
        }
    }

    @Override
    public boolean connect(SocketAddress remote, long nanos) throws IOException {
        int at = remote instanceof InetSocketAddress to ? begin(to) : -1;
        if (at < 0) {
            return channel.connectKernel(remote, nanos); // which knows what is wrong
        }
        try {
            return connectByRules((InetSocketAddress) remote, at, nanos);
        } catch (RuntimeException e) { // the channel is as before, and the rules are asked again
            notBegun();
            throw e;
        }
    }

    private synchronized void notBegun() {
        if (channel.decider() == this) {
            begun = false;
            counted = null;
            channel.carriedBy(null);
        }
    }

    private boolean connectByRules(InetSocketAddress to, int at, long nanos) throws IOException {
        long left = nanos;
        if (at == SWITCH || at == SWITCH_ONLY) {
            boolean only = at == SWITCH_ONLY;
            boolean timed = nanos >= 0 && nanos != Long.MAX_VALUE;
            long startNanos = System.nanoTime();
            // if the kernel can be asked instead, half of the time is left to it
            boolean started = !timed || startedWithin(only ? nanos : nanos / 2);
            if (started) {
                start();
            }
            if (timed) {
                left = Math.max(1, nanos - (System.nanoTime() - startNanos));
            }
            ConnectionSwitch next = channel.decider();
            if (next != this) {
                return next.connect(to, left);
            }
            if (only) {
                channel.closeIfInterrupted();
                channel.close();
                if (!started) {
                    throw new SocketTimeoutException("Connect timed out");
                }
                throw new ConnectException(
                        "Connection refused (a rule allows nothing but offload,"
                                + " and the switch is not there)");
            }
            if (started) {
                int now = rules.place().applyAsInt(asked(), to); // by what is known now
                synchronized (this) {
                    where = now;
                }
            }
        }
        return connected(channel.connectKernel(to, left));
    }

    /** Where the connection is made, which the first attempt decides; -1 = it is another. */
    private int begin(InetSocketAddress to) {
        InetSocketAddress from;
        synchronized (this) {
            if (begun || !channel.isOpen()) {
                return -1;
            }
            begun = true;
            from = asked;
        }
        int at = rules.place().applyAsInt(from, to);
        synchronized (this) {
            where = at;
            if ((at == MAY_MOVE || at == MOVES) && !stays) {
                counted = new CountedKernel(channel, this);
                channel.carriedBy(counted);
            }
        }
        return at;
    }

    private boolean connected(boolean done) {
        boolean moves = false;
        if (done) {
            synchronized (this) {
                if (!connected) {
                    connected = true;
                    moves = where == MOVES;
                    long _ = rules.connected().incrementAndGet(where);
                    if (counted != null) {
                        counted.bornNanos = System.nanoTime();
                    }
                }
            }
        }
        if (moves) {
            goOnSoon();
        }
        return done;
    }

    @Override
    public boolean finishConnect() throws IOException {
        return connected(channel.finishConnectKernel());
    }

    @Override
    public boolean isConnected() {
        return channel.kernelConnected();
    }

    @Override
    public boolean isConnectionPending() {
        return channel.kernelConnecting();
    }

    @Override
    public synchronized <T> void setOption(SocketOption<T> name, T value) throws IOException {
        if (channel.decider() != this) {
            channel.decider().setOption(name, value);
            return;
        }
        channel.setKernelOption(name, value);
        if (options.isEmpty()) {
            options = new LinkedHashMap<>();
        }
        options.remove(name);
        options.put(name, value);
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.kernelOption(name);
    }

    /** Returns the mode. The switch asks when it goes on, and is told of later changes. */
    public synchronized boolean blocking() {
        return blocking;
    }

    @Override
    public void configureBlocking(boolean block) throws IOException {
        channel.blockKernel(block); // waits for threads that read or write
        ConnectionSwitch now;
        synchronized (this) {
            blocking = block;
            now = channel.decider();
        }
        if (now != this) { // it may have asked for the mode before
            now.configureBlocking(block);
        }
    }

    @Override
    public int interest(int ops) {
        return channel.kernelInterest(ops);
    }

    @Override
    public boolean ready(int ops, int initialOps, SelectionKeyImpl key) {
        return channel.kernelReady(ops, initialOps, key);
    }
}
