package io.sdp4j.linux;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever a task or a timer throws, those of others go on. */
@Timeout(60)
final class EventLoopTest {
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private final CountDownLatch done = new CountDownLatch(3);

    private void sink(Throwable t) {
        thrown.add(t);
        throw new IllegalStateException("the sink, too");
    }

    @Test
    void epollGoesOnAfterAnyError() throws Exception {
        goesOnAfterAnyError(new EpollLoop("test-errors", this::sink));
    }

    @Test
    void parkingGoesOnAfterAnyError() throws Exception {
        goesOnAfterAnyError(new ParkingLoop("test-errors", this::sink));
    }

    private void goesOnAfterAnyError(EventLoop loop) throws Exception {
        List<Throwable> errors =
                List.of(new InternalError("bug"), new StackOverflowError(), new Exception());
        try {
            for (Throwable t : errors) {
                loop.execute(() -> EventLoopTest.<RuntimeException>fail(t));
                loop.schedule(() -> EventLoopTest.<RuntimeException>fail(t), SOON_NANOS);
            }
            loop.execute(done::countDown);
            loop.schedule(done::countDown, SOON_NANOS);
            loop.schedule(done::countDown, 5 * SOON_NANOS);
            assertTrue(done.await(30, TimeUnit.SECONDS), "left: " + done.getCount());
            assertEquals(2 * errors.size(), thrown.size(), thrown::toString);
        } finally {
            loop.end();
        }
    }

    @Test
    void epollRunsAgainWhatHadNoMemory() throws Exception {
        runsAgainWhatHadNoMemory(new EpollLoop("test-memory", thrown::add));
    }

    @Test
    void parkingRunsAgainWhatHadNoMemory() throws Exception {
        runsAgainWhatHadNoMemory(new ParkingLoop("test-memory", thrown::add));
    }

    private void runsAgainWhatHadNoMemory(EventLoop loop) throws Exception {
        try {
            loop.execute(scarce(done::countDown, 3));
            loop.schedule(scarce(done::countDown, 3), SOON_NANOS);
            loop.schedule(() -> loop.execute(done::countDown), SOON_NANOS);
            assertTrue(done.await(30, TimeUnit.SECONDS), "left: " + done.getCount());
            runs(loop);
            assertEquals(1, thrown.size(), thrown::toString);
        } finally {
            loop.end();
        }
    }

    /** It may have acted already. */
    @Test
    void anotherTaskRunsOnce() throws Exception {
        EventLoop loop = new ParkingLoop("test-memory", thrown::add);
        AtomicInteger runs = new AtomicInteger();
        Runnable acts =
                () -> {
                    runs.incrementAndGet();
                    throw new OutOfMemoryError("test");
                };
        try {
            loop.execute(acts);
            loop.schedule(acts, 0);
            await().until(() -> runs.get() == 2);
            loop.schedule(done::countDown, 3 * LoopBase.AGAIN_NANOS);
            await().until(() -> done.getCount() == 2);
            assertEquals(2, runs.get());
            assertEquals(2, thrown.size(), thrown::toString);
        } finally {
            loop.end();
        }
    }

    @Test
    void aTaskThatNeverHasMemoryHoldsUpNoOther() throws Exception {
        EventLoop loop = new ParkingLoop("test-memory", thrown::add);
        try {
            loop.execute(scarce(done::countDown, Integer.MAX_VALUE));
            EventLoop.Timer never =
                    loop.schedule(scarce(done::countDown, Integer.MAX_VALUE), SOON_NANOS);
            for (int i = 0; i < 5; i++) {
                runs(loop);
            }
            loop.schedule(done::countDown, 2 * SOON_NANOS);
            await().until(() -> done.getCount() == 2);
            never.cancel();
            runs(loop);
        } finally {
            loop.end();
        }
    }

    /** More of them than the loop takes at once. */
    @Test
    void eventsThatHadNoMemoryAreToldAgain() throws Exception {
        int count = 150;
        EpollLoop loop = new EpollLoop("test-memory", thrown::add);
        List<Integer> open = new ArrayList<>();
        CountDownLatch told = new CountDownLatch(count + 1);
        CountDownLatch go = new CountDownLatch(1);
        try {
            loop.execute(() -> assertDoesNotThrow(() -> go.await()));
            for (int i = 0; i <= count; i++) {
                int fd = (int) Linux.call(Linux.EVENTFD2, 1, Linux.CLOEXEC, 0);
                open.add(fd);
                Runnable handler = scarce(told::countDown, i == count ? Integer.MAX_VALUE : i % 4);
                assertTrue(loop.watch(fd, _ -> handler.run()) > 0);
            }
            go.countDown();
            await().until(() -> told.getCount() == 1);
        } finally {
            go.countDown();
            loop.end();
            open.forEach(Linux::close);
        }
    }

    private static EventLoop.Repeatable scarce(Runnable task, int times) {
        AtomicInteger left = new AtomicInteger(times);
        return () -> {
            if (left.getAndDecrement() > 0) {
                throw new OutOfMemoryError("test");
            }
            task.run();
        };
    }

    /** The descriptor of the loop is exchanged for one that epoll refuses. */
    @Test
    void aLoopThatMayNotSleepSaysSoOnceAndGoesOn() throws Exception {
        Set<Integer> others = epolls();
        EpollLoop loop = new EpollLoop("test-refused", this::sink);
        try {
            runs(loop);
            Set<Integer> own = epolls();
            own.removeAll(others);
            int event = (int) Linux.call(Linux.EVENTFD2, 0, Linux.CLOEXEC, 0);
            for (int fd : own) {
                assertEquals(fd, Linux.call(Linux.DUP3, event, fd, Linux.CLOEXEC));
            }
            Linux.close(event);
            for (int i = 0; i < 5; i++) {
                runs(loop);
            }
            assertEquals(1, thrown.size(), thrown::toString);
        } finally {
            loop.end();
        }
    }

    private static void runs(EventLoop loop) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        loop.execute(ran::countDown);
        assertTrue(ran.await(30, TimeUnit.SECONDS));
    }

    private static Set<Integer> epolls() throws IOException {
        Set<Integer> all = new HashSet<>();
        for (int fd = 0; fd < 4096; fd++) {
            Path link = Path.of("/proc/self/fd/" + fd);
            if (Files.exists(link, LinkOption.NOFOLLOW_LINKS)
                    && Files.readSymbolicLink(link).toString().equals("anon_inode:[eventpoll]")) {
                all.add(fd);
            }
        }
        return all;
    }

    @Test
    void whatIsQueuedBeforeItCanStartIsDoneWhenItHas() throws Exception {
        AtomicBoolean can = new AtomicBoolean();
        EventLoop loop =
                new ParkingLoop("test-late", this::sink) {
                    @Override
                    int open() {
                        if (!can.get()) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        return 0;
                    }
                };
        try {
            loop.execute(done::countDown);
            loop.schedule(done::countDown, SOON_NANOS);
            can.set(true);
            loop.execute(done::countDown);
            assertTrue(done.await(30, TimeUnit.SECONDS), "left: " + done.getCount());
        } finally {
            loop.end();
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // any kind, unchecked
    private static <T extends Throwable> void fail(Throwable t) throws T {
        throw (T) t;
    }
}
