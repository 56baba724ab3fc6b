package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/**
 * Goal: two threads sleep on one processor exactly while that is clearly faster, and only in a
 * conversation. Method: rounds whose length depends on the choice, without a clock.
 */
class CoLocationPolicyTest {
    private static final int MANY = 20_000;
    private static final long FAST = 10_000;
    private static final long SLOW = 50_000;
    private final CoLocationPolicy policy = new CoLocationPolicy();
    private long now = 7;

    /**
     * How many of so many rounds begin together, when such take {@code with}, others {@code
     * without}.
     */
    private int together(int rounds, long without, long with) {
        boolean last = false;
        int n = 0;
        for (int i = 0; i < rounds; i++) {
            now += last ? with : without;
            last = policy.talks(now, 1) && policy.together();
            n += last ? 1 : 0;
        }
        return n;
    }

    private void talks(boolean expected, long passed, int said) {
        now += passed;
        assertEquals(expected, policy.talks(now, said));
    }

    @Test
    void staysTogetherWhereThatIsFaster() {
        together(CoLocationPolicy.TERM, SLOW, FAST);
        assertTrue(together(MANY, SLOW, FAST) > MANY * 9 / 10);
    }

    @Test
    void staysApartWhereThatIsFaster() {
        together(CoLocationPolicy.TERM, FAST, SLOW);
        assertTrue(together(MANY, FAST, SLOW) < MANY / 10);
    }

    @Test
    void staysApartWhereItHardlyMatters() {
        together(CoLocationPolicy.TERM, SLOW, SLOW * 9 / 10);
        assertTrue(together(MANY, SLOW, SLOW * 9 / 10) < MANY / 10);
    }

    @Test
    void noticesThatBeingApartHasBecomeSlow() {
        together(MANY, FAST / 2, FAST);
        together(2 * CoLocationPolicy.TERM, SLOW, FAST);
        assertTrue(together(MANY, SLOW, FAST) > MANY * 9 / 10);
    }

    @Test
    void noticesThatBeingTogetherHasBecomeSlow() {
        together(MANY, SLOW, FAST);
        together(2 * CoLocationPolicy.TERM, FAST, SLOW);
        assertTrue(together(MANY, FAST, SLOW) < MANY / 10);
    }

    @Test
    void aConversationIsARunOfShortRoundsWithLittleSaid() {
        for (int i = 0; i < CoLocationPolicy.RUN; i++) {
            talks(false, FAST, 1);
        }
        talks(true, FAST, 1);
        talks(false, FAST, CoLocationPolicy.MOST_SAID + 1);
        talks(false, CoLocationPolicy.LONG_NANOS, 1);
        talks(false, FAST, 0);
        for (int i = 0; i < CoLocationPolicy.RUN; i++) {
            now += FAST;
            policy.talks(now, 1);
        }
        talks(true, FAST, CoLocationPolicy.MOST_SAID);
    }

    @Test
    void aLongConversationSurvivesALapse() {
        for (int i = 0; i < MANY; i++) {
            now += FAST;
            policy.talks(now, 1);
        }
        talks(false, CoLocationPolicy.LONG_NANOS, 1);
        talks(true, FAST, 1);
    }

    @Test
    void aStreamIsNone() {
        boolean talks = false;
        for (int i = 0; i < MANY; i++) {
            now += FAST;
            talks |= policy.talks(now, 10 * CoLocationPolicy.MOST_SAID);
        }
        assertFalse(talks);
    }

    /** Goal: no trial after the first one allocates. Method: the JVM's count for this thread. */
    @Test
    void onlyTheFirstTrialAllocates() {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        together(2 * CoLocationPolicy.TERM, SLOW, FAST);
        for (int i = 0; i < 5; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            together(2 * CoLocationPolicy.TERM, i % 2 == 0 ? FAST : SLOW, i % 2 == 0 ? SLOW : FAST);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
    }
}
