package io.sdp4j.linux;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Tasks and timers of an event loop, and its thread. Subclasses decide how the thread sleeps.
 *
 * <p>Shape: {@code tasks} and {@code timers} are guarded by {@code lock}. The thread starts with
 * the first task, timer or watch, lasts until {@link #end}, and does not keep the JVM alive. If it
 * cannot be started, the next task, timer or watch tries again, and the queue waits until then.
 *
 * <p>An event or {@link Repeatable} that runs out of memory is not lost: it runs again after {@link
 * #AGAIN_NANOS}, behind the others, until it succeeds, is cancelled or its watch ends. Other tasks
 * run only once, because they may have acted already.
 */
abstract class LoopBase implements EventLoop {
    static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_END_MS = 100;

    private final String name;
    private final Consumer<Throwable> sink;
    private final Object lock = new Object();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Entry> timers = new PriorityQueue<>();
    private long timerNumber;

    /**
     * When the sleep under way ends by itself: never after the first timer is due, but perhaps
     * before, because most timers are cancelled long before they are due. Valid only while {@code
     * sleepEnds}.
     */
    private long sleepEndsNanos;

    private boolean sleepEnds;
    private volatile boolean started;
    private volatile Thread thread;
    private volatile boolean over;

    /**
     * True while the thread sleeps or is about to; code that queues something must then wake it.
     */
    private final AtomicBoolean asleep = new AtomicBoolean();

    /** See {@link #expect}; 0 = nothing is expected. Loop's thread only. */
    private long expectNanos;

    /**
     * The clock as it was just read, valid only while {@code nowKnown}. Reading the clock costs a
     * system call on some machines.
     */
    private long nowNanos;

    private boolean nowKnown;

    private long expectSince;

    /** A lack of memory was reported once. Loop's thread only. */
    private boolean scarce;

    LoopBase(String name, Consumer<Throwable> sink) {
        this.name = name;
        this.sink = sink;
    }

    private final class Entry implements Timer, Comparable<Entry> {
        long dueNanos; // guarded by lock
        final long number;
        final Runnable task;

        Entry(long dueNanos, long number, Runnable task) {
            this.dueNanos = dueNanos;
            this.number = number;
            this.task = task;
        }

        @Override
        public void cancel() {
            synchronized (lock) {
                timers.remove(this);
            }
        }

        @Override
        public int compareTo(Entry o) {
            long d = dueNanos - o.dueNanos;
            return d != 0 ? Long.signum(d) : Long.compare(number, o.number);
        }
    }

    @Override
    public void execute(Runnable task) {
        synchronized (lock) {
            try {
                tasks.add(task);
            } catch (OutOfMemoryError e) {
                if (tasks.peekLast() == task) {
                    tasks.pollLast(); // a queue that was full and could not grow looks empty
                }
                throw e;
            }
        }
        nudge();
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        Entry entry;
        synchronized (lock) {
            long due = System.nanoTime() + Math.clamp(delayNanos, 0, Long.MAX_VALUE / 4);
            entry = new Entry(due, timerNumber++, task);
            timers.add(entry);
            if (sleepEnds && due - sleepEndsNanos >= 0) {
                start();
                return entry; // the sleep ends in time by itself
            }
        }
        nudge();
        return entry;
    }

    @Override
    public boolean inLoop() {
        return Thread.currentThread() == thread;
    }

    @Override
    public void end() {
        over = true;
        Thread running = thread;
        if (running == null || inLoop()) {
            return;
        }
        wakeUp();
        try {
            running.join(LONGEST_END_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void nudge() {
        start();
        if (!inLoop() && asleep.getAndSet(false)) {
            wakeUp();
        }
    }

    /** Starts the thread unless it runs; 0 or -errno. */
    final int start() {
        if (started) {
            return 0;
        }
        synchronized (lock) {
            try {
                int r = started ? 0 : open();
                if (!started && r == 0) {
                    Thread t = DaemonThread.of(name, this::run);
                    thread = t;
                    t.start();
                    started = true;
                }
                return r;
            } catch (OutOfMemoryError e) { // also thrown if no more threads are allowed
                thread = null;
                return -Linux.EAGAIN;
            }
        }
    }

    /** Opens the descriptors of the loop; 0 or -errno. */
    int open() {
        return 0;
    }

    private void run() {
        while (!over) {
            try {
                asleep.set(true);
                long nanos = sleepNanos();
                if (nanos == 0) {
                    asleep.set(false);
                }
                sleepAndDispatch(nanos);
                asleep.set(false);
                runDue();
            } catch (Throwable t) {
                report(t);
            }
        }
    }

    /** Returns how long to sleep: 0 = there is work, {@link Long#MAX_VALUE} = no end. */
    private long sleepNanos() {
        boolean known = nowKnown;
        nowKnown = false;
        synchronized (lock) {
            if (!tasks.isEmpty()) {
                return 0;
            }
            Entry first = timers.peek();
            if (expecting()) {
                return 0;
            }
            sleepEnds = first != null;
            if (first == null) {
                return Long.MAX_VALUE;
            }
            if (!known) {
                nowNanos = System.nanoTime();
            }
            sleepEndsNanos = first.dueNanos;
            return Math.max(0, first.dueNanos - nowNanos);
        }
    }

    private void runDue() {
        boolean failed = false; // a task failed: go on to timers and events
        for (int n = 0; n < 64; n++) {
            Runnable next;
            Entry timer = null;
            synchronized (lock) {
                next = failed ? null : tasks.peek();
                if (next == null) {
                    Entry first = timers.peek();
                    if (first == null) {
                        return;
                    }
                    nowNanos = System.nanoTime();
                    nowKnown = first.dueNanos - nowNanos > 0;
                    if (nowKnown) {
                        return;
                    }
                    timer = first;
                    next = first.task;
                }
                if (!(next instanceof Repeatable)) {
                    remove(timer);
                }
            }
            boolean done = guard(next);
            if (next instanceof Repeatable) {
                finish(next, timer, done);
            }
            if (!done && timer == null) {
                failed = true;
                LockSupport.parkNanos(AGAIN_NANOS);
            }
        }
    }

    /** Removes {@code timer}, or the first task if it is null; false if it was cancelled. */
    private boolean remove(Entry timer) {
        assert Thread.holdsLock(lock);
        return timer == null ? tasks.poll() != null : timers.remove(timer);
    }

    /**
     * Removes a repeatable task, or puts it at the end if it is not done. The task has kept its
     * place until now, so adding it needs no memory.
     */
    private void finish(Runnable task, Entry timer, boolean done) {
        synchronized (lock) {
            if (!remove(timer) || done) {
                return;
            }
            if (timer == null) {
                tasks.add(task);
            } else {
                timer.dueNanos = System.nanoTime() + AGAIN_NANOS;
                timers.add(timer);
            }
        }
    }

    /**
     * Lets the loop poll without sleeping for {@code nanos}, because something is about to come; 0
     * = no more. Loop's thread only.
     */
    public final void expect(long nanos) {
        assert inLoop();
        expectNanos = nanos;
        expectSince = nanos == 0 ? 0 : System.nanoTime();
    }

    private boolean expecting() {
        if (expectNanos == 0) {
            return false;
        }
        if (System.nanoTime() - expectSince < expectNanos) {
            return true;
        }
        expectNanos = 0;
        return false;
    }

    /** Runs {@code task}; false if it must run again. */
    private boolean guard(Runnable task) {
        try {
            task.run();
        } catch (Throwable t) {
            if (task instanceof Repeatable) {
                return !again(t);
            }
            report(t);
        }
        return true;
    }

    /** Reports what a repeatable task or handler has thrown. Returns whether to run it again. */
    final boolean again(Throwable t) {
        boolean again = t instanceof OutOfMemoryError;
        if (!again || !scarce) {
            report(t);
        }
        scarce |= again;
        return again;
    }

    private void report(Throwable t) {
        try {
            sink.accept(t);
        } catch (Throwable ignored) {
            // a sink that throws has no caller to tell
        }
    }

    /**
     * Sleeps for at most {@code nanos} (0 = only looks, {@link Long#MAX_VALUE} = no end) and calls
     * the handlers of the events.
     */
    abstract void sleepAndDispatch(long nanos);

    /** Ends the sleep under way, or the next one. */
    abstract void wakeUp();
}
