package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * One SDP connection: decides what to send and what to deliver, and does nothing itself.
 *
 * <p>Shape: a shell feeds it events and carries out the {@link Outbox} afterwards. The machine
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
 * <p>What a reader of the stream does: delivered bytes first; then end of stream when {@link
 * #eof()}; then failure when {@link #reset()}; else wait. A writer fails when {@link #reset()} or
 * {@link #outputShut()}, and waits while not {@link #writable()}.
 *
 * <p>Source: sdp-wire.md, cited rule by rule.
 */
public final class SdpMachine {
    /** Timer: the peer must end its half within this time after our close. */
    public static final int TIMER_CLOSE = 0;

    /** Timer: the second closer leaves closing the connection below to the first for this time. */
    public static final int TIMER_GRACE = 1;

    /** Timer: the connection below must be closed by then. */
    public static final int TIMER_LLP = 2;

    /** Timer: AbortConn must be sent by then. */
    public static final int TIMER_ABORT = 3;

    /** Timer: the peer must have begun to read a SrcAvail by then, else it is withdrawn. */
    public static final int TIMER_SRC_AVAIL = 4;

    /** Timer: the peer must have answered SrcAvailCancel or SinkAvailCancel by then. */
    public static final int TIMER_CANCEL = 5;

    /** Timer: RDMA operations must make progress within this time. */
    public static final int TIMER_RDMA = 6;

    /** Timer: the peer must have answered SuspComm by then. */
    public static final int TIMER_SUSPEND = 7;

    /** Timers there are or will be: size of a shell's table. */
    public static final int TIMERS = 8;

    private final boolean connecting;
    private final boolean suspending;
    private final Handshake handshake;
    private final Credits credits;
    private final SendQueue queue;
    private final SendHalf send;
    private final ReceiveHalf receive;
    private final Lifecycle life = new Lifecycle();
    private final Resizing sizes;
    private final Resting resting = new Resting();
    private final Emitter emitter;
    private final Arrivals arrivals;
    private final Schedule schedule;
    private final Ending ending;
    private final SourceSide sourceSide;
    private final SinkSide sinkSide;

    private boolean greeted; // both Hello and HelloAck have been exchanged, as far as we can know
    private long messagesReceived;
    private long messagesAtKeepAlive = -1;

    private SdpMachine(WireConfig config, boolean connecting) {
        Features features = config.features();
        this.connecting = connecting;
        this.suspending = features.suspending();
        handshake = new Handshake(config);
        credits = new Credits(config.receiveSlots());
        queue = new SendQueue(config.sendDepth());
        send = new SendHalf(config, credits);
        receive = new ReceiveHalf(config, credits);
        sizes = new Resizing(config);
        emitter = new Emitter(life, credits, queue, send, resting);
        arrivals =
                new Arrivals(life, credits, send, receive, sizes, resting, connecting, suspending);
        SinkPump sinkPump =
                new SinkPump(receive, credits, sizes, resting, emitter, handshake, features);
        SourcePump sourcePump = new SourcePump(send, credits, sizes, resting, emitter, features);
        schedule =
                new Schedule(
                        life,
                        credits,
                        send,
                        receive,
                        sizes,
                        resting,
                        emitter,
                        handshake,
                        sourcePump,
                        sinkPump);
        ending = new Ending(life, send, receive, resting, schedule);
        sourceSide = new SourceSide(this, send, sizes);
        sinkSide = new SinkSide(this, receive, sinkPump, arrivals);
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

    /**
     * Connecting side: speak the InfiniBand form; before {@link #writeHello}. IPv4 addresses are
     * the low four bytes of their low half.
     */
    public void useIbForm(
            int ipVersion, int port, long srcHigh, long srcLow, long dstHigh, long dstLow) {
        assert connecting && state() == State.CLOSED;
        handshake.useIbForm(ipVersion, port, srcHigh, srcLow, dstHigh, dstLow);
    }

    /**
     * Connecting side: writes Hello at {@code at}; all receive slots must be posted already.
     *
     * @return bytes written: 32, or 92 in the InfiniBand form
     */
    public int writeHello(MemorySegment to, long at) {
        assert connecting;
        life.onHelloWritten();
        credits.advertised();
        return handshake.writeHello(to, at, credits.bufs());
    }

    /**
     * Accepting side: a Hello came as private data; bytes behind its Len are padding.
     *
     * @param m a private copy
     * @return NONE when accepted; the state is unchanged otherwise
     */
    public HelloFault onHello(MemorySegment m, long at, int availableBytes) {
        if (connecting || state() != State.CLOSED || closed()) {
            return HelloFault.WRONG_TIME;
        }
        HelloFault fault = handshake.onHello(m, at, availableBytes);
        if (fault == HelloFault.NONE) {
            onPeer(m, at);
            life.onHelloAccepted();
        }
        return fault;
    }

    /**
     * Accepting side: writes HelloAck at {@code at} in the form of the Hello; all receive slots
     * must be posted already.
     *
     * @return bytes written: 28, or 196 in the InfiniBand form
     */
    public int writeHelloAck(MemorySegment to, long at) {
        assert state() == State.HELLO_RCVD && !greeted;
        greeted = true;
        credits.advertised();
        return handshake.writeHelloAck(to, at, credits.bufs());
    }

    /**
     * Connecting side: a HelloAck came as private data.
     *
     * @param m a private copy
     * @return NONE when accepted; the state is unchanged otherwise
     */
    public HelloFault onHelloAck(MemorySegment m, long at, int availableBytes) {
        if (state() != State.HELLO_SENT || greeted) {
            return HelloFault.WRONG_TIME;
        }
        HelloFault fault = handshake.onHelloAck(m, at, availableBytes);
        if (fault == HelloFault.NONE) {
            onPeer(m, at);
            greeted = true;
        }
        return fault;
    }

    private void onPeer(MemorySegment m, long at) {
        credits.granted(Bsdh.bufs(m, at));
        sizes.onPeerBytes(handshake.peerReceiveBytes());
    }

    /** The connection below is up: after HelloAck was accepted, or after it was written. */
    public void onEstablished(Outbox out) {
        if (life.settingUp()) {
            assert greeted;
            life.establish(out);
        }
    }

    /** Most payload bytes of one Data message to the peer. */
    public int maxPayload() {
        return peerReceiveBytes() - Bsdh.BYTES;
    }

    /** Size of the peer's receive buffers, BSDH included. */
    public int peerReceiveBytes() {
        return sizes.peerBytes();
    }

    /** Whether {@link #reserve()} would succeed. */
    public boolean writable() {
        return emitter.writable();
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
        credits.reserve();
        return true;
    }

    /** Gives a reservation back. */
    public void unreserve(Outbox out) {
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
    public boolean send(int slot, int payloadBytes, boolean urgent, Outbox out) {
        credits.unreserve();
        if (!life.talking()) {
            return false;
        }
        assert payloadBytes > 0 && payloadBytes <= maxPayload();
        assert !send.finSent();
        emitter.payload(slot, payloadBytes, urgent, out);
        schedule.run(out);
        return true;
    }

    /** The half on which we are the Source: lent buffers, mode, urgent data, sizes. */
    public SourceSide source() {
        return sourceSide;
    }

    /** The half on which we are the Sink: lent buffers and the peer's offers. */
    public SinkSide sink() {
        return sinkSide;
    }

    /**
     * The keep-alive time has passed: emits KEEP_ALIVE when no message went either way since the
     * last call (sdp-wire.md 11).
     */
    public void onKeepAlive(Outbox out) {
        long messages = messagesReceived + emitter.messagesSent();
        if (life.talking() && messages == messagesAtKeepAlive) {
            out.keepAlive();
        }
        messagesAtKeepAlive = messages;
    }

    /** No more output: DisConn leaves after everything reserved, lent or owed. Idempotent. */
    public void shutdownOutput(Outbox out) {
        ending.shutdownOutput(out);
    }

    /**
     * Suspends the session: when nothing is in process, the peer is told to reconnect to {@code
     * port}; once it has agreed, SUSPENDED. What is lent then comes back as RECALLED, what was
     * delivered stays readable, and the shell goes on with a new machine on the new connection.
     *
     * @return false when this machine does not do it, or not now
     */
    public boolean suspend(int port, Outbox out) {
        if (!suspending || state() != State.ESTABLISHED || send.shut() || resting.wanted()) {
            return false;
        }
        resting.want(port);
        onward(out);
        return true;
    }

    /**
     * Sends of any kind have completed, {@code count} of them: frees send depth. Need not be called
     * when the send depth is {@link Integer#MAX_VALUE}.
     */
    public void onSendsCompleted(int count, Outbox out) {
        boolean couldWrite = writable();
        queue.onCompleted(count);
        onward(couldWrite, out);
    }

    /**
     * A SIGNALLED control message has completed, in addition to being counted in {@link
     * #onSendsCompleted}.
     *
     * @param tag {@link Outbox#tag} of the message
     */
    public void onControlSent(int tag, Outbox out) {
        ending.onControlSent(tag, out);
    }

    /**
     * A message landed in receive buffer {@code slot}. The slot comes back as DELIVER or REPOST, or
     * not at all when the connection is over.
     *
     * @param header a private copy of the first {@code min(byteLen, 36)} bytes, at {@code at}
     * @param headerBytes bytes in that copy
     * @param byteLen byte count of the completion
     */
    public void onReceived(
            int slot, MemorySegment header, long at, int headerBytes, int byteLen, Outbox out) {
        assert headerBytes >= Math.min(byteLen, Bsdh.MAX_HEADER_BYTES);
        messagesReceived++;
        if (state() == State.ABORTING) {
            drain(header, at, byteLen, out);
            return;
        }
        if (life.settingUp() && greeted) {
            life.establish(out); // the first message proves it (sdp-wire.md 12.3)
        }
        if (!life.open()) {
            return;
        }
        boolean couldWrite = writable();
        credits.onArrival();
        AbortReason fault = arrivals.take(slot, header, at, byteLen, out);
        if (fault != AbortReason.NONE) {
            ending.cut(fault, out);
        } else if (resting.over()) {
            ending.rest(resting.ours(), out);
        } else {
            onward(couldWrite, out);
        }
    }

    /** The application has taken all of a delivered slot. */
    public void consumed(int slot, Outbox out) {
        if (!life.talking()) {
            return;
        }
        boolean couldWrite = writable();
        arrivals.onConsumed(slot, out);
        onward(couldWrite, out);
    }

    /**
     * No more input: payload is thrown away from now on, the peer is not told. Slots already
     * delivered are still to be given back with {@link #consumed}. Idempotent.
     */
    public void shutdownInput(Outbox out) {
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
    public void close(boolean unread, boolean abortive, Outbox out) {
        ending.close(unread, abortive, out);
    }

    /** Cuts the stream. */
    public void abort(AbortReason reason, Outbox out) {
        assert reason != AbortReason.NONE;
        ending.cut(reason, out);
    }

    /**
     * The connection below is closed, by the peer or as asked by DISCONNECT. The shell feeds all
     * receive completions first: a close may overtake the last message.
     */
    public void onDisconnected(Outbox out) {
        ending.onDisconnected(out);
    }

    /** The queue pair failed: any completion error, or a device error. */
    public void onQpError(Outbox out) {
        ending.onQpError(out);
    }

    /** A timer armed by ARM_TIMER ran out; one that was cancelled meanwhile is ignored. */
    public void onTimer(int timer, Outbox out) {
        boolean couldWrite = writable();
        ending.onTimer(timer, out);
        onward(couldWrite, out);
    }

    /** Whether new transfers may be begun. */
    boolean begins() {
        return life.talking() && !resting.wanted();
    }

    /** Whether messages of the stream are exchanged. */
    boolean open() {
        return life.open();
    }

    /** Does what has become due. */
    void onward(Outbox out) {
        onward(writable(), out);
    }

    void onward(boolean couldWrite, Outbox out) {
        schedule.run(out);
        emitter.wakeWriter(couldWrite, out);
    }

    /** Where the connection stands. */
    public State state() {
        return life.state();
    }

    /** Whether the peer has ended its half in order: what was delivered is all there is. */
    public boolean eof() {
        return life.eof();
    }

    /** Whether the stream was cut. */
    public boolean reset() {
        return life.reason() != AbortReason.NONE;
    }

    /** Why the stream was cut, NONE when it was not. */
    public AbortReason abortReason() {
        return life.reason();
    }

    /** Whether output was shut by {@link #shutdownOutput} or {@link #close}. */
    public boolean outputShut() {
        return send.shut();
    }

    /**
     * Whether all output has reached the peer, or never will: a lingering close need wait no more.
     */
    public boolean outputDone() {
        return send.finCompleted() || closed();
    }

    /** Whether nothing is left to do: the shell may release the queue pair. */
    public boolean closed() {
        return life.down();
    }

    /** Messages the peer can take now, reservations taken off; never negative. */
    public int credit() {
        return credits.available();
    }

    /** Receive buffers posted now. */
    public int posted() {
        return credits.posted();
    }

    /** Messages emitted, of any kind. */
    public long messagesSent() {
        return emitter.messagesSent();
    }

    /** Messages received, of any kind. */
    public long messagesReceived() {
        return messagesReceived;
    }

    /** Payload bytes emitted. */
    public long bytesSent() {
        return emitter.bytesSent();
    }

    /** Payload bytes received. */
    public long bytesReceived() {
        return arrivals.bytesReceived();
    }

    /** Empty Data messages emitted. */
    public long creditUpdatesSent() {
        return emitter.creditUpdatesSent();
    }

    /** Empty Data messages received. */
    public long creditUpdatesReceived() {
        return arrivals.creditUpdatesReceived();
    }

    /** Advertisements the peer keeps track of. */
    public int peerMaxAdverts() {
        return handshake.peerMaxAdverts();
    }

    /** RDMA reads we may have outstanding, as agreed. */
    public int ord() {
        return handshake.ord();
    }

    /** RDMA reads we serve at a time, as agreed. */
    public int ird() {
        return handshake.ird();
    }

    /** The form in which Hello and HelloAck are exchanged. */
    public HelloForm helloForm() {
        return handshake.form();
    }

    /** Starts the sequence numbers elsewhere, so that tests meet the wrap; before set-up. */
    void startAt(int lastSent, int lastReceived) {
        credits.startAt(lastSent, lastReceived);
    }

    /** The accounting, for oracles. */
    Credits credits() {
        return credits;
    }

    /** While AbortConn waits for a credit, a message may bring one; nothing else of it counts. */
    private void drain(MemorySegment m, long at, int byteLen, Outbox out) {
        credits.onArrival();
        if (arrivals.examine(m, at, byteLen) == AbortReason.NONE) {
            schedule.run(out);
        }
    }
}
