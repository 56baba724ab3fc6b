package io.sdp4j.offload.jdk;

import java.io.IOException;

/**
 * A descriptor that is always readable, for epolls that are to be readable by hand: an eventfd that
 * some of them share, because Linux allows a descriptor in 500 nested epolls only. Thread-safe.
 */
final class AlwaysReadable {
    /** Each new one costs a look at all others. */
    private static final int MOST_USERS = 64;

    private static AlwaysReadable open; // the class: has room for one more, or null

    final int fdVal;
    private int users; // the class

    private AlwaysReadable() throws IOException {
        fdVal = JdkClasses.CHANNELS.readableEventFd();
    }

    /** One more user, until {@link #release}. */
    static AlwaysReadable take() throws IOException {
        synchronized (AlwaysReadable.class) {
            AlwaysReadable taken = open == null ? new AlwaysReadable() : open;
            taken.users++;
            open = taken.users < MOST_USERS ? taken : null;
            return taken;
        }
    }

    /** Once for each {@link #take}. */
    void release() throws IOException {
        synchronized (AlwaysReadable.class) {
            users--;
            if (users > 0) {
                open = this;
                return;
            }
            if (open == this) {
                open = null;
            }
            JdkClasses.CHANNELS.close(fdVal);
        }
    }
}
