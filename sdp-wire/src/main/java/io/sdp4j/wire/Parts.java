package io.sdp4j.wire;

/**
 * The parts of a machine, and facts that it can tell about itself.
 *
 * <p>Shape: one organ for each thing to keep; the two halves of the connection know nothing of each
 * other, and only the pumps and the schedule look at several organs.
 */
abstract sealed class Parts permits SetUp {
    final boolean connecting;
    final boolean suspending;
    final Features features;
    final Lifecycle life = new Lifecycle();
    final Handshake handshake;
    final Credits credits;
    final SendQueue queue;
    final SendHalf send;
    final ReceiveHalf receive;
    final Suspension suspension = new Suspension();
    final Emitter emitter;
    final Arrivals arrivals;
    final SinkPump sinkPump;
    final SourcePump sourcePump;
    final Schedule schedule;
    final ConnectionTeardown ending;

    boolean greeted; // both Hello and HelloAck have been exchanged, as far as we can know
    long messagesReceived;

    Parts(WireConfig config, boolean connecting) {
        this.connecting = connecting;
        features = config.features();
        suspending = features.suspending();
        handshake = new Handshake(config);
        credits = new Credits(config.receiveSlots());
        queue = new SendQueue(config.sendDepth());
        send = new SendHalf(config, credits);
        receive = new ReceiveHalf(config, credits);
        // Each of the others takes what is made before it.
        emitter = new Emitter(this);
        arrivals = new Arrivals(this);
        sinkPump = new SinkPump(this);
        sourcePump = new SourcePump(this);
        schedule = new Schedule(this);
        ending = new ConnectionTeardown(this);
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
