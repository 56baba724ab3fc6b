package io.sdp4j.fabric.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Registrations of the application's direct buffers that are unused now and may be used again.
 *
 * <p>Never stale: an entry is found by the <em>lifetime</em> of the memory (its scope), not only by
 * its address. Two segments have equal scopes only if they come from the same buffer or arena, so
 * memory that was freed and whose address is in use again belongs to another lifetime and is
 * registered anew. As long as an entry exists it keeps its buffer from being collected; entries
 * leave when their arena was closed, when they were idle between two sweeps, and oldest first when
 * all are too much. Memory of the global scope has no lifetime and is not kept.
 *
 * <p>Kept here are only registrations that give the peer no rights; {@link RemoteKeyCache} has
 * others.
 *
 * <p>Guarded by this object's monitor. Bounded in bytes and by {@value #MAX_ENTRIES} entries.
 */
final class RegistrationCache {
    static final int MAX_ENTRIES = 256;

    private record Key(MemorySegment.Scope scope, long address, long lenBytes) {}

    /** One registration. */
    private static final class Entry extends CachedRegistration {
        private final Key key;
        private final long registration;

        private Entry(Key key, long registration) {
            this.key = key;
            this.registration = registration;
        }
    }

    private final class LocalUse extends RegistrationHandle {
        private final Entry entry;
        private final boolean leavable;

        /** Takes it. */
        LocalUse(Entry entry) {
            this.entry = entry;
            leavable = entry.addLeaver(this);
        }

        @Override
        long registration() {
            return entry.registration;
        }

        @Override
        boolean mayBeLeft() {
            return leavable && sweeping && entry.kept();
        }

        @Override
        void onLeave() {
            entry.touch();
        }

        @Override
        void keepNothing() {
            RegistrationCache.this.keepNothing(entry);
        }

        @Override
        void release() {
            RegistrationCache.this.release(this);
        }
    }

    private final SlabPool.Registrar registrar;
    private final long maxBytes;
    private final Runnable sweepLater;
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;
    private volatile boolean sweeping;

    /**
     * @param sweepLater asks for {@link #sweep}, when none is scheduled; without this monitor
     */
    RegistrationCache(SlabPool.Registrar registrar, long maxBytes, Runnable sweepLater) {
        this.registrar = registrar;
        this.maxBytes = maxBytes;
        this.sweepLater = sweepLater;
    }

    /**
     * A registration of {@code memory} for local use; null if it fails even with nothing else kept,
     * and {@code failure[0]} then says why.
     */
    synchronized RegistrationHandle acquire(MemorySegment memory, int[] failure) {
        evictClosed();
        Key key = new Key(memory.scope(), memory.address(), memory.byteSize());
        Entry known = entries.get(key);
        if (known != null) {
            known.takeBack();
            known.touch();
            return new LocalUse(known);
        }
        long registration = registrar.register(memory);
        if (registration <= 0 && evictIdle(0)) {
            registration = registrar.register(memory); // the limit may have been met by us
        }
        if (registration <= 0) {
            failure[0] = (int) registration;
            return null;
        }
        Entry e = new Entry(key, registration);
        LocalUse use = new LocalUse(e);
        boolean mortal = !key.scope.equals(Arena.global().scope());
        if (mortal && key.lenBytes <= maxBytes) {
            e.setKept(true);
            e.touch();
            entries.put(key, e);
            bytes += key.lenBytes;
            shrink();
        }
        return use;
    }

    private synchronized void keepNothing(Entry e) {
        if (e.kept()) {
            drop(e);
        }
    }

    private void release(LocalUse use) {
        if (endUse(use)) {
            sweepLater.run();
        }
    }

    /** Whether {@link #sweep} is to be called now and then, and none is scheduled. */
    private synchronized boolean endUse(LocalUse use) {
        Entry e = use.entry;
        e.remove(use);
        if (e.used()) {
            return false;
        }
        if (!e.kept()) {
            registrar.deregister(e.registration);
            return false;
        }
        e.touch();
        shrink();
        if (!e.kept() || sweeping) {
            return false;
        }
        sweeping = true;
        return true;
    }

    /**
     * Drops what was not used since the last sweep.
     *
     * @return whether there is to be another one
     */
    synchronized boolean sweep() {
        evictClosed();
        sweeping =
                false; // before anything is looked at: registrations left from now on are released
        for (Entry e : List.copyOf(entries.values())) {
            if (e.takeRecent()) {
                sweeping = true;
            } else if (e.idle()) {
                drop(e);
            }
        }
        return sweeping;
    }

    /** Ends every unused registration; whether there was one. */
    synchronized boolean giveUpIdle() {
        return evictIdle(0);
    }

    private void shrink() {
        assert Thread.holdsLock(this);
        if (bytes > maxBytes || entries.size() > MAX_ENTRIES) {
            evictIdle(maxBytes);
        }
    }

    /** Drops idle entries, oldest first, until the rest is small enough; whether any went. */
    private boolean evictIdle(long downTo) {
        assert Thread.holdsLock(this);
        List<Entry> idle = new ArrayList<>();
        for (Entry e : entries.values()) {
            if (e.present() == 0) {
                idle.add(e);
            }
        }
        boolean any = false;
        for (Entry e : idle) {
            if (bytes <= downTo && entries.size() <= MAX_ENTRIES) {
                break;
            }
            drop(e);
            any = true;
        }
        return any;
    }

    private void evictClosed() {
        assert Thread.holdsLock(this);
        Iterator<Entry> all = entries.values().iterator();
        while (all.hasNext()) {
            Entry e = all.next();
            if (!e.key.scope.isAlive()) {
                all.remove();
                forget(e);
            }
        }
    }

    private void drop(Entry e) {
        assert Thread.holdsLock(this);
        entries.remove(e.key);
        forget(e);
    }

    private void forget(Entry e) {
        assert Thread.holdsLock(this);
        bytes -= e.key.lenBytes;
        e.setKept(false); // first: registrations left from now on are released
        if (e.idle()) {
            registrar.deregister(e.registration);
        }
    }

    /** Ends every unused registration; those in use end with their use. */
    synchronized void close() {
        for (Entry e : List.copyOf(entries.values())) {
            drop(e);
        }
    }

    /** Registrations kept now, in use or not. */
    synchronized int size() {
        return entries.size();
    }
}
