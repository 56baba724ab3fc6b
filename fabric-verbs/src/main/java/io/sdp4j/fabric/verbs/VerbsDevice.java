package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.EpollLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Objects that all queue pairs of one device share: the protection domain, the buffers, the limits.
 *
 * <p>The context is the connection manager's, which opens each device once for a process and keeps
 * it open while ids use it; this object is closed before the last of them goes.
 */
final class VerbsDevice implements AsyncWatch.User {
    /** Number that a device is asked for first; some refuse any. */
    private static final int MAX_INLINE_BYTES = 256;

    /**
     * By the address of their {@code ibv_qp}, as long as the library has that: it gives the address
     * to the next one. All of the process, because fabrics share contexts, and an event taken from
     * one is taken for all.
     */
    private static final Map<Long, VerbsQueuePair> QUEUE_PAIRS = new ConcurrentHashMap<>();

    final Ibv ibv;
    private final EpollLoop loop;
    final long context;
    final long pd;
    final String name;

    /** The name of its character device, which goes before the device does. */
    final String devName;

    final boolean iwarp;
    private final boolean siw;
    final int maxWrs;
    final int maxCqes;
    final int readsServed;
    final int readsStarted;
    final DataPathVerbs hot;
    final SolicitedEventSupport marks = new SolicitedEventSupport();
    final Registrations registrations;
    final SlabPool slabs;
    final CqResourcesPool cqPool;

    /** To ask a queue pair for; 0 from the time on that they were refused once. */
    volatile int inlineBytes = MAX_INLINE_BYTES;

    /** Queue pairs; guarded by this object's monitor. */
    private int users;

    private final int asyncFd;
    private final Consumer<VerbsDevice> onFatal;
    private volatile boolean removed;
    private volatile boolean closed;

    /**
     * @param onFatal told, on the event thread, when the device says that it is no more
     */
    VerbsDevice(
            Ibv ibv,
            EpollLoop loop,
            long context,
            VerbsConfig config,
            Consumer<VerbsDevice> onFatal)
            throws FabricException {
        this.onFatal = onFatal;
        this.ibv = ibv;
        this.loop = loop;
        this.context = context;
        MemorySegment c = Bindings.at(context, IbvContext.LAYOUT);
        if (!IbvContext.plausible(c)) {
            throw new FabricException(
                    Cause.UNAVAILABLE,
                    "the ABI of libibverbs is unknown: its ibv_context is not as expected");
        }
        MemorySegment d = Bindings.at(IbvContext.device(c), IbvDevice.LAYOUT);
        name = IbvDevice.name(d);
        devName = IbvDevice.devName(d);
        if (HotPlug.isLeaving(devName)) {
            throw new FabricException(Cause.UNAVAILABLE, "RDMA device " + name + " is leaving");
        }
        iwarp = IbvDevice.iwarp(d);
        hot = new DataPathVerbs(c);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(IbvDeviceAttr.LAYOUT);
            VerbsFailures.check(
                    "RDMA device " + name + " cannot be asked", ibv.queryDevice(context, attr));
            siw = SiwOffsets.concern(IbvDeviceAttr.get(attr, "vendor_id"));
            maxWrs = IbvDeviceAttr.get(attr, "max_qp_wr");
            maxCqes = IbvDeviceAttr.get(attr, "max_cqe");
            // RDMA reads of the peer that a queue pair can serve at a time, and of its own
            int served = IbvDeviceAttr.get(attr, "max_qp_rd_atom");
            int started = IbvDeviceAttr.get(attr, "max_qp_init_rd_atom");
            readsServed = Math.min(served, VerbsFabric.MAX_READS);
            readsStarted = Math.min(started, VerbsFabric.MAX_READS);
        }
        pd = VerbsFailures.check("no protection domain on " + name, ibv.allocPd(context));
        if (siw) {
            SiwOffsets.take(ibv, context);
        }
        registrations = new Registrations(this, loop, config);
        slabs = new SlabPool(registrations.local(), config);
        cqPool = new CqResourcesPool(this, loop);
        asyncFd = IbvContext.asyncFd(c);
        Descriptors.blocking(asyncFd, false);
        AsyncWatch.add(asyncFd, loop, this);
    }

    /** Whether a listener occupies a TCP port of the kernel. */
    boolean sharesTcpPorts() {
        return iwarp;
    }

    /**
     * Whether the passive side must be silent until the active side's first message has come: an
     * answer to the connection request and data right behind it are too much for soft-iWARP, and
     * MPA forbids it (RFC 5044 7.1.2).
     */
    boolean initiatorSpeaksFirst() {
        return iwarp;
    }

    /** Whether {@code rdma_connect} may wait for the peer. */
    boolean connectMayBlock() {
        return iwarp;
    }

    /**
     * For one more use of what the device has.
     *
     * @throws FabricException if it was removed
     */
    void requireThere() throws FabricException {
        if (removed) {
            throw new FabricException(Cause.CLOSED, "RDMA device " + name + " was removed");
        }
    }

    // ---- its queue pairs

    /**
     * One more queue pair, or one about to be made, which {@link #release} gives up.
     *
     * @throws FabricException if the device was removed
     */
    synchronized void acquire() throws FabricException {
        requireThere();
        users++;
    }

    /** Gives a queue pair up; the last one of a removed device closes it. Event thread. */
    synchronized boolean release() {
        users--;
        return closeIfRemoved();
    }

    /** Closes a device that was removed and is unused; whether it did. Event thread. */
    synchronized boolean closeIfRemoved() {
        boolean now = removed && users == 0 && !closed;
        if (now) {
            close();
        }
        return now;
    }

    static void add(long qp, VerbsQueuePair user) {
        QUEUE_PAIRS.put(qp, user);
    }

    /** It is about to be destroyed; nothing if it was never added. */
    static void remove(long qp) {
        QUEUE_PAIRS.remove(qp);
    }

    @Override
    public void takeEvents() {
        if (closed) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment e = arena.allocate(IbvAsyncEvent.LAYOUT);
            while (ibv.getAsyncEvent(context, e)) {
                int type = IbvAsyncEvent.type(e);
                VerbsQueuePair qp = QUEUE_PAIRS.get(IbvAsyncEvent.queuePair(e));
                ibv.ackAsyncEvent(e);
                switch (type) {
                    case IbvAsyncEvent.QP_ACCESS_ERR -> fail(qp, WcStatus.REM_ACCESS_ERR);
                    case IbvAsyncEvent.QP_REQ_ERR -> fail(qp, WcStatus.REM_INV_REQ_ERR);
                    case IbvAsyncEvent.QP_FATAL -> fail(qp, WcStatus.FATAL_ERR);
                    case IbvAsyncEvent.DEVICE_FATAL ->
                            AsyncWatch.users(asyncFd).forEach(AsyncWatch.User::onDeviceFatal);
                    default -> {
                        // ports and paths are the connection manager's matter
                    }
                }
            }
        }
    }

    @Override
    public void onDeviceFatal() {
        loop.execute(() -> onFatal.accept(this));
    }

    private static void fail(VerbsQueuePair qp, WcStatus why) {
        if (qp != null) {
            qp.failFromOutside(why);
        }
    }

    /** The device is gone: nothing works on it any more. */
    void onRemoved() {
        synchronized (this) {
            removed = true;
        }
        for (VerbsQueuePair qp : QUEUE_PAIRS.values()) {
            if (qp.device == this) {
                qp.failFromOutside(WcStatus.FATAL_ERR);
                qp.onGone(); // no peer can be heard
            }
        }
    }

    /** Gives everything back; no queue pair is left. Event thread. */
    synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        boolean last = AsyncWatch.remove(asyncFd, this);
        cqPool.close();
        registrations.close();
        slabs.close();
        if (siw) {
            SiwOffsets.giveBack(ibv, context);
        }
        ibv.deallocPd(pd);
        if (removed && last) {
            letGo();
        }
    }

    /**
     * Lets the kernel finish a removal that waits for us. The context is the connection manager's
     * library's, which keeps it open at least until another device is there. Of several fabrics
     * that have it the last one does so.
     */
    private void letGo() {
        MemorySegment c = Bindings.at(context, IbvContext.LAYOUT);
        Descriptors.giveUp(asyncFd);
        Descriptors.giveUp(IbvContext.cmdFd(c));
    }
}
