package io.sdp4j.linux;

import java.util.ArrayDeque;

/**
 * The closing of descriptors that strangers have chosen. The last close of one may wait as long as
 * they like: for a socket that lingers, for the file system that a file is on, or for whatever else
 * a socket holds. One thread waits for all of them, and lasts while there are some.
 *
 * <p>Thread-safe; nothing here waits.
 */
public final class StrangeFd {
    /** Most descriptors that may wait to be closed; beyond that none is received. */
    private static final int MOST = 64;

    private static final ArrayDeque<Integer> WAITING = new ArrayDeque<>(); // itself
    private static boolean running; // WAITING

    /** In {@link #WAITING}; changed under it. */
    private static volatile int waiting;

    private StrangeFd() {}

    /** Closes a descriptor on the thread that may wait. */
    static void closeLater(int fd) {
        synchronized (WAITING) {
            WAITING.add(fd);
            waiting = WAITING.size();
            run();
        }
    }

    /**
     * Whether so many wait to be closed that no descriptors are to be taken from strangers now, nor
     * strangers to be let in.
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
                // there may be room for a thread when the next one comes
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
