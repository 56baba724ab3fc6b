package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.EventLoop;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Registered memory of one device: the rights of each kind of memory, and the registrations that
 * are kept.
 *
 * <p>The clock is not read: a timer of the event loop runs while registrations are kept, and ends
 * those that were not used since it last ran. Thread-safe.
 */
final class Registrations {
    /**
     * A registration for local use, which peers cannot use, is kept for one to two of these
     * periods.
     */
    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Most bytes kept for local use, and as many again of memory that was lent to peers. */
    private static final long MAX_KEPT_BYTES = 64L << 20;

    private final VerbsDevice device;
    private final EventLoop loop;

    /** A key is kept for one to two of these periods. */
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

    /** Returns a registrar that gives the peer no rights. */
    SlabPool.Registrar local() {
        return new WithRights(Ibv.ACCESS_LOCAL_WRITE);
    }

    /**
     * Returns a registration, or {@code -errno} if that fails even after all idle ones were given
     * up.
     */
    private long regMr(MemorySegment memory, int access) {
        long mr = device.ibv.regMr(device.pd, memory, access);
        if (mr >= 0) {
            return mr;
        }
        boolean keysEnded = keys.giveUpIdle();
        if (cache.giveUpIdle() || keysEnded) {
            mr = device.ibv.regMr(device.pd, memory, access); // we may have reached the limit
        }
        return mr;
    }

    /**
     * Returns the rights for local use. On iWARP the answer to an RDMA read is a write by the peer,
     * which must be allowed.
     */
    private int localAccess() {
        return Ibv.ACCESS_LOCAL_WRITE | (device.iwarp ? Ibv.ACCESS_REMOTE_WRITE : 0);
    }

    /**
     * Registers memory of the application.
     *
     * @param lender the connection that registers it
     * @param onClose told when the region has ended
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
        // Memory that is only read is not registered for writing: the peer gets no right beyond
        // what it was told, and the kernel need not treat the pages as modified.
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

    /** A region that must not be readable by a key from an earlier use of the memory. */
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

    /**
     * Ends the keys of a connection that begins to end: its peer can read only the memory that is
     * lent to it now.
     */
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
        EventLoop.Repeatable sweep =
                () -> {
                    if (!closed && kept.sweep()) {
                        sweepLater(kept, nanos);
                    }
                };
        loop.schedule(sweep, nanos);
    }

    /** Ends the kept registrations; those in use end with their use. */
    void close() {
        closed = true;
        cache.close();
        keys.close();
    }
}
