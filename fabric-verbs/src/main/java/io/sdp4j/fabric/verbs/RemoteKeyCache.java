package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.MemoryLife;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Keys of buffers that a connection lends for its peer to read, and may lend again.
 *
 * <p>A key that was told to a peer should end with its advertisement (SrcAvail), but that costs two
 * registration calls for each buffer. So a key outlives its advertisement a little if it is likely
 * to be needed again and shows the peer as little as possible. A key belongs to one connection. It
 * is kept from the second time on that the connection lends the same bytes of the same memory. It
 * ends when this was not repeated between two sweeps, when any of the bytes are registered for
 * something else, when the connection begins to end, and when a limit is reached. If a part of a
 * buffer has been sent, the rest is lent with the key of the whole buffer, which the peer has
 * already and which does not live longer because of this.
 *
 * <p>Keys of memory that may be freed while a peer can read it are never kept. Only memory of
 * buffers and of automatic arenas qualifies, which an entry keeps from being collected.
 *
 * <p>An entry without a registration records that its memory was lent once. No thread holds the
 * monitor while lent memory is registered.
 */
final class RemoteKeyCache extends KeptRegistrations {
    /** A connection that lends memory. Guarded by the cache's monitor. */
    static final class Lender {
        private int entries;
        private boolean ended;
    }

    /** Incremented for each new key. */
    private volatile int generation;

    /**
     * @param registrar gives the peer the right to read and no other
     * @param maxBytes most bytes of all kept memory; 0 = every key ends with its advertisement
     */
    RemoteKeyCache(SlabPool.Registrar registrar, long maxBytes, Runnable sweepLater) {
        super(registrar, maxBytes, sweepLater);
    }

    /**
     * Returns a registration of {@code memory} that the peer of {@code lender} may read. Null if
     * that fails; {@code failure[0]} then says why.
     */
    RegistrationHandle lend(Lender lender, MemorySegment memory, int[] failure) {
        RegistrationHandle loan = take(lender, memory);
        CachedRegistration e = loan.entry;
        if (e.registration != 0) {
            return loan;
        }
        long registration = registrar.register(memory);
        synchronized (this) {
            if (registration > 0) {
                e.registration = registration;
                generation++;
                return loan;
            }
            failure[0] = (int) registration;
            e.remove(loan);
            dropIfKept(e);
            return null;
        }
    }

    private synchronized RegistrationHandle take(Lender lender, MemorySegment memory) {
        Key key = Key.of(lender, memory);
        CachedRegistration e = entries.get(key);
        CachedRegistration whole = e == null || e.registration == 0 ? wholeOf(key) : null;
        if (whole != null) {
            whole.partUsers++;
            return new RegistrationHandle(this, whole, true);
        }
        if (e == null) {
            concealFromOthers(memory, key);
            e = new CachedRegistration(key);
            if (mayBeKept(memory, key)) {
                keep(e);
            }
        } else if (e.registration == 0 && e.used()) {
            e = new CachedRegistration(key); // another thread is registering the known one
        } else {
            e.takeBack();
        }
        e.times = Math.min(e.times, 1) + 1;
        e.touch();
        return new RegistrationHandle(this, e, false);
    }

    /** Returns the entry that covers these bytes and was lent more than once, or null. */
    private CachedRegistration wholeOf(Key part) {
        assert Thread.holdsLock(this);
        if (part.lender().entries > 0) {
            for (CachedRegistration e : entries.values()) {
                if (e.registration != 0 && e.times > 1 && part.isPartOf(e.key)) {
                    return e;
                }
            }
        }
        return null;
    }

    @Override
    boolean mayBeKept(MemorySegment memory, Key key) {
        return maxBytes > 0
                && super.mayBeKept(memory, key)
                && !key.lender().ended
                && MemoryLife.lasting(memory);
    }

    @Override
    void keep(CachedRegistration e) {
        e.key.lender().entries++;
        super.keep(e);
    }

    /**
     * Ends every key that reaches {@code memory}, because the memory gets another use.
     *
     * @return a number for {@link #conceal(MemorySegment, int)}
     */
    synchronized int conceal(MemorySegment memory) {
        if (!entries.isEmpty()) {
            concealFromOthers(memory, null);
        }
        return generation;
    }

    /**
     * As {@link #conceal(MemorySegment)}, but does nothing if there was no new key since then.
     *
     * @param since what the last call for the same memory returned
     */
    int conceal(MemorySegment memory, int since) {
        return since == generation ? since : conceal(memory);
    }

    /**
     * Drops the keys that share bytes of {@code memory}, except those of the same lender and
     * lifetime as {@code own}, which show the peer nothing new.
     */
    private void concealFromOthers(MemorySegment memory, Key own) {
        assert Thread.holdsLock(this);
        for (CachedRegistration e : List.copyOf(entries.values())) {
            boolean ours =
                    own != null
                            && e.key.lender() == own.lender()
                            && e.key.scope().equals(own.scope());
            if (!ours && e.key.sharesBytesOf(memory)) {
                drop(e);
            }
        }
    }

    /** Ends the keys of a connection that is ending, and keeps none of it from now on. */
    synchronized void forget(Lender lender) {
        lender.ended = true;
        if (lender.entries > 0) {
            for (CachedRegistration e : List.copyOf(entries.values())) {
                if (e.key.lender() == lender) {
                    drop(e);
                }
            }
        }
    }

    @Override
    void drop(CachedRegistration e) {
        e.key.lender().entries--;
        super.drop(e);
    }
}
