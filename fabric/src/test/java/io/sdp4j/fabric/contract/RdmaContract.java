package io.sdp4j.fabric.contract;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How memory of the other side is written and read, and what is refused. */
@SuppressWarnings("try") // listeners that are only closed
public abstract class RdmaContract extends WaitContract {
    protected RdmaContract() {}

    private static final int REGION_BYTES = 300_000;

    private MemorySegment filled(Arena arena, int seed) {
        return arena.allocate(REGION_BYTES)
                .copyFrom(MemorySegment.ofArray(bytes(seed, REGION_BYTES)));
    }

    @Test
    void writesAndReadsMoveTheirBytes() throws Exception {
        QpPair p = connect();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mine = filled(arena, 1);
            MemorySegment yours = filled(arena, 2);
            MemoryRegion local = p.a().register(mine, false, false);
            MemoryRegion remote = p.b().register(yours, true, true);
            int[] sizes = {0, 1, 64, 4096, 100_000, 250_001};
            for (int len : sizes) {
                assertTrue(
                        p.a().postWrite(len, local, 5, len, remote.address() + 11, remote.rkey()));
                Completion c = nextWhilePolling(p.a(), p.b());
                assertEquals(Completion.WRITE, c.opcode);
                assertEquals(WcStatus.SUCCESS, c.status);
                assertEquals(len, c.wrId);
                assertEquals(-1, mine.asSlice(5, len).mismatch(yours.asSlice(11, len)));
            }
            yours.copyFrom(MemorySegment.ofArray(bytes(3, REGION_BYTES)));
            for (int len : sizes) {
                assertTrue(p.a().postRead(len, local, 7, len, remote.address() + 3, remote.rkey()));
                Completion c = nextWhilePolling(p.a(), p.b());
                assertEquals(Completion.READ, c.opcode);
                assertEquals(WcStatus.SUCCESS, c.status);
                assertEquals(-1, mine.asSlice(7, len).mismatch(yours.asSlice(3, len)));
            }
        }
    }

    @Test
    void aSendIsDeliveredAfterTheWritesBeforeIt() throws Exception {
        QpPair p = connect();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mine = filled(arena, 1);
            MemorySegment yours = arena.allocate(REGION_BYTES);
            MemoryRegion local = p.a().register(mine, false, false);
            MemoryRegion remote = p.b().register(yours, false, true);
            assertTrue(p.a().postWrite(9, local, 0, REGION_BYTES, remote.address(), remote.rkey()));
            send(p.a(), bytes(5, 10));
            p.a().disconnect();
            Completion c = new Completion();
            Completion mineDone = new Completion();
            boolean wrote = false;
            while (!poll(p.b(), c)) {
                wrote = wrote || poll(p.a(), mineDone);
            }
            assertArrayEquals(bytes(5, 10), content(p.b(), c));
            assertEquals(-1, mine.mismatch(yours));
            assertTrue(wrote || poll(p.a(), mineDone));
            assertEquals(Completion.WRITE, mineDone.opcode);
            assertEquals(WcStatus.SUCCESS, mineDone.status);
        }
    }

    @Test
    void tooManyReadsAreRefusedUntilOneCompletes() throws Exception {
        QpPair p = connect();
        int max = active.capabilities().maxOutstandingReads();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion local = p.a().register(arena.allocate(100), false, false);
            MemoryRegion remote = p.b().register(arena.allocate(100), true, false);
            for (int i = 0; i < max; i++) {
                assertTrue(p.a().postRead(i, local, 0, 100, remote.address(), remote.rkey()));
            }
            assertFalse(p.a().postRead(max, local, 0, 100, remote.address(), remote.rkey()));
            for (int i = 0; i < max; i++) {
                assertEquals(i, nextWhilePolling(p.a(), p.b()).wrId);
            }
            assertTrue(p.a().postRead(max, local, 0, 100, remote.address(), remote.rkey()));
        }
    }

    /** A stream has up to so many of either kind under way. */
    @Test
    void readsHaveRoomBesideAllWrites() throws Exception {
        QpPair p = connect();
        int writes = 16;
        int all = writes + active.capabilities().maxOutstandingReads();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion local = p.a().register(arena.allocate(REGION_BYTES), false, false);
            MemoryRegion remote = p.b().register(arena.allocate(REGION_BYTES), true, true);
            long at = remote.address();
            int key = remote.rkey();
            for (int i = 0; i < all; i++) {
                assertTrue(
                        i < writes
                                ? p.a().postWrite(i, local, 0, REGION_BYTES, at, key)
                                : p.a().postRead(i, local, 0, 100, at, key),
                        "number " + i);
            }
            for (int i = 0; i < all; i++) {
                assertEquals(i, nextWhilePolling(p.a(), p.b()).wrId);
            }
        }
    }

    private static final int READ_BREACH = 3;

    private interface Breach {
        void post(QueuePair qp, MemoryRegion local, MemoryRegion remote);
    }

    @Test
    void accessOutsideOfARegionOrItsRightsEndsBothQueuePairs() throws Exception {
        List<Breach> breaches =
                List.of(
                        (q, l, r) -> q.postWrite(1, l, 0, 10, r.address() + 95, r.rkey()),
                        (q, l, r) -> q.postWrite(1, l, 0, 10, r.address() - 1, r.rkey()),
                        (q, l, r) -> q.postWrite(1, l, 0, 10, r.address(), r.rkey() + 1),
                        (q, l, r) -> q.postRead(1, l, 0, 10, r.address(), r.rkey()),
                        (q, l, r) -> q.postWrite(1, l, 0, 10, Long.MAX_VALUE - 5, r.rkey()),
                        (q, l, r) -> {
                            r.close();
                            q.postWrite(1, l, 0, 10, r.address(), r.rkey());
                        });
        for (Breach breach : breaches) {
            if (breach == breaches.get(READ_BREACH) && !checksRightToRead()) {
                continue;
            }
            QpPair p = connect();
            try (Arena arena = Arena.ofShared()) {
                MemoryRegion local = p.a().register(arena.allocate(100), false, false);
                MemorySegment target = arena.allocate(100);
                MemoryRegion remote = p.b().register(target, false, true);
                breach.post(p.a(), local, remote);
                p.a().postWrite(2, local, 0, 10, remote.address(), remote.rkey());
                assertBothEnd(p);
                assertEquals(0, target.get(JAVA_INT, 0));
            }
        }
    }

    private void assertBothEnd(QpPair p) throws Exception {
        if (targetServesByPolling()) {
            assertBreachAtTarget(next(p.b()));
        }
        assertBreachAtInitiator(p.a());
        if (!targetServesByPolling()) {
            assertBreachAtTarget(next(p.b())); // it learns of it from the initiator
        }
        assertNothing(p.a());
        assertNothing(p.b());
    }

    /** Goal: a buffer that is lent to be read cannot be changed. */
    @Test
    void whatMayOnlyBeReadIsNotWritten() throws Exception {
        QpPair p = connect();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mine = arena.allocate(100).fill((byte) 1);
            MemorySegment yours = arena.allocate(100);
            MemoryRegion local = p.a().register(mine, false, false);
            MemoryRegion remote = p.b().register(yours, true, false);
            p.a().postWrite(1, local, 0, 10, remote.address(), remote.rkey());
            p.a().postWrite(2, local, 0, 10, remote.address(), remote.rkey());
            assertBothEnd(p);
            assertEquals(0, yours.get(JAVA_INT, 0));
        }
    }

    /**
     * Goal: memory that was freed and whose address is in use again is another region, which an old
     * key does not reach. Method: the same bytes registered twice, in memory of either lifetime.
     */
    @Test
    void aFreedAndReusedAddressIsAnotherRegion() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            for (MemorySegment block :
                    List.of(
                            arena.allocate(1000),
                            MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1000)))) {
                QpPair p = connect();
                MemorySegment mine = arena.allocate(1000);
                MemoryRegion local = p.a().register(mine, false, false);
                block.copyFrom(MemorySegment.ofArray(bytes(1, 1000)));
                MemoryRegion first = p.b().register(block, true, false);
                long address = first.address();
                int key = first.rkey();
                assertTrue(p.a().postRead(1, local, 0, 1000, address, key));
                assertEquals(WcStatus.SUCCESS, nextWhilePolling(p.a(), p.b()).status);
                first.close();
                block.copyFrom(MemorySegment.ofArray(bytes(2, 1000))); // another owner's
                MemoryRegion second = p.b().register(block, true, false);
                assertTrue(p.a().postRead(1, local, 0, 1000, second.address(), second.rkey()));
                assertEquals(WcStatus.SUCCESS, nextWhilePolling(p.a(), p.b()).status);
                assertEquals(-1, mine.mismatch(block), "not what was there before");
                mine.fill((byte) 0);
                assertTrue(p.a().postRead(1, local, 0, 1000, address, key));
                p.a().postRead(2, local, 0, 1000, second.address(), second.rkey());
                if (targetServesByPolling()) {
                    assertBreachAtTarget(next(p.b()));
                }
                assertBreachAtInitiator(p.a());
                assertEquals(-1, mine.mismatch(arena.allocate(1000)), "nothing was read");
            }
        }
    }

    /** A read gives the contents of the memory at that time; a fabric need not open any again. */
    @Test
    void aRegionThatIsOpenedAgainIsLikeANewOne() throws Exception {
        QpPair p = connect();
        MemorySegment mine = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1000));
        MemorySegment yours = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1000));
        MemoryRegion local = p.a().register(mine, false, false);
        MemoryRegion remote = p.b().register(yours, true, false);
        for (int i = 0; i < 20; i++) {
            assertFalse(local.reopen(), "it is open");
            assertFalse(remote.reopen(), "it is open");
            yours.copyFrom(MemorySegment.ofArray(bytes(i, 1000)));
            assertTrue(p.a().postRead(i, local, 0, 1000, remote.address(), remote.rkey()));
            assertEquals(WcStatus.SUCCESS, nextWhilePolling(p.a(), p.b()).status);
            assertEquals(-1, mine.mismatch(yours));
            local.close();
            remote.close();
            if (!local.reopen()) {
                local = p.a().register(mine, false, false);
            }
            if (!remote.reopen()) {
                remote = p.b().register(yours, true, false);
            }
            assertEquals(mine, local.memory());
            assertEquals(yours, remote.memory());
        }
        local.close();
        p.a().postRead(99, local, 0, 1000, remote.address(), remote.rkey());
        assertEquals(WcStatus.LOC_PROT_ERR, next(p.a()).status, "it is closed");
    }

    @Test
    void aDiscardedRegionIsNotTouchedAlthoughItIsBeingReadInto() throws Exception {
        QpPair p = connect();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mine = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(REGION_BYTES));
            MemoryRegion local = p.a().register(mine, false, false);
            MemoryRegion remote = p.b().register(filled(arena, 2), true, false);
            assertTrue(p.a().postRead(1, local, 0, REGION_BYTES, remote.address(), remote.rkey()));
            local.discard();
            MemorySegment then = arena.allocate(REGION_BYTES).copyFrom(mine);
            assertEquals(1, nextWhilePolling(p.a(), p.b()).wrId);
            assertEquals(-1, mine.mismatch(then));
            local.discard();
        }
    }

    @Test
    void aWrongLocalRegionIsALocalError() throws Exception {
        QpPair p = connect();
        QpPair other = connect();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion local = p.a().register(arena.allocate(100), false, false);
            MemoryRegion stranger = other.a().register(arena.allocate(100), false, false);
            MemoryRegion remote = p.b().register(arena.allocate(100), true, true);
            assertTrue(p.a().postWrite(1, local, 95, 10, remote.address(), remote.rkey()));
            assertEquals(WcStatus.LOC_PROT_ERR, next(p.a()).status);
            assertEquals(Completion.ERROR, next(p.a()).opcode);
            MemoryRegion otherRemote = other.b().register(arena.allocate(100), true, true);
            assertTrue(
                    other.b()
                            .postRead(
                                    1, stranger, 0, 10, otherRemote.address(), otherRemote.rkey()));
            assertEquals(WcStatus.LOC_PROT_ERR, next(other.b()).status);
        }
    }

    @Test
    void whatRunsWhenThePeerLeavesIsFlushed() throws Exception {
        QpPair p = connect();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion local = p.a().register(arena.allocate(100), false, false);
            MemoryRegion remote = p.b().register(arena.allocate(100), true, true);
            assertTrue(p.a().postRead(77, local, 0, 100, remote.address(), remote.rkey()));
            closeNow(p.b());
            if (targetServesByPolling()) {
                assertEquals(Completion.DISCONNECTED, next(p.a()).opcode);
                Completion c = next(p.a());
                assertEquals(77, c.wrId);
                assertEquals(WcStatus.WR_FLUSH_ERR, c.status);
            } else {
                // the device may have served it before it was told of the end: once, either way
                Completion first = next(p.a());
                Completion second = next(p.a());
                boolean inOrder = second.opcode == Completion.DISCONNECTED;
                Completion read = inOrder ? first : second;
                assertEquals(Completion.DISCONNECTED, (inOrder ? second : first).opcode, "the end");
                assertEquals(Completion.READ, read.opcode);
                assertEquals(77, read.wrId);
                assertTrue(read.status == WcStatus.SUCCESS || read.status == WcStatus.WR_FLUSH_ERR);
            }
            assertNothing(p.a());
        }
    }
}
