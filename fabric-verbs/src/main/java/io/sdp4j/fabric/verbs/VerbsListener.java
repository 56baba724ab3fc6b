package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.linux.EventLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A listener of the connection manager, and its requests that were not answered yet.
 *
 * <p>If it would occupy the TCP port of the kernel's listener, it takes the mapped port of {@link
 * VerbsConfig#SHARED_PORT_MASK} instead. A wildcard that covers devices of both kinds does so for
 * all of them; clients then find it over iWARP only.
 *
 * <p>This object's monitor guards the id: a thread passes the id to the library only while it holds
 * the monitor. The monitor may be held while the id is destroyed, because destroying waits for no
 * thread that wants the monitor: {@link CmChannel} acknowledges an event before it tells the
 * target.
 */
final class VerbsListener implements FabricListener, CmChannel.Target {
    private static final int MAX_PENDING = 1024;
    private static final int ATTEMPTS = 20;
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /**
     * Time between two looks at clients that have not answered. One timer serves all, because
     * setting and stopping a timer reads the clock, which costs a system call on some machines.
     */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final VerbsFabric fabric;
    private final CmChannel channel;
    private final ListenRequest request;
    private final Set<VerbsPassiveSide> pending = ConcurrentHashMap.newKeySet();

    /** 0 = none. */
    private long id;

    /** Its device was removed. Event thread only. */
    private boolean orphan;

    /**
     * Attempts to listen again that are left, on a timer, until there is news; 0 = no timer runs.
     * Event thread only.
     */
    private int attempts;

    /** Of the event thread. */
    private boolean looking;

    /** Device of the listener's address; null for a wildcard, and after the device was removed. */
    private volatile VerbsDevice device;

    /** Set once, with the monitor held. */
    private volatile boolean closed;

    VerbsListener(VerbsFabric fabric, CmChannel channel, ListenRequest request) {
        this.fabric = fabric;
        this.channel = channel;
        this.request = request;
    }

    void start() throws FabricException {
        try {
            listen();
        } catch (FabricException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /**
     * @throws FabricException if listening is not possible now, or the listener is closed; there is
     *     no id then
     */
    private synchronized void listen() throws FabricException {
        if (closed) {
            throw new FabricException(Cause.CLOSED, "the listener is closed");
        }
        int port = request.address().getPort();
        try {
            bind(port);
            int wanted = fabric.ports.of(bound(), port);
            if (wanted != port) {
                destroy();
                bind(wanted);
            }
            VerbsFailures.check(
                    "cannot listen on RDMA port " + wanted, channel.cm.listen(id, MAX_PENDING));
        } catch (FabricException | RuntimeException | Error e) {
            destroy();
            throw e;
        }
    }

    /** Finds the device of the address; null for a wildcard. */
    private VerbsDevice bound() throws FabricException {
        assert Thread.holdsLock(this);
        long verbs = RdmaCmId.verbs(id);
        device = verbs == 0 ? null : fabric.device(verbs);
        return device;
    }

    private void bind(int port) throws FabricException {
        assert Thread.holdsLock(this);
        id = channel.createId(this);
        InetAddress address = request.address().getAddress();
        if (address instanceof Inet6Address && !request.dualStack()) {
            channel.cm.onlyOwnFamily(id);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = SockAddr.of(arena, address, port);
            VerbsFailures.check(
                    "cannot bind RDMA port " + port + " of " + address, channel.cm.bindAddr(id, a));
        }
    }

    private synchronized void destroy() {
        if (id != 0) {
            channel.destroyId(id);
            id = 0;
        }
    }

    /**
     * Lets go of a device that is being removed, if the listener is at an address of that device,
     * where no more requests come. The connection manager moves a listener at a wildcard address by
     * itself. Event thread.
     */
    void onRemoved(VerbsDevice leaving) {
        if (leaving != null && leaving == device) {
            device = null;
            orphan = true;
            destroy();
            fabric.onOrphan();
        }
    }

    /**
     * Listens again, if its own device had been removed, because there may be a new device or
     * address. Event thread.
     */
    void onAdded() {
        boolean trying = attempts > 0;
        attempts = ATTEMPTS;
        if (!trying) {
            listenAgain();
        }
    }

    /**
     * Tries to listen, and tries again later, because a new device knows its addresses only after a
     * moment.
     */
    private void listenAgain() {
        int left = attempts - 1;
        attempts = 0;
        if (!orphan || closed) {
            return;
        }
        try {
            listen();
            orphan = false;
        } catch (FabricException e) {
            attempts = left;
            if (left > 0) {
                channel.loop.schedule(this::listenAgain, AGAIN_NANOS);
            }
        }
    }

    @Override
    public void onCmEvent(CmEvent e) {
        if (e.type() == RdmaCmEvent.DEVICE_REMOVAL) {
            onRemoved(device);
        }
        if (e.type() == RdmaCmEvent.ADDR_CHANGE) {
            onRemoved(device); // a bond has gone over to another one, which brings the requests
            onAdded();
        }
        if (e.type() != RdmaCmEvent.CONNECT_REQUEST) {
            return;
        }
        VerbsPassiveSide side = null;
        try {
            side = new VerbsPassiveSide(fabric, channel, this, e);
            if (closed || pending.size() >= MAX_PENDING) {
                side.reject(new byte[0]);
                return;
            }
            pending.add(side);
            lookLater();
            request.handler().onRequest(side);
        } catch (RuntimeException | Error failure) {
            if (side == null) {
                channel.destroyId(e.id());
                fabric.onIdGone();
            } else {
                side.reject(new byte[0]); // otherwise it stays pending, and its peer waits
            }
            throw failure;
        }
    }

    private void look() {
        looking = false;
        if (pending.isEmpty()) {
            return;
        }
        lookLater(); // first: where memory lacks, the loop repeats this
        try {
            pending.forEach(VerbsPassiveSide::onLook);
        } catch (OutOfMemoryError scarce) {
            // the next look goes on
        }
    }

    private void lookLater() {
        if (!looking) {
            channel.loop.schedule((EventLoop.Repeatable) this::look, LOOK_NANOS);
            looking = true; // only now: there may be no memory for the timer
        }
    }

    void forget(VerbsPassiveSide side) {
        pending.remove(side);
    }

    /** Returns an address with the port that the application knows, not the port on the wire. */
    InetSocketAddress address(InetAddress at) {
        return new InetSocketAddress(at, request.address().getPort());
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            destroy(); // at once, so that the port is free for the next listener
        }
        for (VerbsPassiveSide side : pending) {
            side.reject(new byte[0]);
        }
        fabric.forget(this);
    }
}
