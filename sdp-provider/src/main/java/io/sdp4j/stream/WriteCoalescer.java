package io.sdp4j.stream;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.SdpMachine;
import java.nio.ByteBuffer;

/**
 * Gathers writes into one message while the peer is behind, so that a stream of small ones costs a
 * message for many writes instead of one each, and each buffer of the peer holds what it can. A
 * peer that keeps up gets every write at once, and the buffers of one gathering write together.
 *
 * <p>Shape: the batch is one reserved send slot, not yet posted. It is opened only within a
 * gathering write, the end of which sends it, or while at least half of the peer's buffers are
 * unread. That is more than makes a peer announce credits (docs/protocol.md 4.4), so the
 * announcement that will close the batch is still to come. The batch is sent when it is full, when
 * credits are back, before a thread waits to read, before anything that must not overtake it, and
 * at the latest by a timer (docs/protocol.md 17.4 and 18, Nagle flush).
 *
 * <p>Small writes are added under the lock. A large write <em>takes out</em> the slot and fills it
 * further without the lock; if this process ends meanwhile, the peer gets the bytes that were in
 * the slot before. The slot is kept again if the peer can then take more: if a message may be
 * longer than is usual, or if it is the last one.
 *
 * <p>The last message that the peer's credits allow serves as the send buffer while the peer does
 * not read: as long as it is not sent, further small writes find room. So neither a thread that
 * waits nor the timer sends it. It <em>waits</em> for the announcement that comes when the peer has
 * read what is before it, or until something else is to be said for which there is no other credit.
 * When the peer is behind, the timer lets every message wait for a while, so that small writes with
 * pauses between them do not take a buffer of a peer that does not read for every few bytes.
 *
 * <p>Guarded by the stream's lock.
 */
final class WriteCoalescer {
    private final StreamCore core;
    private final SendSlots slots;

    /** Credits below which the peer counts as behind. */
    final int lowWater;

    /**
     * Whether the peer tells of buffers that are free again even if the last message is not sent.
     */
    private final boolean peerTells;

    /** Credits that the open batch waits for; 0 = it does not wait. */
    private int waitsFor;

    int slot = -1;
    private int bytes;

    /** Payload that the batch could hold when it was opened; by now it may be {@link #most}. */
    private int mostAtFirst;

    /** A large write is filling the slot without the lock. */
    private boolean out;

    /** Batches opened so far; lets a timer see whether this is still the one it was set for. */
    private int opened;

    /**
     * @param credit all the buffers of the peer
     * @param ours whether the peer announces them as we do
     */
    WriteCoalescer(StreamCore core, SendSlots slots, int credit, boolean ours) {
        this.core = core;
        this.slots = slots;
        this.lowWater = credit / 2;
        this.peerTells = ours && SdpMachine.peerAnnounces(credit);
    }

    boolean isOpen() {
        assert Thread.holdsLock(core);
        return slot >= 0;
    }

    /** Payload that fits the message that the next small write goes into. */
    int room() {
        assert Thread.holdsLock(core);
        return isOpen() ? most() - bytes : slots.nextPayload();
    }

    private int most() {
        return Math.max(mostAtFirst, slots.nextPayload());
    }

    /** Payload in the open slot. */
    int bytes() {
        assert Thread.holdsLock(core);
        return bytes;
    }

    int opened() {
        assert Thread.holdsLock(core);
        return opened;
    }

    /** Whether the open batch waits for credits, and the timer does not send it. */
    boolean waits() {
        assert Thread.holdsLock(core);
        return waitsFor != 0;
    }

    /** Whether a large write goes on in the open slot. */
    boolean goesOn() {
        assert Thread.holdsLock(core);
        return isOpen() && (isLast() || slots.isLong(most()));
    }

    /** Takes out the open slot, to be filled further; no batch is open then. */
    int takeOut() {
        assert Thread.holdsLock(core);
        int taken = slot;
        slot = -1;
        waitsFor = 0;
        out = true;
        return taken;
    }

    /** Whether bytes of writes that have returned are in a slot that was taken out. */
    boolean isOut() {
        assert Thread.holdsLock(core);
        return out;
    }

    /**
     * Keeps a slot that a large write has filled in part; false if it is to be sent.
     *
     * @param payloadBytes all payload in the slot
     * @param most payload that it may hold
     */
    boolean keep(int taken, int payloadBytes, int most) {
        assert Thread.holdsLock(core);
        out = false;
        boolean wanted = isLast() || (slots.isLong(most) && peerBehind());
        if (payloadBytes == most || !wanted || core.machine.reset() || core.machine.outputShut()) {
            return false;
        }
        core.qp.unsent(taken, Bsdh.BYTES + payloadBytes);
        open(taken, payloadBytes, most);
        return true;
    }

    private void open(int taken, int payloadBytes, int most) {
        slot = taken;
        bytes = payloadBytes;
        mostAtFirst = most;
        opened++;
    }

    private boolean isLast() {
        return peerTells && core.machine.credit() <= SdpMachine.CONTROL_CREDITS;
    }

    /** Whether the peer has not read half of what its buffers can take. */
    boolean peerBehind() {
        assert Thread.holdsLock(core);
        return core.machine.credit() < lowWater;
    }

    /**
     * Sends a small write, or keeps it for a fuller message.
     *
     * @param taken a reserved slot
     * @param most payload that it may hold
     * @param now whether it leaves at once
     * @return whether it was taken; false if the stream was cut
     */
    boolean sendOrKeep(int taken, int most, byte[] b, int off, ByteBuffer src, int n, boolean now) {
        assert Thread.holdsLock(core);
        try {
            slots.fill(taken, Bsdh.BYTES, b, off, src, n, false);
        } catch (Throwable t) {
            slots.unreserve(taken);
            throw t;
        }
        if (now) {
            return slots.send(taken, n, false);
        }
        core.qp.unsent(taken, Bsdh.BYTES + n);
        open(taken, n, most);
        return true;
    }

    /**
     * Adds to the open batch as much as fits; 0 if the stream was cut.
     *
     * @param more whether another write of the same call follows, or {@link #flushIfPeerKeepsUp}
     */
    int append(byte[] b, int off, ByteBuffer src, int len, boolean more) {
        assert Thread.holdsLock(core);
        if (core.machine.reset()) {
            flush();
            return 0;
        }
        int room = room();
        int n = Math.min(len, room);
        slots.fill(slot, Bsdh.BYTES + bytes, b, off, src, n, false);
        bytes += n;
        if (n == room || (!more && !peerBehind())) {
            flush();
        } else {
            core.qp.unsent(slot, Bsdh.BYTES + bytes);
        }
        return n;
    }

    /**
     * Sends an urgent byte. It ends a message, so it goes at the end of what was gathered before
     * it, and costs no message of its own where there is any.
     *
     * @return false if it cannot be sent now, or never again
     */
    boolean sendUrgent(byte value) {
        assert Thread.holdsLock(core);
        int taken = slot;
        int before = bytes;
        if (taken >= 0) {
            slot = -1;
            waitsFor = 0;
        } else {
            taken = slots.reserve();
            before = 0;
        }
        if (taken < 0) {
            return false;
        }
        QueuePair qp = core.qp;
        qp.sendMemory().set(JAVA_BYTE, qp.sendOffset(taken) + Bsdh.BYTES + before, value);
        return slots.send(taken, before + 1, true);
    }

    /** Sends what was gathered; nothing is left open. */
    void flush() {
        assert Thread.holdsLock(core);
        if (slot >= 0) {
            int full = slot;
            slot = -1;
            waitsFor = 0;
            slots.send(full, bytes, false);
        }
    }

    /**
     * Flushes for a thread that will wait, now or soon, unless the batch is the last message that
     * the peer can take.
     */
    void flushUnlessLast() {
        assert Thread.holdsLock(core);
        flushFrom(SdpMachine.CONTROL_CREDITS + 1);
    }

    /**
     * Flushes because time has passed, unless the peer is behind. A peer that is behind has enough
     * to read, and what is written until it announces that it has read, or for a while, takes no
     * other buffer. When it has read all, it has announced at least half of its buffers
     * (docs/protocol.md 4.4).
     */
    void flushUnlessBehind() {
        assert Thread.holdsLock(core);
        flushFrom(Math.max(SdpMachine.CONTROL_CREDITS + 1, lowWater));
    }

    /**
     * @param credits with fewer of them the batch waits for an announcement
     */
    private void flushFrom(int credits) {
        if (slot >= 0) {
            SdpMachine m = core.machine;
            boolean waits = peerTells && m.credit() < credits && !m.heldUp() && !m.reset();
            waitsFor = waits ? credits : 0;
            if (!waits) {
                flush();
            }
        }
        core.outgoing.wakePeer();
    }

    /**
     * Called after progress: sends the batch if the peer has caught up, or has announced the
     * credits that the batch waits for.
     */
    void flushIfPeerKeepsUp() {
        assert Thread.holdsLock(core);
        if (slot >= 0) {
            SdpMachine m = core.machine;
            boolean waitedFor = waits() && m.credit() >= waitsFor;
            if (waitedFor || !peerBehind() || m.heldUp() || m.reset()) {
                flush();
            }
        }
    }
}
