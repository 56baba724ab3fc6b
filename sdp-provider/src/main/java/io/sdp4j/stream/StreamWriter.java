package io.sdp4j.stream;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.wire.Action;
import io.sdp4j.wire.Bsdh;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * The writing side of a stream.
 *
 * <p>A large payload is copied into a reserved slot without the lock; a small one is copied under
 * the lock, alone or into the {@link WriteCoalescer}. The flush fields are guarded by the stream's
 * lock; a write in progress lives on its thread's stack.
 */
final class StreamWriter {
    /**
     * Payloads up to this many bytes are copied under the lock: that takes hardly longer than a
     * second hold.
     */
    private static final int SMALL_BYTES = 2048;

    /**
     * Longest time that small writes are gathered for a peer that is behind; it may read nothing at
     * all.
     */
    private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Longest time between two looks for an announcement that brings no notification. */
    private static final long MOST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(160);

    private final StreamCore core;
    private final BlockedThreads blocked;
    private final StreamReadiness readiness;
    private final StreamErrors errors;
    private final long bulkBytes;
    private final boolean writesPast;

    /** The reader's deliveries when {@link #oneWayBytes} was last 0. */
    private int answered;

    /** Payload of large messages since the peer last sent any. */
    private long oneWayBytes;

    /**
     * A slot is being filled without the lock. If a stack overflow prevents giving it back, its
     * bytes may be lost.
     */
    private boolean filling;

    private final Action header = new Action();

    private boolean flushScheduled;
    private int flushFor;
    private boolean holdScheduled;
    private int holdFor;
    private boolean lookScheduled;
    private long lookNanos;

    /**
     * @param bulkBytes payload one way after which the stream counts as bulk
     * @param writesPast whether the payload of a bulk stream goes past the cache
     */
    StreamWriter(
            StreamCore core,
            BlockedThreads blocked,
            StreamReadiness readiness,
            StreamErrors errors,
            long bulkBytes,
            boolean writesPast) {
        this.core = core;
        this.blocked = blocked;
        this.readiness = readiness;
        this.errors = errors;
        this.bulkBytes = bulkBytes;
        this.writesPast = writesPast;
    }

    /**
     * Writes from the array, or if that is null from absolute positions of the buffer.
     *
     * @param more whether another write of the same call, or {@link #endGather}, follows: a small
     *     one then need not leave yet
     * @param first whether the call has taken nothing yet, so that an error must be told
     */
    int write(byte[] b, int off, ByteBuffer src, int len, boolean more, boolean first)
            throws IOException {
        int done = 0;
        int taken = -1; // a reserved slot that is being filled without the lock
        int before = 0; // payload bytes of earlier writes in it
        int filled = 0; // payload bytes of this one
        int most = 0; // payload bytes that it may hold
        boolean bulk = false;
        while (true) {
            int wake;
            SocketException failure = null;
            Throwable badCopy = null;
            synchronized (core) {
                core.enter();
                if (taken < 0 && filling) {
                    cutIfLost();
                }
                boolean sent = false;
                if (len <= SMALL_BYTES && !more) {
                    try {
                        sent = writeNow(b, off, src, len);
                    } catch (RuntimeException | InternalError e) {
                        badCopy = e;
                    }
                }
                if (sent) {
                    done = len;
                } else if (badCopy == null) {
                    int all = before + filled;
                    boolean followed = len - done - filled > SMALL_BYTES || (bulk && all == most);
                    if (filled > 0
                            && (core.coalescer.keep(taken, all, most)
                                    || core.slots.sendPart(taken, all, followed))) {
                        done += filled;
                    }
                    if (done < len || core.coalescer.isOpen()) {
                        core.lookBeforeSending();
                    }
                    int n = 1;
                    try {
                        while (n > 0 && len - done > 0 && len - done <= SMALL_BYTES) {
                            n = writeSmall(b, off + done, src, len - done, more);
                            done += n;
                        }
                    } catch (RuntimeException | InternalError e) {
                        badCopy = e;
                    }
                    taken = -1;
                    bulk = false;
                    if (len - done > SMALL_BYTES) {
                        before = core.coalescer.goesOn() ? core.coalescer.bytes() : 0;
                        if (before > 0) {
                            most = before + core.coalescer.room();
                            taken = core.coalescer.takeOut();
                        } else {
                            core.coalescer.flush();
                            taken = core.slots.reserve();
                            most = core.slots.nextPayload();
                        }
                        bulk = countOneWay(Math.min(most - before, len - done));
                    }
                    filling = taken >= 0;
                    if (taken < 0 && done == 0 && len > 0 && first && badCopy == null) {
                        failure = errors.forWriter();
                        done = failure == null && errors.swallowWrite() ? len : 0;
                    }
                    if (!more && core.coalescer.isOpen()) {
                        flushLater();
                    }
                }
                wake = core.takeWakeOps();
            }
            if (wake != 0) {
                blocked.signal(wake);
            }
            if (failure != null) {
                throw failure;
            }
            if (badCopy != null) {
                return StreamErrors.afterBadCopy(badCopy, done, first);
            }
            if (taken < 0) {
                return done;
            }
            filled = Math.min(most - before, len - done);
            try {
                int at = Bsdh.BYTES + before;
                core.slots.fill(taken, at, b, off + done, src, filled, bulk && writesPast);
            } catch (Throwable t) {
                giveBack(taken, before, most);
                return StreamErrors.afterBadCopy(t, done, first);
            }
        }
    }

    /**
     * Sends a small write, while nothing but buffered copy is under way and the peer keeps up.
     *
     * @return false if this way is closed
     */
    private boolean writeNow(byte[] b, int off, ByteBuffer src, int len) {
        if (!core.straight
                || filling
                || core.coalescer.slot >= 0
                || len == 0
                || len > core.slots.usualPayload) {
            return false;
        }
        QueuePair qp = core.qp;
        int taken = qp.takeSlotNow();
        if (taken < 0) {
            return false;
        }
        try {
            core.slots.fill(taken, Bsdh.BYTES, b, off, src, len, false);
        } catch (Throwable t) {
            qp.returnSendSlot(taken);
            throw t;
        }
        if (!core.bufferedCopy.send(len, core.coalescer.lowWater + 1, header)) {
            qp.returnSendSlot(taken);
            return false;
        }
        qp.send(taken, header.first, header.second, Bsdh.BYTES + len);
        return true;
    }

    /** Bytes of earlier writes in a reserved slot still leave; a slot without any is free again. */
    private void giveBack(int taken, int before, int most) {
        int wake;
        synchronized (core) {
            core.enter();
            if (before == 0) {
                core.slots.unreserve(taken);
            } else if (!core.coalescer.keep(taken, before, most)) {
                core.slots.send(taken, before, false);
            }
            filling = false;
            flushLater();
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
    }

    /** Cuts the connection if an earlier write has lost its slot. No write is under way. */
    void cutIfLost() {
        assert Thread.holdsLock(core);
        if (filling) {
            filling = false;
            core.end.cut();
        }
    }

    /** See {@link io.sdp4j.offload.spi.OffloadStream#tryBegin}. */
    boolean begin(byte[] b) {
        boolean written = false;
        int wake;
        synchronized (core) {
            if (core.released()) {
                return false;
            }
            core.enter();
            core.progress();
            if (!core.coalescer.isOpen() && b.length <= core.coalescer.room()) {
                core.outgoing.unreadIsNoLoss(true);
                written = writeSmall(b, 0, null, b.length, false) > 0;
                core.coalescer.flush();
                core.outgoing.unreadIsNoLoss(false);
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        return written;
    }

    /** Ends a gathering write: bytes kept for it leave, unless the peer is behind. */
    void endGather() {
        int wake;
        synchronized (core) {
            core.enter();
            core.coalescer.flushIfPeerKeepsUp();
            flushLater();
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
    }

    /**
     * Whether the next {@code bytes} belong to a long one-way stream. In such a stream the peer
     * reads later than we write, and the fabric may favour throughput. Otherwise the peer waits for
     * the bytes, so they have to be there soon. With the lock.
     */
    private boolean countOneWay(int bytes) {
        assert Thread.holdsLock(core);
        if (answered != core.inbox.deliveries()) {
            answered = core.inbox.deliveries();
            oneWayBytes = 0;
        }
        oneWayBytes += bytes;
        return oneWayBytes > bulkBytes;
    }

    /**
     * Takes a small write, or the part of it that fits a message; 0 = not now. With the lock, after
     * a look for completions.
     */
    private int writeSmall(byte[] b, int off, ByteBuffer src, int len, boolean more) {
        assert Thread.holdsLock(core);
        if (core.coalescer.isOpen()) {
            return core.coalescer.append(b, off, src, len, more);
        }
        int taken = core.slots.reserve();
        if (taken < 0) {
            return 0;
        }
        boolean behind = core.coalescer.peerBehind();
        int most = core.slots.nextPayload(behind);
        int n = Math.min(most, len);
        boolean now = n == most || !(more || behind);
        return core.coalescer.sendOrKeep(taken, most, b, off, src, n, now) ? n : 0;
    }

    /**
     * Bytes that have gone from a lent buffer.
     *
     * @return bytes, 0 = wait; -1 = nothing was lent, or all was told
     */
    int writeLent(ByteBuffer src) {
        int moved;
        int wake;
        synchronized (core) {
            ZcopyWrite loan = core.lending.writes();
            if (!loan.active()) {
                return -1;
            }
            core.enter();
            if (core.queue.ready()) {
                core.progress();
            }
            moved = loan.moved(src);
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        return moved;
    }

    boolean writeUrgent(int value) throws SocketException {
        boolean sent;
        int wake;
        SocketException failure = null;
        synchronized (core) {
            core.enter();
            core.lookBeforeSending();
            boolean lent = core.lending != null && core.lending.writes().active();
            sent = !lent && core.coalescer.sendUrgent((byte) value); // what is lent comes before it
            if (!sent) {
                failure = errors.forWriter();
                sent = failure == null && errors.swallowWrite();
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        if (failure != null) {
            throw failure;
        }
        return sent;
    }

    /**
     * Makes sure that an open batch leaves even if the application never comes back. A selector
     * that waits to read is told of credits, which let the batch leave sooner. With the lock.
     */
    private void flushLater() {
        assert Thread.holdsLock(core);
        if (core.coalescer.isOpen() && !core.queue.hearQuiet()) {
            core.progress();
        }
        if (core.coalescer.isOpen() && !core.coalescer.waits() && !flushScheduled) {
            flushScheduled = true;
            flushFor = core.coalescer.opened();
            later(this::onFlushTime, StreamCore.FLUSH_NANOS);
        }
    }

    /**
     * Arranges a look for the peer's announcement that a batch waits for: by a notification, or
     * from time to time where a selector has the notification and need not be woken. With the lock.
     */
    private void lookLater(long nanos) {
        assert Thread.holdsLock(core);
        if (core.coalescer.waits() && !readiness.attend() && !lookScheduled) {
            lookScheduled = true;
            lookNanos = nanos;
            later(this::onLookTime, nanos);
        }
    }

    /** Runs {@code task} after a while on the event thread, with the lock. */
    private void later(Runnable task, long nanos) {
        core.later(() -> readiness.change(task), nanos);
    }

    private void onLookTime() {
        assert Thread.holdsLock(core);
        lookScheduled = false;
        core.progress();
        lookLater(Math.min(2 * lookNanos, MOST_LOOK_NANOS));
    }

    /** Sends a batch that has been open since the last time. */
    private void onFlushTime() {
        assert Thread.holdsLock(core);
        flushScheduled = false;
        if (core.coalescer.opened() == flushFor) {
            core.coalescer.flushUnlessBehind();
            holdOn();
        }
        lookLater(StreamCore.FLUSH_NANOS);
        flushLater();
    }

    /** Limits the time that a batch waits for a peer that is behind. With the lock. */
    private void holdOn() {
        assert Thread.holdsLock(core);
        if (core.coalescer.waits() && !holdScheduled) {
            holdScheduled = true;
            holdFor = core.coalescer.opened();
            later(this::onHoldTime, HOLD_NANOS);
        }
    }

    /**
     * Sends the batch that has waited, unless it is the last message that the peer's credits allow.
     */
    private void onHoldTime() {
        assert Thread.holdsLock(core);
        holdScheduled = false;
        if (core.coalescer.opened() == holdFor) {
            core.coalescer.flushUnlessLast();
        } else {
            holdOn();
        }
    }
}
