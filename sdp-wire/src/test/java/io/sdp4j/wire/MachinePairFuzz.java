package io.sdp4j.wire;

/** Target of a fuzzer: two machines, and a schedule made of the input. */
public final class MachinePairFuzz {
    private static final Faults[] KINDS = {
        Faults.NONE.lent(),
        Faults.ENDS.lent(),
        Faults.ALL.lent(),
        Faults.LIES.lent(),
        Faults.ENDS,
        Faults.ALL
    };

    private MachinePairFuzz() {}

    /** One input. */
    public static void fuzzerTestOneInput(byte[] input) {
        Choices choices = Choices.of(input);
        int kind = choices.below(2 * KINDS.length);
        Faults faults = KINDS[kind % KINDS.length];
        MachinePair pair =
                new MachinePair(choices, kind < KINDS.length ? faults : faults.suspending(), false);
        pair.run(choices.below(200));
        pair.finish();
    }
}
