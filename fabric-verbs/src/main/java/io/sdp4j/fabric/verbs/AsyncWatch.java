package io.sdp4j.fabric.verbs;

import io.sdp4j.linux.EpollLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The one watch of a descriptor of asynchronous events. The fabrics of a process share device
 * contexts, and often an event loop, whose epoll takes a descriptor only once. An event that one of
 * them takes is gone for the others. So only the first user takes events, and then tells all.
 *
 * <p>A watch is on the loop of the first user, and ends with the last user. Guarded by the table's
 * monitor.
 */
final class AsyncWatch {
    /** Uses the context that a descriptor belongs to. */
    interface User {
        /** Takes all events, because there may be some. On the event thread of one of the users. */
        void takeEvents();

        /** Called when the first user has heard that the device is gone. Any thread. */
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

    /** Starts taking the events of {@code fd}, which does not block. */
    static void add(int fd, EpollLoop loop, User user) {
        synchronized (TABLE) {
            AsyncWatch watch = TABLE.computeIfAbsent(fd, AsyncWatch::new);
            watch.entries.add(new Entry(user, loop));
            if (watch.entries.size() == 1) {
                watch.begin();
            }
        }
    }

    /** Removes a user. Returns whether it was the last; {@code fd} is still open. */
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

    /** Returns the users to tell of an event of the whole device. */
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
