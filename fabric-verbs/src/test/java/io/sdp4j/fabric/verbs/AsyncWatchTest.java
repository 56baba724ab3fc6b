package io.sdp4j.fabric.verbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.Linux;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: when one of the fabrics of a device closes, another goes on to take its events. */
@Timeout(60)
class AsyncWatchTest {
    private final EpollLoop loop = (EpollLoop) EventLoop.start("test-loop", t -> {});
    private final EpollLoop other = (EpollLoop) EventLoop.start("test-loop-2", t -> {});
    private final int fd = Descriptors.eventFd();

    private final class Reader implements AsyncWatch.User {
        final AtomicInteger taken = new AtomicInteger();

        @Override
        public void takeEvents() {
            Descriptors.drain(fd);
            taken.incrementAndGet();
        }

        @Override
        public void onDeviceFatal() {}
    }

    @AfterEach
    void close() {
        loop.end();
        other.end();
        Linux.close(fd);
    }

    private void assertTaken(Reader by) {
        int before = by.taken.get();
        Descriptors.signal(fd);
        await().until(() -> by.taken.get() == before + 1);
    }

    @Test
    void theNextOneTakesEventsWhenTheFirstHasClosed() {
        theNextOneTakesEvents(loop);
    }

    @Test
    void theNextOneMayHaveAnotherLoop() {
        theNextOneTakesEvents(other);
    }

    private void theNextOneTakesEvents(EpollLoop ofSecond) {
        Reader first = new Reader();
        Reader second = new Reader();
        AsyncWatch.add(fd, loop, first);
        AsyncWatch.add(fd, ofSecond, second);
        assertTaken(first);
        assertEquals(0, second.taken.get());
        assertEquals(List.of(first, second), AsyncWatch.users(fd));
        assertFalse(AsyncWatch.remove(fd, first));
        assertTaken(second);
        assertTrue(AsyncWatch.remove(fd, second));
        assertEquals(List.of(), AsyncWatch.users(fd));
    }

    /** The descriptor stays open, as the context does. */
    @Test
    void oneThatComesAfterAllHaveClosedTakesEvents() {
        Reader before = new Reader();
        AsyncWatch.add(fd, loop, before);
        assertTrue(AsyncWatch.remove(fd, before));
        Reader after = new Reader();
        AsyncWatch.add(fd, loop, after);
        assertTaken(after);
        assertTrue(AsyncWatch.remove(fd, after));
        assertEquals(0, before.taken.get());
    }
}
