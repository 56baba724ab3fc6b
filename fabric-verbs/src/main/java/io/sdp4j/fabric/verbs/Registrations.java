package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.EventLoop;
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
    /** Of local use, invisible to others: kept for one to two of these. */
    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Of local use; and so much again of what peers were lent. */
    private static final long MAX_KEPT_BYTES = 64L << 20;

    private final VerbsDevice device;
    private final EventLoop loop;

    /** A key is kept for one to two of these. */
    private final long keysSweepNanos;

    private final RegistrationCache cache;
    private final RemoteKeyCache keys;
    private volatile boolean closed;

    Registrations(VerbsDevice device, EventLoop loop, VerbsConfig config) {
        this.device = device;
        this.loop = loop;
        keysSweepNanos = config.keysKeepNanos() / 2;
        cache = new RegistrationCache(local(), MAX_KEPT_BYTES, this::sweepCacheLater);
        long keysBytes = keysSweepNanos == 0 ? 0 : MAX_KEPT_BYTES;
        keys =
                new RemoteKeyCache(
                        new WithRights(Ibv.ACCESS_REMOTE_READ), keysBytes, this::sweepKeysLater);
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
            return Ibv.lkey(registration);
        }

        @Override
        public void deregister(long registration) {
            device.ibv.deregMr(registration);
        }
    }

    /** Gives the peer no rights. */
    SlabPool.Registrar local() {
        return new WithRights(Ibv.ACCESS_LOCAL_WRITE);
    }

    /** A registration, or {@code -errno} if it fails even when nothing idle is kept. */
    private long regMr(MemorySegment memory, int access) {
        long mr = device.ibv.regMr(device.pd, memory, access);
        if (mr >= 0) {
            return mr;
        }
        boolean keysEnded = keys.giveUpIdle();
        if (cache.giveUpIdle() || keysEnded) {
            mr = device.ibv.regMr(device.pd, memory, access); // we may have met the limit
        }
        return mr;
    }

    /** On iWARP the answer to a read is a write by the peer, and must be allowed as such. */
    private int localAccess() {
        return Ibv.ACCESS_LOCAL_WRITE | (device.iwarp ? Ibv.ACCESS_REMOTE_WRITE : 0);
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
            RemoteKeyCache.Lender lender,
            Consumer<VerbsMemoryRegion> onClose)
            throws FabricException {
        if (!memory.isNative()) {
            throw new FabricException(
                    Cause.RESOURCES, "only native memory can be registered, not a heap array");
        }
        device.requireThere();
        int[] failure = new int[1];
        if (remoteRead && !remoteWrite) {
            RegistrationHandle loan = made(keys.lend(lender, memory, failure), memory, failure);
            return new VerbsMemoryRegion(device, memory, loan, onClose);
        }
        int concealed = keys.conceal(memory);
        if (!remoteWrite && !memory.isReadOnly() && !device.iwarp) {
            RegistrationHandle use = made(cache.acquire(memory, failure), memory, failure);
            return new LocalRegion(memory, concealed, use, onClose);
        }
        // Memory that is only read is not registered for writing: the peer is given no right beyond
        // what it was told, and the kernel need not take its pages for changed.
        int access =
                (remoteRead ? Ibv.ACCESS_REMOTE_READ : 0)
                        | (remoteWrite ? Ibv.ACCESS_REMOTE_WRITE : 0)
                        | (memory.isReadOnly() ? 0 : localAccess());
        long mr = regMr(memory, access);
        if (mr < 0) {
            throw VerbsFailures.memory(memory.byteSize(), (int) mr);
        }
        return new VerbsMemoryRegion(device, memory, keys.only(memory, mr), onClose);
    }

    private static RegistrationHandle made(
            RegistrationHandle use, MemorySegment memory, int[] failure) throws FabricException {
        if (use == null) {
            throw VerbsFailures.memory(memory.byteSize(), failure[0]);
        }
        return use;
    }

    /** One that must not be readable by a key from an earlier use of the memory. */
    private final class LocalRegion extends VerbsMemoryRegion {
        private int concealed;

        LocalRegion(
                MemorySegment memory,
                int concealed,
                RegistrationHandle use,
                Consumer<VerbsMemoryRegion> onClose) {
            super(device, memory, use, onClose);
            this.concealed = concealed;
        }

        @Override
        public boolean reopen() {
            if (!super.reopen()) {
                return false;
            }
            concealed = keys.conceal(memory(), concealed);
            return true;
        }
    }

    /** {@code lender} begins to end: its peer reads nothing any more but what is lent just now. */
    void forgetKeys(RemoteKeyCache.Lender lender) {
        keys.forget(lender);
    }

    private void sweepKeysLater() {
        sweepLater(keys, keysSweepNanos);
    }

    private void sweepCacheLater() {
        sweepLater(cache, SWEEP_NANOS);
    }

    private void sweepLater(KeptRegistrations kept, long nanos) {
        loop.schedule(
                () -> {
                    if (!closed && kept.sweep()) {
                        sweepLater(kept, nanos);
                    }
                },
                nanos);
    }

    /** Ends the kept ones; those in use end with their use. */
    void close() {
        closed = true;
        cache.close();
        keys.close();
    }
}
