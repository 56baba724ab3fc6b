package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.DaemonThread;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * One RC queue pair of a real device.
 *
 * <p>{@link WorkRequests} knows its requests, {@link VerbsRdma} posts reads and writes, {@link
 * QpTeardown} knows how it ends, {@link VerbsCompletionQueue} what the user sees of it, and the
 * ways to wait.
 *
 * <p>{@link #close} lets go of the user and leaves the rest to the event thread.
 *
 * <p>Locks: everything is guarded by this object's monitor, which no thread holds over a wait; the
 * caller's lock is needed only for what the SPI says. Payload is copied without it.
 */
final class VerbsQueuePair implements QueuePair, CmChannel.Target {
    /** About the time that a woken thread needs to leave its read. */
    private static final long READ_ENDS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final VerbsFabric fabric;
    private final CmChannel channel;
    final VerbsDevice device;
    private final QpResources resources;
    private final WorkRequests requests;
    private final QpTeardown teardown;
    private final VerbsCompletionQueue completions;
    private final VerbsRdma rdma;
    private int sendBytes;

    private boolean peerIsOurs;

    private boolean open = true;

    private boolean closed;

    /** The hand-shake is over. Set before the device is asked whether it was removed. */
    private boolean connected;

    /**
     * Makes the queue pair of {@code id}, not yet connected, with all receives posted.
     *
     * @param greeted whether the peer will send a greeting first
     * @throws FabricException if a resource is short; nothing is left then but the id
     */
    VerbsQueuePair(
            VerbsFabric fabric,
            CmChannel channel,
            VerbsDevice device,
            long id,
            QpSpec spec,
            boolean greeted)
            throws FabricException {
        this.fabric = fabric;
        this.channel = channel;
        this.device = device;
        device.acquire();
        QpResources made = null;
        try {
            made = new QpResources(channel, device, id, spec, greeted);
            resources = made;
            requests = new WorkRequests(this, resources, spec);
            teardown = new QpTeardown(this, channel, resources, requests);
            completions =
                    new VerbsCompletionQueue(
                            this, resources, requests, teardown, channel.loop, fabric.spinner());
            rdma = new VerbsRdma(this, resources, requests, teardown, completions);
            VerbsDevice.add(resources.qp, this);
        } catch (FabricException | RuntimeException | Error e) {
            if (made != null) {
                made.release(true);
            }
            fabric.release(device);
            throw e;
        }
    }

    /**
     * Takes send slots, before the peer is told anything: a failure afterwards would cut a
     * connection that the peer has already handed to its application.
     *
     * @param trailer what the peer told about its receive slots, or null if it has not yet; they
     *     are then assumed to be as large as ours
     */
    void reserve(Trailer trailer) throws FabricException {
        sendBytes = trailer == null ? resources.spec.receiveBytes() : wanted(trailer);
        resources.takeSendMemory(sendBytes);
    }

    /**
     * Called when the peer has answered. Makes the send slots as large as the peer's receive slots,
     * up to a limit; not larger than reserved if there is no memory for that.
     *
     * @param trailer what the peer told, or null
     */
    void establish(Trailer trailer) {
        if (trailer != null) {
            int wanted = wanted(trailer);
            if (wanted < sendBytes || resources.growSendMemory(wanted)) {
                sendBytes = wanted;
            }
            completions.peerMarks();
            peerIsOurs = true;
        }
        synchronized (this) {
            connected = true;
        }
        fabric.established(this);
    }

    private int wanted(Trailer trailer) {
        int most = Math.max(resources.spec.receiveBytes(), VerbsFabric.MAX_SEND_BYTES);
        return Math.min(trailer.receiveBytes(), most);
    }

    /** Sends the greeting, after which the passive side may send. */
    synchronized void greet() throws FabricException {
        int r = resources.postGreeting();
        if (r != 0) {
            throw VerbsFailures.of("the connection ended at once", -Math.abs(r));
        }
        requests.onSendPosted(false, true);
    }

    /** See {@link QpResources#answered}. Any thread. */
    synchronized boolean answered() {
        return open && resources.answered();
    }

    boolean isOpen() {
        assert Thread.holdsLock(this);
        return open;
    }

    boolean draining() {
        assert Thread.holdsLock(this);
        return teardown.draining();
    }

    // ---- slots

    @Override
    public MemorySegment sendMemory() {
        return resources.sendMemory;
    }

    @Override
    public long sendOffset(int slot) {
        return (long) slot * resources.sendStride;
    }

    @Override
    public int sendBytes() {
        return sendBytes;
    }

    @Override
    public MemorySegment receiveMemory() {
        return resources.receiveMemory;
    }

    @Override
    public long receiveOffset(int slot) {
        return (long) slot * resources.receiveStride;
    }

    @Override
    public boolean peerIsOurs() {
        return peerIsOurs;
    }

    @Override
    public boolean peerSleepsThroughMore() {
        return peerIsOurs; // nothing is known about other software
    }

    @Override
    public synchronized int takeSendSlot() {
        return requests.takeSlot();
    }

    @Override
    public synchronized void returnSendSlot(int slot) {
        requests.returnSlot(slot);
    }

    // ---- posting

    /** Whether requests still go to the device. */
    boolean usable() {
        assert Thread.holdsLock(this);
        return !completions.isOver() && teardown.notBegun();
    }

    @Override
    public synchronized void postSend(int slot, int byteLen, int flags) {
        if (!usable()) {
            returnSendSlot(slot); // flushed
            return;
        }
        if (byteLen < 0 || byteLen > sendBytes) {
            returnSendSlot(slot);
            teardown.fail(WcStatus.LOC_LEN_ERR);
            return;
        }
        boolean signalled = (flags & SIGNALLED) != 0;
        long wrId = WrId.of(signalled ? WrId.SIGNALLED_SEND : WrId.SEND, slot);
        completions.onPosting(signalled);
        if (!requests.postReceives()
                || resources.postSend(wrId, slot, byteLen, (flags & MORE) == 0) != 0) {
            returnSendSlot(slot);
            teardown.onFlush();
            return;
        }
        requests.onSendPosted(signalled, (flags & QUIET) != 0);
    }

    @Override
    public synchronized void postReceive(int slot) {
        if (teardown.isCut() || completions.isOver()) {
            return;
        }
        if (!requests.postReceive(slot)) {
            teardown.onFlush();
        }
    }

    @Override
    public MemoryRegion register(MemorySegment memory, boolean remoteRead, boolean remoteWrite)
            throws FabricException {
        return rdma.register(memory, remoteRead, remoteWrite);
    }

    @Override
    public void forgetKeys() {
        rdma.forgetKeys();
    }

    @Override
    public boolean postRead(
            long wrId, MemoryRegion local, long offset, int len, long address, int rkey) {
        return rdma.post(Completion.READ, wrId, local, offset, len, address, rkey);
    }

    @Override
    public boolean postWrite(
            long wrId, MemoryRegion local, long offset, int len, long address, int rkey) {
        return rdma.post(Completion.WRITE, wrId, local, offset, len, address, rkey);
    }

    @Override
    public boolean postProbe(long wrId) {
        return rdma.postProbe(wrId);
    }

    /** See {@link Fabric#arrived}. */
    synchronized boolean arrived() {
        if (open && !teardown.isCut()) {
            requests.onEnding();
            reap();
        }
        return !open || teardown.isCut() || requests.sendQueueEmpty();
    }

    // ---- what completed

    /** Posts the receives that were collected to be posted together. Monitor held. */
    void postReceives() {
        assert Thread.holdsLock(this);
        if (!requests.postReceives()) {
            teardown.onFlush();
        }
    }

    /** Monitor held. */
    void reap() {
        assert Thread.holdsLock(this);
        if (open) {
            requests.reap();
            teardown.onReaped();
        }
    }

    @Override
    public VerbsCompletionQueue completions() {
        return completions;
    }

    @Override
    public synchronized long nativeCalls() {
        return resources.nativeCalls();
    }

    // ---- the end

    @Override
    public synchronized void disconnect() {
        teardown.drain(QpTeardown.DRAIN_NANOS);
    }

    @Override
    public synchronized void abort() {
        // the last message tells the peer the reason, so it gets a moment to arrive
        teardown.drain(QpTeardown.ABORT_DRAIN_NANOS);
    }

    /**
     * Fails the queue pair, for the device, the fabric or a timer. Any thread. Leaves one alone
     * whose end would block this thread until the peer has answered: its set-up ends it in time.
     */
    synchronized void failFromOutside(WcStatus why) {
        if (!teardown.isCut() && !mayBlock()) {
            teardown.fail(why);
        }
    }

    private boolean mayBlock() {
        assert Thread.holdsLock(this);
        return device.connectMayBlock() && !connected;
    }

    /** Called when the device was removed: nothing comes from a peer any more. Event thread. */
    void onDeviceGone() {
        synchronized (this) {
            if (mayBlock()) {
                return;
            }
        }
        failFromOutside(WcStatus.FATAL_ERR);
        onGone();
    }

    @Override
    public void onCmEvent(CmEvent e) {
        switch (e.type()) {
            case RdmaCmEvent.DISCONNECTED -> onGone();
            case RdmaCmEvent.DEVICE_REMOVAL -> {
                fabric.onRemoved(device);
                onGone();
            }
            default -> {
                // such as the end of time-wait or a changed address: nothing to do
            }
        }
    }

    /** Called when the peer knows of the end, or is not waited for any longer. Event thread. */
    void onGone() {
        synchronized (this) {
            teardown.onGone();
        }
        completions.onChange();
        destroyIfLeft();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            completions.end();
            completions.disarm();
            teardown.drain(QpTeardown.DRAIN_NANOS);
        }
        channel.loop.execute(this::destroyIfLeft);
    }

    /**
     * Lets the event thread run {@code discard} once that does not block. On iWARP the kernel does
     * not end a queue pair that is being connected before the peer has answered or the device has
     * given up. Any thread.
     */
    void whenAnswered(Runnable discard) {
        if (device.connectMayBlock()) {
            Runnable await =
                    () -> {
                        try {
                            channel.cm.disconnect(resources.id);
                        } finally {
                            channel.loop.execute(discard);
                        }
                    };
            try {
                DaemonThread.of("sdp4j-connect", await).start();
                return;
            } catch (OutOfMemoryError e) {
                // no thread: the event thread may have to wait
            }
        }
        channel.loop.execute(discard);
    }

    /** Ends a queue pair that was never connected, or whose user was not told. Event thread. */
    void discard() {
        synchronized (this) {
            closed = true;
            teardown.skip();
        }
        destroyIfLeft();
    }

    private void destroyIfLeft() {
        synchronized (this) {
            if (!closed || !teardown.gone() || !open) {
                return;
            }
            if (completions.rouseReader()) { // the library looks at its queues when it comes out
                channel.loop.schedule(this::destroyIfLeft, READ_ENDS_NANOS);
                return;
            }
            open = false;
            teardown.cancelTimers();
            boolean again = completions.close();
            resources.release(again);
        }
        rdma.end();
        fabric.release(device);
        channel.destroyId(resources.id);
        fabric.forget(this);
    }
}
