package io.sdp4j.wire;

import java.util.List;
import java.util.SplittableRandom;

/**
 * What a scenario asks instead of a random generator, so that any source of numbers can drive it.
 */
interface Choices {
    /** A number from 0 to {@code n} - 1. */
    int below(int n);

    /** Numbers from a seed. */
    static Choices seeded(long seed) {
        return new SplittableRandom(seed)::nextInt;
    }

    /** Numbers from a list, then zeros: shorter lists and smaller numbers are simpler schedules. */
    static Choices of(List<Integer> list) {
        int[] next = {0};
        return n -> next[0] < list.size() ? Math.floorMod(list.get(next[0]++), n) : 0;
    }
}
