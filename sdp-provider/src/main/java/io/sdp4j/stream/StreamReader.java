package io.sdp4j.stream;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.wire.Bsdh;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketException;
import java.nio.ByteBuffer;

/**
 * The reading side of a stream.
 *
 * <p>The fields belong to the one thread that reads; payload is copied between two holds of the
 * stream's lock, so a writer never waits for it. A message that was read to its end is given back
 * at the next call, together with taking the next one: one hold of the lock instead of two. Until
 * then it counts as unread, which costs the peer one credit.
 */
final class StreamReader {
    private static final VarHandle LEFT;

    static {
        try {
            LEFT = MethodHandles.lookup().findVarHandle(StreamReader.class, "left", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final StreamCore core;
    private final BlockedThreads blocked;
    private final StreamErrors errors;

    /** Where the message being read came from; null = none, see {@link #trim}. */
    private SessionConnections.Connection connection;

    /** Told when the next message is taken, or null. With the lock. */
    private Runnable onUse;

    private MemorySegment memory;
    private ByteBuffer view;

    /** The message being read, -1 = none. */
    private int slot = -1;

    /** Bytes in hand: up to the end of the message, or up to an urgent byte. */
    private int left;

    /** Where these bytes end in the memory. Only {@link #left} changes as they are read. */
    private long end;

    /** The byte behind these is, or was, urgent: that is judged when the reader gets there. */
    private boolean ahead; // changed with the lock

    /** Number of that urgent byte. */
    private int urgent;

    /** Result of a read that finds nothing; set by {@link #nextMessage}. */
    private int nothing;

    StreamReader(StreamCore core, BlockedThreads blocked, StreamErrors errors) {
        this.core = core;
        this.blocked = blocked;
        this.errors = errors;
        synchronized (core) {
            readFrom(core.qps.reading);
        }
    }

    private void readFrom(SessionConnections.Connection next) {
        assert Thread.holdsLock(core);
        connection = next;
        MemorySegment its = next.qp.receiveMemory();
        if (!its.equals(memory)) {
            memory = its;
            view = its.asByteBuffer();
        }
        Runnable told = onUse;
        if (told != null) {
            onUse = null;
            told.run();
        }
    }

    int read(byte[] b, int off, int len) throws SocketException {
        int done = 0;
        boolean room = len > 0;
        while (room && ((done == 0 && left > 0) || nextMessage(done == 0))) {
            int n = Math.min(left, len - done);
            connection.qp.copyOut(end - left, b, off + done, n);
            done += n;
            room = done < len;
            if (!room) {
                taken(n);
            }
        }
        return done == 0 && len > 0 ? nothing : done;
    }

    int read(ByteBuffer dst) throws IOException {
        int done = core.lending == null ? 0 : readLent(dst);
        if (done != 0) {
            return Math.max(done, 0);
        }
        int len = dst.remaining();
        boolean room = len > 0;
        while (room && ((done == 0 && left > 0) || nextMessage(done == 0))) {
            int n = Math.min(left, len - done);
            try {
                dst.put(dst.position(), view, (int) (end - left), n);
                StreamErrors.awaitFault(dst);
            } catch (RuntimeException | InternalError e) {
                return StreamErrors.afterBadCopy(e, done, true);
            }
            dst.position(dst.position() + n);
            done += n;
            room = done < len;
            if (!room) {
                taken(n);
            }
        }
        return done == 0 && len > 0 ? nothing : done;
    }

    /** Notes that {@code n} bytes in hand were copied and taken. */
    private void taken(int n) {
        int rest = left - n;
        if (rest == 0 && !ahead) {
            connection.qp.readToEnd(slot); // before another thread can give it back
        }
        VarHandle.releaseFence(); // the copy comes first: see giveBackIfRead
        left = rest;
    }

    /**
     * Bytes that have come into a lent buffer.
     *
     * @return bytes, -1 = wait, 0 = nothing was lent, or more may have been delivered
     */
    private int readLent(ByteBuffer dst) {
        int moved;
        int wake;
        synchronized (core) {
            ZcopyRead loan = core.lending.reads();
            if (!loan.active()) {
                return 0;
            }
            core.enter();
            if (core.queue.ready()) {
                core.progress();
            }
            moved = loan.moved(dst);
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        if (moved > 0) {
            dst.position(dst.position() + moved);
        }
        return moved > 0 ? moved : moved == 0 ? -1 : 0;
    }

    /** Whether a read may lend its buffer: nothing is left of what was delivered. With the lock. */
    boolean empty() {
        assert Thread.holdsLock(core);
        giveBackIfRead();
        return left == 0 && !ahead && core.qps.isEmpty();
    }

    /**
     * Gives back the message read last and goes on to what comes next. One method, see
     * docs/decisions/0020-a-wait-is-compiled-once.md.
     *
     * <p>Bytes in hand that the call has copied count as taken only here, in one hold of the lock
     * with the next message. Otherwise another thread could find the reader standing before an
     * urgent byte that had come before the read.
     *
     * @param first whether nothing was read yet by this call, so that an end or an error must be
     *     told
     * @return whether something is left now; if not, {@link #nothing} says why
     */
    private boolean nextMessage(boolean first) throws SocketException {
        int wake;
        boolean found = false;
        SocketException failure = null;
        synchronized (core) {
            core.enter();
            int now = first ? takeNow() : -1;
            found = now > 0;
            if (!first) {
                taken(left);
            }
            while (now < 0 && !found) {
                if (ahead) {
                    if (!first && core.inbox.newest(urgent) && core.queue.known()) {
                        core.inbox.progressBehind(); // as below
                    }
                    boolean mark = core.inbox.newest(urgent);
                    if (mark && !first) {
                        break; // reads stop before an urgent byte
                    }
                    ahead = false;
                    if (!mark || core.inbox.isInline()) {
                        left = 1;
                        end++;
                        found = true;
                        break;
                    }
                }
                giveBack();
                if (core.qps.isEmpty()) {
                    // A read that has bytes already does not ask a device for more. What the queue
                    // knows of may have come before those bytes were read.
                    if (first) {
                        core.progress();
                    } else if (core.queue.known()) {
                        core.inbox.progressBehind();
                    }
                }
                long entry = core.qps.take();
                if (entry == UnreadQueue.NONE) {
                    break;
                }
                take(entry);
                found = left > 0;
            }
            if (now < 0 && !found && first) {
                nothing = errors.endOfStream() ? -1 : 0;
                failure = nothing == 0 ? errors.forReader() : null;
                core.coalescer.flushUnlessLast();
                core.onPlainRead();
            }
            wake = core.takeWakeOps();
        }
        if (wake != 0) {
            blocked.signal(wake);
        }
        if (failure != null) {
            throw failure;
        }
        return found;
    }

    /**
     * As the rest of {@link #nextMessage}, while nothing but buffered copy is under way and no
     * urgent byte has come. Takes one message and leaves later ones in the queue.
     *
     * @return its bytes; 0 = nothing has come; -1 = this way is closed
     */
    private int takeNow() {
        SessionConnections.Connection from = connection;
        if (!core.straight
                || ahead
                || from != core.qps.current
                || !from.unread.isEmpty()
                || core.inbox.urgentCome != 0
                || core.coalescer.slot >= 0) {
            return -1;
        }
        QueuePair qp = from.qp;
        int done = slot;
        if (done >= 0) {
            if (!core.bufferedCopy.consumed()) {
                return -1;
            }
            slot = -1;
            qp.postReceive(done);
        }
        Completion c = core.completion;
        if (!core.queue.poll(c)) {
            nothing = 0;
            return core.bufferedCopy.steady() ? 0 : -1;
        }
        if (c.opcode == Completion.RECEIVE && c.status == WcStatus.SUCCESS) {
            qp.readHeader(c);
            int n = core.bufferedCopy.receive(c.first, c.second, c.byteLen);
            if (n > 0) {
                core.inbox.deliveries++;
                slot = c.slot;
                left = n;
                end = qp.receiveOffset(slot) + Bsdh.BYTES + n;
                return n;
            }
        }
        core.progress(true);
        return -1;
    }

    private void take(long entry) {
        if (connection != core.qps.reading) {
            readFrom(core.qps.reading);
        }
        slot = UnreadQueue.slot(entry);
        left = UnreadQueue.lenBytes(entry);
        if (UnreadQueue.urgent(entry)) {
            urgent = core.inbox.takeUrgent();
            ahead = core.inbox.newest(urgent);
            left -= ahead ? 1 : 0;
        }
        end = connection.qp.receiveOffset(slot) + UnreadQueue.offset(entry) + left;
    }

    /**
     * Gives back a message that was read to its end, although the reader has not come back. Any
     * thread, with the lock: without the lock the reader looks only at {@code left}.
     */
    void giveBackIfRead() {
        assert Thread.holdsLock(core);
        if ((int) LEFT.getAcquire(this) == 0 && !ahead) {
            giveBack();
        }
    }

    /**
     * Leaves the current connection, so that the next message is noticed as one from a new
     * connection; later messages cost nothing more. Any thread, with the lock.
     *
     * @param toTell told, once, when a message is taken, which may have to be given back
     * @return false if a message is in hand
     */
    boolean trim(Runnable toTell) {
        assert Thread.holdsLock(core);
        if (!idle()) {
            return false;
        }
        connection = null;
        onUse = toTell;
        return true;
    }

    /** Whether no message is in hand. Any thread, with the lock. */
    boolean idle() {
        assert Thread.holdsLock(core);
        giveBackIfRead();
        return slot < 0;
    }

    /** Gives back the message in hand, read to its end or not. With the lock. */
    void giveBack() {
        assert Thread.holdsLock(core);
        if (slot >= 0) {
            int done = slot;
            slot = -1;
            left = 0;
            ahead = false;
            core.consumed(connection, done);
        }
    }

    /** Whether the last urgent byte is in the message in hand. With the lock. */
    boolean holdsMark() {
        assert Thread.holdsLock(core);
        return ahead && core.inbox.newest(urgent);
    }

    /** Whether the reader stands before the last urgent byte. With the lock. */
    boolean atMark() {
        assert Thread.holdsLock(core);
        return holdsMark() && (int) LEFT.getAcquire(this) == 0;
    }

    /** The urgent byte is passed over. With the lock. */
    void passMark() {
        assert Thread.holdsLock(core);
        ahead = false;
    }

    /** As {@link #left}, with the urgent byte behind those bytes. With the lock. */
    int unread() {
        assert Thread.holdsLock(core);
        return (int) LEFT.getAcquire(this) + (ahead ? 1 : 0);
    }

    /**
     * Bytes of the message in hand that were not read; a hint for other threads than the reader.
     */
    int left() {
        return left;
    }
}
