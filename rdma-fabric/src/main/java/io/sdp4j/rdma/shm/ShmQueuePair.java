package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.Completion;
import io.sdp4j.rdma.CompletionQueue;
import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.MemoryRegion;
import io.sdp4j.rdma.QueuePair;
import io.sdp4j.rdma.WcStatus;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One side of a connection over shared memory.
 *
 * <p>Shape: a send slot <em>is</em> one of the peer's posted receive slots, so posting moves
 * nothing: it publishes eight bytes. {@link LaneOut} and {@link LaneIn} are the two directions,
 * {@link Waiter} the ways to wait, {@link RdmaEngine} the rest of RC, made when needed.
 *
 * <p>States: open; <em>failed</em> with a status, by our own finding; <em>over</em>, when the end
 * was reported. {@code gone} is set by the event thread when the socket shows that the peer has
 * left: what it published before is still delivered.
 *
 * <p>Locks: all but the volatile fields is guarded by the caller's lock. {@code life} guards {@code
 * closed}, so that event thread and {@link #wake} never touch memory that was unmapped.
 */
final class ShmQueuePair implements QueuePair, CompletionQueue, Link.Handler {
    /** RDMA descriptors taken in one poll, so that a peer cannot keep us in it. */
    private static final int MAX_SILENT = 64;

    private final int side;
    private final MemorySegment mem;
    private final ShmLayout layout;
    private final LaneOut out;
    private final LaneIn in;
    private final Waiter waiter;
    private final Link link;
    private final Segment segment;
    private final ShmFabric fabric;
    private final int sendBase;
    private final int sendStride;
    private final int receiveBase;
    private final int receiveStride;

    private RdmaEngine rdma;
    private volatile boolean rdmaWaits;

    /** Completions that no descriptor stands for are there. */
    private volatile boolean local;

    /** The peer has left. */
    private volatile boolean gone;

    /** Why the event thread or the fabric ended it, or null. */
    private volatile WcStatus killed;

    private WcStatus failure;

    /** The end was reported; nothing is received any more. */
    private volatile boolean over;

    private boolean disconnected;
    private int[] signalled = new int[0];
    private int signalledCount;

    private final Object life = new Object();
    private boolean closed;

    /** What the hand-shake has agreed on, and what serves it. */
    record Parts(
            int side,
            ShmLayout layout,
            Segment segment,
            Link link,
            Spinner spinner,
            boolean nativeCalls,
            boolean futex) {}

    ShmQueuePair(Parts parts, ShmFabric fabric) {
        this.side = parts.side;
        this.layout = parts.layout;
        this.segment = parts.segment;
        this.mem = segment.memory();
        this.link = parts.link;
        this.fabric = fabric;
        out = new LaneOut(layout, side, mem);
        in = new LaneIn(layout, 1 - side, mem);
        waiter = new Waiter(this, mem, side, parts.nativeCalls, parts.futex, parts.spinner);
        sendBase = Math.toIntExact(layout.data[side]);
        sendStride = layout.stride[side];
        receiveBase = Math.toIntExact(layout.data[1 - side]);
        receiveStride = layout.stride[1 - side];
    }

    int side() {
        return side;
    }

    Waiter waiter() {
        return waiter;
    }

    boolean failed() {
        return failure != null;
    }

    void rdmaWaits(boolean waits) {
        rdmaWaits = waits;
    }

    // ---- slots

    @Override
    public MemorySegment sendMemory() {
        return mem;
    }

    @Override
    public long sendOffset(int slot) {
        return sendBase + (long) slot * sendStride;
    }

    @Override
    public int sendBytes() {
        return layout.slotBytes[side];
    }

    @Override
    public MemorySegment receiveMemory() {
        return mem;
    }

    @Override
    public long receiveOffset(int slot) {
        return receiveBase + (long) slot * receiveStride;
    }

    @Override
    public int takeSendSlot() {
        try {
            int slot = out.take(rdma);
            if (slot < 0 && out.broken()) {
                fail(WcStatus.REM_INV_REQ_ERR);
            }
            return slot;
        } catch (InternalError e) {
            fail(WcStatus.RETRY_EXC_ERR);
            return -1;
        }
    }

    @Override
    public void returnSendSlot(int slot) {
        out.giveBack(slot);
    }

    @Override
    public void postSend(int slot, int byteLen, int flags) {
        out.post(slot);
        if (failure != null || disconnected || over) {
            return; // flushed
        }
        if (byteLen < 0 || byteLen > layout.slotBytes[side]) {
            fail(WcStatus.LOC_LEN_ERR);
            return;
        }
        try {
            publish(Descriptor.of(Descriptor.SEND, slot, byteLen));
        } catch (InternalError e) {
            fail(WcStatus.RETRY_EXC_ERR);
            return;
        }
        if ((flags & SIGNALLED) != 0) {
            if (signalledCount == signalled.length) {
                signalled = Arrays.copyOf(signalled, Math.max(8, signalledCount * 2));
            }
            signalled[signalledCount++] = slot;
            localChange();
        }
    }

    private void publish(long descriptor) {
        if (rdma != null && rdma.mustQueue()) {
            rdma.queue(descriptor);
            rdma.progress();
        } else {
            out.publish(descriptor);
            waiter.notifyPeer();
        }
    }

    @Override
    public void postReceive(int slot) {
        try {
            in.post(slot);
        } catch (InternalError e) {
            fail(WcStatus.RETRY_EXC_ERR);
        }
    }

    // ---- RDMA

    private RdmaEngine rdma() {
        if (rdma == null) {
            rdma = new RdmaEngine(this, out, in, mem, layout);
        }
        return rdma;
    }

    @Override
    public MemoryRegion register(MemorySegment memory, boolean remoteRead, boolean remoteWrite)
            throws FabricException {
        return rdma().register(memory, remoteRead, remoteWrite);
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
        if (failure != null || disconnected || over) {
            if (over) {
                engine.flush();
            }
            localChange();
        } else if (engine.reports()) {
            localChange();
        }
        return true;
    }

    // ---- completions

    @Override
    public CompletionQueue completions() {
        return this;
    }

    @Override
    public void drive() {
        // no I/O of our own
    }

    @Override
    public boolean ready() {
        if (over) {
            return local;
        }
        return in.present() || local || gone || (rdmaWaits && out.returned());
    }

    @Override
    public boolean poll(Completion into) {
        if (local && pollLocal(into)) {
            return true;
        }
        if (over) {
            return false;
        }
        try {
            return pollLane(into);
        } catch (InternalError e) {
            fail(WcStatus.RETRY_EXC_ERR);
            return pollLocal(into);
        }
    }

    private boolean pollLane(Completion into) {
        boolean last = gone;
        for (int n = 0; n < MAX_SILENT; n++) {
            long d = in.next();
            if (d == 0) {
                break;
            }
            int kind = Descriptor.kind(d);
            if (kind == Descriptor.SEND) {
                return received(into, Descriptor.index(d), Descriptor.low(d));
            }
            if (kind == Descriptor.DISCONNECT || kind == Descriptor.DISCONNECT_REPLY) {
                return ended(into, WcStatus.SUCCESS);
            }
            if (kind == 0
                    || kind > Descriptor.NAK
                    || !rdma().onDescriptor(kind, Descriptor.index(d), Descriptor.low(d))) {
                fail(WcStatus.REM_INV_REQ_ERR);
            }
            if (localNow()) {
                return pollLocal(into);
            }
        }
        if (rdmaWaits) {
            rdma.progress();
            if (out.broken()) {
                fail(WcStatus.REM_INV_REQ_ERR);
            }
            if (localNow()) {
                return pollLocal(into);
            }
        }
        if (last && !in.present()) {
            WcStatus why = killed;
            if (why != null) {
                fail(why);
                return pollLocal(into);
            }
            return ended(into, disconnected ? WcStatus.SUCCESS : WcStatus.RETRY_EXC_ERR);
        }
        return false;
    }

    private boolean localNow() {
        if (failure != null || (rdma != null && rdma.reports())) {
            local = true;
            return true;
        }
        return false;
    }

    private boolean received(Completion into, int slot, int byteLen) {
        if (!in.deliver(slot, byteLen)) {
            fail(WcStatus.REM_INV_REQ_ERR);
            return pollLocal(into);
        }
        into.opcode = Completion.RECEIVE;
        into.status = WcStatus.SUCCESS;
        into.slot = slot;
        into.byteLen = byteLen;
        return true;
    }

    private boolean ended(Completion into, WcStatus status) {
        if (!disconnected) {
            disconnected = true;
            out.publish(Descriptor.of(Descriptor.DISCONNECT_REPLY, 0, 0));
            waiter.notifyPeer();
        }
        into.count = status == WcStatus.SUCCESS ? 0 : out.outstanding(rdma);
        end();
        into.opcode = Completion.DISCONNECTED;
        into.status = status;
        return true;
    }

    private void end() {
        over = true;
        if (rdma != null) {
            rdma.flush();
        }
        local = signalledCount > 0 || (rdma != null && rdma.reports());
    }

    private boolean pollLocal(Completion into) {
        if (signalledCount > 0) {
            into.opcode = Completion.SEND;
            into.status = WcStatus.SUCCESS;
            into.slot = signalled[0];
            into.count = 1;
            into.signalled = true;
            System.arraycopy(signalled, 1, signalled, 0, --signalledCount);
        } else if (rdma != null && rdma.report(into)) {
            // filled
        } else if (failure != null && !over) {
            into.opcode = Completion.ERROR;
            into.status = failure;
            end();
            return true;
        } else {
            local = false;
            return false;
        }
        local =
                signalledCount > 0
                        || (failure != null && !over)
                        || (rdma != null && rdma.reports());
        return true;
    }

    /** The queue pair goes to error. Caller's lock. */
    void fail(WcStatus status) {
        if (failure == null && !over) {
            failure = status;
            whileMapped(link::shutdown);
        }
        localChange();
    }

    private void localChange() {
        local = true;
        waiter.rouse();
    }

    @Override
    public void await(long nanos) {
        waiter.await(nanos);
    }

    @Override
    public void wake() {
        waiter.wake();
    }

    @Override
    public boolean arm() {
        return waiter.arm();
    }

    @Override
    public void onDoorbell(Runnable handler) {
        waiter.onDoorbell(handler);
    }

    @Override
    public int descriptor() {
        return link.descriptor();
    }

    @Override
    public boolean armDescriptor() {
        return waiter.armDescriptor();
    }

    @Override
    public void releaseDescriptor() {
        waiter.releaseDescriptor();
    }

    // ---- the socket

    void ring() {
        link.ring();
    }

    /** Leaves bytes on the socket to somebody else's epoll, or takes them back. */
    void leaveBytes(boolean leave) {
        whileMapped(() -> link.tellOfBytes(!leave));
    }

    /** Throws away the bytes on the socket. */
    void drain() {
        whileMapped(link::drain);
    }

    @Override
    public void onReadable() {
        boolean alive;
        synchronized (life) {
            if (closed || waiter.polled()) {
                return;
            }
            alive = link.drain();
        }
        if (!alive) {
            onHangup();
        } else if (!waiter.onBell()) {
            kill(WcStatus.REM_INV_REQ_ERR);
        }
    }

    @Override
    public void onHangup() {
        if (!gone) {
            gone = true;
            waiter.onChange();
            fabric.peerLeft();
        }
    }

    /** Cuts the connection from outside; the user learns {@code why} at his next poll. */
    void kill(WcStatus why) {
        killed = why;
        whileMapped(link::shutdown);
        onHangup();
    }

    /** Runs {@code task} unless the memory was unmapped and the socket closed. */
    void whileMapped(Runnable task) {
        synchronized (life) {
            if (!closed) {
                task.run();
            }
        }
    }

    // ---- the end

    @Override
    public void disconnect() {
        if (!disconnected && failure == null && !over) {
            disconnected = true;
            publish(Descriptor.of(Descriptor.DISCONNECT, 0, 0));
        }
    }

    @Override
    public void abort() {
        if (!disconnected && failure == null && !over) {
            disconnected = true;
            out.publish(Descriptor.of(Descriptor.DISCONNECT, 0, 0));
            waiter.notifyPeer();
        }
        whileMapped(link::shutdown);
    }

    @Override
    public void close() {
        synchronized (life) {
            if (closed) {
                return;
            }
        }
        try {
            disconnect();
        } catch (InternalError e) {
            // the memory is gone already
        }
        synchronized (life) {
            closed = true;
            waiter.disarm();
            link.close();
            segment.release().run();
        }
        fabric.forget(this, layout.totalBytes);
    }
}
