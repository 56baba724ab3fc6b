package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.Capabilities;
import io.sdp4j.rdma.ConnectRequest;
import io.sdp4j.rdma.EventLoop;
import io.sdp4j.rdma.EventLoops;
import io.sdp4j.rdma.Fabric;
import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.FabricException.Cause;
import io.sdp4j.rdma.FabricListener;
import io.sdp4j.rdma.ListenRequest;
import io.sdp4j.rdma.WcStatus;
import io.sdp4j.rdma.os.EpollLoop;
import io.sdp4j.rdma.os.NativeAccess;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * RC queue pairs of real RDMA devices: InfiniBand, RoCE and iWARP, through librdmacm and
 * libibverbs, without native code of our own.
 *
 * <p>Shape: one event channel, looked after by the event thread; a {@link VerbsDevice} for each
 * device in use. Differences between transports are asked of the device, not of its name.
 *
 * <p>Closing cuts every connection. What was taken from devices is given back when the users have
 * closed their queue pairs.
 */
public final class VerbsFabric implements Fabric {
    /** RDMA reads, and writes, that one queue pair may have under way. */
    static final int MAX_READS = 16;

    static final int MAX_WRITES = 16;

    /** Send slots are made for a peer's larger receive slots up to here. */
    static final int MAX_SEND_BYTES = 64 << 10;

    /**
     * Private data is what fits every transport, less the {@link Trailer}; of the request the
     * kernel takes 36 bytes on InfiniBand and RoCE.
     */
    private static final Capabilities CAPABILITIES =
            new Capabilities(
                    Trailer.REQUEST_BYTES - Trailer.BYTES,
                    Trailer.REPLY_BYTES - Trailer.BYTES,
                    false,
                    MAX_READS,
                    false,
                    false);

    private final VerbsConfig config;
    private final Ibv ibv;
    private final CmChannel channel;
    private final Map<Long, VerbsDevice> devices = new ConcurrentHashMap<>();
    private final Set<VerbsListener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<VerbsQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean shut = new AtomicBoolean();
    private volatile boolean closed;

    private VerbsFabric(VerbsConfig config, Ibv ibv, CmChannel channel) {
        this.config = config;
        this.ibv = ibv;
        this.channel = channel;
    }

    /**
     * Opens the fabric.
     *
     * @param loop from {@link EventLoops}; serves events of connections and doorbells
     * @throws FabricException UNAVAILABLE, with the reason and the cure, if libraries, permissions
     *     or devices are missing
     */
    public static VerbsFabric open(VerbsConfig config, EventLoop loop) throws FabricException {
        if (!(loop instanceof EpollLoop epoll)) {
            throw new FabricException(
                    Cause.UNAVAILABLE,
                    "RDMA needs an event loop with native calls: " + NativeAccess.explanation());
        }
        Ibv ibv = new Ibv();
        return new VerbsFabric(config, ibv, new CmChannel(new RdmaCm(), epoll));
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
    public Connection connect(ConnectRequest request) throws FabricException {
        requireOpen();
        if (request.privateData().length > CAPABILITIES.maxRequestPrivateDataBytes()) {
            throw new IllegalArgumentException(
                    "private data of " + request.privateData().length + " bytes");
        }
        return new ActiveSide(this, channel, request).connect();
    }

    @Override
    public FabricListener listen(ListenRequest request) throws FabricException {
        requireOpen();
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
    public void close() {
        closed = true;
        for (VerbsListener l : listeners) {
            l.close();
        }
        for (VerbsQueuePair qp : queuePairs) {
            qp.failFromOutside(WcStatus.WR_FLUSH_ERR);
        }
        channel.loop().execute(this::shutIfUnused);
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
                d = new VerbsDevice(ibv, channel.loop(), context, config);
                devices.put(context, d);
            }
            return d;
        }
    }

    void onRemoved(VerbsDevice device) {
        synchronized (devices) {
            devices.values().remove(device);
        }
        device.onRemoved();
    }

    /** A queue pair of {@code device} is gone, its id not yet. */
    void release(VerbsDevice device) {
        if (device.release() && device.removed()) {
            channel.loop().execute(device::close);
        }
    }

    /**
     * The port that carries connections to the application's {@code port} on {@code device}.
     *
     * @param device null = a wildcard's
     */
    int wirePort(VerbsDevice device, int port) throws FabricException {
        boolean shared = device != null ? device.sharesTcpPorts() : IbvDevice.anyIwarp(ibv);
        if (!shared) {
            return port;
        }
        int wire = port ^ config.sharedPortMask();
        if (wire == 0) {
            throw new FabricException(
                    Cause.UNAVAILABLE,
                    "port " + port + " has no RDMA port beside it where TCP owns the ports");
        }
        return wire;
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
        shutIfUnused();
    }

    private void shutIfUnused() {
        if (closed && channel.ids() == 0 && shut.compareAndSet(false, true)) {
            channel.loop()
                    .execute(
                            () -> {
                                for (VerbsDevice d : devices.values()) {
                                    d.close();
                                }
                                devices.clear();
                                channel.close();
                            });
        }
    }

    /** Whether nothing of the devices is held any more. */
    boolean isShut() {
        return shut.get() && devices.isEmpty();
    }
}
