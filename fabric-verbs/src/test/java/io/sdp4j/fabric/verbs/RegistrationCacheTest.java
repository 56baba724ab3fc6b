package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a registration is used again, and never for memory that is not the same any more. */
class RegistrationCacheTest {
    private static final long MIB = 1 << 20;

    private final FakeRegistrar registrar = new FakeRegistrar(Long.MAX_VALUE);
    private final RegistrationCache cache =
            new RegistrationCache(registrar, 4 * MIB, this::onAsked);
    private final int[] failure = new int[1];

    private int asked;

    private void onAsked() {
        asked++;
    }

    /** Uses it once; the registration. */
    private long use(MemorySegment m) {
        RegistrationHandle use = cache.acquire(m, failure);
        long registration = use.registration();
        use.end();
        return registration;
    }

    /** Whether the end of the use asks for sweeps. */
    private boolean asks(RegistrationHandle use) {
        int before = asked;
        use.end();
        return asked > before;
    }

    @Test
    void theSameBufferIsRegisteredOnce() {
        ByteBuffer b = ByteBuffer.allocateDirect(1000);
        long first = use(MemorySegment.ofBuffer(b));
        assertEquals(first, use(MemorySegment.ofBuffer(b)));
        assertEquals(first, use(MemorySegment.ofBuffer(b.duplicate())));
        assertEquals(1, registrar.calls());
        assertNotEquals(first, use(MemorySegment.ofBuffer(b.slice(100, 200))));
        cache.close();
        assertEquals(0, registrar.live());
    }

    /** Freed memory whose address is in use again belongs to another lifetime. */
    @Test
    void aFreedAndReusedAddressIsRegisteredAnew() {
        try (Arena holder = Arena.ofShared()) {
            long address = holder.allocate(4096, 4096).address();
            long old;
            try (Arena first = Arena.ofShared()) {
                old = use(at(address, first));
            }
            try (Arena second = Arena.ofShared()) {
                MemorySegment again = at(address, second);
                assertEquals(address, again.address());
                RegistrationHandle e = cache.acquire(again, failure);
                assertNotEquals(old, e.registration());
                assertEquals(1, registrar.live(), "the old registration has ended");
                e.end();
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
        RegistrationHandle e;
        try (Arena arena = Arena.ofShared()) {
            e = cache.acquire(arena.allocate(100), failure);
        }
        assertFalse(cache.sweep());
        assertEquals(1, registrar.live());
        assertFalse(asks(e));
        assertEquals(0, registrar.live());
    }

    /** Pinning a large buffer takes long, and connections share the cache. */
    @Test
    void aRegistrationHoldsUpNoOther() throws Exception {
        MemorySegment large = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(2000));
        MemorySegment small = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1000));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        SlabPool.Registrar slow =
                new Before(
                        memory -> {
                            if (memory.byteSize() == large.byteSize()) {
                                begun.countDown();
                                awaitOpen(over);
                            }
                        });
        RegistrationCache shared = new RegistrationCache(slow, 4 * MIB, this::onAsked);
        FutureTask<RegistrationHandle> first =
                new FutureTask<>(() -> shared.acquire(large, failure));
        FutureTask<RegistrationHandle> other =
                new FutureTask<>(() -> shared.acquire(small, failure));
        Thread.ofPlatform().daemon().start(first);
        awaitOpen(begun);
        Thread.ofPlatform().daemon().start(other);
        try {
            other.get(20, TimeUnit.SECONDS).end();
        } finally {
            over.countDown();
        }
        first.get(20, TimeUnit.SECONDS).end();
        shared.close();
        assertEquals(0, registrar.live());
    }

    /** Of two threads that register the same memory at once. */
    @Test
    void oneOfTwoRegistrationsIsKept() {
        MemorySegment memory = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1000));
        RegistrationCache[] again = new RegistrationCache[1];
        List<RegistrationHandle> inner = new ArrayList<>();
        SlabPool.Registrar twice =
                new Before(
                        m -> {
                            if (inner.isEmpty()) {
                                inner.add(null);
                                inner.set(0, again[0].acquire(m, failure));
                            }
                        });
        again[0] = new RegistrationCache(twice, 4 * MIB, this::onAsked);
        RegistrationHandle outer = again[0].acquire(memory, failure);
        assertEquals(2, registrar.live());
        assertEquals(1, again[0].size());
        outer.end();
        assertEquals(1, registrar.live(), "the one that is not kept ends with its use");
        inner.getFirst().end();
        again[0].close();
        assertEquals(0, registrar.live());
    }

    /** The fake, but something happens before each registration. */
    private final class Before implements SlabPool.Registrar {
        private final Consumer<MemorySegment> first;

        Before(Consumer<MemorySegment> first) {
            this.first = first;
        }

        @Override
        public long register(MemorySegment memory) {
            first.accept(memory);
            return registrar.register(memory);
        }

        @Override
        public int lkey(long registration) {
            return registrar.lkey(registration);
        }

        @Override
        public void deregister(long registration) {
            registrar.deregister(registration);
        }
    }

    private static void awaitOpen(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void memoryWithoutALifetimeIsNotKept() {
        use(Arena.global().allocate(100));
        assertEquals(0, cache.size());
        assertEquals(0, registrar.live());
    }

    @Test
    void aMappedFileIsNotKept(@TempDir Path directory) throws IOException {
        use(FakeRegistrar.mappedFile(directory));
        assertEquals(0, cache.size());
        assertEquals(0, registrar.live());
    }

    @Test
    void idleOnesLeaveInTimeAndTheOldestFirstWhenThereAreTooMany() {
        ByteBuffer a = ByteBuffer.allocateDirect((int) (3 * MIB));
        ByteBuffer b = ByteBuffer.allocateDirect((int) (2 * MIB));
        long first = use(MemorySegment.ofBuffer(a));
        RegistrationHandle held = cache.acquire(MemorySegment.ofBuffer(b), failure);
        assertEquals(1, cache.size(), "together they are too much, and the first is idle");
        assertNotEquals(first, use(MemorySegment.ofBuffer(a)));
        assertTrue(cache.sweep(), "it was used since the last");
        assertFalse(cache.sweep(), "what is in use is nothing to sweep for");
        assertEquals(1, registrar.live());
        assertTrue(asks(held), "from now on it is");
        assertTrue(cache.sweep());
        held = cache.acquire(MemorySegment.ofBuffer(b), failure);
        assertTrue(cache.sweep(), "it was used since the last");
        assertFalse(asks(held), "a sweep is scheduled");
        assertTrue(cache.sweep());
        assertEquals(1, registrar.live());
        assertFalse(cache.sweep());
        assertEquals(0, registrar.live());
    }

    @Test
    void whatIsUsedBetweenTwoSweepsStays() {
        ByteBuffer b = ByteBuffer.allocateDirect(1000);
        long first = use(MemorySegment.ofBuffer(b));
        for (int i = 0; i < 3; i++) {
            assertTrue(cache.sweep());
            assertEquals(first, use(MemorySegment.ofBuffer(b)));
        }
        assertTrue(cache.giveUpIdle());
        assertFalse(cache.giveUpIdle());
        assertEquals(0, registrar.live());
    }

    @Test
    void aLimitIsMetByGivingUpWhatIsIdle() {
        FakeRegistrar limited = new FakeRegistrar(3 * MIB);
        RegistrationCache small = new RegistrationCache(limited, 100 * MIB, this::onAsked);
        ByteBuffer a = ByteBuffer.allocateDirect((int) (2 * MIB));
        ByteBuffer b = ByteBuffer.allocateDirect((int) (2 * MIB));
        small.acquire(MemorySegment.ofBuffer(a), failure).end();
        RegistrationHandle e = small.acquire(MemorySegment.ofBuffer(b), failure);
        assertEquals(1, limited.live());
        assertNull(small.acquire(MemorySegment.ofBuffer(a), failure));
        assertEquals(-12, failure[0]);
        e.end();
        small.close();
        assertEquals(0, limited.live());
    }

    /** Without a search, and without the lock of others. */
    @Test
    void whatWasLeftIsThereAgainUntilItIsEnded() {
        ByteBuffer b = ByteBuffer.allocateDirect(1000);
        RegistrationHandle use = cache.acquire(MemorySegment.ofBuffer(b), failure);
        assertFalse(use.leave(), "no sweep is scheduled yet");
        use.end();
        use = cache.acquire(MemorySegment.ofBuffer(b), failure);
        for (int i = 0; i < 3; i++) {
            assertTrue(use.leave());
            assertTrue(cache.sweep(), "it was used since the last");
            assertTrue(use.comeBack());
        }
        assertFalse(cache.sweep(), "what is in use is nothing to sweep for");
        assertFalse(use.leave(), "no sweep is scheduled any more");
        assertTrue(asks(use), "from now on one is");
        use = cache.acquire(MemorySegment.ofBuffer(b), failure);
        assertTrue(use.leave());
        assertTrue(cache.sweep());
        assertFalse(cache.sweep());
        assertFalse(use.comeBack());
        use.end();
        assertEquals(0, registrar.live());
    }

    @Test
    void whatWasLeftEndsForAnotherUserAndWhereALimitIsMet() {
        MemorySegment m = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1000));
        long registration = use(m);
        RegistrationHandle first = cache.acquire(m, failure);
        assertTrue(first.leave());
        RegistrationHandle second = cache.acquire(m, failure);
        assertEquals(registration, second.registration());
        assertFalse(first.comeBack());
        RegistrationHandle third = cache.acquire(m, failure);
        assertFalse(third.leave(), "one of those who share it");
        third.end();
        assertTrue(second.leave());
        assertTrue(cache.giveUpIdle());
        assertEquals(0, registrar.live());
        assertFalse(second.comeBack());
    }

    /** A device may be writing the memory. */
    @Test
    void whatIsDiscardedIsNotKept() {
        MemorySegment m = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1000));
        long first = use(m);
        RegistrationHandle use = cache.acquire(m, failure);
        assertEquals(first, use.registration());
        use.discard();
        assertEquals(0, registrar.live());
        assertEquals(0, cache.size());
        use.discard();
        use.end();
        use = cache.acquire(m, failure);
        assertTrue(use.leave());
        use.discard();
        assertEquals(0, registrar.live(), "although it was left");
        RegistrationHandle[] both = {cache.acquire(m, failure), cache.acquire(m, failure)};
        both[0].discard();
        assertEquals(1, registrar.live(), "another connection uses it");
        both[1].end();
        assertEquals(0, registrar.live());
    }
}
