package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.UpgradePolicy.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** Goal: a selector's channel moves if it is answered quickly. Method: a clock of the test. */
class UpgradeTriggerTest {
    private static final UpgradePolicy AUTO = UpgradePolicy.AUTO;

    private final Began began = Began.now(new ReentrantLock(), new ReentrantLock());
    private long nanos = began.nanos();
    private final AtomicLong allTurns = new AtomicLong();
    private final UpgradeTrigger trigger = trigger();

    private UpgradeTrigger trigger() {
        return trigger(began);
    }

    private UpgradeTrigger trigger(Began began) {
        return trigger(AUTO, began);
    }

    private UpgradeTrigger trigger(UpgradePolicy policy, Began began) {
        Handover handover = new Handover(began.sent(), began.received());
        return new UpgradeTrigger(policy, allTurns, handover, began, () -> nanos);
    }

    private void answers(int count, long eachNanos) {
        answers(trigger, count, eachNanos);
    }

    private void answers(UpgradeTrigger trigger, int count, long eachNanos) {
        for (int i = 0; i < count; i++) {
            trigger.sent();
            nanos += eachNanos;
            trigger.received();
        }
    }

    private long age() {
        return nanos - began.nanos();
    }

    @Test
    void oneThatIsQuickMovesWhenItIsOldEnough() {
        while (age() < AUTO.bulkAgeNanos() - 1_000_000) {
            answers(1, UpgradePolicy.QUICK_NANOS / 2);
            assertFalse(trigger.due(Waits.SELECTOR));
            assertFalse(trigger.carriesLittle());
        }
        answers(100, UpgradePolicy.QUICK_NANOS / 2);
        assertTrue(trigger.due(Waits.SELECTOR));
    }

    /** The switch goes on with a channel when half of its time has passed. */
    @Test
    void oneThatWasQuickBeforeTheSwitchHadStartedMoves() {
        int turns = (int) (AUTO.bulkAgeNanos() / UpgradePolicy.QUICK_NANOS);
        Began earlier =
                new Began(
                        began.readLock(),
                        began.writeLock(),
                        new AtomicLong(64L * turns),
                        new AtomicLong(64L * turns),
                        turns,
                        nanos - AUTO.bulkAgeNanos() / 2);
        UpgradeTrigger goesOn = trigger(earlier);
        while (!goesOn.due(Waits.SELECTOR)) {
            answers(goesOn, 1, UpgradePolicy.QUICK_NANOS / 2);
            assertFalse(goesOn.carriesLittle());
        }
        assertEquals(1, (nanos - earlier.nanos()) / AUTO.bulkAgeNanos());
    }

    @Test
    void oneThatIsSlowIsGivenUpAfterHalfThatTime() {
        while (!trigger.carriesLittle()) {
            answers(1, 2 * UpgradePolicy.QUICK_NANOS);
            assertFalse(trigger.due(Waits.SELECTOR));
        }
        assertEquals(1, 2 * age() / AUTO.bulkAgeNanos());
    }

    /** To count it would cost the processor for nothing. */
    @Test
    void onOneProcessorItIsGivenUpAtOnce() {
        assertTrue(trigger(UpgradePolicy.AUTO_ALONE, began).carriesLittle());
    }

    @Test
    void aPauseOfOneThatIsQuickIsForgiven() {
        answers(20_000, UpgradePolicy.QUICK_NANOS / 2);
        nanos += AUTO.bulkAgeNanos();
        answers(256, UpgradePolicy.QUICK_NANOS / 2);
        assertFalse(trigger.carriesLittle());
        assertTrue(trigger.due(Waits.SELECTOR));
    }

    @Test
    void manyThatAnswerSeldomMoveTogether() {
        List<UpgradeTrigger> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(trigger());
        }
        long each = AUTO.allTurns() / all.size();
        for (UpgradeTrigger one : all) {
            assertFalse(one.due(Waits.THREAD));
            answers(one, (int) each, 1_000_000);
        }
        all.forEach(one -> assertTrue(one.due(Waits.THREAD)));
        UpgradeTrigger late = trigger();
        answers(late, (int) AUTO.turns() - 1, 1_000_000);
        assertFalse(late.due(Waits.THREAD), "it has to last, too");
        answers(late, 1, 1_000_000);
        assertTrue(late.due(Waits.THREAD));
    }

    @Test
    void aPeerThatHasNotAnsweredOrHadNoMemoryIsAskedAgainLater() {
        List<Long> seconds = new ArrayList<>();
        for (ReasonCode reason :
                List.of(
                        ReasonCode.TIMED_OUT,
                        ReasonCode.REMEMBERED,
                        ReasonCode.MEMORY,
                        ReasonCode.MEMORY)) {
            seconds.add(TimeUnit.NANOSECONDS.toSeconds(trigger.askAgainNanos(reason)));
        }
        assertEquals(List.of(60L, 120L, 240L, 0L), seconds);
    }

    /** A busy server may take five seconds to begin. */
    @Test
    void aPeerThatHadNoListenerIsAskedAgainForSevenSeconds() {
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            millis.add(TimeUnit.NANOSECONDS.toMillis(trigger.askAgainNanos(ReasonCode.NO_PEER)));
        }
        assertEquals(List.of(250L, 500L, 1_000L, 2_000L, 4_000L, 0L), millis);
    }
}
