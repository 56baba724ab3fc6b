package io.sdp4j.stream;

import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.SdpMachine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The suspension of a session: one side has asked for it (docs/protocol.md 10) and waits for the
 * other at a new port.
 *
 * <p>Shape: <em>suspended</em> from the last message of one connection to the first of the next
 * one; then awake again, or lost. Meanwhile the machine sends nothing, and writers and readers wait
 * as for a slow peer. If the application ends its output or closes, that is noted and done on the
 * next connection: a machine that is to be suspended does not do it any more.
 *
 * <p>Guarded by the stream's lock.
 */
final class SuspendedSession {
    private static final Logger LOG = LoggerFactory.getLogger(SuspendedSession.class);

    private final StreamCore core;

    private final ActionList out;

    /** We have asked for it. */
    private boolean asked;

    private boolean suspended;
    private boolean ever;
    private boolean lost;
    private boolean outputEnded;
    private boolean unread;
    private boolean abortive;

    SuspendedSession(StreamCore core, ActionList out) {
        this.core = core;
        this.out = out;
    }

    boolean suspended() {
        assert Thread.holdsLock(core);
        return suspended;
    }

    /** Whether the session has ever been suspended: its first connection is over. */
    boolean ever() {
        assert Thread.holdsLock(core);
        return ever;
    }

    /** Whether the session did not come back. */
    boolean lost() {
        assert Thread.holdsLock(core);
        return lost;
    }

    /** Whether the application has ended its half. */
    boolean outputEnded() {
        assert Thread.holdsLock(core);
        return outputEnded;
    }

    /**
     * Asks the peer to reconnect to {@code port} of ours.
     *
     * @return false if that is not possible now, or not with this machine
     */
    boolean ask(int port) {
        assert Thread.holdsLock(core);
        core.coalescer.flush();
        asked = core.machine.suspend(port, out);
        core.carryOut();
        return asked;
    }

    /** Whether the peer's answer must be listened for. */
    boolean asked() {
        assert Thread.holdsLock(core);
        return asked;
    }

    /** The machine is suspended; the side that asked for it listens on {@code port}. */
    void begin(int port) {
        assert Thread.holdsLock(core);
        asked = false;
        ever = true;
        suspended = true;
        LOG.debug("{}: the session is suspended, to be resumed on port {}", core.name, port);
        core.life.onSuspended(port);
    }

    void noteOutputEnded() {
        assert Thread.holdsLock(core);
        outputEnded = true;
    }

    void noteClosed(boolean dataUnread, boolean cut) {
        assert Thread.holdsLock(core);
        unread = dataUnread;
        abortive = cut;
    }

    /** Does on the new connection what the application has ended meanwhile. */
    void end(SdpMachine machine, boolean inputShut) {
        assert Thread.holdsLock(core);
        suspended = false;
        if (inputShut) {
            machine.shutdownInput(out);
        }
        if (core.end.closing()) {
            machine.close(unread, abortive, out);
        } else if (outputEnded) {
            machine.shutdownOutput(out);
        }
    }

    /** The session cannot be resumed. Returns whether that cuts it. */
    boolean giveUp() {
        assert Thread.holdsLock(core);
        if (!suspended) {
            return false;
        }
        suspended = false;
        lost = true;
        core.wake(OffloadStream.READ | OffloadStream.WRITE);
        return true;
    }
}
