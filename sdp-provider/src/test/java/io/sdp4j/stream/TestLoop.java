package io.sdp4j.stream;

import io.sdp4j.linux.EventLoop;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The event loop of a {@link TestFabric}. Loops have no end, so one that was given back is the next
 * fabric's: there are as many threads as fabrics were ever open at once. Of one thread at a time.
 */
final class TestLoop {
    private static final Queue<TestLoop> FREE = new ConcurrentLinkedQueue<>();

    private final AtomicReference<Throwable> caught = new AtomicReference<>();
    private final EventLoop loop = EventLoop.start("test-loop", t -> caught.compareAndSet(null, t));

    private TestLoop() {}

    static TestLoop take() {
        TestLoop one = FREE.poll();
        return one != null ? one : new TestLoop();
    }

    EventLoop loop() {
        return loop;
    }

    /** Once. The first exception of tasks and handlers since the loop was taken, or null. */
    Throwable giveBack() {
        Throwable first = caught.getAndSet(null);
        FREE.add(this);
        return first;
    }
}
