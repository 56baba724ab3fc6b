package io.sdp4j.wire;

/** Target of a fuzzer: two machines, and a schedule made of the input. */
public final class TwinsFuzz {
    private static final Faults[] KINDS = {
        Faults.NONE.lent(),
        Faults.ENDS.lent(),
        Faults.ALL.lent(),
        Faults.LIES.lent(),
        Faults.ENDS,
        Faults.ALL
    };

    private TwinsFuzz() {}

    /** One input. */
    public static void fuzzerTestOneInput(byte[] input) {
        Choices choices = Choices.of(input);
        int kind = choices.below(2 * KINDS.length);
        Faults faults = KINDS[kind % KINDS.length];
        Twins twins = new Twins(choices, kind < KINDS.length ? faults : faults.rested(), false);
        twins.run(choices.below(200));
        twins.finish();
    }
}
