package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Goal: gathering for a peer that keeps up follows a fast one-way stream only, and fades. */
class CoalescingGoalTest {
    private final CoalescingGoal goal = new CoalescingGoal();

    @Test
    void aPeerThatKeepsUpGetsEveryWrite() {
        for (int n = 0; n < 100; n++) {
            goal.onAnswers(0);
            assertEquals(0, goal.bytes());
            goal.onSent();
        }
    }

    @Test
    void halfOfWhatCameTogetherThenLessAndLess() {
        goal.onCaughtUp(700);
        assertEquals(350, goal.bytes());
        for (int expected : new int[] {350, 175, 0}) {
            for (int n = 0; n < 16; n++) {
                assertEquals(expected, goal.bytes(), "message " + n);
                goal.onSent();
            }
        }
        goal.onCaughtUp(16_000);
        assertEquals(1024, goal.bytes(), "no more than that");
    }

    @Test
    void whatIsLessThanTheGoalDoesNotRaiseIt() {
        goal.onCaughtUp(2048);
        goal.onCaughtUp(1000);
        assertEquals(1024, goal.bytes());
        goal.giveUp();
        goal.onCaughtUp(100);
        assertEquals(0, goal.bytes(), "hardly more than a write");
    }

    @Test
    void anAnswerEndsIt() {
        goal.onCaughtUp(2048);
        goal.onAnswers(1);
        assertEquals(0, goal.bytes());
        goal.onCaughtUp(2048);
        goal.onAnswers(1);
        assertEquals(1024, goal.bytes(), "an answer from before");
    }

    @Test
    void thereIsNoneWhileAnAnswerIsWaitedFor() {
        goal.onCaughtUp(2048);
        goal.onQuestion();
        assertEquals(0, goal.bytes());
        goal.onCaughtUp(2048);
        assertEquals(0, goal.bytes());
        goal.onAnswers(1);
        goal.onCaughtUp(2048);
        assertEquals(1024, goal.bytes());
    }
}
