package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.MemoryLife;
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
 * of the memory. Memory that somebody may free while a peer can read it is not kept at all: only
 * that of buffers and of automatic arenas is, which an entry keeps from being collected.
 *
 * <p>An entry without a registration is the note that its memory was lent once. Guarded by this
 * object's monitor, which nobody holds while lent memory is registered. Bounded in bytes and by
 * {@value #MAX_ENTRIES} entries.
 */
final class LentKeys {
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
    static final class Entry {
        private final Key key;
        private long registration;
        private int users;

        /** Of these, the ones that were lent a part. */
        private int partUsers;

        private int times;
        private boolean usedSinceTick;
        private boolean kept;

        private Entry(Key key) {
            this.key = key;
        }

        /** While it is lent. */
        long registration() {
            return registration;
        }
    }

    private final SlabPool.Registrar registrar;
    private final long maxBytes;
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;
    private boolean ticking;

    /**
     * @param registrar gives the peer the right to read, and no other
     * @param maxBytes of what is kept together; 0 = every key dies with its advertisement
     */
    LentKeys(SlabPool.Registrar registrar, long maxBytes) {
        this.registrar = registrar;
        this.maxBytes = maxBytes;
    }

    /**
     * A registration of {@code memory} for the peer of {@code lender} to read, to be given to
     * {@link #release}; null if it fails, and {@code failure[0]} then says why.
     */
    Entry lend(Lender lender, MemorySegment memory, int[] failure) {
        Entry e = take(lender, memory);
        if (e.registration != 0) {
            return e;
        }
        long registration = registrar.register(memory);
        synchronized (this) {
            if (registration > 0) {
                e.registration = registration;
                return e;
            }
            failure[0] = (int) registration;
            e.users--;
            if (e.kept) {
                drop(e);
            }
            return null;
        }
    }

    private synchronized Entry take(Lender lender, MemorySegment memory) {
        Key key = new Key(lender, memory.scope(), memory.address(), memory.byteSize());
        Entry e = entries.get(key);
        Entry whole = e == null || e.registration == 0 ? wholeOf(key) : null;
        if (whole != null) {
            whole.users++;
            whole.partUsers++;
            return whole;
        }
        if (e == null) {
            concealFromOthers(memory, key);
            e = new Entry(key);
            if (mayBeKept(memory, key)) {
                keep(e);
            }
        } else if (e.users > 0 && e.registration == 0) {
            e = new Entry(key); // somebody registers the other just now
        }
        e.users++;
        e.times++;
        e.usedSinceTick = true;
        return e;
    }

    /** What is kept, and not only for a loan that is under way, and holds these bytes; or null. */
    private Entry wholeOf(Key part) {
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
        e.kept = true;
        e.key.lender.entries++;
        entries.put(e.key, e);
        bytes += e.key.lenBytes;
        shrink();
    }

    /**
     * Ends one use.
     *
     * @param lenBytes of what was lent
     * @return whether {@link #tick} is to be called now and then, and nobody does yet
     */
    boolean release(Entry e, long lenBytes) {
        long ending = 0;
        boolean begin = false;
        synchronized (this) {
            boolean whole = lenBytes == e.key.lenBytes;
            e.users--;
            e.partUsers -= whole ? 0 : 1;
            e.usedSinceTick |= whole;
            if (e.users > 0) {
                return false;
            }
            if (!e.kept || e.times == 1) {
                ending = e.registration;
                e.registration = 0;
            }
            if (e.kept) {
                shrink();
            }
            if (e.kept && !ticking) {
                ticking = true;
                begin = true;
            }
        }
        if (ending != 0) {
            registrar.deregister(ending);
        }
        return begin;
    }

    /**
     * Drops what was not used since the last tick.
     *
     * @return whether there is to be another one
     */
    synchronized boolean tick() {
        ticking = false;
        for (Entry e : List.copyOf(entries.values())) {
            if (e.usedSinceTick) {
                e.usedSinceTick = false;
                ticking = true;
            } else if (e.users == e.partUsers) {
                drop(e);
            }
        }
        return ticking;
    }

    /** {@code memory} gets another use: no key that was told to a peer reaches it any more. */
    synchronized void conceal(MemorySegment memory) {
        if (!entries.isEmpty()) {
            concealFromOthers(memory, null);
        }
    }

    /** A key of the same lender and lifetime shows its peer nothing new. */
    private void concealFromOthers(MemorySegment memory, Key own) {
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
            if (e.users == 0) {
                any |= e.registration != 0;
                drop(e);
            }
        }
        return any;
    }

    /** Drops idle entries, oldest first, until the rest is small enough. */
    private void shrink() {
        if (bytes <= maxBytes && entries.size() <= MAX_ENTRIES) {
            return;
        }
        for (Entry e : List.copyOf(entries.values())) {
            if (bytes <= maxBytes && entries.size() <= MAX_ENTRIES) {
                break;
            }
            if (e.users == 0) {
                drop(e);
            }
        }
    }

    /** What is lent just now ends with its use. */
    private void drop(Entry e) {
        entries.remove(e.key);
        e.kept = false;
        e.key.lender.entries--;
        bytes -= e.key.lenBytes;
        if (e.users == 0 && e.registration != 0) {
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
