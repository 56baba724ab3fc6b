package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A listener of the connection manager, and the requests that were not answered yet.
 *
 * <p>Where it would occupy the TCP port that the kernel's listener has, it takes the mapped port of
 * {@link VerbsConfig#SHARED_PORT_MASK} instead. A wildcard that covers devices of both kinds does
 * so for all of them, and is found over iWARP only.
 *
 * <p>This object's monitor guards the id: only who holds it passes the id to the library. It may be
 * held while an id is destroyed, as that waits for no thread which wants it: {@link CmChannel} has
 * acknowledged an event before it tells of it.
 */
final class VerbsListener implements FabricListener, CmChannel.Target {
    private static final int MAX_PENDING = 1024;
    private static final int ATTEMPTS = 20;
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /**
     * Between two looks for clients that do not answer: one timer for all of them, as setting one
     * and stopping it reads the clock, which costs a system call in some machines.
     */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final VerbsFabric fabric;
    private final CmChannel channel;
    private final ListenRequest request;
    private final Set<VerbsPassiveSide> pending = ConcurrentHashMap.newKeySet();

    /** 0 = none. */
    private long id;

    /** Its device has left. Of the event thread. */
    private boolean orphan;

    /** To listen again, left until there is news: a timer goes on. Of the event thread. */
    private int attempts;

    /** Of the event thread. */
    private boolean looking;

    /** Device whose address it listens at; null for a wildcard, and when it has left. */
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
     * @throws FabricException if that is not possible now, or it is closed; there is no id then
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

    /** The device of the address; null for a wildcard. */
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
     * Lets go of a device that leaves: a listener at an address of its hears nothing more. One at a
     * wildcard address is the connection manager's to move. Event thread.
     */
    void onRemoved(VerbsDevice leaving) {
        if (leaving != null && leaving == device) {
            device = null;
            orphan = true;
            destroy();
            fabric.onOrphan();
        }
    }

    /** A device or an address may have come: listens again if its own had left. Event thread. */
    void onAdded() {
        boolean trying = attempts > 0;
        attempts = ATTEMPTS;
        if (!trying) {
            listenAgain();
        }
    }

    /** The addresses of a new device are known to it a moment later. */
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
        if (e.type() != RdmaCmEvent.CONNECT_REQUEST) {
            return;
        }
        VerbsPassiveSide side = new VerbsPassiveSide(fabric, channel, this, e);
        if (closed || pending.size() >= MAX_PENDING) {
            side.reject(new byte[0]);
            return;
        }
        pending.add(side);
        if (!looking) {
            looking = true;
            channel.loop.schedule(this::look, LOOK_NANOS);
        }
        try {
            request.handler().onRequest(side);
        } catch (RuntimeException | Error failure) {
            side.reject(new byte[0]); // else it would stay pending, and its peer wait
            throw failure;
        }
    }

    private void look() {
        pending.forEach(VerbsPassiveSide::onLook);
        looking = !pending.isEmpty();
        if (looking) {
            channel.loop.schedule(this::look, LOOK_NANOS);
        }
    }

    void forget(VerbsPassiveSide side) {
        pending.remove(side);
    }

    /** As the application knows it, whatever the port on the wire. */
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
            destroy(); // at once: the port is free for the next listener
        }
        for (VerbsPassiveSide side : pending) {
            side.reject(new byte[0]);
        }
        fabric.forget(this);
    }
}
