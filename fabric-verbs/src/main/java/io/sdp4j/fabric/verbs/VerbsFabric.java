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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * RC queue pairs of real RDMA devices: InfiniBand, RoCE and iWARP, through librdmacm and
 * libibverbs, without native code of our own.
 *
 * <p>Shape: one event channel, looked after by the event thread; a {@link VerbsDevice} for each
 * device in use. Differences between transports are asked of the device, not of its name.
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
     * The connection manager draws the port that a connection leaves by. Where the device shares
     * its ports with TCP, it does not know which of them are taken there. The kernel, which draws
     * the port of a listener that asks for any, does not know which port goes with it.
     */
    static final int PORTS_TRIED = 10;

    /** Send slots are made for a peer's larger receive slots up to here. */
    static final int MAX_SEND_BYTES = 64 << 10;

    /** Reads of so much are half as fast again as quarters of it over soft-iWARP. */
    private static final int RDMA_BYTES = 1 << 20;

    /**
     * Private data is what fits every transport, less the {@link Trailer}; of the request the
     * kernel takes 36 bytes on InfiniBand and RoCE.
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
    private final AtomicBoolean shut = new AtomicBoolean();
    volatile boolean closed;

    private final RemovedContexts removed = new RemovedContexts();

    private final Warmup warmup;
    final ConnectWatchdog callWatch;

    private Closeable hotPlug;

    /** Announcements of addresses; null = no listener needs any. Of the event thread. */
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
        fabric.hotPlug = HotPlug.watch(loop, fabric::onHotPlug);
        fabric.warmup.begin();
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
        // An id for each family: the connection manager refuses IPv4 clients by itself where an
        // iWARP device is asked to listen for both.
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
     * Where TCP shares its ports, the one beside that connections are to come in by may be taken.
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
     * Calls so far of the connection manager, of registrations, and of whatever else is set up or
     * taken down; by the whole process. For measurements.
     */
    public long setUpCalls() {
        return Bindings.calls();
    }

    // ---- for its parts

    /** The device behind {@code context}. */
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
     * A listener's device has left. Its address may come a good while after the next device, as
     * from DHCP. Event thread.
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

    /** Nothing works on {@code device} any more. Event thread. */
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

    /** A queue pair of {@code device} is gone, its id not yet. */
    void release(VerbsDevice device) {
        if (device.release()) {
            refreshSoon();
        }
    }

    /** When the ids of what was removed are gone, too, which is under way. */
    private void refreshSoon() {
        channel.loop.schedule(() -> removed.onLooked(channel.cm.refreshDevices()), REFRESH_NANOS);
    }

    /** Of a new queue pair. */
    AdaptiveSpin spinner() {
        return new AdaptiveSpin(config.spinMaxNanos(), config.spinnersMax(), SPINNERS);
    }

    /** From now on {@link #close} cuts {@code qp}. */
    void established(VerbsQueuePair qp) {
        queuePairs.add(qp);
        if (closed) {
            qp.failFromOutside(WcStatus.WR_FLUSH_ERR);
        }
    }

    void forget(VerbsListener listener) {
        listeners.remove(listener);
        shutIfUnused();
    }

    /** A queue pair and its id are gone. Event thread. */
    void forget(VerbsQueuePair qp) {
        queuePairs.remove(qp);
        onIdGone();
    }

    /** An id is gone. Event thread. */
    void onIdGone() {
        if (removed.any()) {
            refreshSoon();
        }
        shutIfUnused();
    }

    /** The caller does not use the channel any more. Event thread. */
    void shutIfUnused() {
        if (closed && warmup.await(0) && channel.ids() == 0 && shut.compareAndSet(false, true)) {
            channel.loop.execute(
                    () -> {
                        for (VerbsDevice d : devices.values()) {
                            d.close();
                        }
                        devices.clear();
                        channel.close();
                        stopWatching();
                    });
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

    /** Whether nothing of the devices is held any more. */
    boolean isShut() {
        return shut.get() && devices.isEmpty();
    }
}
