package io.sdp4j.stream;

import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.SdpMachine;

/**
 * Wants larger private buffers at the peer when a writer has more to say than they hold, and the
 * first size again when the stream is quiet (docs/protocol.md 9); then our own send slots give back
 * what load has made them take, too. Guarded by the stream's lock.
 */
final class BufferSizes {
    private final StreamCore core;
    private final SdpMachine machine;

    /** The most that we want; less once the peer has shown that it has less. */
    private int maxBytes;

    /** Size asked for last and size then; 0 = none, or it is of no interest any more. */
    private int wantedBytes;

    private int bytesBefore;
    private final int firstBytes;
    private final int ownFirstBytes;

    /** Our own buffers are larger than at first: the peer will ask for the first size again. */
    private boolean ownGrown;

    private final ActionList out;

    /** Reserved slots, which may be filled with as much as was allowed when they were taken. */
    private int reserved;

    private long messagesSeen;

    /** Told when there may be something to give back again, or null. */
    private Runnable onUse;

    BufferSizes(StreamCore core, StreamSettings settings, ActionList out) {
        this.core = core;
        this.machine = core.machine;
        this.maxBytes = settings.maxBufferBytes();
        this.ownFirstBytes = settings.bufferBytes();
        this.firstBytes = machine.peerReceiveBytes();
        this.out = out;
    }

    void onReserved() {
        assert Thread.holdsLock(core);
        reserved++;
    }

    void onUsed() {
        assert Thread.holdsLock(core);
        reserved--;
    }

    /**
     * A writer with more than a message to say finds no room: asks for twice the size, if the peer
     * has not refused before.
     */
    void grow() {
        assert Thread.holdsLock(core);
        int now = machine.peerReceiveBytes();
        if (now > bytesBefore && now < wantedBytes) {
            maxBytes = now; // asking for more would be refused, and that for ever
        }
        int more = (int) Math.min(maxBytes, 2L * now);
        if (more > now && machine.source().askReceiveBytes(more, out)) {
            wantedBytes = more;
            bytesBefore = now;
            tellUse();
            core.carryOut();
        }
    }

    /** The peer has asked for private buffers of another size here. */
    void onOwn(int bytes) {
        assert Thread.holdsLock(core);
        ownGrown = bytes > ownFirstBytes;
        tellUse();
    }

    private void tellUse() {
        Runnable told = onUse;
        if (told != null) {
            onUse = null;
            told.run();
        }
    }

    /** Whether no message went either way since the last call. */
    boolean quiet() {
        assert Thread.holdsLock(core);
        long messages = machine.messagesSent() + machine.messagesReceived();
        boolean quiet = messages == messagesSeen;
        messagesSeen = messages;
        return quiet;
    }

    /**
     * The stream is quiet: gives back what was taken under load.
     *
     * @param toTell if all was given back: told, once, when there may be something again
     * @return false if that must be tried again
     */
    boolean trim(Runnable toTell) {
        assert Thread.holdsLock(core);
        onUse = toTell;
        boolean done = core.qp.trim(toTell) && shrink();
        core.carryOut();
        return done;
    }

    /** Asks for the first size; false if that must be tried again, or the peer will ask. */
    private boolean shrink() {
        if (machine.peerReceiveBytes() <= firstBytes) {
            return !ownGrown; // only the next look may see it ask
        }
        if (reserved == 0) {
            wantedBytes = 0;
            machine.source().askReceiveBytes(firstBytes, out);
        }
        return false;
    }
}
