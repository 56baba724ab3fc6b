package io.sdp4j.wire;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** No schedule loses a byte, overruns the peer, leaves a side waiting or a state behind. */
class TwinsTest {
    private static final boolean DEEP = "deep".equals(System.getProperty("sdp4j.test.profile"));
    private static final int SEEDS = DEEP ? 125_000 : 12_000; // for each of four kinds

    /** {@code -Dsdp4j.test.seed=N} replays one seed with its trace. */
    private static final Long ONLY = Long.getLong("sdp4j.test.seed");

    @Test
    void everyByteArrivesOnceInOrder() {
        soak(Twins.Faults.NONE);
    }

    @Test
    void everyOrderlyEndIsOrderly() {
        soak(Twins.Faults.ENDS);
    }

    @Test
    void everyFailureEndsBothSides() {
        soak(Twins.Faults.ALL);
    }

    @Test
    void aLyingPeerHurtsOnlyItsConnection() {
        soak(Twins.Faults.LIES);
    }

    @Test
    void everyLentByteArrivesOnceInOrder() {
        soak(Twins.Faults.NONE.lent());
    }

    @Test
    void everyOrderlyEndIsOrderlyWithBuffersLent() {
        soak(Twins.Faults.ENDS.lent());
    }

    @Test
    void everyFailureReturnsWhatIsLent() {
        soak(Twins.Faults.ALL.lent());
    }

    @Test
    void aLyingPeerIsLentToWithoutHarm() {
        soak(Twins.Faults.LIES.lent());
    }

    /** Goal: as above, with the shortest failing schedule. Method: twins under chosen schedules. */
    @Property(tries = 500)
    void everyChosenScheduleHolds(
            @ForAll @Size(max = 400) List<Integer> schedule, @ForAll boolean failures) {
        play(Choices.of(schedule), failures ? Twins.Faults.ALL : Twins.Faults.ENDS, false);
    }

    private static void soak(Twins.Faults faults) {
        if (ONLY != null) {
            play(Choices.seeded(ONLY), faults, true);
            return;
        }
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                play(Choices.seeded(seed), faults, false);
            } catch (Throwable e) {
                throw new AssertionError(
                        "replay with -Dsdp4j.test.seed=" + seed + " and " + faults, e);
            }
        }
    }

    private static void play(Choices choices, Twins.Faults faults, boolean tracing) {
        Twins twins = new Twins(choices, faults, tracing);
        twins.run(40 + choices.below(200));
        twins.finish();
        if (tracing) {
            System.out.println(twins);
        }
    }
}
