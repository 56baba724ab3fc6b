package io.sdp4j.stream;

/**
 * Which messages of a long stream wake the peer's thread: one in {@value #BURST}, as waking it
 * costs both sides more than a message.
 *
 * <p>Shape: a message that others will follow is left unmarked, up to three in a row. A thread that
 * is about to wait for the peer <em>owes</em> it a mark for those, an empty message. Where that is
 * needed again and again, messages are sent one at a time after all, and for a while each is
 * marked: twice as long each time, half as long after a stream that went well. A peer whose mark
 * never comes, because no thread waits here and nothing more is sent, looks by itself after some
 * milliseconds.
 *
 * <p>Guarded by the stream's lock.
 */
final class SolicitedEventPolicy {
    /** A mark for so many messages. */
    static final int BURST = 4;

    static final int LEAST_PAUSE = 64;
    static final int MOST_PAUSE = 1 << 16;

    /** Bursts in a row after which a stream has gone well. */
    static final int WELL = 16;

    private int unmarked;
    private int pause = LEAST_PAUSE;
    private int paused;
    private int bursts;

    /**
     * Whether the next message is marked.
     *
     * @param followed whether another one is expected to follow it
     */
    boolean next(boolean followed) {
        if (paused > 0) {
            paused--;
        } else if (followed && ++unmarked < BURST) {
            return false;
        }
        if (unmarked == BURST && ++bursts == WELL) {
            bursts = 0;
            pause = Math.max(LEAST_PAUSE, pause / 2);
        }
        unmarked = 0;
        return true;
    }

    /** A message that is always marked leaves. */
    void onMarked() {
        unmarked = 0;
    }

    /** Whether a thread that waits owes the peer a mark. */
    boolean owed() {
        return unmarked > 0;
    }

    /** It was owed, and is paid by a message of its own. */
    void onPaid() {
        unmarked = 0;
        bursts = 0;
        paused = pause;
        pause = Math.min(2 * pause, MOST_PAUSE);
    }
}
