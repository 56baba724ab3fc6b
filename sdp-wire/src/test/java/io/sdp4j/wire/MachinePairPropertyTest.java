package io.sdp4j.wire;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** The scenario of {@link MachinePairTest}, where the shortest failing schedule is looked for. */
class MachinePairPropertyTest {
    /** Goal: no schedule breaks a rule. Method: pairs under chosen schedules, which shrink. */
    @Property(tries = 500)
    void everyChosenScheduleHolds(
            @ForAll @Size(max = 400) List<Integer> schedule, @ForAll boolean failures) {
        MachinePair.play(
                Choices.of(schedule),
                failures ? Faults.ALL.lent().suspending() : Faults.ENDS,
                false);
    }
}
