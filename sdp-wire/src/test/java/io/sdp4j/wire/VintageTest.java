package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.wire.Vintage.Habit;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: whatever the peer's vintage, bytes arrive once and in order, memory comes back, and the end
 * is orderly unless the peer breaks the protocol. Method: one machine and a peer written for
 * itself, under seeded schedules, sequence numbers that begin anywhere.
 */
class VintageTest {
    private static final int SEEDS = Effort.of(15, 1_500, 50_000);

    /** {@code -Dsdp4j.test.seed=N} replays one seed. */
    private static final Long ONLY = Long.getLong("sdp4j.test.seed");

    /**
     * Messages that every machine must have sent to every peer that lets it, and others to some
     * peers.
     */
    private static final int[] ALWAYS = {Mid.DATA, Mid.DISCONN};

    @ParameterizedTest
    @EnumSource(Vintage.class)
    void everyScheduleHolds(Vintage vintage) {
        int[] said = new int[256];
        int[] heard = new int[256];
        long first = ONLY == null ? 0 : ONLY;
        long last = ONLY == null ? SEEDS : ONLY + 1;
        for (long seed = first; seed < last; seed++) {
            try {
                Visit visit = Visit.play(vintage, Choices.seeded(seed));
                Arrays.setAll(said, mid -> said[mid] + visit.said[mid]);
                Arrays.setAll(heard, mid -> heard[mid] + visit.heard[mid]);
            } catch (Throwable e) {
                throw new AssertionError(
                        "replay with: ./mvnw -pl sdp-wire test -Dtest=VintageTest"
                                + " -Dsdp4j.test.seed="
                                + seed
                                + " ("
                                + vintage
                                + ")",
                        e);
            }
        }
        if (SEEDS > 1000 && ONLY == null) {
            assertSaid(vintage, said, heard);
        }
    }

    /** The schedules are worth their number only if both sides have said what they can. */
    private static void assertSaid(Vintage vintage, int[] said, int[] heard) {
        for (int mid : ALWAYS) {
            assertTrue(said[mid] > 10, "hardly any " + Mid.name(mid));
        }
        boolean advertises = vintage.is(Habit.ADVERTISES);
        boolean sinkAvails = vintage.is(Habit.PIPELINES);
        boolean pipelines = vintage.maxAdverts > 1;
        boolean rich = vintage.buffers >= 3;
        // A poor peer gets more buffers in the end, and then hears of some.
        assertEquals(rich, said[Mid.SRC_AVAIL] > SEEDS * 2 / 3, "SrcAvail");
        assertEquals(rich, said[Mid.SRC_AVAIL_CANCEL] > SEEDS / 15, "SrcAvailCancel");
        assertEquals(advertises, said[Mid.SEND_SM] > 10, "SendSm");
        assertEquals(advertises, said[Mid.RDMA_RD_COMPL] > 10, "RdmaRdCompl");
        assertEquals(sinkAvails, said[Mid.SINK_AVAIL] > 0, "SinkAvail");
        assertEquals(pipelines, said[Mid.MODE_CHANGE] > 0, "ModeChange");
        assertEquals(sinkAvails, heard[Mid.MODE_CHANGE] > 10, "ModeChange of the peer");
        assertTrue(!vintage.is(Habit.CHANGES_MODES) || heard[Mid.MODE_CHANGE] > SEEDS, "modes");
        boolean offers = vintage.is(Habit.OFFERS) && pipelines;
        assertEquals(offers, said[Mid.RDMA_WR_COMPL] > 10, "RdmaWrCompl");
        assertEquals(offers, said[Mid.SINK_CANCEL_ACK] > 0, "SinkCancelAck");
        assertEquals(offers, heard[Mid.SINK_AVAIL_CANCEL] > 10, "offers taken back");
        assertEquals(vintage.is(Habit.READS), heard[Mid.RDMA_RD_COMPL] > 100, "reads");
        assertEquals(vintage.is(Habit.CANCELS), heard[Mid.SRC_AVAIL_CANCEL] > 10, "cancels");
        assertEquals(vintage.is(Habit.ASKS_SIZES), said[Mid.CH_RCV_BUF_ACK] > 10, "sizes");
    }
}
