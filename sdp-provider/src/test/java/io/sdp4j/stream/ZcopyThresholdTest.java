package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** When lending pays, by what loans and copies have cost. */
final class ZcopyThresholdTest {
    private static final int MIN = 16_384;
    private static final int MAX = 1 << 20;
    private static final int FIRST = 65_537;

    private final ZcopyThreshold threshold =
            new ZcopyThreshold(new ZcopyThreshold.Limits(true, FIRST, MIN, MAX, 8, 16), 8);

    private void observe(int times, long loanNanos, int copiedBytes, long copyNanos) {
        for (int i = 0; i < times; i++) {
            threshold.onLoan(loanNanos);
            threshold.onCopy(copiedBytes, copyNanos);
        }
    }

    @Test
    void itStaysUntilEnoughWasSeen() {
        observe(3, 1_000_000, 1000, 1000);
        assertEquals(FIRST, threshold.bytes());
        for (int i = 0; i < 100; i++) {
            threshold.onLoan(1);
        }
        assertEquals(FIRST, threshold.bytes(), "nothing is known of copies");
    }

    @Test
    void itGoesWhereBothCostTheSame() {
        observe(50, 20_000, 16_384, 3_277); // 20 us against 0.2 ns a byte
        assertEquals(100_000, threshold.bytes(), 200);
        assertEquals(threshold.bytes(), threshold.leastBytes(200_000));
        assertEquals(ZcopyThreshold.NOTHING, threshold.leastBytes(90_000));
    }

    @Test
    void itKeepsItsLimits() {
        observe(50, 10, 16_384, 16_384);
        assertEquals(MIN, threshold.bytes());
        assertEquals(ZcopyThreshold.NOTHING, threshold.leastBytes(MIN - 1));
        observe(500, 10_000_000, 16_384, 16);
        assertEquals(ZcopyThreshold.NOTHING, threshold.bytes(), "lending has lost");
    }

    private static boolean lends(ZcopyThreshold threshold) {
        int leastBytes = threshold.leastBytes(MAX);
        if (leastBytes > MAX) {
            return false;
        }
        threshold.lends(leastBytes);
        return true;
    }

    /** A trial that finds its operation unable to lend is left to the next operation. */
    @Test
    void aTrialWaitsForAnOperationThatLends() {
        observe(50, 10_000_000, 16_384, 1_638);
        while (threshold.leastBytes(MAX) > MAX) {
            assertEquals(ZcopyThreshold.NOTHING, threshold.bytes());
        }
        assertTrue(lends(threshold));
        assertFalse(lends(threshold));
    }

    /** Where lending has lost, one in so many is lent all the same, and can bring it back. */
    @Test
    void itComesBackWhenThingsChange() {
        observe(50, 10_000_000, 16_384, 1_638);
        assertEquals(ZcopyThreshold.NOTHING, threshold.bytes());
        int lent = 0;
        for (int i = 0; i < 800; i++) {
            if (lends(threshold)) {
                lent++;
                threshold.onLoan(5_000);
            }
        }
        assertTrue(lent > 100, "lent " + lent);
        assertTrue(threshold.bytes() <= MAX, "threshold " + threshold.bytes());
    }

    /** As when it began with code that was not compiled yet, while something else ran. */
    @Test
    void aBadStartIsSoonForgotten() {
        for (int i = 0; i < 8; i++) {
            threshold.onLoan(5_000_000);
            threshold.onCopy(16_384, 3_277);
        }
        assertEquals(ZcopyThreshold.NOTHING, threshold.bytes());
        int buffers = 0;
        while (threshold.bytes() > MAX) {
            buffers++;
            if (lends(threshold)) {
                threshold.onLoan(50_000);
            }
        }
        assertTrue(buffers <= 8 * 8, "after " + buffers + " buffers");
    }

    @Test
    void aDisturbanceHardlyCounts() {
        observe(50, 20_000, 16_384, 3_277);
        threshold.onLoan(50_000_000);
        assertEquals(100_000, threshold.bytes(), 10_000);
    }

    /** Where it goes on losing it is tried more and more rarely. */
    @Test
    void whatGoesOnLosingIsRarelyTried() {
        ZcopyThreshold rare =
                new ZcopyThreshold(new ZcopyThreshold.Limits(true, FIRST, MIN, MAX, 256, 16), 8);
        for (int i = 0; i < 50; i++) {
            rare.onLoan(10_000_000);
            rare.onCopy(16_384, 1_638);
        }
        int lent = 0;
        for (int i = 0; i < 256 * 20; i++) {
            if (lends(rare)) {
                lent++;
                rare.onLoan(10_000_000);
            }
        }
        assertEquals(20, lent, 5);
    }

    /** The first loans are timed, then few, and each one that is lent to learn something. */
    @Test
    void fewLoansAreTimed() {
        int timed = 0;
        for (int i = 0; i < 16; i++) {
            timed += threshold.timesNext() ? 1 : 0;
            threshold.onLoan(10_000_000);
        }
        assertEquals(16, timed);
        for (int i = 0; i < 80; i++) {
            timed += threshold.timesNext() ? 1 : 0;
        }
        assertEquals(16 + 10, timed);
        observe(10, 10_000_000, 16_384, 1_638);
        while (!lends(threshold)) {
            assertEquals(ZcopyThreshold.NOTHING, threshold.bytes());
        }
        assertTrue(threshold.timesNext(), "it was lent to be timed");
    }

    @Test
    void whatIsTooSmallIsNoProbe() {
        observe(50, 10_000_000, 16_384, 1_638);
        for (int i = 0; i < 100; i++) {
            assertEquals(ZcopyThreshold.NOTHING, threshold.leastBytes(MIN - 1));
        }
    }

    @Test
    void aFixedOneDoesNotMove() {
        ZcopyThreshold fixed = new ZcopyThreshold(ZcopyThreshold.Limits.fixed(FIRST), 8);
        for (int i = 0; i < 100; i++) {
            fixed.onLoan(1);
            fixed.onCopy(1000, 1_000_000);
            assertEquals(FIRST, fixed.bytes());
            assertEquals(ZcopyThreshold.NOTHING, fixed.leastBytes(FIRST - 1));
            assertEquals(FIRST, fixed.leastBytes(FIRST));
        }
    }

    @Test
    void itAllocatesNothing() {
        observe(10_000, 20_000, 16_384, 3_277);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        threads.getCurrentThreadAllocatedBytes();
        long before = threads.getCurrentThreadAllocatedBytes();
        observe(10_000, 20_000, 16_384, 3_277);
        int sum = 0;
        for (int i = 0; i < 10_000; i++) {
            sum += threshold.leastBytes(i * 20) & 1;
        }
        long after = threads.getCurrentThreadAllocatedBytes();
        assertTrue(after - before < 1000, after - before + " bytes, " + sum);
    }
}
