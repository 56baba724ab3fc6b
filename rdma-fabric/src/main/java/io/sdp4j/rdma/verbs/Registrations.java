package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.EventLoop;
import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.FabricException.Cause;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Registered memory of one device: which rights each kind has, and what of it is kept.
 *
 * <p>The clock is not asked: a timer of the event loop runs while something is kept, and what was
 * not used since it ran last goes. Thread-safe.
 */
final class Registrations {
    /** Of local use, which nobody else sees: kept for one to two of these. */
    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final VerbsDevice device;
    private final EventLoop loop;

    /** A key is kept for one to two of these. */
    private final long tickNanos;

    private final RegistrationCache cache;
    private final LentKeys keys;
    private volatile boolean closed;

    Registrations(VerbsDevice device, EventLoop loop, VerbsConfig config) {
        this.device = device;
        this.loop = loop;
        tickNanos = config.keysKeepNanos() / 2;
        long maxBytes = config.cacheMaxBytes();
        cache = new RegistrationCache(new WithRights(localAccess()), maxBytes);
        keys = new LentKeys(new WithRights(Ibv.ACCESS_REMOTE_READ), tickNanos == 0 ? 0 : maxBytes);
    }

    private final class WithRights implements SlabPool.Registrar {
        private final int access;

        WithRights(int access) {
            this.access = access;
        }

        @Override
        public long register(MemorySegment memory) {
            return regMr(memory, access);
        }

        @Override
        public int lkey(long registration) {
            return IbvMr.lkey(Bindings.at(registration, IbvMr.LAYOUT));
        }

        @Override
        public void deregister(long registration) {
            device.ibv().deregMr(registration);
        }
    }

    /** For buffers of our own. */
    SlabPool.Registrar local() {
        return new WithRights(Ibv.ACCESS_LOCAL_WRITE);
    }

    /** A registration, or {@code -errno} if it fails even when nothing idle is kept. */
    private long regMr(MemorySegment memory, int access) {
        long mr = device.ibv().regMr(device.pd(), memory, access);
        if (mr >= 0) {
            return mr;
        }
        boolean keysEnded = keys.giveUpIdle();
        if (cache.giveUpIdle() || keysEnded) {
            mr = device.ibv().regMr(device.pd(), memory, access); // we may have met the limit
        }
        return mr;
    }

    /** On iWARP the answer to a read is a write by the peer, and must be allowed as such. */
    private int localAccess() {
        return Ibv.ACCESS_LOCAL_WRITE | (device.iwarp() ? Ibv.ACCESS_REMOTE_WRITE : 0);
    }

    /**
     * Registers memory of the application.
     *
     * @param lender the connection that registers it
     * @param onClose told of the end
     */
    VerbsMemoryRegion register(
            MemorySegment memory,
            boolean remoteRead,
            boolean remoteWrite,
            LentKeys.Lender lender,
            Consumer<VerbsMemoryRegion> onClose)
            throws FabricException {
        if (!memory.isNative()) {
            throw new FabricException(
                    Cause.RESOURCES, "only native memory can be registered, not a heap array");
        }
        device.requireThere();
        if (remoteRead && !remoteWrite) {
            return lend(memory, lender, onClose);
        }
        keys.conceal(memory);
        if (!remoteWrite && !memory.isReadOnly()) {
            return registerLocal(memory, onClose);
        }
        // What is only read is not registered for writing: the peer is given no right beyond what
        // it was told, and the kernel need not take its pages for changed.
        int access =
                (remoteRead ? Ibv.ACCESS_REMOTE_READ : 0)
                        | (remoteWrite ? Ibv.ACCESS_REMOTE_WRITE : 0)
                        | (remoteWrite && !memory.isReadOnly() ? localAccess() : 0);
        long mr = regMr(memory, access);
        if (mr < 0) {
            throw Failures.memory(memory.byteSize(), (int) mr);
        }
        return region(memory, mr, () -> device.ibv().deregMr(mr), onClose);
    }

    private VerbsMemoryRegion lend(
            MemorySegment memory, LentKeys.Lender lender, Consumer<VerbsMemoryRegion> onClose)
            throws FabricException {
        int[] failure = new int[1];
        LentKeys.Entry e = keys.lend(lender, memory, failure);
        if (e == null) {
            throw Failures.memory(memory.byteSize(), failure[0]);
        }
        long lent = memory.byteSize();
        Runnable release =
                () -> {
                    if (keys.release(e, lent)) {
                        tickLater();
                    }
                };
        return region(memory, e.registration(), release, onClose);
    }

    private VerbsMemoryRegion registerLocal(
            MemorySegment memory, Consumer<VerbsMemoryRegion> onClose) throws FabricException {
        int[] failure = new int[1];
        RegistrationCache.Entry e = cache.acquire(memory, failure);
        if (e == null) {
            throw Failures.memory(memory.byteSize(), failure[0]);
        }
        Runnable release =
                () -> {
                    if (cache.release(e)) {
                        sweepLater();
                    }
                };
        return region(memory, e.registration, release, onClose);
    }

    private VerbsMemoryRegion region(
            MemorySegment memory, long mr, Runnable release, Consumer<VerbsMemoryRegion> onClose) {
        MemorySegment m = Bindings.at(mr, IbvMr.LAYOUT);
        return new VerbsMemoryRegion(
                device,
                memory.address(),
                memory.byteSize(),
                IbvMr.lkey(m),
                IbvMr.rkey(m),
                release,
                onClose);
    }

    /** {@code lender} begins to end: its peer reads nothing any more but what is lent just now. */
    void forgetKeys(LentKeys.Lender lender) {
        keys.forget(lender);
    }

    private void tickLater() {
        loop.schedule(
                () -> {
                    if (!closed && keys.tick()) {
                        tickLater();
                    }
                },
                tickNanos);
    }

    private void sweepLater() {
        loop.schedule(
                () -> {
                    if (!closed && cache.sweep()) {
                        sweepLater();
                    }
                },
                SWEEP_NANOS);
    }

    /** Ends what is kept; what is in use ends with its use. */
    void close() {
        closed = true;
        cache.close();
        keys.close();
    }
}
