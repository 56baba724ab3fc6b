package io.sdp4j.fabric.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Registrations that are kept for a while after their use, because the same memory may be
 * registered again.
 *
 * <p>An entry is never stale, because it is found by the <em>lifetime</em> of the memory (its
 * scope), not only by its address. Two segments have equal scopes only if they come from the same
 * buffer or arena. So memory that was freed, and whose address is in use again, belongs to another
 * lifetime and is registered again. An entry keeps its buffer from being collected. Memory of the
 * global scope has no lifetime and is not kept. Neither is that of a mapped file: if the file is
 * truncated and grows again, a registration still has the old pages.
 *
 * <p>Bounded in bytes and by {@value #MAX_ENTRIES} entries: beyond a bound, idle entries are
 * dropped, oldest first. Guarded by this object's monitor.
 */
abstract class KeptRegistrations {
    static final int MAX_ENTRIES = 256;

    /**
     * @param lender connection that lends the memory to its peer; null for local use
     */
    record Key(
            RemoteKeyCache.Lender lender, MemorySegment.Scope scope, long address, long lenBytes) {
        static Key of(RemoteKeyCache.Lender lender, MemorySegment m) {
            return new Key(lender, m.scope(), m.address(), m.byteSize());
        }

        boolean sharesBytesOf(MemorySegment m) {
            return address < m.address() + m.byteSize() && m.address() < address + lenBytes;
        }

        boolean isPartOf(Key k) {
            return lender == k.lender
                    && address >= k.address
                    && address + lenBytes <= k.address + k.lenBytes
                    && scope.equals(k.scope);
        }

        boolean isMortal() {
            return !scope.equals(Arena.global().scope());
        }
    }

    final SlabPool.Registrar registrar;
    final long maxBytes;
    private final Runnable sweepLater;
    final Map<Key, CachedRegistration> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /** A sweep will look at registrations that are left now. Read by any thread. */
    volatile boolean sweeping;

    /**
     * @param maxBytes most bytes of all kept memory
     * @param sweepLater asks for {@link #sweep} when none is scheduled; called without this monitor
     */
    KeptRegistrations(SlabPool.Registrar registrar, long maxBytes, Runnable sweepLater) {
        this.registrar = registrar;
        this.maxBytes = maxBytes;
        this.sweepLater = sweepLater;
    }

    boolean mayBeKept(MemorySegment memory, Key key) {
        return key.lenBytes() <= maxBytes && key.isMortal() && !memory.isMapped();
    }

    /** Returns the use of a registration that ends with this use. */
    RegistrationHandle only(MemorySegment memory, long registration) {
        CachedRegistration e = new CachedRegistration(Key.of(null, memory));
        e.registration = registration;
        return new RegistrationHandle(this, e, false);
    }

    /** Keeps {@code e} after its use from now on. */
    void keep(CachedRegistration e) {
        assert Thread.holdsLock(this);
        e.kept = true;
        entries.put(e.key, e);
        bytes += e.key.lenBytes;
        shrink();
    }

    /** Removes a user of an entry. */
    void release(RegistrationHandle use) {
        CachedRegistration e = use.entry;
        long over = 0;
        boolean begin = false;
        synchronized (this) {
            e.remove(use);
            if (use.ofPart) {
                e.partUsers--;
            } else {
                e.touch();
            }
            if (e.used()) {
                return;
            }
            if (!e.kept || e.lentOnce()) {
                over = e.registration;
                e.registration = 0;
            }
            if (e.kept) {
                shrink();
            }
            if (e.kept && !sweeping) {
                sweeping = true;
                begin = true;
            }
        }
        if (over != 0) {
            registrar.deregister(over);
        }
        if (begin) {
            try {
                sweepLater.run();
            } catch (OutOfMemoryError scarce) { // no timer would end it in time
                synchronized (this) {
                    sweeping = false;
                    dropIfKept(e);
                    close(); // others may have been left since, and relied on the timer
                }
            }
        }
    }

    /**
     * Drops entries that were not used since the last sweep.
     *
     * @return whether another sweep is needed
     */
    synchronized boolean sweep() {
        sweeping = false; // first: registrations left from now on are released
        for (CachedRegistration e : List.copyOf(entries.values())) {
            if (e.takeRecent()) {
                sweeping = true;
            } else if (e.present() == e.partUsers) {
                drop(e);
            }
        }
        return sweeping;
    }

    /** Ends every registration that is not in use now. Returns whether there was one. */
    synchronized boolean giveUpIdle() {
        boolean any = false;
        for (CachedRegistration e : List.copyOf(entries.values())) {
            if (e.idle()) {
                any |= e.registration != 0;
                drop(e);
            }
        }
        return any;
    }

    /** Drops idle entries, oldest first, until the rest is within the bounds. */
    private void shrink() {
        assert Thread.holdsLock(this);
        if (bytes <= maxBytes && entries.size() <= MAX_ENTRIES) {
            return;
        }
        for (CachedRegistration e : List.copyOf(entries.values())) {
            if (bytes <= maxBytes && entries.size() <= MAX_ENTRIES) {
                break;
            }
            if (e.idle()) {
                drop(e);
            }
        }
    }

    final synchronized void dropIfKept(CachedRegistration e) {
        if (e.kept) {
            drop(e);
        }
    }

    /** Drops an entry. Uses under way end by themselves. */
    void drop(CachedRegistration e) {
        assert Thread.holdsLock(this);
        entries.remove(e.key);
        e.kept = false; // first: registrations left from now on are released
        bytes -= e.key.lenBytes;
        if (e.idle() && e.registration != 0) {
            registrar.deregister(e.registration);
            e.registration = 0;
        }
    }

    /** Ends every unused registration; those in use end with their use. */
    synchronized void close() {
        for (CachedRegistration e : List.copyOf(entries.values())) {
            drop(e);
        }
    }

    /** Number of entries, in use or not. */
    synchronized int size() {
        return entries.size();
    }
}
