package io.sdp4j.wire;

/** Target of a fuzzer: one machine, and a peer made of the input. */
public final class MachineFuzz {
    private MachineFuzz() {}

    /** One input. */
    public static void fuzzerTestOneInput(byte[] input) {
        RawPeer.play(Choices.of(input));
    }
}
