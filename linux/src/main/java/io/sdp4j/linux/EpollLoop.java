package io.sdp4j.linux;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * An event loop over epoll, for raw descriptors. Handlers are called with the events that epoll
 * reports, edge-triggered.
 *
 * <p>The kernel knows a watch by a number that is never used twice. So an event that was already
 * fetched when its descriptor was closed, and perhaps reused by other code, finds no watch and is
 * dropped.
 *
 * <p>Thread-safe; handlers run on the loop's thread.
 */
public final class EpollLoop extends LoopBase {
    public static final int IN = 1;
    public static final int HUP = 0x10;
    public static final int ERR = 0x8;
    public static final int RDHUP = 0x2000;
    private static final int ET = 1 << 31;
    private static final int ONESHOT = 1 << 30;
    private static final int CTL_ADD = 1;
    private static final int CTL_DEL = 2;
    private static final int CTL_MOD = 3;
    private static final int BATCH = 64;
    private static final long REFUSED_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private int epoll = -1;
    private int wake = -1;
    private final SyscallBuffer events = SyscallBuffer.lasting(BATCH * Linux.EPOLL_EVENT_BYTES);

    /**
     * Number of events at the start of {@link #events} that are dispatched again. Loop's thread
     * only.
     */
    private int left;

    private final SyscallBuffer counter = SyscallBuffer.lasting(16);

    /** An event to pass to the kernel; guarded by itself. */
    private final SyscallBuffer change = SyscallBuffer.lasting(Linux.EPOLL_EVENT_BYTES);

    /** A failing epoll_pwait was reported once. Loop's thread only. */
    private boolean refused;

    private final ConcurrentHashMap<WatchNumber, IntConsumer> handlers = new ConcurrentHashMap<>();

    /** Key with which the loop's thread looks up a handler. */
    private final WatchNumber asked = new WatchNumber(0);

    private final AtomicLong numbers = new AtomicLong(1);

    /**
     * Number of a watch. Not a {@link Long}, so that an event can be dispatched when no memory is
     * left.
     */
    private static final class WatchNumber {
        private long value;

        WatchNumber(long value) {
            this.value = value;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof WatchNumber n && n.value == value;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(value);
        }
    }

    /** Opens nothing before the first task, timer or watch. */
    public EpollLoop(String name, Consumer<Throwable> sink) {
        super(name, sink);
        counter.putLong(0, 1);
    }

    /** Opens two descriptors, which live as long as the loop. */
    @Override
    int open() {
        if (epoll >= 0) {
            return 0;
        }
        epoll = (int) Linux.call(Linux.EPOLL_CREATE1, Linux.CLOEXEC, 0, 0);
        wake = (int) Linux.call(Linux.EVENTFD2, 0, Linux.CLOEXEC | Linux.NONBLOCK, 0);
        int r = epoll < 0 ? epoll : wake < 0 ? wake : introduce(wake, 0, IN | ET);
        if (r < 0) {
            Linux.close(epoll);
            Linux.close(wake);
            epoll = -1;
        }
        return r;
    }

    /**
     * Calls {@code handler} on the loop's thread for input and hang-up of {@code fd}. Closing the
     * descriptor ends the watch; {@link #forget} must be called then.
     *
     * @return the number of the watch, or -errno
     */
    public long watch(int fd, IntConsumer handler) {
        return add(fd, handler, IN | RDHUP | ET);
    }

    /** As {@link #watch}, but level-triggered: the handler is called again while there is input. */
    public long watchLevel(int fd, IntConsumer handler) {
        return add(fd, handler, IN | RDHUP);
    }

    /**
     * Adds {@code fd} to the epoll, for successive watches by {@link #watchOnDemand}.
     *
     * @return 0 or -errno
     */
    public int introduce(int fd) {
        int r = start();
        return r < 0 ? r : introduce(fd, numbers.getAndIncrement(), ONESHOT);
    }

    /**
     * Watches a descriptor that was introduced. Reports nothing before {@link #once}, and then one
     * event for each call of {@link #once}. Makes no system call.
     */
    public long watchOnDemand(IntConsumer handler) {
        long number = numbers.getAndIncrement();
        handlers.put(new WatchNumber(number), handler);
        return number;
    }

    /**
     * Lets watch {@code number} of {@code fd} report one event, at once if there is one already.
     */
    public void once(int fd, long number) {
        modify(fd, number, IN | ONESHOT);
    }

    private long add(int fd, IntConsumer handler, int events) {
        long number = numbers.getAndIncrement();
        handlers.put(new WatchNumber(number), handler);
        int r = start();
        if (r == 0) {
            r = introduce(fd, number, events);
        }
        if (r < 0) {
            forget(number);
            return r;
        }
        return number;
    }

    /**
     * Removes the handler of watch {@code number}. It is not called again; a call under way goes
     * on.
     */
    public void forget(long number) {
        handlers.remove(new WatchNumber(number));
    }

    /** Ends watch {@code number} of {@code fd}, which stays open. */
    public void unwatch(int fd, long number) {
        forget(number);
        Linux.callQuietly(Linux.EPOLL_CTL, epoll, CTL_DEL, fd, counter.address(), 0, 0);
    }

    /**
     * Sets whether watch {@code number} of {@code fd} is told of input; of a hang-up it always is.
     * Reports input that is there already once more.
     */
    public void listen(long number, int fd, boolean input) {
        modify(fd, number, input ? IN | RDHUP | ET : RDHUP | ET);
    }

    /** Allocates nothing, because watches are changed while data flows. */
    private void modify(int fd, long number, int events) {
        synchronized (change) {
            Linux.callQuietly(Linux.EPOLL_CTL, epoll, CTL_MOD, fd, change(number, events), 0, 0);
        }
    }

    /** 0 or -errno. */
    private int introduce(int fd, long number, int events) {
        synchronized (change) {
            return (int)
                    Linux.call(Linux.EPOLL_CTL, epoll, CTL_ADD, fd, change(number, events), 0, 0);
        }
    }

    private long change(long number, int events) {
        assert Thread.holdsLock(change);
        event(change, 0, number, events);
        return change.address();
    }

    private static void event(SyscallBuffer into, int at, long number, int events) {
        into.putInt(at, events);
        into.putInt(at + Linux.EPOLL_EVENT_DATA, (int) number);
        into.putInt(at + Linux.EPOLL_EVENT_DATA + 4, (int) (number >>> 32));
    }

    @Override
    void sleepAndDispatch(long nanos) {
        int known = left;
        int all = known + await(known == 0 ? nanos : Math.min(nanos, AGAIN_NANOS), known);
        left = 0;
        for (int i = 0; i < all; i++) {
            int what = events.getInt(at(i));
            long number = number(i);
            if (number == 0) {
                Linux.callQuietly(Linux.READ, wake, counter.address() + 8, 8, 0, 0, 0);
            } else if (!dispatch(number, what)) {
                keep(number, what);
            }
        }
    }

    /** Waits for events and puts them behind the {@code known} ones. Returns their number. */
    private int await(long nanos, int known) {
        if (known == BATCH) {
            LockSupport.parkNanos(nanos);
            return 0;
        }
        long millis =
                nanos == Long.MAX_VALUE ? -1 : Math.min((nanos + 999_999) / 1_000_000, 3_600_000);
        long into = events.address() + at(known);
        int room = BATCH - known;
        int n = (int) Linux.callQuietly(Linux.EPOLL_PWAIT, epoll, into, room, millis, 0, 8);
        if (n < 0) {
            n = (int) Linux.call(Linux.EPOLL_PWAIT, epoll, into, room, 0, 0, 8);
            if (n < 0 && n != -Linux.EINTR) {
                onRefused(n);
            }
        }
        return Math.max(n, 0);
    }

    private static int at(int i) {
        return i * Linux.EPOLL_EVENT_BYTES;
    }

    private long number(int i) {
        int data = at(i) + Linux.EPOLL_EVENT_DATA;
        return (long) events.getInt(data + 4) << 32 | (events.getInt(data) & 0xFFFF_FFFFL);
    }

    /** Calls the handler; false if memory ran out in the handler. Allocates nothing itself. */
    private boolean dispatch(long number, int what) {
        asked.value = number;
        IntConsumer handler = handlers.get(asked);
        if (handler != null) {
            try {
                handler.accept(what);
            } catch (Throwable t) {
                return !again(t);
            }
        }
        return true;
    }

    /**
     * Keeps an event to be dispatched again, because the kernel does not report it again.
     * Overwrites events that were dispatched.
     */
    private void keep(long number, int what) {
        int i = 0;
        while (i < left && number(i) != number) {
            i++;
        }
        if (i < left) {
            what |= events.getInt(at(i));
        } else {
            left++;
        }
        event(events, at(i), number, what);
    }

    /**
     * Handles a failure of epoll_pwait other than EINTR. Without the pause the thread would loop
     * busily.
     */
    private void onRefused(int result) {
        LockSupport.parkNanos(REFUSED_NANOS);
        if (!refused) {
            refused = true;
            throw new IllegalStateException("epoll_pwait: " + Linux.text(result));
        }
    }

    @Override
    void wakeUp() {
        Linux.callQuietly(Linux.WRITE, wake, counter.address(), 8, 0, 0, 0);
    }
}
