package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The objects that all queue pairs of one device share: PD, buffers, limits.
 *
 * <p>The context belongs to the connection manager, which opens each device once for a process and
 * keeps it open while ids use it. This object is closed before the last id is destroyed.
 */
final class VerbsDevice implements AsyncWatch.User {
    /** Inline bytes that a device is asked for first; some devices refuse any. */
    private static final int MAX_INLINE_BYTES = 256;

    /**
     * All queue pairs of the process by the address of their {@code ibv_qp}, while the library has
     * that struct; afterwards it may give the address to another one. Not one map for each fabric,
     * because fabrics share contexts, and an event taken from a context is taken for all of them.
     */
    private static final Map<Long, VerbsQueuePair> QUEUE_PAIRS = new ConcurrentHashMap<>();

    final Ibv ibv;
    private final EpollLoop loop;
    final long context;
    final long pd;
    final String name;

    /** The name of its character device, which is removed before the device. */
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

    /** Inline bytes to ask for in a new queue pair; 0 once they were refused. */
    volatile int inlineBytes = MAX_INLINE_BYTES;

    /** Number of queue pairs; guarded by this object's monitor. */
    private int users;

    private final int asyncFd;

    /** For {@link Descriptors#giveUp}: made early, because later there may be no descriptor. */
    private final int harmless;

    private final Consumer<VerbsDevice> onFatal;
    private volatile boolean removed;
    private volatile boolean closed;

    /**
     * @param onFatal told, on the event thread, when the device says that it is gone
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
            // RDMA reads of the peer that a queue pair can serve at a time, and reads of its own
            int served = IbvDeviceAttr.get(attr, "max_qp_rd_atom");
            int started = IbvDeviceAttr.get(attr, "max_qp_init_rd_atom");
            readsServed = Math.min(served, VerbsFabric.MAX_READS);
            readsStarted = Math.min(started, VerbsFabric.MAX_READS);
        }
        harmless = (int) VerbsFailures.check("no eventfd", Descriptors.eventFd());
        long made = ibv.allocPd(context);
        if (made < 0) {
            Linux.close(harmless);
        }
        pd = VerbsFailures.check("no protection domain on " + name, made);
        if (siw) {
            SiwOffsets.take(ibv, context);
        }
        registrations = new Registrations(this, loop, config);
        slabs = new SlabPool(registrations.local(), SlabPool.MAX_BYTES, SlabPool.SLAB_BYTES);
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
     * Whether the passive side must not send before the active side's first message has come.
     * soft-iWARP cannot handle data right behind the answer to the connection request, and MPA
     * forbids it (RFC 5044 7.1.2).
     */
    boolean initiatorSpeaksFirst() {
        return iwarp;
    }

    /** Whether {@code rdma_connect} may wait for the peer. */
    boolean connectMayBlock() {
        return iwarp;
    }

    /**
     * Checks that the device is there, before it is used further.
     *
     * @throws FabricException if the device was removed
     */
    void requireThere() throws FabricException {
        if (removed) {
            throw new FabricException(Cause.CLOSED, "RDMA device " + name + " was removed");
        }
    }

    boolean isRemoved() {
        return removed;
    }

    // ---- its queue pairs

    /**
     * Counts a queue pair, or one that is about to be made, until {@link #release}.
     *
     * @throws FabricException if the device was removed
     */
    synchronized void acquire() throws FabricException {
        requireThere();
        users++;
    }

    /**
     * Uncounts a queue pair; the last one of a removed device closes the device. Returns whether it
     * did. Event thread.
     */
    synchronized boolean release() {
        users--;
        return closeIfRemoved();
    }

    /** Closes the device if it was removed and is unused. Returns whether it did. Event thread. */
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

    /** Forgets a queue pair that is about to be destroyed. Does nothing if it was never added. */
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
                        // the connection manager handles events of ports and paths
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

    /** Fails all queue pairs of the device, because it is gone. */
    void onRemoved() {
        synchronized (this) {
            removed = true;
        }
        for (VerbsQueuePair qp : QUEUE_PAIRS.values()) {
            if (qp.device == this) {
                qp.onDeviceGone();
            }
        }
    }

    /** Gives everything back. No queue pair may be left. Event thread. */
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
        Linux.close(harmless);
    }

    /**
     * Lets the kernel finish a removal that waits for us. The context belongs to the connection
     * manager's library, which keeps it open at least until another device is there. If several
     * fabrics use the context, the last one does this.
     */
    private void letGo() {
        MemorySegment c = Bindings.at(context, IbvContext.LAYOUT);
        Descriptors.giveUp(asyncFd, harmless);
        Descriptors.giveUp(IbvContext.cmdFd(c), harmless);
    }
}
