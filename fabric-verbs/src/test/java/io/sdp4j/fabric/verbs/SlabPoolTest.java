package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.FabricException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: buffers never overlap, limits degrade in steps, nothing stays registered. */
class SlabPoolTest {
    private static final long SLAB = 1 << 20;

    private final FakeRegistrar registrar = new FakeRegistrar(Long.MAX_VALUE);

    private static SlabPool pool(FakeRegistrar r, long maxBytes) {
        return new SlabPool(r, maxBytes, SLAB);
    }

    @Test
    void oneRegistrationServesManyQueuePairs() throws Exception {
        SlabPool pool = pool(registrar, 10 * SLAB);
        List<SlabPool.Lease> leases = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            leases.add(pool.lease(SLAB / 16));
        }
        assertEquals(1, registrar.calls());
        leases.add(pool.lease(1));
        assertEquals(2, registrar.calls());
        leases.forEach(SlabPool.Lease::close);
        assertEquals(1, registrar.live(), "one empty slab is kept");
        pool.close();
        assertEquals(0, registrar.live());
    }

    @Test
    void leasesNeverOverlap() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        SlabPool pool = pool(registrar, 100 * SLAB);
        List<SlabPool.Lease> open = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            if (open.isEmpty() || random.nextInt(5) > 1) {
                SlabPool.Lease l = pool.lease(1 + random.nextInt(300_000));
                for (SlabPool.Lease o : open) {
                    assertTrue(l.memory().asOverlappingSlice(o.memory()).isEmpty(), "seed " + seed);
                }
                open.add(l);
            } else {
                open.remove(random.nextInt(open.size())).close();
            }
            if (open.size() > 60) {
                open.removeFirst().close();
            }
        }
        open.forEach(SlabPool.Lease::close);
        open.forEach(SlabPool.Lease::close); // twice is once
        pool.close();
        assertEquals(0, registrar.live());
        assertEquals(0, pool.bytes());
    }

    /** The limit of locked memory is met half-way: smaller slabs, then a refusal with the cure. */
    @Test
    void aLimitMetHalfwayDegradesToSmallerSlabsAndThenFails() throws Exception {
        FakeRegistrar limited = new FakeRegistrar(SLAB + SLAB / 4);
        SlabPool pool = pool(limited, 100 * SLAB);
        List<SlabPool.Lease> leases = new ArrayList<>();
        leases.add(pool.lease(SLAB));
        leases.add(pool.lease(SLAB / 8)); // a slab of a quarter is all that is allowed
        assertEquals(SLAB + SLAB / 4, pool.bytes());
        leases.add(pool.lease(SLAB / 8));
        FabricException e = assertThrows(FabricException.class, () -> pool.lease(4096));
        assertEquals(FabricException.Cause.RESOURCES, e.why());
        assertTrue(e.getMessage().contains("ulimit -l"), e.getMessage());
        leases.remove(2).close();
        leases.add(pool.lease(4096)); // what was given back serves again
        leases.forEach(SlabPool.Lease::close);
        pool.close();
        assertEquals(0, limited.live());
    }

    @Test
    void anUnusedSlabGivesWayToALargerOne() throws Exception {
        FakeRegistrar limited = new FakeRegistrar(SLAB - 4096);
        SlabPool pool = pool(limited, 100 * SLAB);
        pool.lease(4096).close();
        assertEquals(SLAB / 2, pool.bytes());
        pool.lease(SLAB - 4096).close();
        assertEquals(1, limited.live());
        pool.close();

        SlabPool configured = pool(registrar, 4 * SLAB);
        configured.lease(4096).close();
        configured.lease(4 * SLAB).close();
        assertEquals(4 * SLAB, configured.bytes());
        configured.close();
    }

    @Test
    void theConfiguredLimitHolds() throws Exception {
        SlabPool pool = pool(registrar, SLAB);
        SlabPool.Lease all = pool.lease(SLAB);
        FabricException e = assertThrows(FabricException.class, () -> pool.lease(1));
        assertEquals(FabricException.Cause.RESOURCES, e.why());
        assertFalse(e.getMessage().isEmpty());
        all.close();
        pool.lease(1).close();
        pool.close();
    }

    @Test
    void memoryIsWritable() throws Exception {
        SlabPool pool = pool(registrar, 10 * SLAB);
        SlabPool.Lease l = pool.lease(100_000);
        MemorySegment m = l.memory();
        m.fill((byte) 7);
        assertEquals(0, m.address() % 4096);
        assertTrue(m.byteSize() >= 100_000);
        l.close();
        pool.close();
    }

    @Test
    void withoutMemoryThereIsNoLease() throws Exception {
        SlabPool pool = pool(registrar, Long.MAX_VALUE / 2);
        long tooMuch = 1L << 50; // more than a process can address
        FabricException e = assertThrows(FabricException.class, () -> pool.lease(tooMuch));
        assertEquals(FabricException.Cause.RESOURCES, e.why());
        assertFalse(e.getMessage().contains("ulimit"), e.getMessage());
        pool.lease(1).close();
        pool.close();
    }

    @Test
    void whereMemoryIsShortSlabsAreSmaller() throws Exception {
        SlabPool.Registrar scarce =
                new SlabPool.Registrar() {
                    @Override
                    public long register(MemorySegment memory) {
                        if (memory.byteSize() > SLAB / 4) {
                            throw new OutOfMemoryError("of the test");
                        }
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
                };
        SlabPool pool = new SlabPool(scarce, 100 * SLAB, SLAB);
        pool.lease(SLAB / 8).close();
        assertEquals(SLAB / 4, pool.bytes());
        pool.close();
    }
}
