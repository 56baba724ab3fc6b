package io.sdp4j.wire;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** No schedule loses a byte, overruns the peer, leaves a side waiting or a state behind. */
class TwinsTest {
    /** Schedules for each of four kinds. */
    private static final int SEEDS = Effort.of(300, 12_500, 500_000);

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
