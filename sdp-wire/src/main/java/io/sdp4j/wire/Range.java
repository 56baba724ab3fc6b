package io.sdp4j.wire;

/** Checks that a number of a configuration lies in its range. */
final class Range {
    private Range() {}

    /**
     * @throws IllegalArgumentException when {@code value} is out of its range
     */
    static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " must be " + min + ".." + max + ", not " + value);
        }
    }
}
