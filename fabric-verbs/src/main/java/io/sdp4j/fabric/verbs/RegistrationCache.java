package io.sdp4j.fabric.verbs;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Registrations of the application's direct buffers for local use, which are kept to be used again.
 *
 * <p>These registrations give the peer no rights; {@link RemoteKeyCache} keeps the others. An entry
 * is also dropped when its arena was closed. No thread holds the monitor while it registers memory,
 * which may take long, because the connections of a device share it.
 */
final class RegistrationCache extends KeptRegistrations {
    RegistrationCache(SlabPool.Registrar registrar, long maxBytes, Runnable sweepLater) {
        super(registrar, maxBytes, sweepLater);
    }

    /**
     * Returns a registration of {@code memory} for local use. Null if that fails even after all
     * idle entries were dropped; {@code failure[0]} then says why.
     */
    RegistrationHandle acquire(MemorySegment memory, int[] failure) {
        Key key = Key.of(null, memory);
        synchronized (this) {
            dropClosed();
            CachedRegistration known = entries.get(key);
            if (known != null) {
                known.takeBack();
                known.touch();
                return new RegistrationHandle(this, known, false);
            }
        }
        long registration = registrar.register(memory);
        if (registration <= 0 && giveUpIdle()) {
            registration = registrar.register(memory); // we may have reached the limit
        }
        if (registration <= 0) {
            failure[0] = (int) registration;
            return null;
        }
        CachedRegistration e = new CachedRegistration(key);
        e.registration = registration;
        e.touch();
        synchronized (this) {
            RegistrationHandle use = new RegistrationHandle(this, e, false);
            // another thread may have registered the same meanwhile
            if (mayBeKept(memory, key) && !entries.containsKey(key)) {
                keep(e);
            }
            return use;
        }
    }

    @Override
    synchronized boolean sweep() {
        dropClosed();
        return super.sweep();
    }

    private void dropClosed() {
        assert Thread.holdsLock(this);
        List<CachedRegistration> closed = List.of();
        for (CachedRegistration e : entries.values()) {
            if (!e.key.scope().isAlive()) {
                closed = closed.isEmpty() ? new ArrayList<>() : closed; // rarely needed
                closed.add(e);
            }
        }
        closed.forEach(this::drop);
    }
}
