package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.contract.FabricEnds.QpPair;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Goal: a limit of locked memory that is met half-way costs connections that would be made, none
 * that is there. Method: {@code lab/checks/memlock} runs it as a user for whom the limit counts,
 * with less than a slab.
 */
@Timeout(120)
@EnabledIfEnvironmentVariable(
        named = "LAB_MEMLOCK",
        matches = "\\d+",
        disabledReason = "no limit of locked memory")
final class VerbsMemlockTest {
    private static final QpSpec SPEC = new QpSpec(16, 4096, 16);
    private static final int MANY = 1000;
    private static final int KEPT_BYTES = 65_536;

    private final long limit = Long.parseLong(System.getenv("LAB_MEMLOCK"));

    @Test
    void aLimitBelowASlabMeansSmallerSlabsAndThenFewerConnections() throws Exception {
        assertTrue(limit < 4 << 20, "the limit leaves room for a slab");
        LabPairs pairs = new LabPairs(SPEC);
        ArrayDeque<QpPair> open = new ArrayDeque<>();
        FabricException refusal = fill(pairs, open);
        // Both ends are this process: the passive one may be the first that has no memory.
        if (!refusal.getMessage().startsWith("the listener is short")) {
            assertNamesTheLimit(refusal);
        }
        assertFalse(open.isEmpty(), "not even one connection: " + refusal.getMessage());
        sayToAll(open);

        // what one gives back is enough for another
        int all = open.size();
        open.remove().close();
        open.add(pairs.connectSoon());
        assertEquals(all, open.size());
        sayToAll(open);
        open.forEach(QpPair::close);
        pairs.close();
    }

    @Test
    void aBufferThatCannotBeRegisteredHarmsNothing() throws Exception {
        LabPairs pairs = new LabPairs(SPEC);
        QpPair pair = pairs.connect();
        try (Arena arena = Arena.ofShared()) {
            ArrayDeque<MemoryRegion> regions = new ArrayDeque<>();
            FabricException refusal = null;
            while (refusal == null && regions.size() < MANY) {
                try {
                    regions.add(pair.a().register(arena.allocate(65_536, 4096), true, false));
                } catch (FabricException e) {
                    refusal = e;
                }
            }
            assertNamesTheLimit(refusal);
            LabPairs.say(pair.a(), pair.b(), new byte[] {1, 2, 3});
            regions.remove().close();
            regions.add(pair.a().register(arena.allocate(65_536, 4096), true, false));
            regions.forEach(MemoryRegion::close);
            pair.close();
            pairs.close();
        }
    }

    private void assertNamesTheLimit(FabricException refusal) {
        assertEquals(FabricException.Cause.RESOURCES, refusal.why());
        assertTrue(refusal.getMessage().contains(String.valueOf(limit)), refusal::getMessage);
    }

    /** Goal: memory kept for later use does no harm. */
    @Test
    void whatIsKeptMakesRoom() throws Exception {
        long keep = TimeUnit.SECONDS.toNanos(60);
        LabPairs pairs = new LabPairs(SPEC, VerbsConfig.defaults().withKeys(keep));
        QpPair pair = pairs.connect();
        int most = (int) (2 * limit / KEPT_BYTES);
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            ByteBuffer b = ByteBuffer.allocateDirect(KEPT_BYTES);
            buffers.add(b);
            for (int times = 0; times < 2; times++) {
                pair.a().register(MemorySegment.ofBuffer(b), true, false).close();
            }
        }
        // almost all of the limit is theirs now
        pair.a().register(Arena.ofAuto().allocate(limit / 8, 4096), false, true).close();
        for (ByteBuffer b : buffers) {
            for (int times = 0; times < 2; times++) {
                pair.a().register(MemorySegment.ofBuffer(b), true, false).close();
            }
        }
        QpPair another = pairs.connect();
        LabPairs.say(another.a(), another.b(), new byte[] {1, 2, 3});
        another.close();
        pair.close();
        pairs.close();
    }

    private static FabricException fill(LabPairs pairs, ArrayDeque<QpPair> into) throws Exception {
        while (into.size() < MANY) {
            try {
                into.add(pairs.connect());
            } catch (FabricException e) {
                return e;
            }
        }
        throw new AssertionError("no limit was met");
    }

    private static void sayToAll(ArrayDeque<QpPair> open) {
        byte n = 0;
        for (QpPair p : open) {
            LabPairs.say(p.a(), p.b(), new byte[] {n++, 7});
            LabPairs.say(p.b(), p.a(), new byte[] {n++, 8});
        }
    }
}
