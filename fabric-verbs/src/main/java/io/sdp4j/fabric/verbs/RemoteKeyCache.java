package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.MemoryLife;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Keys of buffers that their owner lends for the peer to read, and may lend again.
 *
 * <p>A key that was told to a peer should die with its advertisement, and that costs two
 * registration calls for each buffer. So a key outlives its advertisement, a little, where it is
 * likely to be wanted again and can show the peer least: it belongs to one connection; it is kept
 * from the second time on that the connection lends the same bytes of the same memory; it ends when
 * that was not repeated between two sweeps, when any of the bytes are registered for anything else,
 * when the connection begins to end, and when limits are met. The rest of a buffer of which a part
 * has been sent is lent with the key of the whole, which the peer has, and which does not live
 * longer for it.
 *
 * <p>Memory that may be freed while a peer can read it is not kept at all: only that of buffers and
 * of automatic arenas is, which an entry keeps from being collected.
 *
 * <p>An entry without a registration is the note that its memory was lent once. No thread holds the
 * monitor while lent memory is registered.
 */
final class RemoteKeyCache extends KeptRegistrations {
    /** A connection that lends. Guarded by the keys' monitor. */
    static final class Lender {
        private int entries;
        private boolean ended;
    }

    /** Grows with each key that comes to be. */
    private volatile int generation;

    /**
     * @param registrar gives the peer the right to read, and no other
     * @param maxBytes of all kept memory; 0 = every key dies with its advertisement
     */
    RemoteKeyCache(SlabPool.Registrar registrar, long maxBytes, Runnable sweepLater) {
        super(registrar, maxBytes, sweepLater);
    }

    /**
     * A registration of {@code memory} for the peer of {@code lender} to read; null if it fails,
     * and {@code failure[0]} then says why.
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
            e = new CachedRegistration(key); // another thread registers the other just now
        } else {
            e.takeBack();
        }
        e.times++;
        e.touch();
        return new RegistrationHandle(this, e, false);
    }

    /** The entry that holds these bytes and is kept, not only for a loan under way; or null. */
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
     * {@code memory} gets another use: no key that was told to a peer reaches it any more.
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
     * As the other one, and does nothing if no key has come to be since then.
     *
     * @param since what the last call for the same memory returned
     */
    int conceal(MemorySegment memory, int since) {
        return since == generation ? since : conceal(memory);
    }

    /** A key of the same lender and lifetime shows its peer nothing new. */
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

    /** The connection ends: nothing of it is kept from now on. */
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
