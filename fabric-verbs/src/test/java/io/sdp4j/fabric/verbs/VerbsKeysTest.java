package io.sdp4j.fabric.verbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.fabric.contract.FabricEnds.QpPair;
import io.sdp4j.testing.RdmaResources;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Goal: a buffer that is lent again and again is registered once, and its key reaches nothing any
 * more when it should not. Method: both ends of a real device; a peer that knows the key tries it.
 */
@EnabledIf(value = "io.sdp4j.fabric.verbs.Lab#present", disabledReason = Lab.ABSENT)
@Timeout(120)
class VerbsKeysTest {
    private static final int LEN = 8192;

    /** Long enough that a busy machine does not end it before it was looked at. */
    private static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final MemorySegment lent = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(LEN));
    private LabPairs pairs;
    private QpPair pair;
    private MemoryRegion into;

    @BeforeEach
    void open() throws Exception {
        open(VerbsConfig.defaults().withKeys(KEEP_NANOS));
    }

    private void open(VerbsConfig config) throws Exception {
        pairs = new LabPairs(new QpSpec(4, 1024, 4), config);
        pair = pairs.connectSoon();
        into = pair.a().register(Arena.ofAuto().allocate(LEN), false, false);
    }

    @AfterEach
    void close() throws Exception {
        pair.close();
        pairs.close();
    }

    /** Lends and takes back; the key. */
    private int lend() throws Exception {
        try (MemoryRegion r = pair.b().register(lent, true, false)) {
            return r.rkey();
        }
    }

    /** Whether a read over {@code by} with that key succeeds; if not, the connection ends. */
    private boolean readable(QueuePair by, MemoryRegion into, int key) {
        assertTrue(by.postRead(1, into, 0, LEN, lent.address(), key));
        Completion c = LabPairs.next(by);
        return c.opcode == Completion.READ && c.status == WcStatus.SUCCESS;
    }

    /** The key of a buffer that was lent twice. */
    private int kept() throws Exception {
        int first = lend();
        int second = lend();
        assertNotEquals(first, second);
        return second;
    }

    @Test
    void aBufferThatIsLentAgainAndAgainIsRegisteredOnce() throws Exception {
        int key = kept();
        long calls = pairs.fabric.setUpCalls();
        for (int i = 0; i < 10; i++) {
            assertEquals(key, lend());
        }
        assertTrue(readable(pair.a(), into, key), "what DIFFERENCES.md admits");
        assertEquals(calls, pairs.fabric.setUpCalls());
    }

    @Test
    void aBufferThatIsLentOnceEndsAtOnce() throws Exception {
        assertFalse(readable(pair.a(), into, lend()));
    }

    @Test
    void theOwnerEndsIt() throws Exception {
        int key = kept();
        pair.b().forgetKeys();
        assertNotEquals(key, lend());
        assertNotEquals(lend(), lend(), "nothing is kept any more");
        assertFalse(readable(pair.a(), into, key));
    }

    /** Over another connection, as the first one is of no use any more. */
    @Test
    void theEndOfTheConnectionEndsIt() throws Exception {
        QpPair other = pairs.connectSoon();
        MemoryRegion there = other.a().register(Arena.ofAuto().allocate(LEN), false, false);
        int key = kept();
        assertTrue(readable(other.a(), there, key), "the number opens it to all of the device");
        pair.b().abort();
        assertFalse(readable(other.a(), there, key));
        other.close();
    }

    /** By the time that this side learns of it. */
    @Test
    void theEndByThePeerEndsIt() throws Exception {
        QpPair other = pairs.connectSoon();
        MemoryRegion there = other.a().register(Arena.ofAuto().allocate(LEN), false, false);
        int key = kept();
        pair.a().disconnect();
        assertEquals(Completion.DISCONNECTED, LabPairs.next(pair.b()).opcode);
        assertFalse(readable(other.a(), there, key));
        other.close();
    }

    @Test
    void anyOtherUseOfTheMemoryEndsIt() throws Exception {
        int key = kept();
        pair.b().register(lent.asSlice(LEN - 1), false, false).close();
        assertFalse(readable(pair.a(), into, key));
    }

    @Test
    void anotherConnectionsLoanEndsIt() throws Exception {
        QpPair other = pairs.connectSoon();
        int key = kept();
        try (MemoryRegion r = other.b().register(lent, true, false)) {
            assertNotEquals(key, r.rkey());
            assertFalse(readable(pair.a(), into, key));
        }
        other.close();
    }

    /** On iWARP such a buffer is written by the peer while a read is under way. */
    @Test
    void aBufferThatWasReadIntoIsOutOfThePeersReach() throws Exception {
        MemorySegment buffer = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(LEN));
        MemoryRegion sink = pair.a().register(buffer, false, false);
        int key = sink.rkey();
        sink.close();
        lent.fill((byte) 1);
        MemoryRegion source = pair.b().register(lent, false, false);
        assertTrue(pair.b().postWrite(1, source, 0, LEN, buffer.address(), key));
        int opcode = LabPairs.next(pair.a()).opcode;
        assertTrue(opcode == Completion.DISCONNECTED || opcode == Completion.ERROR);
        assertEquals(-1, buffer.mismatch(Arena.ofAuto().allocate(LEN)));
    }

    /** As shipped: without being asked for, it ends all the same. */
    @Test
    void timeEndsIt() throws Exception {
        close();
        open(VerbsConfig.defaults());
        long before = RdmaResources.now().get("mr");
        int key = lend();
        for (int i = 0; i < 100 && key != lend(); i++) {
            key = lend(); // a busy machine may take its time between two
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> RdmaResources.now().get("mr") <= before);
        assertFalse(readable(pair.a(), into, key));
    }

    @Test
    void whereItIsSwitchedOffEachLoanHasItsKey() throws Exception {
        close();
        open(VerbsConfig.defaults().withKeys(0));
        kept();
        int key = lend();
        assertFalse(readable(pair.a(), into, key));
    }
}
