package io.sdp4j.offload.aio;

import io.sdp4j.offload.jdk.GroupPort;
import io.sdp4j.offload.jdk.KernelAsync;
import io.sdp4j.offload.spi.OffloadStream;

/**
 * Tells the waiting operations of one stream when they can go on.
 *
 * <p>Operations with handlers are told by the stream's notify descriptor, which the group's own
 * threads watch: the thread that wakes also calls the handler, as with the JDK's own channels. A
 * call of the provider takes the descriptor's place if there is none, while it cannot be used, and
 * while an operation with a future waits. So a future does not depend on the threads of the
 * application's group.
 *
 * <p>{@code this} guards the fields, and is held while the stream is asked. Calls that the provider
 * makes on the same thread meanwhile are put off until the stream has answered.
 */
final class Readiness implements KernelAsync.Watcher {
    private final AsyncStream owner;
    private final Runnable readCall = this::readCalled;
    private final Runnable writeCall = this::writeCalled;

    private GroupPort watch; // null if there is none, or not yet
    private boolean watchTried;
    private boolean polling; // a thread of the group is to watch the descriptor
    private int waiting; // operations that want to be told; may be over by now
    private int futures; // those of them that have futures, so must not rely on the group
    private int rung; // those of them that rely on the notify descriptor
    private int early; // operations that the provider called for while the stream was asked

    Readiness(AsyncStream owner) {
        this.owner = owner;
    }

    /**
     * Asks for one call of {@link Direction#onReady} or {@link Direction#onCall} when {@code
     * direction} may go on. Called in the gate.
     *
     * @param operation the operation's number in the direction
     * @param future whether the operation has a future
     * @return false, and no call comes, if the operation may go on now
     */
    boolean await(Direction direction, int operation, boolean future) {
        int op = direction.op;
        int ready;
        synchronized (this) {
            if (!direction.waits(operation)) {
                return true; // another thread has ended it, and the next one may wait
            }
            waiting |= op;
            futures = future ? futures | op : futures & ~op;
            ready = ask(op);
        }
        tell(ready & ~op, false);
        return (ready & op) == 0;
    }

    /**
     * Asks the stream on behalf of all waiting operations. Returns those that can go on now and do
     * not wait any more.
     */
    private int ask(int fresh) {
        int ready = 0;
        boolean asked = false;
        while (waiting != 0 && !asked) {
            int now = futures == 0 && watched() ? owner.stream.requestNotify(waiting) : -1;
            asked = now <= 0;
            if (now == 0) {
                rung = waiting;
                if (!polling) {
                    polling = true;
                    watch.poll();
                }
            } else if (now < 0) {
                now = askForCalls((fresh | rung) & waiting);
            }
            now = (now & ~OffloadStream.RUNG) | early;
            early = 0;
            ready |= now;
            waiting &= ~now;
            futures &= ~now;
        }
        return ready;
    }

    private int askForCalls(int ops) {
        rung = 0;
        int read = ops & OffloadStream.READ;
        int write = ops & OffloadStream.WRITE;
        return (read == 0 || owner.stream.arm(read, readCall) ? 0 : read)
                | (write == 0 || owner.stream.arm(write, writeCall) ? 0 : write);
    }

    private boolean watched() {
        if (!watchTried) {
            watchTried = true;
            int notifyFd = owner.stream.notifyFd();
            watch = notifyFd < 0 ? null : owner.group.watch(notifyFd, this);
        }
        return watch != null;
    }

    private void readCalled() {
        called(OffloadStream.READ);
    }

    private void writeCalled() {
        called(OffloadStream.WRITE);
    }

    /** Called by the provider. */
    private void called(int op) {
        if (Thread.holdsLock(this)) {
            early |= op;
            return;
        }
        synchronized (this) {
            waiting &= ~op;
            futures &= ~op;
        }
        (op == OffloadStream.READ ? owner.reads : owner.writes).onCall();
    }

    /** Called by the group when the notify descriptor is readable. */
    @Override
    public void readable(boolean direct) {
        if (!owner.gate.enter()) {
            return; // the closer ends waiting operations
        }
        int ready;
        try {
            synchronized (this) {
                polling = false;
                ready = rung;
                if (ready == (OffloadStream.READ | OffloadStream.WRITE)) {
                    ready = ask(0); // perhaps only one of them is ready
                } else {
                    waiting &= ~ready;
                    rung = 0;
                }
            }
        } finally {
            owner.gate.leave();
        }
        tell(ready, direct);
    }

    /**
     * Tells operations to go on. If both are ready, only the read goes on on this thread, as in the
     * JDK.
     */
    private void tell(int ops, boolean direct) {
        if ((ops & OffloadStream.WRITE) != 0) {
            owner.writes.onReady(direct && (ops & OffloadStream.READ) == 0);
        }
        if ((ops & OffloadStream.READ) != 0) {
            owner.reads.onReady(direct);
        }
    }

    /** Forgets the operation of a direction, which was given up. */
    synchronized void forget(Direction direction) {
        waiting &= ~direction.op;
        futures &= ~direction.op;
    }

    /** Makes both directions try again, as a shutdown may have ended the request. */
    void again() {
        tell(OffloadStream.READ | OffloadStream.WRITE, false);
    }

    @Override
    public void closeChannel() {
        AsyncAcceptor.closeQuietly(owner.channel);
    }

    /** Ends the watch. Called when the gate is empty and the stream is about to be closed. */
    void end() {
        GroupPort w;
        synchronized (this) {
            w = watch;
        }
        if (w != null) {
            w.end();
        }
    }
}
