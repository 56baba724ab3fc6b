package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.AdaptiveSpin;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.NativeAccess;
import io.sdp4j.linux.WakeSignal;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The fabric of RDMA devices: RC queue pairs over InfiniBand, RoCE and iWARP, through librdmacm and
 * libibverbs, without native code of our own.
 *
 * <p>Shape: one event channel, which the event thread reads, and a {@link VerbsDevice} for each
 * device in use. Methods of the device, not its name, tell the differences between transports.
 * Thread-safe.
 *
 * <p>Closing cuts every connection. Device resources are given back when the users have closed
 * their queue pairs.
 */
public final class VerbsFabric implements Fabric {
    /** RDMA reads, and writes, that one queue pair may have under way. */
    static final int MAX_READS = 16;

    static final int MAX_WRITES = 16;

    private static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * Tries for a free port. The connection manager chooses the local port of a connection; if the
     * device shares its ports with TCP, it does not know which ports TCP uses. The kernel chooses
     * the port of a listener that asks for any, and does not know which RDMA port belongs to it.
     */
    static final int PORTS_TRIED = 10;

    /**
     * Largest send slot. Send slots are enlarged for a peer with larger receive slots up to this
     * size.
     */
    static final int MAX_SEND_BYTES = 64 << 10;

    /** Over soft-iWARP, reads of this size are 1.5 times as fast as reads of a quarter of it. */
    private static final int RDMA_BYTES = 1 << 20;

    /**
     * Private data is limited to what fits every transport, less the {@link Trailer}; the kernel
     * takes 36 bytes of a request on InfiniBand and RoCE.
     */
    private static final Capabilities CAPABILITIES =
            new Capabilities(
                    Trailer.REQUEST_BYTES - Trailer.BYTES,
                    false,
                    MAX_READS,
                    true,
                    RDMA_BYTES,
                    true);

    /** Threads of the process that spin now. */
    private static final AtomicInteger SPINNERS = new AtomicInteger();

    private final VerbsConfig config;
    private final Ibv ibv;
    final SharedPorts ports;
    private final CmChannel channel;
    private final Map<Long, VerbsDevice> devices = new ConcurrentHashMap<>();
    private final Set<VerbsListener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<VerbsQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private volatile boolean shut;
    volatile boolean closed;

    private final RemovedContexts removed = new RemovedContexts();

    private final Warmup warmup;
    final ConnectWatchdog callWatch;

    private Closeable hotPlug = () -> {};

    /** Watch of this host's addresses; null = no listener needs it. Event thread only. */
    private Closeable addresses;

    private VerbsFabric(VerbsConfig config, Ibv ibv, CmChannel channel) {
        this.config = config;
        this.ibv = ibv;
        this.ports = new SharedPorts(ibv);
        this.channel = channel;
        callWatch = new ConnectWatchdog(channel.loop);
        this.warmup = new Warmup(this, channel);
    }

    /**
     * Opens the fabric.
     *
     * @param loop from {@link EventLoop#start}; serves events of connections and notifications
     * @throws FabricException UNAVAILABLE, with the reason and the cure, if libraries, permissions,
     *     devices or the JDK's signal are missing
     */
    public static VerbsFabric open(VerbsConfig config, EventLoop loop) throws FabricException {
        if (!(loop instanceof EpollLoop epoll)) {
            throw new FabricException(
                    Cause.UNAVAILABLE,
                    "RDMA needs an event loop with native calls: " + NativeAccess.explanation());
        }
        if (!WakeSignal.usable()) {
            throw new FabricException(
                    Cause.UNAVAILABLE,
                    "RDMA needs the signal by which the JDK ends blocking calls ("
                            + WakeSignal.NUMBER
                            + "), but other code in this process handles it");
        }
        Ibv ibv = new Ibv();
        VerbsFabric fabric = new VerbsFabric(config, ibv, new CmChannel(new RdmaCm(), epoll));
        try {
            fabric.hotPlug = HotPlug.watch(loop, fabric::onHotPlug);
            fabric.warmup.begin();
        } catch (RuntimeException | Error e) {
            fabric.warmup.skip();
            fabric.close();
            throw e;
        }
        return fabric;
    }

    @Override
    public String name() {
        return "verbs";
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public boolean awaitReady(long nanos) {
        return warmup.await(nanos);
    }

    @Override
    public Connection connect(ConnectRequest request) throws FabricException {
        requireOpen();
        ConnectRequest own = request.askingOnce();
        long begun = request.askedNanos();
        for (int left = PORTS_TRIED - 1; ; left--) {
            try {
                return new VerbsActiveSide(this, channel, own, begun).connect();
            } catch (FabricException e) {
                if (e.why() != Cause.IN_USE || left == 0) {
                    throw e;
                }
            }
            begun = System.nanoTime();
        }
    }

    @Override
    public FabricListener listen(ListenRequest request) throws FabricException {
        requireOpen();
        InetAddress address = request.address().getAddress();
        if (!request.dualStack()
                || !(address instanceof Inet6Address)
                || !address.isAnyLocalAddress()) {
            return start(request);
        }
        // One id for each family: the connection manager refuses IPv4 clients if an iWARP device
        // listens for both families.
        VerbsListener six = start(at(address, request));
        try {
            VerbsListener four = start(at(InetAddress.ofLiteral("0.0.0.0"), request));
            return () -> {
                six.close();
                four.close();
            };
        } catch (FabricException | RuntimeException | Error e) {
            six.close();
            throw e;
        }
    }

    /**
     * If a device shares its ports with TCP, the RDMA port that belongs to a free port may be
     * taken.
     */
    @Override
    public int choosePort(Supplier<InetSocketAddress> free) {
        int left = ports.any() ? PORTS_TRIED : 0;
        for (; left > 0; left--) {
            InetSocketAddress at = free.get();
            if (at == null) {
                return 0;
            }
            try {
                listen(new ListenRequest(at, true, r -> r.reject(new byte[0]))).close();
                return at.getPort();
            } catch (FabricException e) {
                if (e.why() != Cause.IN_USE) {
                    return 0;
                }
            }
        }
        return 0;
    }

    private static ListenRequest at(InetAddress address, ListenRequest both) {
        int port = both.address().getPort();
        return new ListenRequest(new InetSocketAddress(address, port), false, both.handler());
    }

    private VerbsListener start(ListenRequest request) throws FabricException {
        VerbsListener l = new VerbsListener(this, channel, request);
        listeners.add(l);
        l.start();
        if (closed) {
            l.close();
            requireOpen();
        }
        return l;
    }

    private void requireOpen() throws FabricException {
        if (closed) {
            throw new FabricException(Cause.CLOSED, "the fabric is closed");
        }
    }

    @Override
    public boolean endsWithProcess() {
        return true;
    }

    @Override
    public boolean arrived() {
        return queuePairs.stream().allMatch(VerbsQueuePair::arrived);
    }

    @Override
    public void close() {
        closed = true;
        for (VerbsListener l : listeners) {
            l.close();
        }
        for (VerbsQueuePair qp : queuePairs) {
            qp.failFromOutside(WcStatus.WR_FLUSH_ERR);
        }
        channel.loop.execute(this::shutIfUnused);
    }

    /**
     * Returns the number of calls that the whole process has made so far to the connection manager,
     * to register memory, and for other set-up and tear-down. For measurements.
     */
    public long setUpCalls() {
        return Bindings.calls();
    }

    // ---- for its parts

    /** Returns the device of {@code context}. */
    VerbsDevice device(long context) throws FabricException {
        if (context == 0) {
            throw new FabricException(Cause.UNAVAILABLE, "no RDMA device leads there");
        }
        synchronized (devices) {
            VerbsDevice d = devices.get(context);
            if (d == null) {
                d = new VerbsDevice(ibv, channel.loop, context, config, this::onRemoved);
                devices.put(context, d);
                removed.isBack(context);
            }
            return d;
        }
    }

    private void onHotPlug(Predicate<String> there) {
        for (VerbsDevice d : List.copyOf(devices.values())) {
            if (!there.test(d.devName)) {
                onRemoved(d);
            }
        }
        listenAgain();
    }

    /**
     * Called when a listener's device was removed. Watches addresses, because the listener's
     * address may appear long after the next device, for example from DHCP. Event thread.
     */
    void onOrphan() {
        if (addresses == null) {
            addresses = HotPlug.watchAddresses(channel.loop, this::listenAgain);
        }
    }

    private void listenAgain() {
        for (VerbsListener l : listeners) {
            l.onAdded();
        }
    }

    /** Gives up {@code device}, on which nothing works any more. Event thread. */
    void onRemoved(VerbsDevice device) {
        synchronized (devices) {
            if (!devices.values().remove(device)) {
                return;
            }
        }
        removed.add(device.context);
        for (VerbsListener l : listeners) {
            l.onRemoved(device);
        }
        device.onRemoved();
        if (device.closeIfRemoved()) {
            refreshSoon();
        }
    }

    /** Called when a queue pair of {@code device} is gone, but not its id yet. */
    void release(VerbsDevice device) {
        if (device.release()) {
            refreshSoon();
        }
    }

    /**
     * Lets the library look at its devices a little later, when the ids of a removed device are
     * gone, too.
     */
    private void refreshSoon() {
        channel.loop.schedule(() -> removed.onLooked(channel.cm.refreshDevices()), REFRESH_NANOS);
    }

    /** Returns the spinner of a new queue pair. */
    AdaptiveSpin spinner() {
        return new AdaptiveSpin(config.spinMaxNanos(), config.spinnersMax(), SPINNERS);
    }

    /** Registers {@code qp}, so that {@link #close} cuts it. */
    void established(VerbsQueuePair qp) {
        queuePairs.add(qp);
        if (closed || qp.device.isRemoved()) {
            qp.failFromOutside(WcStatus.WR_FLUSH_ERR);
        }
    }

    void forget(VerbsListener listener) {
        listeners.remove(listener);
        shutIfUnused();
    }

    /** Forgets a queue pair that is gone with its id. Event thread. */
    void forget(VerbsQueuePair qp) {
        queuePairs.remove(qp);
        onIdGone();
    }

    /** Called when an id is gone. Event thread. */
    void onIdGone() {
        if (removed.any()) {
            refreshSoon();
        }
        shutIfUnused();
    }

    /** Gives up the channel once the fabric is closed and nothing uses it. Any thread. */
    void shutIfUnused() {
        if (closed && warmup.await(0)) {
            channel.loop.execute(this::shutNow);
        }
    }

    private void shutNow() {
        if (channel.endIfUnused()) {
            for (VerbsDevice d : devices.values()) {
                d.close();
            }
            devices.clear();
            channel.close();
            stopWatching();
            shut = true;
        }
    }

    private void stopWatching() {
        try {
            hotPlug.close();
            if (addresses != null) {
                addresses.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether no resource of any device is held any more. */
    boolean isShut() {
        return shut;
    }
}
