package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.MemoryLife;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keys of buffers that their owner lends for the peer to read, and may lend again.
 *
 * <p>A key that was told to a peer should die with its advertisement, and that costs two
 * registration calls for each buffer. So a key outlives its advertisement, a little, where it is
 * likely to be wanted again and can show the peer least: it belongs to one connection; it is kept
 * from the second time on that the connection lends the same bytes of the same memory; it ends when
 * that was not repeated between two ticks, when any of the bytes are registered for anything else,
 * when the connection begins to end, and when limits are met. The rest of a buffer of which a part
 * has been sent is lent with the key of the whole, which the peer has, and which does not live
 * longer for it.
 *
 * <p>Never stale: as in the {@link RegistrationCache}, an entry is found by the <em>lifetime</em>
 * of the memory. Memory that may be freed while a peer can read it is not kept at all: only that of
 * buffers and of automatic arenas is, which an entry keeps from being collected.
 *
 * <p>An entry without a registration is the note that its memory was lent once. Guarded by this
 * object's monitor, which no thread holds while lent memory is registered. Bounded in bytes and by
 * {@value #MAX_ENTRIES} entries.
 */
final class RemoteKeyCache {
    static final int MAX_ENTRIES = 256;

    /** A connection that lends. Guarded by the keys' monitor. */
    static final class Lender {
        private int entries;
        private boolean ended;
    }

    private record Key(Lender lender, MemorySegment.Scope scope, long address, long lenBytes) {
        boolean sharesBytesOf(MemorySegment m) {
            return address < m.address() + m.byteSize() && m.address() < address + lenBytes;
        }

        boolean isPartOf(Key k) {
            return lender == k.lender
                    && address >= k.address
                    && address + lenBytes <= k.address + k.lenBytes
                    && scope.equals(k.scope);
        }
    }

    /** One registration, or the note of one. */
    private static final class Entry extends CachedRegistration {
        private final Key key;
        private long registration;

        /** Users that were lent a part. */
        private int partUsers;

        private int times;

        private Entry(Key key) {
            this.key = key;
        }
    }

    /** One loan. */
    private final class Loan extends RegistrationHandle {
        private final Entry entry;
        private final boolean ofPart;
        private final boolean leavable;

        /** Takes it. */
        Loan(Entry entry, boolean ofPart) {
            this.entry = entry;
            this.ofPart = ofPart;
            if (ofPart || entry.times == 1) {
                entry.add();
                leavable = false;
            } else {
                leavable = entry.addLeaver(this);
            }
        }

        @Override
        long registration() {
            return entry.registration;
        }

        @Override
        boolean mayBeLeft() {
            return leavable && ticking && entry.kept();
        }

        @Override
        void onLeave() {
            entry.touch();
        }

        @Override
        void keepNothing() {
            RemoteKeyCache.this.keepNothing(entry);
        }

        @Override
        void release() {
            RemoteKeyCache.this.release(this);
        }
    }

    private final SlabPool.Registrar registrar;
    private final long maxBytes;
    private final Runnable tickLater;
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;
    private volatile boolean ticking;

    /** Grows with each key that comes to be. */
    private volatile int generation;

    /**
     * @param registrar gives the peer the right to read, and no other
     * @param maxBytes of all kept memory; 0 = every key dies with its advertisement
     * @param tickLater asks for {@link #tick}, when none is scheduled; without this monitor
     */
    RemoteKeyCache(SlabPool.Registrar registrar, long maxBytes, Runnable tickLater) {
        this.registrar = registrar;
        this.maxBytes = maxBytes;
        this.tickLater = tickLater;
    }

    /**
     * A registration of {@code memory} for the peer of {@code lender} to read; null if it fails,
     * and {@code failure[0]} then says why.
     */
    RegistrationHandle lend(Lender lender, MemorySegment memory, int[] failure) {
        Loan loan = take(lender, memory);
        Entry e = loan.entry;
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
            if (e.kept()) {
                drop(e);
            }
            return null;
        }
    }

    private synchronized Loan take(Lender lender, MemorySegment memory) {
        Key key = new Key(lender, memory.scope(), memory.address(), memory.byteSize());
        Entry e = entries.get(key);
        Entry whole = e == null || e.registration == 0 ? wholeOf(key) : null;
        if (whole != null) {
            whole.partUsers++;
            return new Loan(whole, true);
        }
        if (e == null) {
            concealFromOthers(memory, key);
            e = new Entry(key);
            if (mayBeKept(memory, key)) {
                keep(e);
            }
        } else if (e.registration == 0 && e.used()) {
            e = new Entry(key); // another thread registers the other just now
        } else {
            e.takeBack();
        }
        e.times++;
        e.touch();
        return new Loan(e, false);
    }

    /** The entry that holds these bytes and is kept, not only for a loan under way; or null. */
    private Entry wholeOf(Key part) {
        assert Thread.holdsLock(this);
        if (part.lender.entries > 0) {
            for (Entry e : entries.values()) {
                if (e.registration != 0 && e.times > 1 && part.isPartOf(e.key)) {
                    return e;
                }
            }
        }
        return null;
    }

    private boolean mayBeKept(MemorySegment memory, Key key) {
        return maxBytes > 0
                && key.lenBytes <= maxBytes
                && !key.lender.ended
                && MemoryLife.lasting(memory)
                && !key.scope.equals(Arena.global().scope());
    }

    private void keep(Entry e) {
        assert Thread.holdsLock(this);
        e.setKept(true);
        e.key.lender.entries++;
        entries.put(e.key, e);
        bytes += e.key.lenBytes;
        shrink();
    }

    private synchronized void keepNothing(Entry e) {
        if (e.kept()) {
            drop(e);
        }
    }

    private void release(Loan loan) {
        Entry e = loan.entry;
        long teardown = 0;
        boolean begin = false;
        synchronized (this) {
            e.remove(loan);
            if (loan.ofPart) {
                e.partUsers--;
            } else {
                e.touch();
            }
            if (e.used()) {
                return;
            }
            if (!e.kept() || e.times == 1) {
                teardown = e.registration;
                e.registration = 0;
            }
            if (e.kept()) {
                shrink();
            }
            if (e.kept() && !ticking) {
                ticking = true;
                begin = true;
            }
        }
        if (teardown != 0) {
            registrar.deregister(teardown);
        }
        if (begin) {
            tickLater.run();
        }
    }

    /**
     * Drops what was not used since the last tick.
     *
     * @return whether there is to be another one
     */
    synchronized boolean tick() {
        ticking =
                false; // before anything is looked at: registrations left from now on are released
        for (Entry e : List.copyOf(entries.values())) {
            if (e.takeRecent()) {
                ticking = true;
            } else if (e.present() == e.partUsers) {
                drop(e);
            }
        }
        return ticking;
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
        for (Entry e : List.copyOf(entries.values())) {
            boolean ours =
                    own != null && e.key.lender == own.lender && e.key.scope.equals(own.scope);
            if (!ours && e.key.sharesBytesOf(memory)) {
                drop(e);
            }
        }
    }

    /** The connection ends: nothing of it is kept from now on. */
    synchronized void forget(Lender lender) {
        lender.ended = true;
        if (lender.entries > 0) {
            for (Entry e : List.copyOf(entries.values())) {
                if (e.key.lender == lender) {
                    drop(e);
                }
            }
        }
    }

    /** Ends every registration that is not lent just now; whether there was one. */
    synchronized boolean giveUpIdle() {
        boolean any = false;
        for (Entry e : List.copyOf(entries.values())) {
            if (e.idle()) {
                any |= e.registration != 0;
                drop(e);
            }
        }
        return any;
    }

    /** Drops idle entries, oldest first, until the rest is small enough. */
    private void shrink() {
        assert Thread.holdsLock(this);
        if (bytes <= maxBytes && entries.size() <= MAX_ENTRIES) {
            return;
        }
        for (Entry e : List.copyOf(entries.values())) {
            if (bytes <= maxBytes && entries.size() <= MAX_ENTRIES) {
                break;
            }
            if (e.idle()) {
                drop(e);
            }
        }
    }

    /** Loans under way end with their use. */
    private void drop(Entry e) {
        assert Thread.holdsLock(this);
        entries.remove(e.key);
        e.setKept(false); // first: registrations left from now on are released
        e.key.lender.entries--;
        bytes -= e.key.lenBytes;
        if (e.idle() && e.registration != 0) {
            registrar.deregister(e.registration);
            e.registration = 0;
        }
    }

    /** Ends every registration that is not lent; those that are end with their use. */
    synchronized void close() {
        for (Entry e : List.copyOf(entries.values())) {
            drop(e);
        }
    }

    /** Entries now: registrations in use or not, and notes. */
    synchronized int size() {
        return entries.size();
    }
}
