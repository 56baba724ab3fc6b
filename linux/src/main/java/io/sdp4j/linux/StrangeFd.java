package io.sdp4j.linux;

import java.util.ArrayDeque;

/**
 * Closes descriptors that strangers have chosen. The last close of such a descriptor may block as
 * long as the stranger likes: for a socket that lingers, for the file system of a file, or for
 * anything that a socket holds. One thread closes all of them, and lasts while there are some.
 *
 * <p>Thread-safe; no method blocks while there is heap.
 */
public final class StrangeFd {
    /** Number of descriptors waiting to be closed at which no more are received. */
    private static final int MOST = 64;

    private static final ArrayDeque<Integer> WAITING = new ArrayDeque<>(); // itself
    private static boolean running; // WAITING

    /** Size of {@link #WAITING}; changed under its monitor. */
    private static volatile int waiting;

    private StrangeFd() {}

    /** Closes a descriptor on the thread that may block; here, if there is no heap for that. */
    static void closeLater(int fd) {
        synchronized (WAITING) {
            try {
                WAITING.add(fd);
                waiting = WAITING.size();
                run();
                return;
            } catch (OutOfMemoryError e) {
                Integer last = WAITING.peekLast();
                if (last != null && last == fd) {
                    WAITING.pollLast(); // a queue that was full and could not grow looks empty
                }
            }
        }
        Linux.close(fd);
    }

    /**
     * Whether so many descriptors wait to be closed that no more may be taken from strangers now,
     * and no strangers be accepted.
     */
    public static boolean behind() {
        if (waiting < MOST) {
            return false;
        }
        synchronized (WAITING) {
            run();
        }
        return true;
    }

    private static void run() {
        assert Thread.holdsLock(WAITING);
        if (!running) {
            try {
                DaemonThread.of("sdp4j-close", StrangeFd::closeAll).start();
                running = true;
            } catch (OutOfMemoryError e) {
                // the next descriptor, or behind(), tries again
            }
        }
    }

    private static void closeAll() {
        for (; ; ) {
            int fd;
            synchronized (WAITING) {
                Integer next = WAITING.poll();
                if (next == null) {
                    running = false;
                    return;
                }
                waiting = WAITING.size();
                fd = next;
            }
            Linux.close(fd);
        }
    }
}
