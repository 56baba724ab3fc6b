package io.sdp4j.wire;

/** From the least to the most that a number of a configuration may be. */
final class Range {
    private Range() {}

    /**
     * @throws IllegalArgumentException when {@code value} is out of it
     */
    static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " must be " + min + ".." + max + ", not " + value);
        }
    }
}
