package io.sdp4j.wire;

/** Target of a fuzzer: one machine, a peer of another vintage, and a schedule made of the input. */
public final class VintageFuzz {
    private static final Vintage[] ALL = Vintage.values();

    private VintageFuzz() {}

    /** One input. */
    public static void fuzzerTestOneInput(byte[] input) {
        Choices choices = Choices.of(input);
        Visit.play(ALL[choices.below(ALL.length)], choices);
    }
}
