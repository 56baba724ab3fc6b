package io.sdp4j.fabric.verbs;

import io.sdp4j.linux.EpollLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One watch of each descriptor of asynchronous events. Fabrics of a process share contexts and
 * often an event loop, whose epoll takes a descriptor once, and an event that one of them has taken
 * is gone for the others: so one of the users takes events, the first, and all are to be told.
 *
 * <p>A watch is on the loop of that first user, and ends with the last. Guarded by the table.
 */
final class AsyncWatch {
    /** Has the context that a descriptor is of. */
    interface User {
        /** There may be events: takes all. On the event thread of one of the users. */
        void takeEvents();

        /** The device is no more, as the first user has heard. Any thread. */
        void onDeviceFatal();
    }

    private record Entry(User user, EpollLoop loop) {}

    private static final Map<Integer, AsyncWatch> TABLE = new HashMap<>();

    private final int fd;
    private final List<Entry> entries = new ArrayList<>();
    private long number;

    private AsyncWatch(int fd) {
        this.fd = fd;
    }

    /** From now on events of {@code fd}, which does not block, are taken. */
    static void add(int fd, EpollLoop loop, User user) {
        synchronized (TABLE) {
            AsyncWatch watch = TABLE.computeIfAbsent(fd, AsyncWatch::new);
            watch.entries.add(new Entry(user, loop));
            if (watch.entries.size() == 1) {
                watch.begin();
            }
        }
    }

    /** Whether {@code user} was the last; {@code fd} is still open. */
    static boolean remove(int fd, User user) {
        synchronized (TABLE) {
            AsyncWatch watch = TABLE.get(fd);
            EpollLoop loop = watch.entries.getFirst().loop;
            watch.entries.removeIf(e -> e.user == user);
            boolean last = watch.entries.isEmpty();
            if (last) {
                TABLE.remove(fd);
            }
            if (last || watch.entries.getFirst().loop != loop) {
                loop.unwatch(fd, watch.number);
                if (!last) {
                    watch.begin();
                }
            }
            return last;
        }
    }

    /** Those to be told of an event of the whole device. */
    static List<User> users(int fd) {
        synchronized (TABLE) {
            AsyncWatch watch = TABLE.get(fd);
            return watch == null ? List.of() : watch.entries.stream().map(Entry::user).toList();
        }
    }

    private void begin() {
        assert Thread.holdsLock(TABLE);
        number = entries.getFirst().loop.watch(fd, _ -> onReadable());
    }

    private void onReadable() {
        User first;
        synchronized (TABLE) {
            if (entries.isEmpty()) {
                return;
            }
            first = entries.getFirst().user;
        }
        first.takeEvents();
    }
}
