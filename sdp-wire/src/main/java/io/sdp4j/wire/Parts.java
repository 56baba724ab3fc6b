package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * The parts of a machine, its set-up by Hello and HelloAck, and the queries about it.
 *
 * <p>Shape: one object for each concern. The two halves of the connection know nothing of each
 * other; the arrivals, the schedule and its timers, and the teardown join them.
 *
 * <p>Source of the set-up: docs/protocol.md 3.
 */
public abstract sealed class Parts permits SdpMachine {
    final WireConfig config;
    final boolean connecting;
    final Features features;
    final Lifecycle life = new Lifecycle();
    final Credits credits;
    final SendHalf send;
    final ReceiveHalf receive;
    final Suspension suspension = new Suspension();
    final Emitter emitter;
    final Arrivals arrivals;
    final SinkPump sinkPump;
    final SourcePump sourcePump;
    final Schedule schedule;
    final ConnectionTeardown ending;
    final BufferedCopy bufferedCopy;

    boolean greeted; // both Hello and HelloAck have been exchanged, as far as we can know
    long messagesReceived;

    // what the peer said, 0 until it did
    int peerReceiveBytes; // BSDH included
    int peerMaxAdverts; // advertisements that it keeps track of

    // reads at a time: ours, and what was agreed on once the peer has told its own
    int ord;
    int ird;

    Parts(WireConfig config, boolean connecting) {
        this.config = config;
        this.connecting = connecting;
        ord = config.ord();
        ird = config.ird();
        features = config.features();
        credits = new Credits(config.receiveSlots());
        send = new SendHalf(config, credits);
        receive = new ReceiveHalf(config, credits);
        // The order matters: each of these constructors reads fields that are set before it.
        emitter = new Emitter(this);
        arrivals = new Arrivals(this);
        sinkPump = new SinkPump(this);
        sourcePump = new SourcePump(this);
        schedule = new Schedule(this);
        ending = new ConnectionTeardown(this);
        bufferedCopy = new BufferedCopy(this);
    }

    /**
     * Connecting side: writes Hello at {@code at}; all receive slots must be posted already.
     *
     * @return bytes written: {@link Hello#SHORT_BYTES}
     */
    public int writeHello(MemorySegment to, long at) {
        assert connecting;
        life.onHelloWritten();
        credits.advertised();
        int bytes = config.receiveBytes();
        return Hello.writeShort(
                to, at, credits.posted(), config.maxAdverts(), bytes, bytes, ord, ird);
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
        HelloFault fault = Hello.check(m, at, availableBytes);
        if (fault == HelloFault.NONE) {
            credits.granted(Bsdh.bufs(Wire.getLong(m, at)));
            onPeer(Hello.maxAdverts(m, at), Hello.receiveBytes(m, at));
            agreeOnReads(Hello.ord(m, at), Hello.ird(m, at));
            life.onHelloAccepted();
        }
        return fault;
    }

    /**
     * Accepting side: writes HelloAck at {@code at}; all receive slots must be posted already.
     *
     * @return bytes written: {@link HelloAck#SHORT_BYTES}
     */
    public int writeHelloAck(MemorySegment to, long at) {
        assert state() == State.HELLO_RCVD && !greeted;
        greeted = true;
        credits.advertised();
        return HelloAck.writeShort(
                to, at, credits.posted(), config.maxAdverts(), config.receiveBytes(), ord, ird);
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
        HelloFault fault = HelloAck.check(m, at, availableBytes);
        if (fault == HelloFault.NONE) {
            credits.granted(Bsdh.bufs(Wire.getLong(m, at)));
            onPeer(HelloAck.maxAdverts(m, at), HelloAck.receiveBytes(m, at));
            agreeOnReads(HelloAck.ord(m, at), HelloAck.ird(m, at));
            greeted = true;
        }
        return fault;
    }

    /** A size of 2^31 bytes does not fit an int and becomes {@link Integer#MAX_VALUE}. */
    private void onPeer(int maxAdverts, int receiveBytes) {
        peerMaxAdverts = maxAdverts;
        peerReceiveBytes = receiveBytes < 0 ? Integer.MAX_VALUE : receiveBytes;
    }

    /** Own ORD must not exceed the peer's IRD; own IRD need not exceed its ORD (3.4). */
    private void agreeOnReads(int peerOrd, int peerIrd) {
        ord = Math.min(config.ord(), peerIrd);
        ird = Math.min(config.ird(), peerOrd);
    }

    /** Where the connection stands. */
    public State state() {
        return life.state();
    }

    /** Whether the peer has ended its half in order: the delivered bytes are all. */
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

    /** Whether output was shut by {@link SdpMachine#shutdownOutput} or {@link SdpMachine#close}. */
    public boolean outputShut() {
        return send.shut();
    }

    /** Whether nothing is left to do: the shell may release the queue pair. */
    public boolean closed() {
        return life.down();
    }

    /** Messages the peer can take now, reservations taken off; never negative. */
    public int credit() {
        return credits.available();
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
}
