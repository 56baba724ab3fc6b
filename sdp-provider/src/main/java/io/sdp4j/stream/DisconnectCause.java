package io.sdp4j.stream;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.Bsdh;

/**
 * How the connection below a stream ended, as far as the application can tell the ways apart.
 *
 * <p>Guarded by the stream's lock.
 */
final class DisconnectCause {
    private final StreamCore core;
    private final ActionList actions;
    private boolean finSeen;
    private boolean vanishedClean;
    private boolean timedOut;

    DisconnectCause(StreamCore core, ActionList actions) {
        this.core = core;
        this.actions = actions;
    }

    /** The machine has seen a message. */
    void onMessage() {
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
        boolean unsaid = c.status == WcStatus.RETRY_EXC_ERR && !core.suspension.suspended();
        vanishedClean = unsaid && c.count == 0;
        if (unsaid && c.byteLen > Bsdh.BYTES && !core.machine.eof()) {
            core.inbox.deliverUnsent(c.slot, Bsdh.BYTES, c.byteLen - Bsdh.BYTES);
        }
        core.machine.onDisconnected(actions);
    }

    /** The first to tell of the end knows why it came. */
    private void note(Completion c) {
        timedOut |= !core.end.reset() && c.status.timedOut();
    }

    /**
     * The peer's half ended in order, whatever came after: reads have given -1 or will, as after a
     * FIN.
     */
    boolean finSeen() {
        assert Thread.holdsLock(core);
        return finSeen;
    }

    /** The peer left without a word and had taken everything we sent: TCP would show a FIN. */
    boolean vanishedClean() {
        assert Thread.holdsLock(core);
        return vanishedClean;
    }

    /** The peer did not answer any more, so the session was cut. */
    boolean timedOut() {
        assert Thread.holdsLock(core);
        return timedOut;
    }
}
