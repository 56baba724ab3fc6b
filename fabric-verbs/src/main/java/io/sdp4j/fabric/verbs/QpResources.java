package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.linux.Descriptors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Resources of one queue pair in the device and the kernel, and the native calls on them.
 *
 * <p>Shape: a {@link CqResources}, that is, a completion channel with a descriptor, an eventfd to
 * wake the thread that sleeps on it, a CQ for receives and another one for everything sent, so that
 * the end of a send wakes no thread that waits for input. Cost: two descriptors, two CQs, the
 * spec's buffers in the device's slabs (receive slots from the beginning, send slots when the
 * peer's size is known), and a 48-byte WR for each receive slot, prepared once. Receives are not
 * shared with other queue pairs, because SDP promises each of them to its peer.
 *
 * <p>Guarded by the queue pair's monitor, except {@link #getEvent}, and {@link #release}, which is
 * the last call.
 */
final class QpResources {
    /**
     * Every event has to be acknowledged before its CQ is destroyed. That takes a lock of the
     * library, so many events are acknowledged at a time.
     */
    private static final int ACK_EVERY = 256;

    /** Completions taken in one call. */
    static final int BATCH = 16;

    private static final int ALIGN = 64;

    private final CmChannel channel;
    private final Ibv ibv;
    private final DataPathVerbs hot;
    final long id;
    final int receiveStride;

    /** Receives that are posted at first: those of the spec, and perhaps one for the greeting. */
    private final int receives;

    private final int sends;
    private SlabPool.Lease receiveLease;
    private SlabPool.Lease sendLease;
    MemorySegment receiveMemory;
    MemorySegment sendMemory = MemorySegment.NULL;
    int sendStride;
    long qp;
    private boolean qpMade;
    private int inlineBytes;

    /** Events that were taken and are not acknowledged. */
    private int receiveEvents;

    private int sendEvents;

    /** Native calls made so far on the data path. */
    private long nativeCalls;

    private final VerbsDevice device;
    final QpSpec spec;
    CqResources cqs;

    /** Offsets of the parts of the scratch memory behind the receive slots. */
    private long receiveWrs;

    private long receiveSges;
    private long sendWr;
    private long sendSge;
    private long badWr;
    private long event;
    MemorySegment wcs;
    MemorySegment awaitScratch;

    /**
     * Makes the queue pair of {@code id} and posts all its receives.
     *
     * @param greeted whether the peer's first message is its greeting, which needs an additional
     *     receive
     * @throws FabricException if a resource is short; nothing is left then but {@code id} itself
     */
    QpResources(CmChannel channel, VerbsDevice device, long id, QpSpec spec, boolean greeted)
            throws FabricException {
        this.channel = channel;
        this.device = device;
        this.ibv = device.ibv;
        this.hot = device.hot;
        this.id = id;
        this.spec = spec;
        receiveStride = (int) round(spec.receiveBytes());
        receives = spec.receiveSlots() + (greeted ? 1 : 0);
        sends = spec.sendSlots() + RdmaOps.MAX_OPS;
        try {
            takeReceiveMemory();
            makeQueues();
            makeQueuePair();
            postAllReceives();
        } catch (FabricException | RuntimeException | Error e) {
            release(true);
            throw e;
        }
    }

    private static long round(long bytes) {
        return (bytes + ALIGN - 1) & -ALIGN;
    }

    private void takeReceiveMemory() throws FabricException {
        long at = (long) receives * receiveStride;
        receiveWrs = at;
        at = round(at + receives * IbvRecvWr.BYTES);
        receiveSges = at;
        at = round(at + receives * IbvSge.BYTES);
        sendWr = at;
        at = round(at + IbvSendWr.BYTES);
        sendSge = at;
        at = round(at + IbvSge.BYTES);
        badWr = at;
        event = at + 8;
        at = round(at + 24);
        long wcsAt = at;
        at = round(at + BATCH * IbvWc.BYTES);
        long awaitAt = at;
        at += Descriptors.AWAIT_BYTES;
        receiveLease = device.slabs.lease(at);
        receiveMemory = receiveLease.memory();
        receiveMemory.asSlice(receiveWrs, at - receiveWrs).fill((byte) 0);
        wcs = receiveMemory.asSlice(wcsAt, BATCH * IbvWc.BYTES);
        awaitScratch = receiveMemory.asSlice(awaitAt, Descriptors.AWAIT_BYTES);
    }

    private void makeQueues() throws FabricException {
        int most = Math.max(sends, receives);
        if (most > device.maxWrs || most > device.maxCqes) {
            throw new FabricException(
                    Cause.RESOURCES,
                    most + " work requests are more than RDMA device " + device.name + " takes");
        }
        cqs = device.cqPool.take(receives, sends);
    }

    private void makeQueuePair() throws FabricException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(IbvQpInitAttr.LAYOUT);
            int inline = device.inlineBytes;
            IbvQpInitAttr.setRc(attr, cqs.sendCq, cqs.receiveCq, sends, receives, inline);
            int r = channel.cm.createQp(id, device.pd, attr);
            if (r < 0 && inline > 0) {
                IbvQpInitAttr.setRc(attr, cqs.sendCq, cqs.receiveCq, sends, receives, 0);
                r = channel.cm.createQp(id, device.pd, attr);
                if (r >= 0) {
                    device.inlineBytes = 0;
                }
            }
            if (r < 0) {
                throw VerbsFailures.of("no queue pair on " + device.name, r);
            }
            qpMade = true;
            inlineBytes = IbvQpInitAttr.inlineBytes(attr);
        }
        qp = RdmaCmId.queuePair(id);
    }

    private void postAllReceives() throws FabricException {
        long base = receiveMemory.address();
        for (int slot = receives - 1; slot >= 0; slot--) { // the greeting comes first
            long sge = receiveSges + slot * IbvSge.BYTES;
            IbvSge.set(
                    receiveMemory,
                    sge,
                    base + (long) slot * receiveStride,
                    spec.receiveBytes(),
                    receiveLease.lkey());
            IbvRecvWr.set(
                    receiveMemory,
                    receiveWrs + slot * IbvRecvWr.BYTES,
                    WrId.of(slot < spec.receiveSlots() ? WrId.RECEIVE : WrId.GREETING, slot),
                    base + sge);
            chainReceive(slot, slot - 1);
        }
        int r = postReceive(receives - 1);
        if (r != 0) {
            throw VerbsFailures.of("no receive posted on " + device.name, -Math.abs(r));
        }
    }

    // ---- buffers

    /** Takes send slots of {@code bytes} each. */
    void takeSendMemory(int bytes) throws FabricException {
        int stride = (int) round(bytes);
        sendLease = device.slabs.lease((long) spec.sendSlots() * stride);
        sendMemory = sendLease.memory();
        sendStride = stride;
    }

    /** Enlarges unused send slots to {@code bytes}; false if there is no memory for that. */
    boolean growSendMemory(int bytes) {
        if (round(bytes) <= sendStride) {
            return true;
        }
        SlabPool.Lease small = sendLease;
        try {
            takeSendMemory(bytes);
        } catch (FabricException noMemory) {
            return false;
        }
        small.close();
        return true;
    }

    // ---- the data path; errors are not 0

    /** Posts a receive and those that are chained to it. */
    int postReceive(int slot) {
        nativeCalls++;
        long base = receiveMemory.address();
        return hot.postReceive(qp, base + receiveWrs + slot * IbvRecvWr.BYTES, base + badWr);
    }

    /**
     * Chains receive {@code next} to {@code slot}, so that both are posted together; below 0 =
     * none.
     */
    void chainReceive(int slot, int next) {
        long wrs = receiveMemory.address() + receiveWrs;
        long at = receiveWrs + slot * IbvRecvWr.BYTES;
        IbvRecvWr.setNext(receiveMemory, at, next < 0 ? 0 : wrs + next * IbvRecvWr.BYTES);
    }

    int postSend(long wrId, int slot, int byteLen, boolean solicited) {
        long base = receiveMemory.address();
        IbvSge.set(
                receiveMemory,
                sendSge,
                sendMemory.address() + (long) slot * sendStride,
                byteLen,
                sendLease.lkey());
        int flags =
                IbvSendWr.SIGNALED
                        | (solicited ? IbvSendWr.SOLICITED : 0)
                        | (byteLen <= inlineBytes ? IbvSendWr.INLINE : 0);
        IbvSendWr.set(
                receiveMemory,
                sendWr,
                wrId,
                base + sendSge,
                byteLen == 0 ? 0 : 1,
                IbvSendWr.OP_SEND,
                flags);
        nativeCalls++;
        return hot.postSend(qp, base + sendWr, base + badWr);
    }

    /** Sends an empty message. */
    int postGreeting() {
        long base = receiveMemory.address();
        long wrId = WrId.of(WrId.GREETING, 0);
        IbvSendWr.set(receiveMemory, sendWr, wrId, 0, 0, IbvSendWr.OP_SEND, IbvSendWr.SIGNALED);
        return hot.postSend(qp, base + sendWr, base + badWr);
    }

    /**
     * @param opcode {@link IbvSendWr#OP_RDMA_READ} or {@link IbvSendWr#OP_RDMA_WRITE}
     */
    int postRdma(
            long wrId,
            int opcode,
            long localAddress,
            int lkey,
            int lenBytes,
            long remoteAddress,
            int rkey) {
        long base = receiveMemory.address();
        IbvSge.set(receiveMemory, sendSge, localAddress, lenBytes, lkey);
        int pieces = lenBytes > 0 || opcode == IbvSendWr.OP_RDMA_READ ? 1 : 0; // as iWARP requires
        IbvSendWr.set(
                receiveMemory, sendWr, wrId, base + sendSge, pieces, opcode, IbvSendWr.SIGNALED);
        IbvSendWr.setRemote(receiveMemory, sendWr, remoteAddress, rkey);
        nativeCalls++;
        return hot.postSend(qp, base + sendWr, base + badWr);
    }

    /** Takes completions into {@link #wcs}. Returns their number, or a negative number. */
    int pollReceives() {
        nativeCalls++;
        return hot.poll(cqs.receiveCq, BATCH, wcs.address());
    }

    int pollSends() {
        nativeCalls++;
        return hot.poll(cqs.sendCq, BATCH, wcs.address());
    }

    /**
     * @param marked whether only a message that was sent with a solicited event, or an error,
     *     causes the event
     */
    void requestReceiveEvent(boolean marked) {
        nativeCalls++;
        hot.requestNotify(cqs.receiveCq, marked);
    }

    void requestSendEvent() {
        nativeCalls++;
        hot.requestNotify(cqs.sendCq, false);
    }

    /** Adds calls that were made elsewhere for this queue pair. */
    void countNativeCalls(int more) {
        nativeCalls += more;
    }

    long nativeCalls() {
        return nativeCalls;
    }

    /**
     * Gets one event from the channel, which {@link #takenEvent} then takes; false if there is
     * none, or a signal came. Sleeps here if the descriptor blocks. One thread at a time; needs no
     * lock.
     */
    boolean getEvent() {
        return ibv.getCqEvent(cqs.compChannel, receiveMemory.address() + event);
    }

    /** Takes the event from {@link #getEvent}. Returns whether it is one of the CQ for receives. */
    boolean takenEvent() {
        boolean receive = receiveMemory.get(JAVA_LONG, event) == cqs.receiveCq;
        if (receive) {
            receiveEvents++;
        } else {
            sendEvents++;
        }
        if (receiveEvents + sendEvents == ACK_EVERY) {
            acknowledgeEvents();
        }
        return receive;
    }

    private void acknowledgeEvents() {
        if (receiveEvents > 0) {
            ibv.ackCqEvents(cqs.receiveCq, receiveEvents);
            receiveEvents = 0;
        }
        if (sendEvents > 0) {
            ibv.ackCqEvents(cqs.sendCq, sendEvents);
            sendEvents = 0;
        }
    }

    /** Destroys the queue pair: the device touches no memory and completes nothing from now on. */
    void destroyQueuePair() {
        if (qpMade) {
            qpMade = false;
            VerbsDevice.remove(qp); // first: afterwards another queue pair may have the address
            channel.cm.destroyQp(id);
        }
    }

    /** Whether the library knows the peer's answer, and may therefore have told the peer. */
    boolean answered() {
        return qpMade && Ibv.qpState(qp) >= Ibv.READY_TO_RECEIVE;
    }

    /**
     * Releases everything but the id, in the order that the library requires.
     *
     * @param again whether others may use the queues
     */
    void release(boolean again) {
        destroyQueuePair();
        acknowledgeEvents();
        if (cqs != null) {
            if (again && emptied(cqs.receiveCq) && emptied(cqs.sendCq)) {
                device.cqPool.giveBack(cqs);
            } else {
                cqs.close();
            }
        }
        if (receiveLease != null) {
            receiveLease.close();
        }
        if (sendLease != null) {
            sendLease.close();
        }
    }

    /** Empties a CQ that gets no more completions. Returns whether that succeeded. */
    private boolean emptied(long cq) {
        int n;
        do {
            n = hot.poll(cq, BATCH, wcs.address());
        } while (n > 0);
        return n == 0;
    }
}
