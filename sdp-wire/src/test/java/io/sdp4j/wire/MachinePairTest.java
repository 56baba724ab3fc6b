package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** No schedule loses a byte, overruns the peer, leaves a side waiting or a state behind. */
class MachinePairTest {
    /** Schedules for each of twelve kinds: 50,400 in every build, 2,016,000 in the deep profile. */
    private static final int SEEDS = Effort.of(50, 4_200, 168_000);

    /** Messages that both sides must have sent, or the schedules are not worth their number. */
    private static final int[] ZERO_COPY = {
        Mid.SRC_AVAIL,
        Mid.RDMA_RD_COMPL,
        Mid.SEND_SM,
        Mid.SRC_AVAIL_CANCEL,
        Mid.SINK_AVAIL,
        Mid.RDMA_WR_COMPL,
        Mid.SINK_AVAIL_CANCEL,
        Mid.SINK_CANCEL_ACK,
        Mid.MODE_CHANGE
    };

    /** And where sessions are suspended. */
    private static final int[] SUSPENDING = {Mid.SUSP_COMM, Mid.SUSP_COMM_ACK};

    /** {@code -Dsdp4j.test.seed=N} replays one seed with its trace. */
    private static final Long ONLY = Long.getLong("sdp4j.test.seed");

    @Test
    void everyByteArrivesOnceInOrder() {
        soak("everyByteArrivesOnceInOrder", Faults.NONE);
    }

    @Test
    void everyOrderlyEndIsOrderly() {
        soak("everyOrderlyEndIsOrderly", Faults.ENDS);
    }

    @Test
    void everyFailureEndsBothSides() {
        soak("everyFailureEndsBothSides", Faults.ALL);
    }

    @Test
    void aLyingPeerHurtsOnlyItsConnection() {
        soak("aLyingPeerHurtsOnlyItsConnection", Faults.LIES);
    }

    @Test
    void everyLentByteArrivesOnceInOrder() {
        soak("everyLentByteArrivesOnceInOrder", Faults.NONE.lent());
    }

    @Test
    void everyOrderlyEndIsOrderlyWithBuffersLent() {
        soak("everyOrderlyEndIsOrderlyWithBuffersLent", Faults.ENDS.lent());
    }

    @Test
    void everyFailureReturnsWhatIsLent() {
        soak("everyFailureReturnsWhatIsLent", Faults.ALL.lent());
    }

    @Test
    void aLyingPeerIsLentToWithoutHarm() {
        soak("aLyingPeerIsLentToWithoutHarm", Faults.LIES.lent());
    }

    @Test
    void everyByteArrivesOnceInOrderOverSeveralConnections() {
        soak("everyByteArrivesOnceInOrderOverSeveralConnections", Faults.NONE.lent().suspending());
    }

    @Test
    void everyOrderlyEndIsOrderlyAfterASuspension() {
        soak("everyOrderlyEndIsOrderlyAfterASuspension", Faults.ENDS.lent().suspending());
    }

    @Test
    void everyFailureEndsASuspendedSession() {
        soak("everyFailureEndsASuspendedSession", Faults.ALL.lent().suspending());
    }

    @Test
    void aLyingPeerSuspendsWithoutHarm() {
        soak("aLyingPeerSuspendsWithoutHarm", Faults.LIES.lent().suspending());
    }

    private static void soak(String test, Faults faults) {
        if (ONLY != null) {
            play(Choices.seeded(ONLY), faults, true);
            return;
        }
        int[] sent = new int[256];
        long moved = 0;
        long resumed = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                MachinePair pair = play(Choices.seeded(seed), faults, false);
                Arrays.setAll(sent, mid -> sent[mid] + pair.oracles.sent[mid]);
                resumed += pair.resumed;
                moved += pair.a.lender.moved + pair.b.lender.moved;
            } catch (Throwable e) {
                throw new AssertionError(
                        "replay with: ./mvnw -pl sdp-wire test -Dtest=MachinePairTest#"
                                + test
                                + " -Dsdp4j.test.seed="
                                + seed,
                        e);
            }
        }
        if (faults.lending() && SEEDS > 1000) {
            // suspended ones say less in each of their shorter lives
            int least = faults.suspended() ? 1 : 10;
            for (int mid : ZERO_COPY) {
                assertTrue(sent[mid] >= least, "hardly any " + Mid.name(mid));
            }
            assertTrue(moved > SEEDS, "hardly a byte went by RDMA");
        }
        if (faults.suspended() && SEEDS > 1000) {
            for (int mid : SUSPENDING) {
                assertTrue(sent[mid] > 10, "hardly any " + Mid.name(mid));
            }
            // a liar ends most of them before
            assertTrue(resumed > SEEDS / 20, "hardly a session was resumed");
        }
    }

    private static MachinePair play(Choices choices, Faults faults, boolean tracing) {
        MachinePair pair = MachinePair.play(choices, faults, tracing);
        if (tracing) {
            System.out.println(pair);
        }
        return pair;
    }
}
