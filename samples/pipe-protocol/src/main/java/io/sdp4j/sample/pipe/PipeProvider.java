package io.sdp4j.sample.pipe;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Connects sockets of one JVM by two queues of bytes in its heap. Whatever it cannot do it says
 * with {@link OffloadUnavailable}, and the switch goes on: to the next provider, or to TCP.
 */
public final class PipeProvider implements OffloadProvider {
    /** Its name in rules and reports. */
    static final String NAME = "pipe";

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /** For the service loader, when the switch starts. */
    public PipeProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        Listener listener = listener(spec.remote());
        PipeStream client;
        PipeStream server;
        try {
            // after a listener was found: it may have to bind a port
            InetSocketAddress local = spec.localAddress().find(null);
            client = new PipeStream(local, spec.remote());
            server = client.otherEnd(nameless(spec.remote()), local);
        } catch (IOException e) {
            throw new OffloadUnavailable(
                    ReasonCode.UNAVAILABLE, "no local address: " + e.getMessage(), false, e);
        }
        spec.asked().accept(() -> true); // the server may accept before this method returns
        if (!listener.offer(server)) {
            client.close(true);
            server.close(true);
            throw new OffloadUnavailable(
                    ReasonCode.BACKLOG, "the backlog of " + spec.remote() + " is full");
        }
        return client;
    }

    private Listener listener(InetSocketAddress remote) throws OffloadUnavailable {
        for (Listener listener : listeners) {
            if (listener.serves(remote)) {
                return listener;
            }
        }
        throw new OffloadUnavailable(ReasonCode.NO_PEER, "no listener of this JVM is at " + remote);
    }

    /** As the server sees the address: the name is the client's own. */
    private static InetSocketAddress nameless(InetSocketAddress a) throws IOException {
        InetAddress bare = InetAddress.getByAddress(a.getAddress().getAddress());
        return new InetSocketAddress(bare, a.getPort());
    }

    @Override
    public OffloadListener listen(ListenSpec spec) {
        Listener listener = new Listener(spec);
        listeners.add(listener);
        return listener;
    }

    /** Stands beside the kernel's listener, which owns the port. */
    private final class Listener implements OffloadListener {
        private final ListenSpec spec;
        private final Queue<OffloadStream> waiting = new ArrayDeque<>(); // this
        private boolean closed; // this

        Listener(ListenSpec spec) {
            this.spec = spec;
        }

        boolean serves(InetSocketAddress remote) {
            InetSocketAddress own = spec.address();
            InetAddress address = remote.getAddress();
            return own.getPort() == remote.getPort()
                    && (own.getAddress().equals(address)
                            || (own.getAddress().isAnyLocalAddress() && isLocal(address)));
        }

        private boolean isLocal(InetAddress address) {
            boolean family = spec.address().getAddress().getClass() == address.getClass();
            try {
                return (family || spec.dualStack())
                        && (address.isLoopbackAddress()
                                || NetworkInterface.getByInetAddress(address) != null);
            } catch (SocketException e) {
                return false;
            }
        }

        boolean offer(OffloadStream stream) {
            synchronized (this) {
                if (closed || waiting.size() >= spec.backlog()) {
                    return false;
                }
                waiting.add(stream);
            }
            spec.onPending().run();
            return true;
        }

        @Override
        public synchronized OffloadStream poll() {
            return waiting.poll();
        }

        @Override
        public synchronized boolean pending() {
            return !waiting.isEmpty();
        }

        @Override
        public void close() {
            listeners.remove(this);
            synchronized (this) {
                closed = true; // a client that found it before leaves nothing behind
            }
            for (OffloadStream stream = poll(); stream != null; stream = poll()) {
                stream.close(true);
            }
        }
    }
}
