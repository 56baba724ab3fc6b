package io.sdp4j.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.rdma.verbs.RegistrationCache.Entry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Goal: what is registered is used again, and never for memory that is not the same any more. */
class RegistrationCacheTest {
    private static final long MIB = 1 << 20;

    private final FakeRegistrar registrar = new FakeRegistrar(Long.MAX_VALUE);
    private final RegistrationCache cache = new RegistrationCache(registrar, 4 * MIB);
    private final int[] failure = new int[1];

    private Entry use(MemorySegment m) {
        Entry e = cache.acquire(m, failure);
        cache.release(e);
        return e;
    }

    @Test
    void theSameBufferIsRegisteredOnce() {
        ByteBuffer b = ByteBuffer.allocateDirect(1000);
        Entry first = use(MemorySegment.ofBuffer(b));
        assertSame(first, use(MemorySegment.ofBuffer(b)));
        assertSame(first, use(MemorySegment.ofBuffer(b.duplicate())));
        assertEquals(1, registrar.calls());
        assertNotSame(first, use(MemorySegment.ofBuffer(b.slice(100, 200))));
        cache.close();
        assertEquals(0, registrar.live());
    }

    /** Freed memory whose address is in use again belongs to another lifetime. */
    @Test
    void aFreedAndReusedAddressIsRegisteredAnew() {
        try (Arena holder = Arena.ofShared()) {
            long address = holder.allocate(4096, 4096).address();
            Entry old;
            try (Arena first = Arena.ofShared()) {
                old = use(at(address, first));
            }
            try (Arena second = Arena.ofShared()) {
                MemorySegment again = at(address, second);
                assertEquals(address, again.address());
                Entry e = cache.acquire(again, failure);
                assertNotSame(old, e);
                assertNotEquals(old.registration, e.registration);
                assertEquals(1, registrar.live(), "the old registration has ended");
                cache.release(e);
            }
        }
        cache.close();
        assertEquals(0, registrar.live());
    }

    @SuppressWarnings("restricted")
    private static MemorySegment at(long address, Arena lifetime) {
        return MemorySegment.ofAddress(address).reinterpret(4096, lifetime, null);
    }

    @Test
    void aRegistrationInUseOutlivesItsArena() {
        Entry e;
        try (Arena arena = Arena.ofShared()) {
            e = cache.acquire(arena.allocate(100), failure);
        }
        assertFalse(cache.sweep());
        assertEquals(1, registrar.live());
        assertFalse(cache.release(e));
        assertEquals(0, registrar.live());
    }

    @Test
    void memoryWithoutALifetimeIsNotKept() {
        use(Arena.global().allocate(100));
        assertEquals(0, cache.size());
        assertEquals(0, registrar.live());
    }

    @Test
    void idleOnesLeaveInTimeAndTheOldestFirstWhenThereAreTooMany() {
        ByteBuffer a = ByteBuffer.allocateDirect((int) (3 * MIB));
        ByteBuffer b = ByteBuffer.allocateDirect((int) (2 * MIB));
        Entry first = use(MemorySegment.ofBuffer(a));
        Entry held = cache.acquire(MemorySegment.ofBuffer(b), failure);
        assertEquals(1, cache.size(), "together they are too much, and the first is idle");
        assertNotSame(first, use(MemorySegment.ofBuffer(a)));
        assertTrue(cache.sweep(), "it was used since the last");
        assertFalse(cache.sweep(), "what is in use is nothing to sweep for");
        assertEquals(1, registrar.live());
        assertTrue(cache.release(held), "from now on it is");
        assertTrue(cache.sweep());
        held = cache.acquire(MemorySegment.ofBuffer(b), failure);
        assertTrue(cache.sweep(), "it was used since the last");
        assertFalse(cache.release(held), "there is somebody who sweeps");
        assertTrue(cache.sweep());
        assertEquals(1, registrar.live());
        assertFalse(cache.sweep());
        assertEquals(0, registrar.live());
    }

    @Test
    void whatIsUsedBetweenTwoSweepsStays() {
        ByteBuffer b = ByteBuffer.allocateDirect(1000);
        Entry first = use(MemorySegment.ofBuffer(b));
        for (int i = 0; i < 3; i++) {
            assertTrue(cache.sweep());
            assertSame(first, use(MemorySegment.ofBuffer(b)));
        }
        assertTrue(cache.giveUpIdle());
        assertFalse(cache.giveUpIdle());
        assertEquals(0, registrar.live());
    }

    @Test
    void aLimitIsMetByGivingUpWhatIsIdle() {
        FakeRegistrar limited = new FakeRegistrar(3 * MIB);
        RegistrationCache small = new RegistrationCache(limited, 100 * MIB);
        ByteBuffer a = ByteBuffer.allocateDirect((int) (2 * MIB));
        ByteBuffer b = ByteBuffer.allocateDirect((int) (2 * MIB));
        small.release(small.acquire(MemorySegment.ofBuffer(a), failure));
        Entry e = small.acquire(MemorySegment.ofBuffer(b), failure);
        assertEquals(1, limited.live());
        assertNull(small.acquire(MemorySegment.ofBuffer(a), failure));
        assertEquals(-12, failure[0]);
        small.release(e);
        small.close();
        assertEquals(0, limited.live());
    }
}
