package io.sdp4j.stream;

import io.sdp4j.linux.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** An event loop whose timers stand still until a test lets them run. Thread-safe. */
final class HeldTimers implements EventLoop {
    private final EventLoop loop;
    private final List<Held> pending = new ArrayList<>();
    private long longestNanos;

    private final class Held implements Timer {
        final Runnable task;

        Held(Runnable task) {
            this.task = task;
        }

        @Override
        public void cancel() {
            synchronized (pending) {
                pending.remove(this);
            }
        }
    }

    HeldTimers(EventLoop loop) {
        this.loop = loop;
    }

    int pending() {
        synchronized (pending) {
            return pending.size();
        }
    }

    /** Of all times that were asked for. */
    long longestNanos() {
        synchronized (pending) {
            return longestNanos;
        }
    }

    /** Lets all that are pending run, and waits for them. */
    void run() throws Exception {
        List<Held> due;
        synchronized (pending) {
            due = List.copyOf(pending);
            pending.clear();
        }
        CompletableFuture<Void> done =
                CompletableFuture.runAsync(() -> due.forEach(h -> h.task.run()), loop::execute);
        done.get(30, TimeUnit.SECONDS);
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        Held held = new Held(task);
        synchronized (pending) {
            pending.add(held);
            longestNanos = Math.max(longestNanos, delayNanos);
        }
        return held;
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    @Override
    public boolean inLoop() {
        return loop.inLoop();
    }

    @Override
    public void end() {
        throw new AssertionError("a test's loop has no end");
    }
}
