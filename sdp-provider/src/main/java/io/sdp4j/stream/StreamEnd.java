package io.sdp4j.stream;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.Bsdh;

/**
 * How a stream ends: the end that its application or process asked for, how far that has come, and
 * how the connection below ended, as far as the application can tell the difference.
 *
 * <p>Guarded by the stream's lock.
 */
final class StreamEnd {
    private static final int BOTH = OffloadStream.READ | OffloadStream.WRITE;

    private final StreamCore core;
    private final ActionList actions;
    private boolean closing;
    private boolean silent;
    private boolean finSeen;
    private boolean vanished;
    private boolean vanishedClean;
    private boolean timedOut;

    StreamEnd(StreamCore core, ActionList actions) {
        this.core = core;
        this.actions = actions;
    }

    void shutdownInput() {
        assert Thread.holdsLock(core);
        core.inbox.shut();
        core.inbox.drop();
        core.machine.shutdownInput(actions);
        core.carryOut();
        core.onPlainRead();
        core.wake(OffloadStream.READ);
    }

    void shutdownOutput() {
        assert Thread.holdsLock(core);
        core.coalescer.flush();
        core.suspension.noteOutputEnded();
        core.machine.shutdownOutput(actions);
        core.carryOut();
        core.wake(OffloadStream.WRITE);
    }

    void beginClose() {
        assert Thread.holdsLock(core);
        closing = true;
    }

    /** Whether the application has closed. */
    boolean closing() {
        assert Thread.holdsLock(core);
        return closing;
    }

    /**
     * @param left whether the application has left input unread
     */
    void close(boolean left, boolean abortive) {
        assert Thread.holdsLock(core);
        core.inbox.shut();
        core.coalescer.flush();
        if (core.lending != null) {
            core.lending.close();
        }
        core.suspension.noteClosed(left, abortive);
        if (!core.suspension.suspended()) {
            core.machine.close(left, abortive, actions);
            core.carryOut();
        }
        core.inbox.drop();
        core.carryOut();
    }

    /**
     * The process ends. Ends the output in order, unless input is unread, or bytes cannot be sent
     * now although their write may have returned: then the peer's side reports a reset.
     */
    void withJvm(boolean dataUnread) {
        assert Thread.holdsLock(core);
        silent = true;
        core.coalescer.flush();
        ZcopyTransfers lending = core.lending;
        boolean lent = lending != null && (lending.writes().active() || lending.reads().offered());
        if (!lent && !core.coalescer.isOut() && !dataUnread && core.qps.isEmpty()) {
            shutdownOutput();
        }
        core.takeWakeOps();
    }

    /** Cuts the connection, no matter what was under way. */
    void cut() {
        assert Thread.holdsLock(core);
        actions.clear();
        core.wake(BOTH);
        core.machine.onQpError(actions);
        core.carryOut();
    }

    /**
     * Whether the application is told nothing any more: its process ends, and a kernel would not
     * tell it anything either.
     */
    boolean silent() {
        assert Thread.holdsLock(core);
        return silent;
    }

    /** Whether the session was cut, or did not come back. */
    boolean reset() {
        assert Thread.holdsLock(core);
        return core.machine.reset() || core.suspension.lost();
    }

    boolean outputShut() {
        assert Thread.holdsLock(core);
        return core.machine.outputShut() || core.suspension.outputEnded();
    }

    /** Whether nothing that the application wrote or ended waits on this side. */
    boolean drained() {
        assert Thread.holdsLock(core);
        return switch (core.machine.state()) {
            case FIN_SENDING, FIN_CROSS, LAST_SENDING -> false;
            default ->
                    !core.coalescer.isOpen()
                            && !(core.suspension.suspended() && core.suspension.outputEnded());
        };
    }

    /** Whether nothing is left to do. */
    boolean over() {
        assert Thread.holdsLock(core);
        return core.machine.closed() && !core.suspension.suspended();
    }

    /** The machine has changed: it may have seen the peer's DisConn. */
    void onWake() {
        assert Thread.holdsLock(core);
        finSeen |= core.machine.eof();
    }

    void onQpError(Completion c) {
        assert Thread.holdsLock(core);
        note(c);
        core.machine.onQpError(actions);
    }

    void onDisconnected(Completion c) {
        assert Thread.holdsLock(core);
        note(c);
        vanished = c.status == WcStatus.RETRY_EXC_ERR && !core.suspension.suspended();
        vanishedClean = vanished && c.count == 0;
        if (vanished && c.byteLen > Bsdh.BYTES && !core.machine.eof()) {
            core.inbox.deliverUnsent(c.slot, Bsdh.BYTES, c.byteLen - Bsdh.BYTES);
        }
        core.machine.onDisconnected(actions);
    }

    /** Notes a time-out; only the first report of the end knows why it came. */
    private void note(Completion c) {
        timedOut |= !reset() && c.status.timedOut();
    }

    /**
     * Whether the peer's half ended in order, even if a failure came after: reads have returned -1
     * or will, as after a FIN.
     */
    boolean finSeen() {
        assert Thread.holdsLock(core);
        return finSeen;
    }

    /** Whether the peer left without a word. */
    boolean vanished() {
        assert Thread.holdsLock(core);
        return vanished;
    }

    /**
     * Whether the peer left without a word and had taken everything we sent: TCP would show a FIN.
     */
    boolean vanishedClean() {
        assert Thread.holdsLock(core);
        return vanishedClean;
    }

    /** Whether the session was cut because the peer did not answer any more. */
    boolean timedOut() {
        assert Thread.holdsLock(core);
        return timedOut;
    }
}
