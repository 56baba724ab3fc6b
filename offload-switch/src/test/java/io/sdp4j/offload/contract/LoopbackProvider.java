package io.sdp4j.offload.contract;

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
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A provider within one JVM: two byte rings per connection, with the manners of TCP on Linux. Finds
 * its listeners by port number.
 */
public final class LoopbackProvider implements OffloadProvider {
    /** Bytes that a peer that does not read takes. */
    public static final int ROOM_BYTES = LoopbackStream.RING_BYTES;

    public static final String FABRIC = "loop";

    private final Map<Integer, Listener> listeners = new ConcurrentHashMap<>();
    private final AtomicInteger open = new AtomicInteger();

    @Override
    public String name() {
        return "loopback";
    }

    /** Streams that were not closed. */
    public int openStreams() {
        return open.get();
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        Listener listener = listeners.get(spec.remote().getPort());
        if (listener == null) {
            throw new OffloadUnavailable(
                    ReasonCode.NO_PEER, "no listener in this JVM on " + spec.remote());
        }
        InetSocketAddress local;
        try {
            local = spec.localAddress().find(null);
        } catch (IOException e) {
            throw new OffloadUnavailable(
                    ReasonCode.UNAVAILABLE, "no local address: " + e.getMessage(), false, e);
        }
        Object link = new Object();
        LoopbackStream client =
                new LoopbackStream(local, spec.remote(), link, open::decrementAndGet);
        LoopbackStream server =
                new LoopbackStream(nameless(spec.remote()), local, link, open::decrementAndGet);
        LoopbackStream.join(client, server);
        open.addAndGet(2);
        spec.asked().accept(() -> true); // an accepting thread may be quicker than this one
        if (!listener.offer(server)) {
            client.close(true);
            server.close(true);
            throw new OffloadUnavailable(ReasonCode.BACKLOG, "the backlog is full");
        }
        return client;
    }

    /** As who accepts sees it: a name is the client's own, and does not travel. */
    private static InetSocketAddress nameless(InetSocketAddress a) {
        try {
            InetAddress bare = InetAddress.getByAddress(a.getAddress().getAddress());
            return new InetSocketAddress(bare, a.getPort());
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // the bytes are an address's
        }
    }

    @Override
    public OffloadListener listen(ListenSpec spec) {
        Listener listener = new Listener(spec);
        listeners.put(spec.address().getPort(), listener);
        return listener;
    }

    private final class Listener implements OffloadListener {
        private final ListenSpec spec;
        private final Queue<OffloadStream> waiting = new ArrayDeque<>(); // this
        private boolean closed; // this

        Listener(ListenSpec spec) {
            this.spec = spec;
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
            listeners.remove(spec.address().getPort(), this);
            synchronized (this) {
                closed = true; // a client that found us before that must not leave a stream behind
            }
            for (OffloadStream stream = poll(); stream != null; stream = poll()) {
                stream.close(true);
            }
        }
    }
}
