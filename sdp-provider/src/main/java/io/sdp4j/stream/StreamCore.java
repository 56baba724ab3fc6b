package io.sdp4j.stream;

import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.trace.ConnectionTrace;
import io.sdp4j.wire.Action;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.BufferedCopy;
import io.sdp4j.wire.Mid;
import io.sdp4j.wire.SdpMachine;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of a stream that its lock guards: feeds completions to the machine and carries out what
 * the machine wants.
 *
 * <p>The lock is this object's monitor; callers of all methods but {@code later} hold it. The
 * machine, polling and posting run under it. Payload copies of more than 2 KiB (except those of
 * owed bytes, see {@link ZcopyWrite}), sleeping and user code never do. Wakes are collected and
 * carried out by the caller after it has left the monitor.
 */
final class StreamCore {
    private static final Logger LOG = LoggerFactory.getLogger(StreamCore.class);

    private static final int MAX_COMPLETIONS = 256;

    /** Nagle flush fallback (docs/protocol.md 18). */
    static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    // State of one connection; a session that is resumed has another one.
    SdpMachine machine;
    QueuePair qp;

    /** Null where nothing is traced. */
    ConnectionTrace trace;

    CompletionQueue queue;
    SendSlots slots;
    WriteCoalescer coalescer;
    Outgoing outgoing;
    private MemorySegment receiveMemory;

    /** The machine's short way. */
    BufferedCopy bufferedCopy;

    /** Nothing but the machine keeps a message from {@link #bufferedCopy}. */
    boolean straight;

    final StreamLife life;
    final SessionConnections qps;
    final Inbox inbox;
    final SuspendedSession suspension;
    final KeepAlive keepAlive;
    final StreamEnd end;

    /** Null where payload is always copied. */
    final ZcopyTransfers lending;

    /** For logs; an object, because its text is made only for a line that is logged. */
    final Object name;

    private final EventLoop loop;
    private final ActionList actions = new ActionList();
    final Completion completion = new Completion();
    private final MemorySegment extended = extended();
    private final StreamTimers timers;
    private int wakeOps;

    /** A hold of the lock that may change the stream has begun and not ended. */
    private boolean changing;

    private long messagesSeen; // by the last look whether the stream is quiet

    private boolean endTold;
    private boolean released;

    /**
     * @param name its text names the connection
     * @param fabric what the fabric can do; the machine was told the same
     * @param life the whole, told of what happens as soon as this is made
     */
    StreamCore(
            Established open,
            Object name,
            StreamSettings settings,
            Capabilities fabric,
            EventLoop loop,
            StreamLife life) {
        this.name = name;
        this.loop = loop;
        this.life = life;
        this.timers = new StreamTimers(this, settings, loop);
        this.qps = new SessionConnections(this, open.qp(), settings.buffers());
        this.inbox = new Inbox(this, qps, actions);
        this.end = new StreamEnd(this, actions);
        this.suspension = new SuspendedSession(this, actions);
        boolean lends = settings.zcopy().usable(fabric);
        this.lending = lends ? new ZcopyTransfers(this, settings.zcopy(), actions) : null;
        this.keepAlive = new KeepAlive(this, loop, settings.keepAliveNanos(), actions);
        synchronized (this) {
            adopt(open);
        }
    }

    /**
     * Copies once, so that what the JDK needs for it is initialised when a connection is set up: a
     * virtual thread that waits for that later is pinned.
     */
    private static MemorySegment extended() {
        MemorySegment made = MemorySegment.ofArray(new byte[Bsdh.MAX_HEADER_BYTES - Bsdh.BYTES]);
        MemorySegment.copy(made, 0, made, 0, 1);
        return made;
    }

    private void adopt(Established open) {
        machine = open.machine();
        qp = open.qp();
        trace = open.trace();
        queue = qp.completions();
        receiveMemory = qp.receiveMemory();
        bufferedCopy = machine.bufferedCopy();
        straight = trace == null && lending == null && !qp.peerSleepsThroughMore();
        outgoing = new Outgoing(this, open, actions);
        machine.onEstablished(actions);
        carryOut();
        slots = new SendSlots(this, open, actions);
        coalescer = new WriteCoalescer(this, slots, machine.credit(), qp.peerIsOurs());
    }

    /** The session goes on over another connection. */
    void resume(Established open) {
        assert Thread.holdsLock(this);
        qps.add(open.qp(), machine);
        adopt(open);
        suspension.end(machine, inbox.isShut());
        carryOut();
        wakeOps |= OffloadStream.READ | OffloadStream.WRITE;
    }

    /**
     * Polls the completion queue and handles what has completed; bounded, so that a peer cannot
     * keep a thread in it.
     *
     * <p>Long on purpose: a method of more than 325 bytes is compiled once, and not into each of
     * its callers again, which would keep the compilers busy for seconds.
     */
    void progress() {
        progress(false);
    }

    /**
     * As {@link #progress()}.
     *
     * @param polled whether {@link #completion} was filled, and the header of a message read
     */
    void progress(boolean polled) {
        assert Thread.holdsLock(this);
        Completion c = completion;
        boolean first = polled;
        for (int n = 0; n < MAX_COMPLETIONS && (first || queue.poll(c)); n++) {
            if (trace != null) {
                trace.completed(qp, c);
            }
            switch (c.opcode) {
                case Completion.RECEIVE -> {
                    if (c.status == WcStatus.SUCCESS) {
                        // The peer may still write this memory: the machine judges a copy.
                        if (!first) {
                            qp.readHeader(c);
                        }
                        if (Bsdh.mid(c.first) != Mid.DATA) {
                            copyExtended(c.slot, c.byteLen);
                        }
                        machine.onReceived(c.slot, c.first, c.second, extended, c.byteLen, actions);
                    } else {
                        end.onQpError(c);
                    }
                }
                case Completion.SEND -> outgoing.onCompleted(c);
                case Completion.DISCONNECTED -> end.onDisconnected(c);
                case Completion.ERROR -> {
                    LOG.debug("{}: queue pair failed: {}", name, c.status);
                    end.onQpError(c);
                }
                case Completion.READ, Completion.WRITE -> onRdma();
                default -> throw new AssertionError("unknown completion " + c.opcode);
            }
            carryOut();
            first = false;
        }
        coalescer.flushIfPeerKeepsUp();
        if (lending != null) {
            lending.onProgress();
        }
        if (end.closing() && !endTold && end.over()) {
            endTold = true;
            // The thread that looked has taken the end from the queue, which would have told of it.
            later(life::releaseIfClosed);
        }
    }

    private void copyExtended(int slot, int byteLen) {
        long n = Math.clamp(byteLen - Bsdh.BYTES, 0L, extended.byteSize());
        MemorySegment.copy(receiveMemory, qp.receiveOffset(slot) + Bsdh.BYTES, extended, 0, n);
    }

    private void onRdma() {
        if (completion.status == WcStatus.WR_FLUSH_ERR) {
            return; // the end of the queue pair, reported by itself, says why
        }
        if (completion.status != WcStatus.SUCCESS) {
            end.onQpError(completion);
        } else if (completion.wrId != KeepAlive.PROBE) {
            lending.onCompleted(completion);
        }
    }

    /**
     * Carries out the action list; rows that follow from rows are appended and reached by the same
     * loop.
     */
    void carryOut() {
        assert Thread.holdsLock(this);
        for (Action a = actions.take(); a != null; a = actions.take()) {
            switch (a.kind) {
                case ActionList.SEND -> outgoing.send(a);
                case ActionList.CONTROL -> outgoing.control(a);
                case ActionList.DELIVER -> inbox.deliver(a);
                case ActionList.REPOST -> qp.postReceive(a.slot);
                case ActionList.WAKE -> {
                    wakeOps |= opsOf(a.flags);
                    end.onWake();
                }
                case ActionList.ARM_TIMER -> timers.arm(a.timer, a.nanos);
                case ActionList.CANCEL_TIMER -> timers.cancel(a.timer);
                case ActionList.DISCONNECT -> disconnect();
                case ActionList.ABORT -> abort();
                case ActionList.VIOLATION -> life.onViolation(machine.violation());
                case ActionList.SUSPENDED -> suspension.begin(a.port);
                case ActionList.KEEP_ALIVE -> qp.postProbe(KeepAlive.PROBE);
                default -> {
                    if (lending == null || !lending.carryOut(a)) {
                        throw new AssertionError("unknown action " + a.kind);
                    }
                }
            }
        }
    }

    private void disconnect() {
        if (trace != null) {
            trace.disconnect(System.nanoTime(), false);
        }
        qp.disconnect();
    }

    private void abort() {
        if (trace != null) {
            trace.abort(System.nanoTime(), false, "");
        }
        qp.abort();
    }

    private static int opsOf(int wake) {
        if ((wake & ActionList.CLOSED) != 0) {
            return OffloadStream.READ | OffloadStream.WRITE;
        }
        return ((wake & ActionList.READABLE) != 0 ? OffloadStream.READ : 0)
                | ((wake & ActionList.WRITABLE) != 0 ? OffloadStream.WRITE : 0);
    }

    /** Runs {@code task}, which may be run again, on the event thread after a while. */
    void later(Runnable task, long nanos) {
        loop.schedule((EventLoop.Repeatable) task::run, nanos);
    }

    /** Nothing may touch the queue pair any more. */
    void release() {
        assert Thread.holdsLock(this);
        released = true;
        timers.cancelAll();
        keepAlive.stop();
    }

    boolean released() {
        assert Thread.holdsLock(this);
        return released;
    }

    /** Runs {@code task}, which may be run again, soon on the event thread. */
    void later(Runnable task) {
        loop.execute((EventLoop.Repeatable) task::run);
    }

    void wake(int ops) {
        assert Thread.holdsLock(this);
        wakeOps |= ops;
    }

    /** A read that has not lent its buffer found nothing. */
    void onPlainRead() {
        assert Thread.holdsLock(this);
        if (lending != null) {
            lending.reads().onPlainRead();
        }
    }

    /**
     * Begins a hold of the lock that may change the stream; {@link #takeWakeOps} ends it. If an
     * Error, such as a stack overflow, has left the last hold, bytes may be missing, so the
     * connection is cut. That happens here because there was no stack for it at that time.
     */
    void enter() {
        assert Thread.holdsLock(this);
        if (changing && !released) {
            end.cut();
        }
        changing = true;
    }

    /** Ends what {@link #enter} began. Returns the operations to wake since the last call. */
    int takeWakeOps() {
        assert Thread.holdsLock(this);
        changing = false;
        int ops = wakeOps;
        wakeOps = 0;
        return ops;
    }

    void onTimer(int timer) {
        assert Thread.holdsLock(this);
        progress(); // the answer may be there
        machine.onTimer(timer, actions);
        carryOut();
    }

    /** The application has taken all of receive slot {@code slot}. */
    void consumed(SessionConnections.Connection connection, int slot) {
        assert Thread.holdsLock(this);
        if (connection == qps.current) {
            machine.consumed(slot, actions);
            carryOut();
            coalescer.flushIfPeerKeepsUp(); // only the batch may tell of this buffer
        }
    }

    /** Whether no message went either way since the last call. */
    boolean quiet() {
        assert Thread.holdsLock(this);
        long messages = machine.messagesSent() + machine.messagesReceived();
        boolean quiet = messages == messagesSeen;
        messagesSeen = messages;
        return quiet;
    }

    /** Payload that came, lent buffers apart. */
    long bytesReceived() {
        assert Thread.holdsLock(this);
        return qps.receivedBefore() + machine.bytesReceived() + inbox.unsentBytes();
    }

    /** Payload that left, lent buffers apart. */
    long bytesSent() {
        assert Thread.holdsLock(this);
        return qps.sentBefore() + machine.bytesSent();
    }

    /**
     * Handles what has completed, if the queue knows of anything. Asking a device takes a native
     * call, so a device is asked only if the peer seems to be behind: it may have told of credits.
     */
    void lookBeforeSending() {
        assert Thread.holdsLock(this);
        if (queue.known() || coalescer.peerBehind()) {
            progress();
        }
    }
}
