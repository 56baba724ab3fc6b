package io.sdp4j.wire;

/**
 * The timers that watch whether the peer answers and whether RDMA operations complete.
 *
 * <p>Shape: a timer is armed when there is something to wait for, and left to run out. Then it
 * looks whether there was progress since it was armed. So the data path arms and cancels nothing.
 *
 * <p>Source: docs/protocol.md 12.5 and 18.
 */
final class ProgressTimers {
    /** SrcAvail unanswered: copy the rest. */
    static final long SRC_AVAIL_NANOS = 1_000_000_000L;

    /**
     * SrcAvailCancel or SinkAvailCancel unanswered: cut. A peer that is stopped for some seconds,
     * by a debugger or a collection, keeps the connection.
     */
    static final long CANCEL_NANOS = 60_000_000_000L;

    /** RDMA operation without completion: cut. */
    static final long RDMA_NANOS = 60_000_000_000L;

    /** SuspComm unanswered: cut. */
    static final long SUSPEND_NANOS = 5_000_000_000L;

    private final Lifecycle life;
    private final SendHalf send;
    private final ReceiveHalf receive;
    private final Suspension suspension;
    private long srcAvailMark;
    private int sourceCancelMark;
    private int sinkCancelMark;
    private long rdmaMark;

    ProgressTimers(Lifecycle life, SendHalf send, ReceiveHalf receive, Suspension suspension) {
        this.life = life;
        this.send = send;
        this.receive = receive;
        this.suspension = suspension;
    }

    /** Arms each timer that has something to wait for. */
    void look(ActionList out) {
        boolean waiting = send.sources.outstanding() > 0;
        if (waiting && life.armIfIdle(SdpMachine.TIMER_SRC_AVAIL, SRC_AVAIL_NANOS, out)) {
            srcAvailMark = send.sources.progress();
        }
        if (cancelling() && life.armIfIdle(SdpMachine.TIMER_CANCEL, CANCEL_NANOS, out)) {
            sourceCancelMark = send.sources.cancels();
            sinkCancelMark = receive.sinks.cancels();
        }
        if (flying() && life.armIfIdle(SdpMachine.TIMER_RDMA, RDMA_NANOS, out)) {
            rdmaMark = flights();
        }
        if (suspension.requested()) {
            life.armIfIdle(SdpMachine.TIMER_SUSPEND, SUSPEND_NANOS, out);
        }
    }

    /** A timer ran out. Returns whether the stream is to be cut. */
    boolean expired(int timer) {
        return switch (timer) {
            case SdpMachine.TIMER_SRC_AVAIL -> {
                if (send.sources.outstanding() > 0 && send.sources.progress() == srcAvailMark) {
                    send.sources.revoke(); // the rest is copied (6.8)
                }
                yield false;
            }
            case SdpMachine.TIMER_CANCEL -> cancelUnanswered();
            case SdpMachine.TIMER_RDMA -> flying() && flights() == rdmaMark;
            case SdpMachine.TIMER_SUSPEND -> true;
            default -> throw new AssertionError(timer);
        };
    }

    private boolean cancelling() {
        return send.sources.cancel() == Sources.SENT || receive.sinks.cancel() == Sources.SENT;
    }

    /** Each direction by itself: answers for one say nothing of the other. */
    private boolean cancelUnanswered() {
        return (send.sources.cancel() == Sources.SENT && send.sources.cancels() == sourceCancelMark)
                || (receive.sinks.cancel() == Sources.SENT
                        && receive.sinks.cancels() == sinkCancelMark);
    }

    private boolean flying() {
        return send.sources.writes().size() > 0 || receive.offers.reads().size() > 0;
    }

    private long flights() {
        return send.sources.writes().completed() + receive.offers.reads().completed();
    }
}
