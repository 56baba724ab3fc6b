package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.Linux;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * One attempt to connect, made on the thread that wants the connection. That thread takes the
 * events itself and waits in system calls, which {@link ConnectWatchdog} ends.
 *
 * <p>The local address is asked for once the destination has an RDMA path. This is as late as
 * possible, because the connection request names the local port. After a failure the event thread
 * destroys the id and its queue pair, after the call that may still run on them, and when
 * destroying them does not block any more.
 */
final class VerbsActiveSide implements CmChannel.Target {
    private final VerbsFabric fabric;
    private final CmChannel channel;
    private final ConnectRequest request;
    private final ConnectWatchdog.Caller caller = new Watched();
    private final long own;
    private final long begun;

    /** Time of the last reading of the clock, which costs a system call on some machines. */
    private long nowNanos;

    private long id;
    private VerbsDevice device;
    private VerbsQueuePair qp;

    /** The peer has answered, and may have been told that the connection is up. */
    private volatile boolean answered;

    /**
     * @param begun {@link System#nanoTime} value when the attempt began
     * @throws FabricException if a resource is short
     */
    VerbsActiveSide(VerbsFabric fabric, CmChannel channel, ConnectRequest request, long begun)
            throws FabricException {
        this.fabric = fabric;
        this.channel = channel;
        this.request = request;
        this.begun = begun;
        nowNanos = begun;
        own = channel.own();
    }

    /** Answers the event thread's questions about this attempt. */
    private final class Watched extends ConnectWatchdog.Caller {
        @Override
        boolean unwanted(long waitedNanos) {
            return request.abandoned().getAsBoolean() || left(waitedNanos, System.nanoTime()) <= 0;
        }
    }

    /**
     * Never called: there is no event between the move to the fabric's channel and the move to the
     * queue pair.
     */
    @Override
    public void onCmEvent(CmEvent e) {
        throw new AssertionError("an event of an id that is not connected: " + e.type());
    }

    Fabric.Connection connect() throws FabricException {
        boolean complete = false;
        try {
            fabric.callWatch.enter(caller);
            Fabric.Connection c = attempt();
            complete = true;
            return c;
        } finally {
            fabric.callWatch.leave(caller);
            if (complete) {
                channel.giveBack(own);
            } else if (qp != null) {
                qp.whenAnswered(this::discard);
            } else {
                channel.loop.execute(this::discard);
            }
        }
    }

    /** Goes as far as an attempt gets without its peer. Leaves nothing behind. */
    void rehearse() throws FabricException {
        try {
            fabric.callWatch.enter(caller);
            prepare();
        } finally {
            fabric.callWatch.leave(caller);
            channel.loop.execute(this::discard);
        }
    }

    private void discard() {
        if (qp != null) {
            qp.discard();
        } else if (id != 0) {
            channel.destroyId(id);
        }
        channel.giveBack(own);
        fabric.onIdGone();
    }

    private Fabric.Connection attempt() throws FabricException {
        prepare();
        Trailer mine = new Trailer(request.spec().receiveBytes(), localPort());
        request.asked().accept(this::mayBeEstablished);
        start(mine.append(request.privateData(), Trailer.REQUEST_BYTES));
        CmEvent established = expect(RdmaCmEvent.ESTABLISHED);
        answered = true;
        Trailer trailer = Trailer.of(established.privateData(), Trailer.REPLY_BYTES);
        qp.establish(trailer);
        if (trailer != null && device.initiatorSpeaksFirst()) {
            qp.greet();
        }
        channel.adopt(id, qp);
        return new Fabric.Connection(
                qp, Trailer.data(established.privateData(), Trailer.REPLY_BYTES));
    }

    /**
     * Whether the peer may take the connection for established. On InfiniBand and RoCE the library
     * tells the peer before it tells us; an iWARP peer waits for our greeting. Any thread.
     */
    private boolean mayBeEstablished() {
        return answered || qp.answered();
    }

    /** Resolves the path and makes the queue pair. */
    private void prepare() throws FabricException {
        InetSocketAddress remote = request.remote();
        int guess = fabric.ports.likely(remote.getPort());
        resolve(guess);
        device = fabric.device(RdmaCmId.verbs(id));
        int port = fabric.ports.of(device, remote.getPort());
        if (port != guess) {
            long other = id;
            id = 0;
            channel.destroyId(other);
            resolve(port);
            device = fabric.device(RdmaCmId.verbs(id));
        }
        int r = channel.cm.resolveRoute(id, leftMillis());
        if (r == -Linux.EAGAIN) { // not a limit here
            throw new FabricException(
                    Cause.UNAVAILABLE,
                    "no RDMA path to " + remote + ": the port knows no subnet manager yet");
        }
        if (r < 0) {
            throw VerbsFailures.of("no RDMA path to " + remote, r);
        }
        expect(RdmaCmEvent.ROUTE_RESOLVED);
        qp = new VerbsQueuePair(fabric, channel, device, id, request.spec(), false);
        device.requireThere(); // a removal before the device knew the queue pair has not ended it
        qp.reserve(null);
    }

    private void resolve(int port) throws FabricException {
        id = channel.createId(own, this);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = SockAddr.of(arena, request.remote().getAddress(), port);
            InetAddress bound = request.localAddress().bound();
            MemorySegment from = bound == null ? MemorySegment.NULL : SockAddr.of(arena, bound, 0);
            int r = channel.cm.resolveAddr(id, from, to, leftMillis());
            if (r < 0) {
                throw VerbsFailures.of("no RDMA device leads to " + request.remote(), r);
            }
        }
        expect(RdmaCmEvent.ADDR_RESOLVED);
    }

    private int localPort() throws FabricException {
        try {
            InetAddress source = RdmaCmId.source(id).getAddress();
            return request.localAddress().find(source).getPort();
        } catch (FabricException e) {
            throw e;
        } catch (IOException e) {
            throw new FabricException(Cause.RESOURCES, "no local address: " + e.getMessage(), e);
        }
    }

    /** Starts the connection. A signal that was meant for another thread means another try. */
    private void start(byte[] privateData) throws FabricException {
        int r;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment param =
                    RdmaConnParam.of(arena, privateData, device.readsServed, device.readsStarted);
            do {
                caller.begin();
                try {
                    r = channel.cm.connect(id, param);
                } finally {
                    caller.end();
                }
            } while (r == -Linux.EINTR && stillWanted());
        }
        if (r < 0) {
            throw VerbsFailures.of("no RDMA connection to " + request.remote(), r);
        }
    }

    /** Returns the next event, which must be of this type. An interrupt does not end the wait. */
    private CmEvent expect(int type) throws FabricException {
        CmEvent e = take();
        while (e == null && stillWanted()) {
            e = take();
        }
        if (e.type() == RdmaCmEvent.DEVICE_REMOVAL && device != null) {
            channel.loop.execute(() -> fabric.onRemoved(device));
        }
        if (e.type() != type) {
            byte[] data = Trailer.data(e.privateData(), Trailer.REFUSAL_BYTES);
            throw VerbsFailures.of(e, data);
        }
        return e;
    }

    /** Returns the next event; null if a signal ended the wait. */
    private CmEvent take() {
        caller.begin();
        try {
            return channel.take(own);
        } finally {
            caller.end();
        }
    }

    /**
     * Returns true, or throws if the attempt is over. Reads the clock, which happens only after a
     * wait without an event: otherwise the time left follows from the time that was waited.
     */
    private boolean stillWanted() throws FabricException {
        nowNanos = System.nanoTime();
        if (request.abandoned().getAsBoolean()) {
            throw new FabricException(Cause.ABANDONED, "the caller gave the connection up");
        }
        if (left() <= 0) {
            throw timedOut();
        }
        return true;
    }

    private long left() {
        return left(caller.waitedNanos(), nowNanos);
    }

    /**
     * Returns the time left to wait. Time that this side used itself does not count.
     *
     * @param waitedNanos time waited so far for others: the network, the peer, a call that waits
     *     for the peer
     */
    private long left(long waitedNanos, long now) {
        long forOthers = request.deadlineNanos() - begun - waitedNanos;
        return Math.min(forOthers, request.limitNanos() - now);
    }

    private int leftMillis() throws FabricException {
        long left = left();
        if (left <= 0) {
            throw timedOut();
        }
        return Math.clamp(left / 1_000_000, 1, Integer.MAX_VALUE);
    }

    private FabricException timedOut() {
        return caller.waitedNanos() <= Math.max(0, (request.deadlineNanos() - begun) / 2)
                ? new FabricException(
                        Cause.NOT_READY, "no answer in time; this process itself used most of it")
                : new FabricException(Cause.TIMED_OUT, "no answer in time");
    }
}
