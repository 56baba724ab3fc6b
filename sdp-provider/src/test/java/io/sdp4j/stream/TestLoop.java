package io.sdp4j.stream;

import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.EventLoops;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The event loop of a {@link TestFabric}. Loops have no end, so one that was given back is the next
 * fabric's: there are as many threads as fabrics were ever open at once. Of one thread at a time.
 */
final class TestLoop {
    private static final Queue<TestLoop> NATIVE = new ConcurrentLinkedQueue<>();
    private static final Queue<TestLoop> PORTABLE = new ConcurrentLinkedQueue<>();

    private final Queue<TestLoop> home;
    private final AtomicReference<Throwable> caught = new AtomicReference<>();
    private final EventLoop loop;

    private TestLoop(boolean allowNative, Queue<TestLoop> home) {
        this.home = home;
        loop = EventLoops.start("test-loop", allowNative, t -> caught.compareAndSet(null, t));
    }

    static TestLoop take(boolean allowNative) {
        Queue<TestLoop> free = allowNative ? NATIVE : PORTABLE;
        TestLoop one = free.poll();
        return one != null ? one : new TestLoop(allowNative, free);
    }

    EventLoop loop() {
        return loop;
    }

    /** Once. The first exception of tasks and handlers since the loop was taken, or null. */
    Throwable giveBack() {
        Throwable first = caught.getAndSet(null);
        home.add(this);
        return first;
    }
}
