package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.AdaptiveSpin;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.MappedMemory;
import io.sdp4j.linux.NonTemporal;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.Predicate;

/**
 * One side of a connection over shared memory.
 *
 * <p>Shape: a send slot <em>is</em> one of the peer's posted receive slots, so posting moves
 * nothing: it publishes eight bytes. {@link SendRing} and {@link ReceiveRing} are the two
 * directions, {@link ShmCompletionQueue} what the user sees of them, and the ways to wait, {@link
 * PeerLiveness} the socket and what it shows of the peer's life, {@link RdmaEngine} the rest of RC,
 * made when needed.
 *
 * <p>Locks: the caller's lock guards everything but the volatile fields; see {@link PeerLiveness}
 * for what any thread may call.
 */
final class ShmQueuePair implements QueuePair {
    final int side;
    private final MappedMemory mem;
    private final ShmLayout layout;
    private final SendRing out;
    private final ReceiveRing in;
    final ShmCompletionQueue completions;
    private final OwnCompletions own;
    final PeerLiveness liveness;
    private final ShmFabric fabric;
    private final int sendBase;
    private final int sendStride;
    private final int sendBytes;
    private final int receiveBase;
    private final int receiveStride;

    final Unsent unsent;
    private final long readWord;

    /** Last value of {@link #readToEnd}, as it is in the memory: a slot + 1, or 0. */
    private volatile int read;

    /** Null until it is needed. */
    RdmaEngine rdma;

    /** The long part of our slots is booked, and may have been touched. */
    private boolean bookedLong;

    /** Our last word was said. */
    boolean disconnected;

    /** A returned chunk would let RDMA work go on. */
    volatile boolean rdmaWaits;

    /** Result of the hand-shake, and the objects that serve it. */
    record Parts(
            int side,
            ShmTransport transport,
            Predicate<ShmTransport> recycler,
            AdaptiveSpin spinner,
            boolean sleepTogether) {}

    ShmQueuePair(Parts parts) {
        ShmTransport transport = parts.transport;
        this.side = parts.side;
        this.layout = transport.layout();
        this.mem = transport.memory().memory();
        this.fabric = transport.fabric();
        out = new SendRing(layout, side, mem);
        in = new ReceiveRing(layout, 1 - side, mem);
        completions = new ShmCompletionQueue(this, mem, parts, out, in);
        own = completions.own;
        liveness = new PeerLiveness(transport, parts.recycler, side, completions, fabric::peerLeft);
        sendBase = Math.toIntExact(layout.data[side]);
        sendStride = layout.stride[side];
        sendBytes = layout.slotBytes[side];
        receiveBase = Math.toIntExact(layout.data[1 - side]);
        receiveStride = layout.stride[1 - side];
        unsent = new Unsent(mem, side);
        readWord = ShmLayout.control(side) + ShmLayout.READ_WORD;
    }

    @Override
    public String peer() {
        return liveness.link.peerName();
    }

    boolean failed() {
        return own.failure != null;
    }

    /** See {@link ReceiveRing#taken}. */
    int taken() {
        return in.taken();
    }

    // ---- slots

    @Override
    public MemorySegment sendMemory() {
        return mem.segment();
    }

    @Override
    public long sendOffset(int slot) {
        return sendBase + (long) slot * sendStride;
    }

    @Override
    public boolean writesPast() {
        return NonTemporal.possible();
    }

    @Override
    public void readHeader(Completion message) {
        long from = receiveBase + (long) message.slot * receiveStride; // no call: interpreted often
        message.first = Long.reverseBytes(mem.getLongOpaque(from));
        message.second = Long.reverseBytes(mem.getLongOpaque(from + Long.BYTES));
    }

    @Override
    public void putHeader(int slot, long first, long second) {
        long to = sendBase + (long) slot * sendStride; // as above
        mem.putLongsOpaque(to, Long.reverseBytes(first), Long.reverseBytes(second));
    }

    @Override
    public void copyIn(byte[] from, int offset, long to, int lenBytes) {
        mem.copyIn(from, offset, to, lenBytes);
    }

    @Override
    public void copyOut(long from, byte[] to, int offset, int lenBytes) {
        mem.copyOut(from, to, offset, lenBytes);
    }

    @Override
    public void writePast(int slot, int at, ByteBuffer from, int fromIndex, int lenBytes) {
        NonTemporal.copy(from, fromIndex, mem.segment(), sendOffset(slot) + at, lenBytes);
    }

    @Override
    public void writePast(int slot, int at, byte[] from, int fromOffset, int lenBytes) {
        NonTemporal.copy(from, fromOffset, mem.segment(), sendOffset(slot) + at, lenBytes);
    }

    @Override
    public int sendBytes() {
        return sendBytes;
    }

    @Override
    public int usualBytes() {
        return Math.min(sendBytes(), ShmLayout.USUAL_BYTES);
    }

    @Override
    public boolean bookLong() {
        if (!bookedLong) {
            bookedLong = fabric.tryReserve(layout.longBytes[side]);
        }
        return bookedLong;
    }

    private void releaseLong() {
        if (bookedLong) {
            bookedLong = false;
            fabric.release(layout.longBytes[side]);
        }
    }

    @Override
    public MemorySegment receiveMemory() {
        return mem.segment();
    }

    @Override
    public long receiveOffset(int slot) {
        return receiveBase + (long) slot * receiveStride;
    }

    @Override
    public int takeSendSlot() {
        int slot = out.take(rdma);
        if (slot < 0 && out.broken()) {
            fail(WcStatus.REM_INV_REQ_ERR);
        }
        return slot;
    }

    @Override
    public int takeSlotNow() {
        boolean quiet = !(own.present || own.over || rdmaWaits || liveness.gone || in.present());
        return quiet ? out.take(rdma) : -1;
    }

    @Override
    public void returnSendSlot(int slot) {
        out.giveBack(slot);
    }

    @Override
    public void postSend(int slot, int byteLen, int flags) {
        out.post(slot, (flags & CONTROL) != 0);
        if (ended()) {
            return; // flushed
        }
        if (byteLen < 0 || byteLen > sendBytes) {
            fail(WcStatus.LOC_LEN_ERR);
            return;
        }
        boolean quiet = (flags & QUIET) != 0;
        if (publish(Descriptor.of(Descriptor.SEND, slot, byteLen), quiet)) {
            unsent.sent(slot); // afterwards: a peer that finds neither would lose it
        }
        if ((flags & SIGNALLED) != 0) {
            own.sent(slot);
            completions.rouse();
        }
    }

    @Override
    public void send(int slot, long first, long second, int byteLen) {
        long to = sendBase + (long) slot * sendStride;
        mem.putLongsOpaque(to, Long.reverseBytes(first), Long.reverseBytes(second));
        if (rdma != null || ended() || byteLen < 0 || byteLen > sendBytes) {
            postSend(slot, byteLen, 0);
            return;
        }
        out.send(slot, byteLen);
        completions.notifyPeer(false);
        if (slot == unsent.shown) {
            unsent.sent(slot); // as in postSend
        }
    }

    /** Publishes a descriptor. Returns whether the peer can see it already. */
    private boolean publish(long descriptor, boolean quiet) {
        if (rdma != null && rdma.mustQueue()) {
            rdma.queue(descriptor);
            rdma.progress();
            return false;
        }
        out.publish(descriptor);
        completions.notifyPeer(quiet);
        return true;
    }

    @Override
    public void unsent(int slot, int byteLen) {
        unsent.show(slot, out.turn(slot), byteLen);
    }

    @Override
    public void readToEnd(int slot) {
        read = slot + 1;
        mem.putIntRelease(readWord, slot + 1);
    }

    @Override
    public void postReceive(int slot) {
        if (read == slot + 1) {
            read = 0;
            mem.putIntRelease(readWord, 0); // before the peer can fill the slot again
        }
        in.post(slot);
    }

    @Override
    public boolean trim(Runnable onUse) {
        if (ended()) {
            return true;
        }
        boolean done = out.trim(rdma, onUse);
        if (done && !out.broken()) {
            releaseLong();
        }
        return (rdma == null || rdma.trim()) && done;
    }

    // ---- RDMA

    /** Returns the engine, which is made at its first use. */
    RdmaEngine rdma() {
        if (rdma == null) {
            rdma = new RdmaEngine(this, out, in, mem.segment(), layout, new ShmRegions());
        }
        return rdma;
    }

    @Override
    public MemoryRegion register(MemorySegment memory, boolean remoteRead, boolean remoteWrite)
            throws FabricException {
        return rdma().regions.register(memory, remoteRead, remoteWrite);
    }

    @Override
    public boolean postRead(
            long wrId, MemoryRegion local, long offset, int len, long address, int rkey) {
        return postRdma(Completion.READ, wrId, local, offset, len, address, rkey);
    }

    @Override
    public boolean postWrite(
            long wrId, MemoryRegion local, long offset, int len, long address, int rkey) {
        return postRdma(Completion.WRITE, wrId, local, offset, len, address, rkey);
    }

    private boolean postRdma(
            int opcode,
            long wrId,
            MemoryRegion region,
            long offset,
            int len,
            long address,
            int rkey) {
        RdmaEngine engine = rdma();
        if (!engine.post(opcode, wrId, region, offset, len, address, rkey)) {
            return false;
        }
        boolean ended = ended();
        if (own.over) {
            engine.flush();
        }
        if (ended || engine.reports()) {
            own.changed();
            completions.rouse();
        }
        return true;
    }

    /** Whether nothing is sent any more. */
    private boolean ended() {
        return disconnected || own.failure != null || own.over;
    }

    @Override
    public ShmCompletionQueue completions() {
        return completions;
    }

    // ---- the socket

    /** Cuts the connection from outside; the user sees {@code why} at the next poll. */
    void kill(WcStatus why) {
        liveness.kill(why);
    }

    /** As {@link #kill}, on the event thread, for callers that hold locks. */
    void killSoon(WcStatus why) {
        fabric.loop.execute((EventLoop.Repeatable) () -> kill(why));
    }

    // ---- the end

    /** The queue pair goes to error. Caller's lock. */
    void fail(WcStatus status) {
        if (own.fail(status)) {
            liveness.fail();
        }
        completions.rouse();
    }

    @Override
    public void disconnect() {
        if (!ended()) {
            disconnected = true;
            publish(Descriptor.of(Descriptor.DISCONNECT, 0, 0), false);
        }
    }

    /** Says it now, whatever RDMA work waits. */
    void lastWord(int kind) {
        disconnected = true;
        out.publish(Descriptor.of(kind, 0, 0));
        completions.notifyPeer();
    }

    @Override
    public void abort() {
        if (!ended()) {
            lastWord(Descriptor.DISCONNECT);
        }
        liveness.cut();
    }

    @Override
    public void close() {
        if (liveness.closed()) {
            return;
        }
        disconnect();
        fabric.forget(this);
        // RDMA leaves chunks and regions behind whose end was not agreed on, and memory booked for
        // this connection alone must not stay booked for another one
        boolean asItWas = rdma == null && !bookedLong;
        try {
            liveness.close(disconnected && completions.farewell && own.failure == null && asItWas);
        } finally {
            releaseLong();
        }
    }
}
