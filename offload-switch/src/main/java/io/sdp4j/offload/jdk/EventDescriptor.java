package io.sdp4j.offload.jdk;

import java.io.IOException;

/** An eventfd made by the JDK. Nothing here blocks. */
final class EventDescriptor {
    private final Object eventFd;

    EventDescriptor() throws IOException {
        try {
            eventFd = (Object) PollHandles.EVENT_NEW.invokeExact();
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    int fdVal() {
        try {
            return (int) PollHandles.EVENT_DESCRIPTOR.invokeExact(eventFd);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * A descriptor that is readable while this or {@code other} is; where there is none, this is
     * closed.
     *
     * @param other -1 = no other
     */
    int epollWith(int other) throws IOException {
        boolean complete = false;
        try {
            int epoll = JdkBridge.epollOf(fdVal(), other);
            complete = true;
            return epoll;
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    void set() throws IOException {
        try {
            PollHandles.EVENT_SET.invokeExact(eventFd);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    void reset() throws IOException {
        try {
            PollHandles.EVENT_RESET.invokeExact(eventFd);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    void close() throws IOException {
        try {
            PollHandles.EVENT_CLOSE.invokeExact(eventFd);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }
}
