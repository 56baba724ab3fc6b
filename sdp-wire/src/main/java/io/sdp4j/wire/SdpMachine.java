package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * One SDP connection: decides what to send and what to deliver, and does nothing itself.
 *
 * <p>Shape: a shell feeds it events and carries out the {@link ActionList} afterwards. The machine
 * reasons about receive slots and send slots as numbers and never sees a payload byte. It is not
 * thread-safe: the shell calls every method, queries included, under one lock. No method blocks,
 * throws for what a peer did, or allocates in the steady state.
 *
 * <p>Order of a life:
 *
 * {@snippet lang = text :
 *  connecting: post all receive slots; writeHello; onHelloAck == NONE; onEstablished
 *  accepting:  onHello == NONE; post all receive slots; writeHelloAck; onEstablished
 *  then:       reserve/send/unreserve, onReceived/consumed, completions, timers
 *  end:        shutdownOutput/shutdownInput/close/abort, onDisconnected/onQpError; closed()
 * }
 *
 * <p>A reader of the stream first takes delivered bytes; then it sees end of stream if {@link
 * #eof()}, then failure if {@link #reset()}; else it waits. A writer fails if {@link #reset()} or
 * {@link #outputShut()}, and waits while not {@link #writable()}.
 *
 * <p>Source: docs/protocol.md, cited rule by rule.
 */
public final class SdpMachine extends Parts {
    /** Credits that payload leaves (docs/protocol.md 4.3). */
    public static final int CONTROL_CREDITS = 2;

    /** Timer: the peer must end its half within this time after our close. */
    public static final int TIMER_CLOSE = 0;

    /** Timer: the second closer leaves closing the connection below to the first for this time. */
    public static final int TIMER_GRACE = 1;

    /** Timer: the connection below must be closed by then. */
    public static final int TIMER_LLP = 2;

    /** Timer: AbortConn must be sent by then. */
    public static final int TIMER_ABORT = 3;

    /** Timer: the peer must have answered a SrcAvail by then, else all are withdrawn. */
    public static final int TIMER_SRC_AVAIL = 4;

    /** Timer: the peer must have answered SrcAvailCancel or SinkAvailCancel by then. */
    public static final int TIMER_CANCEL = 5;

    /** Timer: RDMA operations must make progress within this time. */
    public static final int TIMER_RDMA = 6;

    /** Timer: the peer must have answered SuspComm by then. */
    public static final int TIMER_SUSPEND = 7;

    /** Number of timers: size of a shell's table. */
    public static final int TIMERS = 8;

    private final SourceSide sourceSide = new SourceSide(this, send);
    private final SinkSide sinkSide = new SinkSide(this, receive, sinkPump, arrivals);
    private long messagesAtKeepAlive = -1;
    private Violation violation; // the first ends the connection

    private SdpMachine(WireConfig config, boolean connecting) {
        super(config, connecting);
    }

    /**
     * The machine of the side that connects.
     *
     * @param config what this side brings
     */
    public static SdpMachine connecting(WireConfig config) {
        return new SdpMachine(config, true);
    }

    /**
     * The machine of the side that accepts.
     *
     * @param config what this side brings
     */
    public static SdpMachine accepting(WireConfig config) {
        return new SdpMachine(config, false);
    }

    /** The connection below is up: after HelloAck was accepted, or after it was written. */
    public void onEstablished(ActionList out) {
        if (life.settingUp()) {
            assert greeted;
            life.establish(out);
        }
    }

    /** Most payload bytes of one Data message to the peer. */
    public int maxPayload() {
        return peerReceiveBytes - Bsdh.BYTES;
    }

    /** Whether {@link #reserve()} would succeed. */
    public boolean writable() {
        return life.bcopyOnly ? emitter.payloadAllowed() : emitter.writable();
    }

    /**
     * Takes one credit and one unit of send depth for a payload message that the shell is about to
     * fill outside its lock. To be followed soon by {@link #send} or {@link #unreserve}: meanwhile
     * control messages may have to wait.
     *
     * @return false when no payload may be sent now
     */
    public boolean reserve() {
        if (!writable()) {
            return false;
        }
        credits.reserved++;
        return true;
    }

    /**
     * Whether reservations keep a message without payload that is due from leaving. A holder that
     * keeps a reservation for longer than it takes to fill a slot must then use it: its payload
     * message tells of our buffers, too.
     */
    public boolean heldUp() {
        return credits.reserved > 0 && !emitter.controlAllowed() && schedule.due();
    }

    /**
     * Whether a peer with {@code buffers} receive buffers that follows our rules for credit updates
     * sends one when its application has read all, even if the last message that its credits allow
     * is not sent.
     */
    public static boolean peerAnnounces(int buffers) {
        return Credits.announces(buffers);
    }

    /** Gives a reservation back. */
    public void unreserve(ActionList out) {
        boolean couldWrite = writable();
        credits.unreserve();
        onward(couldWrite, out);
    }

    /**
     * Sends the payload in {@code slot}, using one reservation.
     *
     * @param slot send slot, its payload behind the first 16 bytes
     * @param payloadBytes 1..{@link #maxPayload()}, or {@link SourceSide#payloadLimit()} while
     *     bytes are owed
     * @param urgent whether the last byte is the out-of-band byte
     * @return false when the connection was cut since the reservation: nothing was emitted for the
     *     slot and the shell keeps it
     */
    public boolean send(int slot, int payloadBytes, boolean urgent, ActionList out) {
        credits.unreserve();
        if (!life.bcopyOnly && !life.talking()) {
            return false;
        }
        assert payloadBytes > 0 && payloadBytes <= maxPayload();
        assert !send.finSent();
        emitter.payload(slot, payloadBytes, urgent, out);
        if (!life.bcopyOnly) {
            schedule.run(out);
        } else {
            assert !credits.updateDue() : "each message tells of all credits";
        }
        return true;
    }

    /** The short way of payload while nothing but buffered copy is under way. */
    public BufferedCopy bufferedCopy() {
        return bufferedCopy;
    }

    /** The half on which we are the Source: lent buffers and mode. */
    public SourceSide source() {
        return sourceSide;
    }

    /** The half on which we are the Sink: lent buffers and the peer's offers. */
    public SinkSide sink() {
        return sinkSide;
    }

    /**
     * The keep-alive time has passed: emits KEEP_ALIVE when no message went either way since the
     * last call (docs/protocol.md 11).
     */
    public void onKeepAlive(ActionList out) {
        long messages = messagesReceived + emitter.messagesSent();
        if (life.talking() && messages == messagesAtKeepAlive) {
            out.keepAlive();
        }
        messagesAtKeepAlive = messages;
    }

    /** No more output: DisConn leaves after everything reserved, lent or owed. Idempotent. */
    public void shutdownOutput(ActionList out) {
        ending.shutdownOutput(out);
    }

    /**
     * Suspends the session: when nothing is in process, the peer is told to reconnect to {@code
     * port}; once it has agreed, SUSPENDED. Lent buffers then come back as RECALLED, delivered
     * bytes stay readable, and the shell goes on with a new machine on the new connection.
     *
     * @return false when this machine cannot suspend sessions, or not now
     */
    public boolean suspend(int port, ActionList out) {
        if (!features.suspending() || state() != State.ESTABLISHED || suspension.wanted()) {
            return false;
        }
        suspension.want(port);
        onward(out);
        return true;
    }

    /** Of a suspended session, whether the peer waits for us to reconnect. */
    public boolean suspendedByPeer() {
        return suspension.peerSilent();
    }

    /**
     * Sends of any kind have completed, {@code count} of them: frees send depth. Need not be called
     * when the send depth is {@link Integer#MAX_VALUE}.
     */
    public void onSendsCompleted(int count, ActionList out) {
        boolean couldWrite = writable();
        emitter.onCompleted(count);
        schedule.runAfterBcopy(out);
        if (!couldWrite) {
            emitter.wakeWriter(out);
        }
    }

    /** The message with which the peer broke the protocol, null if it did not. */
    public Violation violation() {
        return violation;
    }

    /**
     * A SIGNALLED control message has completed, in addition to being counted in {@link
     * #onSendsCompleted}.
     *
     * @param mid of the message
     */
    public void onControlSent(int mid, ActionList out) {
        ending.onControlSent(mid, out);
    }

    /**
     * A message landed in receive buffer {@code slot}. The slot comes back as DELIVER or REPOST, or
     * not at all when the connection is over.
     *
     * @param first see {@link Bsdh#first}; bits of bytes that a short message lacks are ignored
     * @param second see {@link Bsdh#second}
     * @param more a private copy of the extended header that follows, if a message of this MID and
     *     length has one: the first {@code min(byteLen - 16, 20)} bytes or more
     * @param byteLen byte count of the completion
     */
    public void onReceived(
            int slot, long first, long second, MemorySegment more, int byteLen, ActionList out) {
        messagesReceived++;
        if (!life.bcopyOnly) {
            if (state() == State.ABORTING) {
                drain(first, second, byteLen, out);
                return;
            }
            if (life.settingUp() && greeted) {
                life.establish(out); // the first message proves it (docs/protocol.md 12.3)
            }
            if (!life.open()) {
                return;
            }
        }
        boolean couldWrite = writable();
        credits.onArrival();
        AbortReason fault = arrivals.take(slot, first, second, more, byteLen, out);
        if (fault != AbortReason.NONE) {
            if (fault.violation()) {
                violation = Violation.of(fault, first, second, byteLen, state());
                out.violation();
            }
            ending.cut(fault, out);
        } else if (suspension.over()) {
            ending.suspend(suspension.ours(), out);
        } else {
            schedule.runAfterBcopy(out);
            if (!couldWrite) {
                emitter.wakeWriter(out);
            }
        }
    }

    /** The application has taken all of a delivered slot. */
    public void consumed(int slot, ActionList out) {
        if (life.bcopyOnly) {
            arrivals.onConsumed(slot, out);
            schedule.runAfterBcopy(out);
        } else if (life.talking()) {
            boolean couldWrite = writable();
            arrivals.onConsumed(slot, out);
            onward(couldWrite, out);
        }
    }

    /**
     * Sends an empty message even if no credit update is due, to wake a peer that sleeps.
     *
     * @return false if no message may leave now
     */
    public boolean sendEmpty(ActionList out) {
        boolean may = schedule.updates() && emitter.controlAllowed();
        if (may) {
            emitter.emptyData(out);
        }
        return may;
    }

    /**
     * No more input: payload is thrown away from now on, the peer is not told. Slots already
     * delivered are still to be given back with {@link #consumed}. Idempotent.
     */
    public void shutdownInput(ActionList out) {
        receive.shutDown();
        onward(out);
    }

    /**
     * The application has closed. The machine decides the rest: an orderly end, or a cut when bytes
     * are unread, arrive later, or the linger time is zero. Idempotent.
     *
     * @param unread whether delivered bytes were not read
     * @param abortive whether the linger time is zero
     */
    public void close(boolean unread, boolean abortive, ActionList out) {
        ending.close(unread, abortive, out);
    }

    /** Cuts the stream. */
    public void abort(AbortReason reason, ActionList out) {
        assert reason != AbortReason.NONE;
        ending.cut(reason, out);
    }

    /**
     * The connection below is closed, by the peer or as asked by DISCONNECT. The shell feeds all
     * receive completions first: a close may overtake the last message.
     */
    public void onDisconnected(ActionList out) {
        ending.onLlpGone(false, out);
    }

    /** The queue pair failed: any completion error, or a device error. */
    public void onQpError(ActionList out) {
        ending.onLlpGone(true, out);
    }

    /** A timer armed by ARM_TIMER ran out; one that was cancelled meanwhile is ignored. */
    public void onTimer(int timer, ActionList out) {
        boolean couldWrite = writable();
        ending.onTimer(timer, out);
        onward(couldWrite, out);
    }

    /** Whether new transfers may be begun. */
    boolean begins() {
        return life.talking() && !suspension.wanted();
    }

    /** Whether messages of the stream are exchanged. */
    boolean open() {
        return life.open();
    }

    /** Does what has become due. */
    void onward(ActionList out) {
        onward(emitter.writable(), out);
    }

    void onward(boolean couldWrite, ActionList out) {
        schedule.run(out);
        if (!couldWrite) {
            emitter.wakeWriter(out);
        }
    }

    /** While AbortConn waits for a credit, a message may bring one; nothing else of it counts. */
    private void drain(long first, long second, int byteLen, ActionList out) {
        credits.onArrival();
        if (arrivals.examine(first, second, byteLen) == AbortReason.NONE) {
            schedule.run(out);
        }
    }
}
