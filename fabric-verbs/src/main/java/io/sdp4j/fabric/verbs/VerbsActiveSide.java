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
import java.util.concurrent.CompletableFuture;

/**
 * One attempt to connect, on the thread that wants the connection, which takes its events itself.
 * Where {@link ConnectWatchdog} can end its system calls it waits in them; else in poll(2), and a
 * call that cannot be ended is another thread's.
 *
 * <p>The local address is asked for when the destination has an RDMA path, which is as late as the
 * connection request allows: it names the port. Whatever fails, the id and its queue pair are
 * destroyed on the event thread, after the call that may still run on them, and when that waits for
 * nothing any more.
 */
final class VerbsActiveSide implements CmChannel.Target {
    private final VerbsFabric fabric;
    private final CmChannel channel;
    private final ConnectRequest request;
    private final ConnectChannel own;
    private final long begun;

    /** This attempt as {@link ConnectWatchdog} knows it; null if its calls cannot be ended. */
    private final ConnectWatchdog.Caller caller;

    /** When the clock was read last, which costs a system call in some machines. */
    private long nowNanos;

    private long id;
    private VerbsDevice device;
    private VerbsQueuePair qp;

    /** Waited so far for others, in poll(2). */
    private long polledNanos;

    /** Why a call on another thread has failed; 0 if it has not. */
    private volatile int failed;

    /** The peer has answered, and may be told. */
    private volatile boolean answered;

    private CompletableFuture<Integer> connecting = CompletableFuture.completedFuture(0);

    /**
     * @param begun {@link System#nanoTime} value when the attempt began
     * @throws FabricException if there is no more of something
     */
    VerbsActiveSide(VerbsFabric fabric, CmChannel channel, ConnectRequest request, long begun)
            throws FabricException {
        this.fabric = fabric;
        this.channel = channel;
        this.request = request;
        this.begun = begun;
        nowNanos = begun;
        caller = ConnectWatchdog.possible() ? new Watched() : null;
        own = channel.own();
        own.waiting(caller != null);
    }

    /** Questions of the event thread to an attempt. */
    private final class Watched extends ConnectWatchdog.Caller {
        @Override
        boolean unwanted(long waitedNanos) {
            return request.abandoned().getAsBoolean() || left(waitedNanos, System.nanoTime()) <= 0;
        }
    }

    /** Between the moves to the fabric's channel and to the queue pair there is no event. */
    @Override
    public void onCmEvent(CmEvent e) {
        throw new AssertionError("an event of an id that is not connected: " + e.type());
    }

    Fabric.Connection connect() throws FabricException {
        boolean complete = false;
        watch();
        try {
            Fabric.Connection c = attempt();
            complete = true;
            return c;
        } finally {
            unwatch();
            if (complete) {
                channel.giveBack(own);
            } else {
                var _ = connecting.whenComplete((r, t) -> discardSoon());
            }
        }
    }

    /** Goes as far as an attempt gets without its peer. Nothing is left. */
    void rehearse() throws FabricException {
        watch();
        try {
            prepare();
        } finally {
            unwatch();
            channel.loop().execute(this::discard);
        }
    }

    private void watch() {
        if (caller != null) {
            fabric.callWatch().enter(caller);
        }
    }

    private void unwatch() {
        if (caller != null) {
            fabric.callWatch().leave(caller);
        }
    }

    private void discardSoon() {
        if (qp != null) {
            qp.whenAnswered(this::discard);
        } else {
            channel.loop().execute(this::discard);
        }
    }

    private void discard() {
        if (qp != null) {
            qp.discard();
        } else if (id != 0) {
            channel.destroyId(id);
        }
        own.calm();
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
        connecting.join(); // the call that led to it has ended, but for its last steps
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
     * Any thread. On InfiniBand and RoCE the library tells the peer before it tells us; an iWARP
     * peer waits for our greeting.
     */
    private boolean mayBeEstablished() {
        return answered || qp.answered();
    }

    /** Finds the way and makes the queue pair. */
    private void prepare() throws FabricException {
        InetSocketAddress remote = request.remote();
        int guess = fabric.ports().likely(remote.getPort());
        resolve(guess);
        device = device();
        int port = fabric.ports().of(device, remote.getPort());
        if (port != guess) {
            long other = id;
            id = 0;
            channel.destroyId(other);
            resolve(port);
            device = device();
        }
        int r = channel.cm().resolveRoute(id, leftMillis());
        if (r < 0) {
            throw VerbsFailures.of("no RDMA path to " + remote, r);
        }
        expect(RdmaCmEvent.ROUTE_RESOLVED);
        qp = new VerbsQueuePair(fabric, channel, device, id, request.spec(), false);
        device.requireThere(); // a removal before the device knew of it has not ended it
        qp.reserve(null);
    }

    private void resolve(int port) throws FabricException {
        id = channel.createId(own, this);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = SockAddr.of(arena, request.remote().getAddress(), port);
            int r = channel.cm().resolveAddr(id, to, leftMillis());
            if (r < 0) {
                throw VerbsFailures.of("no RDMA device leads to " + request.remote(), r);
            }
        }
        expect(RdmaCmEvent.ADDR_RESOLVED);
    }

    private VerbsDevice device() throws FabricException {
        return fabric.device(RdmaCmId.verbs(Bindings.at(id, RdmaCmId.LAYOUT)));
    }

    private int localPort() throws FabricException {
        try {
            MemorySegment m = Bindings.at(id, RdmaCmId.LAYOUT);
            InetAddress source = RdmaCmId.source(m).getAddress();
            return request.localAddress().find(source).getPort();
        } catch (FabricException e) {
            throw e;
        } catch (IOException e) {
            throw new FabricException(Cause.RESOURCES, "no local address: " + e.getMessage(), e);
        }
    }

    private void start(byte[] privateData) throws FabricException {
        MemorySegment param =
                ConnParams.of(
                        Arena.ofAuto(), privateData, device.readsServed(), device.readsStarted());
        int r;
        if (caller == null && device.connectMayBlock()) {
            r = startElsewhere(param);
        } else {
            r = startHere(param);
        }
        if (r < 0) {
            throw notConnected(r);
        }
    }

    /** A signal meant for another thread means another try. */
    private int startHere(MemorySegment param) throws FabricException {
        int r;
        do {
            beginCall();
            try {
                r = channel.cm().connect(id, param);
            } finally {
                endCall();
            }
        } while (r == -Linux.EINTR && stillWanted());
        return r;
    }

    private void beginCall() {
        if (caller != null) {
            caller.begin();
        }
    }

    private void endCall() {
        if (caller != null) {
            caller.end();
        }
    }

    /** True, unless it throws; reads the clock. */
    private boolean stillWanted() throws FabricException {
        nowNanos = System.nanoTime();
        return patience() > 0;
    }

    private FabricException notConnected(int error) {
        return VerbsFailures.of("no RDMA connection to " + request.remote(), error);
    }

    /**
     * The call may wait for the peer longer than our caller wants to. Its end is not waited for,
     * only the next event, which it leads to; only a failure has to be told.
     */
    private int startElsewhere(MemorySegment param) throws FabricException {
        long connected = id;
        own.rousable();
        connecting =
                fabric.connectThreads()
                        .run(
                                () -> {
                                    int r = channel.cm().connect(connected, param);
                                    if (r < 0) {
                                        failed = r;
                                        own.rouse();
                                    }
                                    return r;
                                });
        return 0;
    }

    /** The next event, which must be of this type; not ended by an interrupt. */
    private CmEvent expect(int type) throws FabricException {
        CmEvent e = next(type == RdmaCmEvent.ESTABLISHED);
        if (e.type() != type) {
            byte[] data = Trailer.data(e.privateData(), Trailer.REFUSAL_BYTES);
            throw VerbsFailures.of(e, data);
        }
        return e;
    }

    /**
     * Of those that this host itself brings about most are there already. The clock is read only
     * when a wait was in vain: the time left to others follows from the time waited for them.
     */
    private CmEvent next(boolean peers) throws FabricException {
        CmEvent e = caller != null || !peers ? take() : null;
        while (e == null) {
            if (caller == null) {
                polledNanos += own.await(patience());
            } else {
                stillWanted();
            }
            e = take();
            if (e == null && failed < 0) {
                throw notConnected(failed);
            }
            if (e == null) {
                nowNanos = System.nanoTime();
            }
        }
        if (e.type() == RdmaCmEvent.DEVICE_REMOVAL && device != null) {
            channel.loop().execute(() -> fabric.onRemoved(device));
        }
        return e;
    }

    private CmEvent take() {
        beginCall();
        try {
            return own.take();
        } finally {
            endCall();
        }
    }

    /** How long to sleep before looking again whether anybody wants the connection. */
    private long patience() throws FabricException {
        if (request.abandoned().getAsBoolean()) {
            throw new FabricException(Cause.ABANDONED, "the connection is not wanted any more");
        }
        long left = left();
        if (left <= 0) {
            throw timedOut();
        }
        return Math.min(left, ConnectRequest.ABANDON_CHECK_NANOS);
    }

    private long left() {
        return left(waitedNanos(), nowNanos);
    }

    /** Time left to wait; time that this side used itself does not count. */
    private long left(long waitedNanos, long now) {
        long forOthers = request.deadlineNanos() - begun - waitedNanos;
        return Math.min(forOthers, request.limitNanos() - now);
    }

    /** Waited so far for others: the network, the peer, a call that waits for it. */
    private long waitedNanos() {
        return caller == null ? polledNanos : caller.waitedNanos();
    }

    private int leftMillis() throws FabricException {
        long left = left();
        if (left <= 0) {
            throw timedOut();
        }
        return Math.clamp(left / 1_000_000, 1, Integer.MAX_VALUE);
    }

    private FabricException timedOut() {
        return waitedNanos() <= Math.max(0, (request.deadlineNanos() - begun) / 2)
                ? new FabricException(
                        Cause.NOT_READY,
                        "no answer in time, most of which this process needed to get ready")
                : new FabricException(Cause.TIMED_OUT, "no answer in time");
    }
}
