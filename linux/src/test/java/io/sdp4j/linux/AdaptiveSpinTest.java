package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: spinning ends when there is something, when the thread is wanted elsewhere, and by itself;
 * each kind of wait has a history of its own. Method: spinners that do not ask how busy the machine
 * is; a thread that loses its processor gives up early, so what must happen is tried until it does.
 */
@Timeout(60)
class AdaptiveSpinTest {
    private static final long MAX_NANOS = 1_000_000;
    private static final long SHORT_NANOS = 4_000;
    private final AtomicInteger spinning = new AtomicInteger();

    private AdaptiveSpin spinner() {
        return new AdaptiveSpin(MAX_NANOS, 1, spinning, false);
    }

    @Test
    void endsWhenThereIsSomething() {
        boolean found = false;
        while (!found) {
            AtomicInteger looks = new AtomicInteger();
            found = spinner().spin(() -> looks.incrementAndGet() > 20, Long.MAX_VALUE, () -> false);
            assertEquals(0, spinning.get());
        }
    }

    @Test
    void endsWhenTheThreadIsWantedElsewhere() {
        int asked = 0;
        while (asked == 0) {
            AtomicInteger times = new AtomicInteger();
            assertFalse(
                    spinner().spin(() -> false, Long.MAX_VALUE, () -> times.incrementAndGet() > 0));
            asked = times.get();
        }
        assertEquals(1, asked);
    }

    @Test
    void asksAgainAndAgainMeanwhile() {
        AtomicInteger times = new AtomicInteger();
        while (times.get() < 2) {
            times.set(0);
            assertFalse(
                    spinner().spin(() -> false, Long.MAX_VALUE, () -> times.incrementAndGet() < 0));
        }
    }

    @Test
    void waitsInVainSpoilOnlyTheirOwnHistory() {
        AdaptiveSpin one = spinner();
        AdaptiveSpin other = one.another();
        AtomicInteger looks = new AtomicInteger();
        int last = -1;
        while (looks.get() != last) { // until it does not spin at all
            last = looks.get();
            assertFalse(one.spin(() -> looks.incrementAndGet() < 0, Long.MAX_VALUE, () -> false));
        }
        assertFalse(other.spin(() -> looks.incrementAndGet() < 0, Long.MAX_VALUE, () -> false));
        assertTrue(looks.get() > last);
    }

    /**
     * Goal: two sides that both sleep, and would both be fast if they did not, find that out. A
     * side's trial outlasts the wake-up of the other, and lasts until the other one tries as well.
     */
    @Test
    void aTrialWaitsForAPeerThatSleeps() {
        boolean lasted = false;
        while (!lasted) { // it may lose its processor
            AdaptiveSpin spin = discouraged();
            while (!answeredAfter(spin, 5 * SHORT_NANOS)) {
                // it begins a trial with one of its waits
            }
            lasted = true;
            for (int i = 0; i < 64; i++) {
                lasted &= answeredAfter(spin, 5 * SHORT_NANOS);
            }
            lasted &= answeredAfter(spin, 0);
            lasted &= spinNanos(spin) < 6 * SHORT_NANOS; // as usual, and no trial any more
        }
    }

    /**
     * Goal: a peer that is held up now and then does not make both sides sleep for long. For each
     * 64 short waits one long one lets the next outlast the peer's wake-up.
     */
    @ParameterizedTest
    @CsvSource({"16, 0", "64, 1", "127, 1", "128, 2"})
    void longWaitsAmongShortOnesBeginTrials(int shortWaits, int trials) {
        boolean asExpected = false;
        while (!asExpected) { // it may lose its processor
            AdaptiveSpin spin = new AdaptiveSpin(SHORT_NANOS, 1, spinning, false);
            asExpected = true;
            for (int i = 0; i < shortWaits; i++) {
                asExpected &= answeredAfter(spin, 0);
            }
            for (int i = 0; i < trials; i++) {
                asExpected &= !answeredAfter(spin, 5 * SHORT_NANOS);
                asExpected &= answeredAfter(spin, 5 * SHORT_NANOS); // in a trial
                asExpected &= answeredAfter(spin, 0); // which has succeeded
            }
            asExpected &= !answeredAfter(spin, 5 * SHORT_NANOS);
            asExpected &= !answeredAfter(spin, 5 * SHORT_NANOS);
        }
    }

    @Test
    void trialsThatFailBecomeRare() {
        AdaptiveSpin spin = discouraged();
        int first = waitsUntilTrial(spin);
        int gap = first;
        while (gap < 8 * first) {
            int next = waitsUntilTrial(spin);
            assertTrue(next >= gap, gap + ", then " + next);
            gap = next;
        }
    }

    /** One that does not spin at all just now. */
    private AdaptiveSpin discouraged() {
        AdaptiveSpin spin = new AdaptiveSpin(SHORT_NANOS, 1, spinning, false);
        AtomicInteger looks = new AtomicInteger();
        int last = -1;
        while (looks.get() != last) {
            last = looks.get();
            assertFalse(spin.spin(() -> looks.incrementAndGet() < 0, Long.MAX_VALUE, () -> false));
        }
        return spin;
    }

    private static boolean answeredAfter(AdaptiveSpin spin, long nanos) {
        long at = System.nanoTime() + nanos;
        return spin.spin(() -> System.nanoTime() - at >= 0, Long.MAX_VALUE, () -> false);
    }

    private static int waitsUntilTrial(AdaptiveSpin spin) {
        AtomicInteger looks = new AtomicInteger();
        int waits = 0;
        while (looks.get() == 0) {
            assertFalse(spin.spin(() -> looks.incrementAndGet() < 0, Long.MAX_VALUE, () -> false));
            waits++;
        }
        return waits;
    }

    /** An answer that takes longer than a lost processor is none. */
    @Test
    void mayBeAskedWhatTakesLong() {
        AdaptiveSpin asked = new AdaptiveSpin(50_000_000, 1, spinning, false);
        AtomicInteger times = new AtomicInteger();
        while (times.get() < 3) {
            times.set(0);
            assertFalse(asked.spin(() -> false, Long.MAX_VALUE, () -> slowNo(times)));
            asked = asked.another();
        }
    }

    private static boolean slowNo(AtomicInteger times) {
        long until = System.nanoTime() + 100_000;
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
        return times.incrementAndGet() < 0;
    }

    /**
     * Goal: a wait that stands for many notifications may spin longer, but not for ever, and never
     * where none may.
     */
    @Test
    void manyRingsAreWorthALongerSpin() {
        AdaptiveSpin usual = new AdaptiveSpin(20_000, 1, spinning, false);
        long longest = 0;
        while (longest < 100_000) { // it may lose its processor
            AdaptiveSpin many = usual.another();
            many.worth(1_000);
            longest = spinNanos(many);
        }
        while (longest >= 100_000) {
            AdaptiveSpin few = usual.another();
            few.worth(1_000);
            few.worth(4);
            longest = spinNanos(few);
        }
        AdaptiveSpin never = new AdaptiveSpin(0, 1, spinning, false);
        never.worth(1_000);
        AtomicInteger looks = new AtomicInteger();
        assertFalse(never.spin(() -> looks.incrementAndGet() > 0, Long.MAX_VALUE, () -> false));
        assertEquals(0, looks.get());
    }

    private static long spinNanos(AdaptiveSpin spinner) {
        long start = System.nanoTime();
        assertFalse(spinner.spin(() -> false, Long.MAX_VALUE, () -> false));
        return System.nanoTime() - start;
    }
}
