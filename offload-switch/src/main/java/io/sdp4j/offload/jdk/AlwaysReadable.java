package io.sdp4j.offload.jdk;

import java.io.IOException;

/**
 * A descriptor that is always readable, for epolls that are made readable by hand. It is an eventfd
 * that several epolls share. Thread-safe.
 */
final class AlwaysReadable {
    /**
     * Most epolls that share one. Linux allows a descriptor 500 paths through two nested epolls and
     * 100 through three, which a selector of a virtual thread makes; so a channel may be in six of
     * these. To add an epoll costs a look at all others.
     */
    private static final int MOST_USERS = 16;

    private static AlwaysReadable open; // the class: one with room for another user, or null

    final int fdVal;
    private int users; // the class

    private AlwaysReadable() throws IOException {
        fdVal = JdkClasses.CHANNELS.readableEventFd();
    }

    /** Adds a user to a shared one, or to a new one, until {@link #release}. */
    static AlwaysReadable take() throws IOException {
        synchronized (AlwaysReadable.class) {
            AlwaysReadable taken = open == null ? new AlwaysReadable() : open;
            taken.users++;
            open = taken.users < MOST_USERS ? taken : null;
            return taken;
        }
    }

    /** Removes a user, once for each {@link #take}. The last user closes the descriptor. */
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
