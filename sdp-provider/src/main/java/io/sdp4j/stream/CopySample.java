package io.sdp4j.stream;

/**
 * Times some of one thread's copies, which are made without the lock, for {@link ZcopyThreshold}.
 * The same thread calls {@link #onPosted} and {@link #report} with the lock.
 *
 * <p>Bytes copied for a device must also be posted message by message, which a loan saves, too. So
 * for a device the measured time ends when the message is posted.
 */
final class CopySample {
    /** Shorter copies say little about long ones. */
    private static final int LEAST_BYTES = 4096;

    private final int every;
    private final boolean withPost;
    private int seen;
    private boolean running;
    private long startNanos;
    private long nanos;
    private int bytes;

    /**
     * @param every one copy in this many is timed
     * @param withPost whether posting the message counts as part of the copy
     */
    CopySample(int every, boolean withPost) {
        this.every = every;
        this.withPost = withPost;
    }

    void begin(int lenBytes) {
        running = lenBytes >= LEAST_BYTES && ++seen >= every;
        if (running) {
            seen = 0;
            startNanos = System.nanoTime();
        }
    }

    void onCopied(int lenBytes) {
        if (running && !withPost) {
            end(lenBytes);
        }
    }

    /** The message that was copied last, if any, is posted. */
    void onPosted(int lenBytes) {
        if (running) {
            end(lenBytes);
        }
    }

    private void end(int lenBytes) {
        running = false;
        nanos = System.nanoTime() - startNanos;
        bytes = lenBytes;
    }

    void report(ZcopyThreshold threshold) {
        if (bytes > 0) {
            threshold.onCopy(bytes, nanos);
            bytes = 0;
        }
    }
}
