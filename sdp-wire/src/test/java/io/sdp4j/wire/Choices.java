package io.sdp4j.wire;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Asked by a scenario instead of a random generator, so that any source of numbers can drive it.
 */
interface Choices {
    /** A number from 0 to {@code n} - 1. */
    int below(int n);

    /**
     * Whether the state with this fingerprint need not be looked into: a search has been here.
     * Asked after every move, and only a search computes the number.
     */
    default boolean seen(LongSupplier fingerprint) {
        return false;
    }

    /** Numbers from a seed. */
    static Choices seeded(long seed) {
        return new SplittableRandom(seed)::nextInt;
    }

    /** Numbers from a list, then zeros: shorter lists and smaller numbers are simpler schedules. */
    static Choices of(List<Integer> list) {
        int[] next = {0};
        return n -> next[0] < list.size() ? Math.floorMod(list.get(next[0]++), n) : 0;
    }

    /** Numbers from bytes, one for each small choice and two for a larger one, then zeros. */
    static Choices of(byte[] bytes) {
        int[] next = {0};
        return n -> {
            int number = next[0] < bytes.length ? bytes[next[0]++] & 0xFF : 0;
            if (n > 256 && next[0] < bytes.length) {
                number = number << 8 | (bytes[next[0]++] & 0xFF);
            }
            return number % n;
        };
    }
}
