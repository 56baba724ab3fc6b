package io.sdp4j.stream;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sdp4j.rdma.QueuePair;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.SdpMachine;
import java.nio.ByteBuffer;

/**
 * Gathers small writes into one message while the peer is behind, so that a stream of them costs a
 * message for many writes instead of one each. A peer that keeps up gets every write at once, but
 * for the {@link GatherGoal}, and the buffers of one gathering write together.
 *
 * <p>Shape: one reserved send slot, not yet posted. It is opened only within a gathering write, the
 * end of which sends it, or while at least half of the peer's buffers are unconsumed: more than
 * what makes a peer announce credits (docs/protocol.md 4.4), so the announcement that will close it
 * is still to come; or while there is a goal. It is sent when it is full, when credits are back,
 * before a thread waits to read, before anything that must not overtake it, and at the latest by a
 * timer (docs/protocol.md 17.4 and 18, Nagle flush).
 *
 * <p>The last message that the peer's credits allow is the send buffer of a peer that does not
 * read: as long as it is not sent, further small writes find room. So neither a thread that waits
 * nor the timer sends it; it <em>waits</em> for the announcement that comes when the peer has read
 * what is before it, or for anything else that is to be said and has no credit but this one.
 *
 * <p>Guarded by the stream's lock.
 */
final class WriteBatch {
    /** Credits that payload leaves (docs/protocol.md 4.3). */
    private static final int CONTROL_CREDITS = 2;

    private final StreamCore core;
    private final SendSlots slots;

    private final Staging staging;
    private final GatherGoal goal = new GatherGoal();

    /** Credits below which the peer counts as behind. */
    private final int lowWater;

    /** The peer tells of buffers that are free again although the last message is not sent. */
    private final boolean peerTells;

    /** It would have been sent, if it were not the last one. */
    private boolean waits;

    private int slot = -1;
    private int bytes;

    /** It was opened for a peer that was behind. */
    private boolean behind;

    /** Batches opened so far; lets a timer see whether this is still the one it was set for. */
    private int opened;

    /**
     * @param credit all the buffers of the peer
     * @param ours whether the peer announces them as we do
     */
    WriteBatch(StreamCore core, SendSlots slots, int credit, boolean ours) {
        this.core = core;
        this.slots = slots;
        this.staging = new Staging(slots, core.qp);
        this.lowWater = credit / 2;
        this.peerTells = ours && SdpMachine.peerAnnounces(credit);
    }

    boolean isOpen() {
        return slot >= 0;
    }

    /** Payload that fits the message that the next small write goes into. */
    int room() {
        return core.maxPayload() - (isOpen() ? bytes : 0);
    }

    int opened() {
        return opened;
    }

    /** Whether it is open for longer than the timer lets it be. */
    boolean waits() {
        return waits;
    }

    /**
     * Whether a write of so many bytes belongs here, small or not: it would take the last message
     * without filling it, or finds that open.
     */
    boolean takes(int len) {
        return isOpen() ? isLast() : peerTells && nextIsLast() && len < core.maxPayload();
    }

    private boolean nextIsLast() {
        return core.machine.credit() - 1 <= CONTROL_CREDITS;
    }

    private boolean isLast() {
        return peerTells && core.machine.credit() <= CONTROL_CREDITS;
    }

    private boolean peerBehind(SdpMachine machine) {
        return machine.credit() < lowWater;
    }

    /** Whether so many bytes need not wait for more. */
    private boolean enough(int payloadBytes) {
        goal.onAnswers(core.inbox.deliveries());
        return payloadBytes >= goal.bytes() && !peerBehind(core.machine);
    }

    /**
     * Sends a small write, or keeps it for a fuller message.
     *
     * @param taken a reserved slot
     * @param more whether another write of the same call follows, or {@link #flushIfPeerKeepsUp}
     * @return whether it was taken; false if the stream was cut
     */
    boolean sendOrKeep(int taken, byte[] b, int off, ByteBuffer src, int n, boolean more) {
        if (n == core.maxPayload() || (!more && enough(n))) {
            slots.fill(taken, Bsdh.BYTES, b, off, src, n, false);
            goal.onSent();
            return core.send(taken, n, false);
        }
        staging.add(taken, Bsdh.BYTES, b, off, src, n);
        slot = taken;
        bytes = n;
        behind = peerBehind(core.machine);
        if (opened++ == 0) {
            GatheredAtExit.add(core);
        }
        return true;
    }

    /**
     * Adds to the open batch as much as fits; 0 if the stream was cut.
     *
     * @param more whether another write of the same call follows, or {@link #flushIfPeerKeepsUp}
     */
    int append(byte[] b, int off, ByteBuffer src, int len, boolean more) {
        if (core.machine.reset()) {
            flush();
            return 0;
        }
        int maxPayload = core.maxPayload();
        int n = Math.min(len, maxPayload - bytes);
        staging.add(slot, Bsdh.BYTES + bytes, b, off, src, n);
        bytes += n;
        if (bytes == maxPayload || (!more && enough(bytes))) {
            flush();
        }
        return n;
    }

    /**
     * Sends an urgent byte. It ends a message, so it goes at the end of what was gathered before
     * it, and costs no message of its own where there is any.
     *
     * @return false: not now, or never again
     */
    boolean sendUrgent(byte value) {
        int taken = slot;
        int before = bytes;
        if (taken >= 0) {
            staging.settle(taken, Bsdh.BYTES + before);
            slot = -1;
            waits = false;
        } else {
            taken = core.reserve();
            before = 0;
        }
        if (taken < 0) {
            return false;
        }
        QueuePair qp = core.qp;
        qp.sendMemory().set(JAVA_BYTE, qp.sendOffset(taken) + Bsdh.BYTES + before, value);
        return core.send(taken, before + 1, true);
    }

    /** Sends what was gathered; nothing is left open. */
    void flush() {
        if (slot >= 0) {
            staging.settle(slot, Bsdh.BYTES + bytes);
            if (behind) {
                goal.onCaughtUp(bytes);
            } else {
                goal.onSent();
            }
            int full = slot;
            slot = -1;
            waits = false;
            core.send(full, bytes, false);
        }
    }

    /**
     * Flushes for somebody who will wait, now or soon; not the last message that the peer can take.
     */
    void flushUnlessLast() {
        if (slot >= 0) {
            waits = isLast() && !core.machine.heldUp() && !core.machine.reset();
            if (!waits) {
                flush();
            }
        }
        core.wakePeer();
        goal.giveUp();
    }

    /** A read found nothing: whoever waits for an answer has said all of the question. */
    void onReaderWaits() {
        flushUnlessLast();
        goal.onQuestion();
    }

    /**
     * After progress: a peer that has caught up gets what was gathered, one that has begun to gets
     * what has waited for that.
     */
    void flushIfPeerKeepsUp() {
        if (slot >= 0) {
            SdpMachine m = core.machine;
            boolean waitedFor = waits && !isLast();
            boolean caughtUp = behind ? !peerBehind(m) : enough(bytes);
            if (waitedFor || caughtUp || m.heldUp() || m.reset()) {
                flush();
            }
        }
    }
}
