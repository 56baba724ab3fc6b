package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * Descriptors that one thread waits on and another thread makes readable. Results are descriptors,
 * counts or {@code -errno}. Stateless.
 */
public final class Descriptors {
    /** Scratch memory that {@link #await} needs. */
    public static final int AWAIT_BYTES = 32;

    private static final int CTL_ADD = 1;
    private static final int F_SETFL = 4;
    private static final short POLLIN = 1;
    private static final int POLLFD_BYTES = 8;
    private static final int REVENTS = 6;
    private static final int TIME = 2 * POLLFD_BYTES;
    private static final long BILLION = 1_000_000_000L;
    private static final SyscallBuffer ONE = SyscallBuffer.lasting(8);
    private static final SyscallBuffer SINK = SyscallBuffer.lasting(8);

    static {
        ONE.putLong(0, 1);
    }

    private Descriptors() {}

    /** A new eventfd, non-blocking and close-on-exec. */
    public static int eventFd() {
        return (int) Linux.call(Linux.EVENTFD2, 0, Linux.CLOEXEC | Linux.NONBLOCK, 0);
    }

    /** Makes an eventfd readable. */
    public static void signal(int eventFd) {
        Linux.callQuietly(Linux.WRITE, eventFd, ONE.address(), 8, 0, 0, 0);
    }

    /** Makes an eventfd unreadable. */
    public static void drain(int eventFd) {
        Linux.callQuietly(Linux.READ, eventFd, SINK.address(), 8, 0, 0, 0);
    }

    /**
     * Returns a descriptor that is readable while {@code first} or {@code second} is: an epoll that
     * callers can watch in their own epoll.
     */
    public static int either(int first, int second) {
        int epoll = (int) Linux.call(Linux.EPOLL_CREATE1, Linux.CLOEXEC, 0, 0);
        if (epoll < 0) {
            return epoll;
        }
        int r = Math.min(add(epoll, first), add(epoll, second));
        if (r < 0) {
            Linux.close(epoll);
            return r;
        }
        return epoll;
    }

    private static int add(int epoll, int fd) {
        try (SyscallBuffer e = SyscallBuffer.allocate(Linux.EPOLL_EVENT_BYTES)) {
            e.putInt(0, EpollLoop.IN);
            return (int) Linux.call(Linux.EPOLL_CTL, epoll, CTL_ADD, fd, e.address(), 0, 0);
        }
    }

    /**
     * Closes the object behind {@code fd} but keeps the number open, because its owner will close
     * it one day. Until then the number stands for {@code harmless}. Needs no further descriptor.
     *
     * @param harmless an eventfd that nothing uses
     */
    public static void giveUp(int fd, int harmless) {
        Linux.callQuietly(Linux.DUP3, harmless, fd, Linux.CLOEXEC, 0, 0, 0);
    }

    /** Makes reads of {@code fd} block or not. The descriptor must have no other status flag. */
    public static void blocking(int fd, boolean wanted) {
        Linux.callQuietly(Linux.FCNTL, fd, F_SETFL, wanted ? 0 : Linux.NONBLOCK, 0, 0, 0);
    }

    /**
     * Sleeps until {@code first} or {@code second} is readable or the time is over. Allocates
     * nothing.
     *
     * @param scratch {@link #AWAIT_BYTES} of native memory, 8-aligned
     * @param second -1 = wait for the first only
     * @param nanos {@link Long#MAX_VALUE} = no end
     * @return bit 0: the first is readable; bit 1: the second is
     */
    public static int await(MemorySegment scratch, int first, int second, long nanos) {
        scratch.set(JAVA_INT, 0, first);
        scratch.set(JAVA_SHORT, 4, POLLIN);
        scratch.set(JAVA_SHORT, REVENTS, (short) 0);
        scratch.set(JAVA_INT, POLLFD_BYTES, second);
        scratch.set(JAVA_SHORT, POLLFD_BYTES + 4, POLLIN);
        scratch.set(JAVA_SHORT, POLLFD_BYTES + REVENTS, (short) 0);
        long time = 0;
        if (nanos != Long.MAX_VALUE) {
            scratch.set(JAVA_LONG, TIME, nanos / BILLION);
            scratch.set(JAVA_LONG, TIME + 8, nanos % BILLION);
            time = scratch.address() + TIME;
        }
        Linux.callQuietly(Linux.PPOLL, scratch.address(), 2, time, 0, 8, 0);
        return (scratch.get(JAVA_SHORT, REVENTS) != 0 ? 1 : 0)
                | (scratch.get(JAVA_SHORT, POLLFD_BYTES + REVENTS) != 0 ? 2 : 0);
    }
}
