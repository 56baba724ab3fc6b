package io.sdp4j.stream;

/**
 * How many bytes of small writes a message gathers although the peer keeps up.
 *
 * <p>None at first: a peer that keeps up gets every write at once. But a peer that was behind, and
 * for which much came together until it had caught up, is the end of a fast one-way stream. It
 * would be behind again soon if each write cost it a message, and each message costs either side
 * more than many writes. So the next messages are half as full, and after some of them the goal is
 * half of that, until the peer is behind again or nothing is left of it. A writer that was so fast
 * a moment ago reaches the goal within microseconds. It is given up when the peer answers, when a
 * thread is about to wait, and when a timer finds a message that did not reach it; and there is
 * none while an answer is waited for.
 *
 * <p>Guarded by the stream's lock.
 */
final class CoalescingGoal {
    /** More does not make a write cheaper. */
    private static final int MOST_BYTES = 1024;

    /** Less is hardly more than a write. */
    private static final int LEAST_BYTES = 128;

    /** Messages until it is halved. */
    private static final int MESSAGES = 16;

    private int bytes;
    private int messagesLeft;

    /** The peer's messages with payload when that was asked last. */
    private int answers;

    /** A read has found nothing since the peer's last message. */
    private boolean asked;

    /** Bytes that make a message worth sending; 0 = any. */
    int bytes() {
        return bytes;
    }

    void giveUp() {
        bytes = 0;
    }

    /**
     * Before a message is judged.
     *
     * @param count messages with payload that have come from the peer
     */
    void onAnswers(int count) {
        if (count != answers) {
            answers = count;
            asked = false;
            bytes = 0;
        }
    }

    void onQuestion() {
        asked = true;
        bytes = 0;
    }

    /** A message leaves that was opened for a peer that kept up. */
    void onSent() {
        if (bytes > 0 && --messagesLeft == 0) {
            setTo(bytes / 2);
        }
    }

    /** A message leaves that was opened for a peer that was behind. */
    void onCaughtUp(int payloadBytes) {
        if (payloadBytes / 2 > bytes && !asked) {
            setTo(Math.min(payloadBytes / 2, MOST_BYTES));
        } else {
            onSent();
        }
    }

    private void setTo(int goal) {
        bytes = goal < LEAST_BYTES ? 0 : goal;
        messagesLeft = MESSAGES;
    }
}
