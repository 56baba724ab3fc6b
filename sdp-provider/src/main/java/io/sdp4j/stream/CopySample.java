package io.sdp4j.stream;

/**
 * Times one in so many of one thread's copies, which are made without the lock, for {@link
 * ZcopyThreshold}. {@link #report} is for the same thread, with the lock.
 */
final class CopySample {
    /** Shorter copies say little about long ones. */
    private static final int LEAST_BYTES = 4096;

    private final int every;
    private int seen;
    private boolean running;
    private long startNanos;
    private long nanos;
    private int bytes;

    /**
     * @param every one of so many is timed
     */
    CopySample(int every) {
        this.every = every;
    }

    void begin(int lenBytes) {
        if (lenBytes >= LEAST_BYTES && ++seen >= every) {
            seen = 0;
            running = true;
            startNanos = System.nanoTime();
        }
    }

    void end(int lenBytes) {
        if (running) {
            running = false;
            nanos = System.nanoTime() - startNanos;
            bytes = lenBytes;
        }
    }

    void report(ZcopyThreshold threshold) {
        if (bytes > 0) {
            threshold.onCopy(bytes, nanos);
            bytes = 0;
        }
    }
}
