package io.sdp4j.stream;

/**
 * Decides which messages of a long stream wake the peer's thread: one in {@value #BURST}, because
 * waking it costs both sides more than a message.
 *
 * <p>Shape: a <em>marked</em> message wakes the peer. A message that others will follow is left
 * unmarked, up to three in a row. A thread that is about to wait for the peer <em>owes</em> it a
 * mark for those, which is an empty message. Each time that one is needed, all messages are marked
 * for a while: twice as long each time, half as long after a stream that went well. A peer whose
 * mark never comes, because no thread waits here and nothing more is sent, looks by itself after
 * some milliseconds.
 *
 * <p>Guarded by the stream's lock.
 */
final class SolicitedEventPolicy {
    /** One mark for this many messages. */
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

    /** The mark that was owed is paid by an empty message. */
    void onPaid() {
        unmarked = 0;
        bursts = 0;
        paused = pause;
        pause = Math.min(2 * pause, MOST_PAUSE);
    }
}
