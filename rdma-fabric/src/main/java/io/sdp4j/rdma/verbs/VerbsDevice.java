package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.FabricException.Cause;
import io.sdp4j.rdma.WcStatus;
import io.sdp4j.rdma.os.Descriptors;
import io.sdp4j.rdma.os.EpollLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What all queue pairs of one device share: the protection domain, the buffers, the limits.
 *
 * <p>The context is the connection manager's, which opens each device once for a process and keeps
 * it open while ids use it; this object is closed before the last of them goes.
 */
final class VerbsDevice {
    /** What a device is asked for first; some refuse to promise any. */
    private static final int MAX_INLINE_BYTES = 256;

    private static final long SWEEP_NANOS =
            TimeUnit.SECONDS.toNanos(RegistrationCache.IDLE_SECONDS);

    /**
     * By the address of their {@code ibv_qp}: all of the process, because fabrics share contexts,
     * and whoever takes an event from one takes it for all.
     */
    private static final Map<Long, VerbsQueuePair> QUEUE_PAIRS = new ConcurrentHashMap<>();

    private static final VarHandle SWEEPING;

    static {
        try {
            SWEEPING =
                    MethodHandles.lookup()
                            .findVarHandle(VerbsDevice.class, "sweeping", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Ibv ibv;
    private final EpollLoop loop;
    private final long context;
    private final long pd;
    private final String name;
    private final String devName;
    private final boolean iwarp;
    private final boolean siw;
    private final int maxWrs;
    private final int maxCqes;
    private final int readsServed;
    private final int readsStarted;
    private final HotVerbs hot;
    final Marks marks = new Marks();
    private final SlabPool slabs;
    private final RegistrationCache cache;
    private final QueueKits kits;

    /** What to ask a queue pair for: what is refused once is not asked for again. */
    private volatile int inlineBytes = MAX_INLINE_BYTES;

    /** Queue pairs; guarded by this object's monitor. */
    private int users;

    private final long asyncWatch;
    private final Consumer<VerbsDevice> onFatal;
    private volatile boolean removed;
    private volatile boolean closed;

    @SuppressWarnings("unused") // by SWEEPING
    private volatile boolean sweeping;

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
                    "libibverbs has an ABI that is not known here: its ibv_context makes no sense");
        }
        MemorySegment d = Bindings.at(IbvContext.device(c), IbvDevice.LAYOUT);
        name = IbvDevice.name(d);
        devName = IbvDevice.devName(d);
        if (HotPlug.isLeaving(devName)) {
            throw new FabricException(Cause.UNAVAILABLE, "RDMA device " + name + " is leaving");
        }
        iwarp = IbvDevice.iwarp(d);
        hot = new HotVerbs(c);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(IbvDeviceAttr.LAYOUT);
            int r = ibv.queryDevice(context, attr);
            if (r < 0) {
                throw Failures.of("RDMA device " + name + " cannot be asked", r);
            }
            siw = SiwOffsets.concern(IbvDeviceAttr.vendorId(attr));
            maxWrs = IbvDeviceAttr.maxQpWr(attr);
            maxCqes = IbvDeviceAttr.maxCqe(attr);
            readsServed = Math.min(IbvDeviceAttr.maxReadsServed(attr), VerbsFabric.MAX_READS);
            readsStarted = Math.min(IbvDeviceAttr.maxReadsStarted(attr), VerbsFabric.MAX_READS);
        }
        pd = ibv.allocPd(context);
        if (pd < 0) {
            throw Failures.of("no protection domain on " + name, (int) pd);
        }
        if (siw) {
            SiwOffsets.take(ibv, context);
        }
        slabs = new SlabPool(new LocalRegistrar(Ibv.ACCESS_LOCAL_WRITE), config);
        cache = new RegistrationCache(new LocalRegistrar(localAccess()), config.cacheMaxBytes());
        kits = new QueueKits(this, loop);
        int async = IbvContext.asyncFd(c);
        Descriptors.nonBlocking(async);
        asyncWatch = loop.watch(async, what -> onAsyncEvents());
    }

    private final class LocalRegistrar implements SlabPool.Registrar {
        private final int access;

        LocalRegistrar(int access) {
            this.access = access;
        }

        @Override
        public long register(MemorySegment memory) {
            return ibv.regMr(pd, memory, access);
        }

        @Override
        public int lkey(long registration) {
            return IbvMr.lkey(Bindings.at(registration, IbvMr.LAYOUT));
        }

        @Override
        public void deregister(long registration) {
            ibv.deregMr(registration);
        }
    }

    /** On iWARP the answer to a read is a write by the peer, and must be allowed as such. */
    private int localAccess() {
        return Ibv.ACCESS_LOCAL_WRITE | (iwarp ? Ibv.ACCESS_REMOTE_WRITE : 0);
    }

    Ibv ibv() {
        return ibv;
    }

    HotVerbs hot() {
        return hot;
    }

    long context() {
        return context;
    }

    long pd() {
        return pd;
    }

    String name() {
        return name;
    }

    /** The name of its character device, which goes before the device does. */
    String devName() {
        return devName;
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

    int maxWrs() {
        return maxWrs;
    }

    int maxCqes() {
        return maxCqes;
    }

    int readsServed() {
        return readsServed;
    }

    int readsStarted() {
        return readsStarted;
    }

    QueueKits kits() {
        return kits;
    }

    int inlineBytes() {
        return inlineBytes;
    }

    void noInline() {
        inlineBytes = 0;
    }

    SlabPool slabs() {
        return slabs;
    }

    /** Registers memory of the application; {@code onClose} is told of the end. */
    VerbsMemoryRegion register(
            MemorySegment memory,
            boolean remoteRead,
            boolean remoteWrite,
            Consumer<VerbsMemoryRegion> onClose)
            throws FabricException {
        if (!memory.isNative()) {
            throw new FabricException(
                    Cause.RESOURCES, "only native memory can be registered, not a heap array");
        }
        if (removed) {
            throw gone();
        }
        if (!remoteRead && !remoteWrite && !memory.isReadOnly()) {
            return registerLocal(memory, onClose);
        }
        // What is only read is not registered for writing: the peer is given no right beyond what
        // it was told, and the kernel need not take its pages for changed.
        int access =
                (remoteRead ? Ibv.ACCESS_REMOTE_READ : 0)
                        | (remoteWrite ? Ibv.ACCESS_REMOTE_WRITE : 0)
                        | (remoteWrite && !memory.isReadOnly() ? localAccess() : 0);
        long mr = ibv.regMr(pd, memory, access);
        if (mr < 0) {
            throw Failures.memory(memory.byteSize(), (int) mr);
        }
        return region(memory, mr, () -> ibv.deregMr(mr), onClose);
    }

    private VerbsMemoryRegion registerLocal(
            MemorySegment memory, Consumer<VerbsMemoryRegion> onClose) throws FabricException {
        int[] failure = new int[1];
        RegistrationCache.Entry e = cache.acquire(memory, failure);
        if (e == null) {
            throw Failures.memory(memory.byteSize(), failure[0]);
        }
        return region(
                memory,
                e.registration,
                () -> {
                    if (cache.release(e, System.nanoTime())) {
                        sweepLater();
                    }
                },
                onClose);
    }

    private VerbsMemoryRegion region(
            MemorySegment memory, long mr, Runnable release, Consumer<VerbsMemoryRegion> onClose) {
        MemorySegment m = Bindings.at(mr, IbvMr.LAYOUT);
        return new VerbsMemoryRegion(
                this,
                memory.address(),
                memory.byteSize(),
                IbvMr.lkey(m),
                IbvMr.rkey(m),
                release,
                onClose);
    }

    private void sweepLater() {
        if (SWEEPING.compareAndSet(this, false, true)) {
            loop.schedule(
                    () -> {
                        SWEEPING.setVolatile(this, false);
                        if (!closed && cache.sweep(System.nanoTime())) {
                            sweepLater();
                        }
                    },
                    SWEEP_NANOS);
        }
    }

    // ---- its queue pairs

    /**
     * One more queue pair, or one about to be made, which {@link #release} gives up.
     *
     * @throws FabricException if the device was removed
     */
    synchronized void acquire() throws FabricException {
        if (removed) {
            throw gone();
        }
        users++;
    }

    /** Gives a queue pair up; the last one of a removed device closes it. Event thread. */
    synchronized boolean release() {
        users--;
        return closeIfRemoved();
    }

    /** Closes a device that was removed and that nobody uses; whether it did. Event thread. */
    synchronized boolean closeIfRemoved() {
        boolean now = removed && users == 0 && !closed;
        if (now) {
            close();
        }
        return now;
    }

    private FabricException gone() {
        return new FabricException(Cause.CLOSED, "RDMA device " + name + " was removed");
    }

    static void add(long qp, VerbsQueuePair user) {
        QUEUE_PAIRS.put(qp, user);
    }

    static void remove(long qp) {
        QUEUE_PAIRS.remove(qp);
    }

    private void onAsyncEvents() {
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
                    case IbvAsyncEvent.DEVICE_FATAL -> onFatal.accept(this);
                    default -> {
                        // ports and paths are the connection manager's matter
                    }
                }
            }
        }
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
            if (qp.device() == this) {
                qp.failFromOutside(WcStatus.FATAL_ERR);
                qp.onGone(); // no peer can be heard
            }
        }
    }

    /** Registered for queue pairs' buffers now. */
    long slabBytes() {
        return slabs.bytes();
    }

    /** Gives everything back; no queue pair is left. Event thread. */
    synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        loop.forget(asyncWatch);
        kits.close();
        cache.close();
        slabs.close();
        if (siw) {
            SiwOffsets.giveBack(ibv, context);
        }
        ibv.deallocPd(pd);
        if (removed) {
            letGo();
        }
    }

    /**
     * Lets the kernel finish a removal that waits for us. The context is the connection manager's
     * library's, which keeps it open at least until another device is there.
     */
    private void letGo() {
        MemorySegment c = Bindings.at(context, IbvContext.LAYOUT);
        Descriptors.giveUp(IbvContext.asyncFd(c));
        Descriptors.giveUp(IbvContext.cmdFd(c));
    }
}
