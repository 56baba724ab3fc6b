package io.sdp4j.sample.memory;

import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** Connects queue pairs of one JVM: set-up only, see {@link MemoryQueuePair} for the rest. */
final class MemoryFabric implements Fabric {
    /** Its name in rules and reports. */
    static final String NAME = "memory";

    /** The event thread: handlers, outcomes and notifications are called there, in order. */
    static final Executor EVENTS =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform()
                            .daemon()
                            .inheritInheritableThreadLocals(false)
                            .name("sample-memory")
                            .factory());

    private static final int PRIVATE_BYTES = 512;

    /** Those of all fabrics of this kind in the JVM. */
    private static final List<Listener> LISTENERS = new CopyOnWriteArrayList<>();

    private final Set<MemoryQueuePair> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    @Override
    public String name() {
        return NAME;
    }

    /** A send is complete when posted, as its slot is the peer's receive slot; no RDMA. */
    @Override
    public Capabilities capabilities() {
        return new Capabilities(PRIVATE_BYTES, true, 0, false, 1, false);
    }

    @Override
    public Connection connect(ConnectRequest request) throws FabricException {
        checkOpen();
        Listener listener = listener(request.remote());
        long beganNanos = System.nanoTime();
        MemoryRequest asked;
        try {
            asked =
                    new MemoryRequest(
                            request,
                            nameless(request.remote()),
                            // after a listener was found: it may have to bind a port
                            request.localAddress().find(null),
                            this,
                            listener.owner);
        } catch (IOException e) {
            throw new FabricException(
                    FabricException.Cause.UNAVAILABLE, "no local address: " + e.getMessage(), e);
        }
        // The peer's time begins now.
        long tookNanos = System.nanoTime() - beganNanos;
        long moreNanos = Math.min(tookNanos, request.limitNanos() - request.deadlineNanos());
        request.asked().accept(asked::answered);
        listener.ask(asked);
        return asked.await(request.deadlineNanos() + moreNanos, request.abandoned());
    }

    private void checkOpen() throws FabricException {
        if (closed) {
            throw new FabricException(FabricException.Cause.CLOSED, "the fabric is closed");
        }
    }

    private static Listener listener(InetSocketAddress remote) throws FabricException {
        for (Listener listener : LISTENERS) {
            if (listener.serves(remote)) {
                return listener;
            }
        }
        throw new FabricException(
                FabricException.Cause.NO_LISTENER, "no listener of this JVM is at " + remote);
    }

    /** As the server sees the address: the name is the client's own. */
    private static InetSocketAddress nameless(InetSocketAddress a) throws IOException {
        InetAddress bare = InetAddress.getByAddress(a.getAddress().getAddress());
        return new InetSocketAddress(bare, a.getPort());
    }

    @Override
    public FabricListener listen(ListenRequest request) throws FabricException {
        checkOpen();
        Listener listener = new Listener(this, request);
        LISTENERS.add(listener);
        return listener;
    }

    /** A queue pair that ends with this fabric. */
    void add(MemoryQueuePair queuePair) {
        open.add(queuePair);
        if (closed) {
            queuePair.abort();
        }
    }

    void remove(MemoryQueuePair queuePair) {
        open.remove(queuePair);
    }

    @Override
    public void close() {
        closed = true;
        for (Listener listener : LISTENERS) {
            if (listener.owner == this) {
                listener.close();
            }
        }
        open.forEach(MemoryQueuePair::abort);
    }

    /** Stands beside the kernel's listener, which owns the port. */
    private static final class Listener implements FabricListener {
        private final MemoryFabric owner;
        private final ListenRequest request;
        private final Set<MemoryRequest> pending = ConcurrentHashMap.newKeySet();

        Listener(MemoryFabric owner, ListenRequest request) {
            this.owner = owner;
            this.request = request;
        }

        boolean serves(InetSocketAddress remote) {
            InetSocketAddress own = request.address();
            InetAddress address = remote.getAddress();
            boolean family = own.getAddress().getClass() == address.getClass();
            return own.getPort() == remote.getPort()
                    && (own.getAddress().equals(address)
                            || (own.getAddress().isAnyLocalAddress()
                                    && (family || request.dualStack())));
        }

        void ask(MemoryRequest asked) {
            pending.removeIf(MemoryRequest::answered);
            pending.add(asked);
            if (LISTENERS.contains(this)) {
                EVENTS.execute(() -> request.handler().onRequest(asked));
            } else {
                asked.reject(new byte[0]);
            }
        }

        @Override
        public void close() {
            LISTENERS.remove(this);
            pending.forEach(asked -> asked.reject(new byte[0]));
        }
    }
}
