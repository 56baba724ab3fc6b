package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.FabricListener;
import io.sdp4j.rdma.ListenRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A listener of the connection manager, and the requests that were not answered yet.
 *
 * <p>Where it would occupy the TCP port that the kernel's listener has, it takes the mapped port of
 * {@link VerbsConfig#sharedPortMask()} instead. A wildcard that covers devices of both kinds does
 * so for all of them.
 */
final class VerbsListener implements FabricListener, CmChannel.Target {
    private static final int MAX_PENDING = 1024;

    private final VerbsFabric fabric;
    private final CmChannel channel;
    private final ListenRequest request;
    private final Set<PassiveSide> pending = ConcurrentHashMap.newKeySet();
    private long id;
    private volatile boolean closed;

    VerbsListener(VerbsFabric fabric, CmChannel channel, ListenRequest request) {
        this.fabric = fabric;
        this.channel = channel;
        this.request = request;
    }

    void start() throws FabricException {
        int port = request.address().getPort();
        boolean complete = false;
        try {
            bind(port);
            int wanted = fabric.wirePort(bound(), port);
            if (wanted != port) {
                long first = id;
                id = 0;
                channel.destroyId(first);
                bind(wanted);
            }
            int r = channel.cm().listen(id, MAX_PENDING);
            if (r < 0) {
                throw Failures.of("cannot listen on RDMA port " + wanted, r);
            }
            complete = true;
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    /** The device of the address; null for a wildcard. */
    private VerbsDevice bound() throws FabricException {
        long verbs = RdmaCmId.verbs(Bindings.at(id, RdmaCmId.LAYOUT));
        return verbs == 0 ? null : fabric.device(verbs);
    }

    private void bind(int port) throws FabricException {
        id = channel.createId(this);
        InetAddress address = request.address().getAddress();
        if (address instanceof Inet6Address && !request.dualStack()) {
            channel.cm().onlyOwnFamily(id);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = SockAddr.of(arena, address, port);
            int r = channel.cm().bindAddr(id, a);
            if (r < 0) {
                throw Failures.of("cannot bind RDMA port " + port + " of " + address, r);
            }
        }
    }

    @Override
    public void onCmEvent(CmEvent e) {
        if (e.type() != RdmaCmEvent.CONNECT_REQUEST) {
            return; // a listener on a device that left hears nothing more
        }
        PassiveSide side = new PassiveSide(fabric, channel, this, e);
        if (closed || pending.size() >= MAX_PENDING) {
            side.reject(new byte[0]);
            return;
        }
        pending.add(side);
        request.handler().onRequest(side);
    }

    void forget(PassiveSide side) {
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
        }
        if (id != 0) {
            channel.destroyId(id); // at once: the port is free for the next listener
        }
        for (PassiveSide side : pending) {
            side.listenerClosed();
        }
        fabric.forget(this);
    }
}
