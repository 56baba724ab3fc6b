package io.sdp4j.wire;

/**
 * Where the sequence numbers of a simulated connection begin: at 0, or anywhere, and often so that
 * a run crosses 2^31, where a signed comparison turns over, or 2^32.
 */
final class Starts {
    private static final int BEFORE = 20;

    private Starts() {}

    /** A number for each direction is chosen by itself. */
    static int number(Choices choices) {
        return switch (choices.below(4)) {
            case 0 -> -choices.below(BEFORE);
            case 1 -> Integer.MIN_VALUE - choices.below(BEFORE);
            case 2 -> choices.below(1 << 16) << 16 | choices.below(1 << 16);
            default -> 0;
        };
    }
}
