package io.sdp4j.stream;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads that wait for one stream: at most one reader and one writer.
 *
 * <p>One platform thread, the <em>sleeper</em>, waits in the completion queue itself, so that what
 * arrives wakes it without a hop. A second platform thread, and every virtual thread, parks; the
 * thread that drains the queue wakes it. A caller that does not wait at all leaves a task, which
 * runs on the event thread. A sleeper that leaves wakes the other thread, which then becomes the
 * sleeper. A virtual thread that reads parks in the JDK's poller if there is a notify descriptor,
 * so that the event thread need not run for it.
 *
 * <p>Against lost wake-ups: a waiter first takes its role and enters its slot, then looks at the
 * stream once more; a thread that drains changes the stream first and looks at the slots
 * afterwards. All these fields are volatile. A thread becomes the sleeper before it looks which
 * queue to sleep in. So a thread that sees no sleeper after {@link #moveTo}, or a sleeper in the
 * new queue, knows that no thread is in the old queue.
 */
final class BlockedThreads {
    private static final VarHandle SLEEPER;
    private static final VarHandle READ_TASK;
    private static final VarHandle WRITE_TASK;

    static {
        try {
            MethodHandles.Lookup own = MethodHandles.lookup();
            SLEEPER = own.findVarHandle(BlockedThreads.class, "sleeper", Thread.class);
            READ_TASK = own.findVarHandle(BlockedThreads.class, "readTask", Runnable.class);
            WRITE_TASK = own.findVarHandle(BlockedThreads.class, "writeTask", Runnable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Wait of a virtual thread if the JDK's poller fails because it is short of something. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The stream as its waiters see it. */
    interface Stream {
        /** Makes progress and tells which of {@code ops} are ready. */
        int ready(int ops);

        /**
         * As {@link #ready}, for a thread that is about to wait in the queue: the queue itself
         * looks for completions.
         */
        int known(int ops);

        /**
         * Asks for a notification, making progress until that is granted or an operation of {@code
         * ops} is ready.
         */
        boolean armUnlessReady(int ops);

        /**
         * As {@link OffloadStream#requestNotify}; the thread has to call {@link #leaveDescriptor}
         * after its wait.
         */
        int requestNotify(int ops);

        /** The descriptor of {@link #requestNotify}, open as long as the stream; -1 = none now. */
        int notifyFd();

        /**
         * The caller does not wait any more. It may have taken the notification on which others
         * rely, so asks for one if there are others.
         */
        void leaveDescriptor();
    }

    private volatile CompletionQueue queue;
    private final Stream stream;
    private final EventLoop loop;
    private volatile Thread reader;
    private volatile Thread writer;
    private volatile Thread sleeper;

    /** The sleeper's queue; set before the sleeper looks whether that queue is still in use. */
    private volatile CompletionQueue sleepsIn;

    /**
     * Operations whose next wait returns at once: a wake that came before its waiter must not be
     * lost.
     */
    private volatile boolean readWoken;

    private volatile boolean writeWoken;

    /** Told when the sleeper has left; null = none. */
    private volatile Runnable onLeft;

    /** Tasks to run on the event thread instead of waking a thread; null = none. */
    @SuppressWarnings("unused") // by READ_TASK and WRITE_TASK
    private volatile Runnable readTask;

    @SuppressWarnings("unused")
    private volatile Runnable writeTask;

    BlockedThreads(CompletionQueue queue, Stream stream, EventLoop loop) {
        this.queue = queue;
        this.stream = stream;
        this.loop = loop;
    }

    /**
     * From here on threads wait in {@code next}; the caller wakes a thread that is still in the old
     * queue.
     */
    void moveTo(CompletionQueue next) {
        queue = next;
    }

    /** Whether a thread may be in a queue that was left before. */
    boolean sleepsElsewhere() {
        return sleeper != null && sleepsIn != queue;
    }

    /**
     * Whether a thread sleeps in the queue.
     *
     * @param toTell runs once when that thread has left; not at all if there is none
     */
    boolean sleeps(Runnable toTell) {
        onLeft = toTell; // before looking: the sleeper leaves before it reads onLeft
        if (sleeper != null) {
            return true;
        }
        onLeft = null;
        return false;
    }

    /** See {@link OffloadStream#await}. */
    void await(int ops, long nanos) {
        Thread me = Thread.currentThread();
        if (me.isVirtual()) {
            parkVirtual(me, ops, nanos);
        } else if (SLEEPER.compareAndSet(this, null, me)) {
            sleep(me, ops, nanos);
        } else {
            parkPlatform(me, ops, nanos);
        }
    }

    /** See {@link OffloadStream#arm}. */
    boolean arm(int ops, Runnable task) {
        // Entered before looking, as a thread enters its slot.
        setTask(ops, OffloadStream.READ, READ_TASK, task);
        setTask(ops, OffloadStream.WRITE, WRITE_TASK, task);
        boolean woken = (ops & OffloadStream.READ) != 0 && takeWoken(OffloadStream.READ);
        woken |= (ops & OffloadStream.WRITE) != 0 && takeWoken(OffloadStream.WRITE);
        if (!woken && stream.armUnlessReady(ops)) {
            return true;
        }
        boolean back = takeBack(ops, OffloadStream.READ, READ_TASK, task);
        back &= takeBack(ops, OffloadStream.WRITE, WRITE_TASK, task);
        stream.leaveDescriptor();
        return !back; // not taken back: the task runs, or has run
    }

    private void setTask(int ops, int op, VarHandle slot, Runnable task) {
        if ((ops & op) != 0) {
            slot.setVolatile(this, task);
        }
    }

    private boolean takeBack(int ops, int op, VarHandle slot, Runnable task) {
        return (ops & op) == 0 || slot.compareAndSet(this, task, null);
    }

    private void sleep(Thread me, int ops, long nanos) {
        enter(ops, me);
        try {
            if (!takeWoken(ops) && stream.known(ops) == 0) {
                CompletionQueue here = queue;
                sleepsIn = here;
                if (here == queue) {
                    here.await(nanos);
                }
            }
        } finally {
            leave(ops);
            sleepsIn = null;
            sleeper = null;
            // No thread would wake the one that is parked: let it become the sleeper.
            Thread other = ops == OffloadStream.READ ? writer : reader;
            if (other != null) {
                LockSupport.unpark(other);
            }
            tellLeft();
        }
    }

    private void tellLeft() {
        Runnable told = onLeft;
        if (told != null) {
            onLeft = null;
            told.run();
        }
    }

    private void parkPlatform(Thread me, int ops, long nanos) {
        // A set interrupt flag would make park return at once, for ever: take it away while parked.
        boolean interrupted = Thread.interrupted();
        enter(ops, me);
        try {
            if (!takeWoken(ops) && stream.ready(ops) == 0 && sleeper != null) {
                park(nanos);
            }
        } finally {
            leave(ops);
            if (interrupted) {
                me.interrupt();
            }
        }
    }

    private void parkVirtual(Thread me, int ops, long nanos) {
        enter(ops, me);
        boolean armed = false;
        try {
            if (takeWoken(ops) || me.isInterrupted()) {
                return;
            }
            boolean asked = ops == OffloadStream.READ && parkAtDescriptor(nanos);
            armed = !asked && stream.armUnlessReady(ops);
            if (armed) {
                park(nanos);
            }
        } finally {
            leave(ops);
            if (!armed) {
                stream.leaveDescriptor();
            }
        }
    }

    /**
     * Waits to read in the JDK's poller, as the JDK's sockets do, unless something is ready or the
     * poller fails. Returns false if there is no descriptor to wait for.
     */
    private boolean parkAtDescriptor(long nanos) {
        try {
            int ready = stream.requestNotify(OffloadStream.READ);
            int fd = ready == 0 ? stream.notifyFd() : -1;
            if (fd >= 0) { // else the session has moved
                JdkBridge.parkVirtual(fd, nanos);
            }
            return ready >= 0;
        } catch (IOException e) {
            LockSupport.parkNanos(this, RETRY_NANOS);
            return true;
        }
    }

    private void park(long nanos) {
        if (nanos == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, nanos);
        }
    }

    private void enter(int ops, Thread me) {
        if (ops == OffloadStream.READ) {
            reader = me;
        } else {
            writer = me;
        }
    }

    private void leave(int ops) {
        enter(ops, null);
    }

    /**
     * Wakes threads that wait for an operation of {@code ops}, and has tasks run on the event
     * thread. Called after the change, without the stream's lock. The caller may hold other locks,
     * for which a task may wait, so no task runs here.
     */
    void signal(int ops) {
        signal(ops, false);
    }

    /**
     * As {@link #signal}, for an event: the event thread, which holds no lock, runs tasks itself.
     */
    void signalHere(int ops) {
        signal(ops, loop.inLoop());
    }

    private void signal(int ops, boolean here) {
        if ((ops & OffloadStream.READ) != 0) {
            free(reader);
            if (readTask != null) {
                runTask(READ_TASK, here);
            }
        }
        if ((ops & OffloadStream.WRITE) != 0) {
            free(writer);
            if (writeTask != null) {
                runTask(WRITE_TASK, here);
            }
        }
    }

    private void runTask(VarHandle slot, boolean here) {
        Runnable task = (Runnable) slot.getAndSet(this, null);
        if (task == null) {
            return;
        }
        try {
            if (here) {
                task.run();
            } else {
                loop.execute((EventLoop.Repeatable) task::run); // it may come for no reason
            }
        } catch (OutOfMemoryError e) {
            slot.compareAndSet(this, null, task); // the next signal finds it
            throw e;
        }
    }

    private void free(Thread waiter) {
        if (waiter == null || waiter == Thread.currentThread()) {
            return;
        }
        if (waiter == sleeper) {
            queue.wake();
        } else {
            LockSupport.unpark(waiter);
        }
    }

    private boolean takeWoken(int ops) {
        if (ops == OffloadStream.READ) {
            boolean woken = readWoken;
            readWoken = false;
            return woken;
        }
        boolean woken = writeWoken;
        writeWoken = false;
        return woken;
    }

    /** Makes every wait under way, and the next one for each operation, return. */
    void wakeAll() {
        readWoken = true;
        writeWoken = true;
        signal(OffloadStream.READ | OffloadStream.WRITE);
    }

    /** Whether a virtual thread is parked, or a task waits, and relies on a notification. */
    boolean relyOnNotification() {
        if (readTask != null || writeTask != null) {
            return true;
        }
        Thread r = reader;
        Thread w = writer;
        return (r != null && r.isVirtual()) || (w != null && w.isVirtual());
    }
}
