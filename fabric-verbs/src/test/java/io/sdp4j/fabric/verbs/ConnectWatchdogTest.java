package io.sdp4j.fabric.verbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.Linux;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Which calls are ended, and when looking stops. Method: the test runs the looks itself; the call
 * is a read of an eventfd that is empty, on a thread of its own.
 */
@Timeout(120)
class ConnectWatchdogTest {
    /** More looks than there are without a call. */
    private static final int MANY = 1_000;

    private final Queue<Runnable> looks = new ArrayDeque<>();
    private final ConnectWatchdog watch = new ConnectWatchdog(new ByHand());
    private int fd;

    @BeforeEach
    void open() {
        fd = Descriptors.eventFd();
        Descriptors.blocking(fd, true);
    }

    @AfterEach
    void close() {
        Linux.close(fd);
    }

    @Test
    void aCallEndsWhenItHasWaitedForTooLong() throws InterruptedException {
        endsWhenItHasWaitedForTooLong(Thread.ofPlatform().daemon());
    }

    @Test
    void aCallOfAVirtualThreadEnds() throws InterruptedException {
        endsWhenItHasWaitedForTooLong(Thread.ofVirtual());
    }

    private void endsWhenItHasWaitedForTooLong(Thread.Builder kind) throws InterruptedException {
        long allowed = 3 * ConnectWatchdog.TICK_NANOS;
        Reader reader = new Reader(kind, waited -> waited > allowed);
        look();
        look();
        look();
        assertTrue(reader.thread.isAlive());
        // one signal may come before the thread is in the call: again until it is out
        await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> {
                            look();
                            return !reader.thread.isAlive();
                        });
        assertTrue(reader.caller.get().waitedNanos() > allowed);
        reader.thread.join();
    }

    @Test
    void aCallThatIsWantedIsLeftAlone() throws InterruptedException {
        Reader reader = new Reader(Thread.ofPlatform().daemon(), _ -> false);
        for (int i = 0; i < MANY; i++) {
            look();
        }
        assertTrue(reader.thread.isAlive());
        assertEquals(MANY * ConnectWatchdog.TICK_NANOS, reader.caller.get().waitedNanos());
        Descriptors.signal(fd);
        reader.thread.join();
    }

    @Test
    void whoMakesNoCallHasNotWaited() {
        ConnectWatchdog.Caller caller = caller(_ -> false);
        watch.enter(caller);
        look();
        assertEquals(0, caller.waitedNanos());
        caller.begin();
        look();
        caller.end();
        look();
        assertEquals(ConnectWatchdog.TICK_NANOS, caller.waitedNanos());
    }

    @Test
    void looksEndWithoutCallsAndBeginAgainWithTheNext() {
        ConnectWatchdog.Caller caller = caller(_ -> false);
        watch.enter(caller);
        look();
        watch.leave(caller);
        assertEquals(1, looks.size(), "the next connection comes soon");
        for (int i = 0; i < MANY && !looks.isEmpty(); i++) {
            look();
        }
        assertTrue(looks.isEmpty());

        watch.enter(caller);
        assertEquals(1, looks.size());
        watch.enter(caller(_ -> false));
        assertEquals(1, looks.size(), "one look is for all");
    }

    private void look() {
        looks.remove().run();
    }

    private static ConnectWatchdog.Caller caller(LongPredicate unwanted) {
        return new ConnectWatchdog.Caller() {
            @Override
            boolean unwanted(long waitedNanos) {
                return unwanted.test(waitedNanos);
            }
        };
    }

    /** A thread in a watched call. */
    private final class Reader {
        final AtomicReference<ConnectWatchdog.Caller> caller = new AtomicReference<>();
        final Thread thread;

        Reader(Thread.Builder kind, LongPredicate unwanted) {
            thread = kind.start(() -> read(unwanted));
            await().until(() -> caller.get() != null);
        }

        private void read(LongPredicate unwanted) {
            ConnectWatchdog.Caller c = caller(unwanted);
            watch.enter(c);
            c.begin();
            c.end();
            LockSupport.parkNanos(1); // a virtual thread may go on elsewhere
            c.begin();
            caller.set(c);
            Descriptors.drain(fd);
            c.end();
            watch.leave(c);
        }
    }

    /** Scheduled tasks wait for the test. */
    private final class ByHand implements EventLoop {
        @Override
        public void end() {}

        @Override
        public void execute(Runnable task) {
            throw new AssertionError("nothing is that urgent");
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            assertEquals(ConnectWatchdog.TICK_NANOS, delayNanos);
            looks.add(task);
            return () -> looks.remove(task);
        }

        @Override
        public boolean inLoop() {
            return false;
        }
    }
}
