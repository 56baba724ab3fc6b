package io.sdp4j.stream;

import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.RequestHandler;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Listens for SDP on every fabric of one kernel listener.
 *
 * <p>Requests are answered at once, before the application accepts, as a TCP backlog does. {@code
 * waiting} counts connections that are in their hand-shake, or established and not taken. A request
 * beyond the backlog is refused before a queue pair exists (docs/protocol.md 3.8), and its client
 * uses TCP.
 */
final class SdpListener implements OffloadListener {
    private final ListenSpec spec;
    private final StreamContext context;
    private final List<FabricListener> listeners = new ArrayList<>();
    private final Queue<OffloadStream> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean closed;

    SdpListener(ListenSpec spec, StreamContext context) {
        this.spec = spec;
        this.context = context;
    }

    void listenOn(Fabric fabric) throws FabricException {
        listeners.add(
                fabric.listen(
                        new ListenRequest(
                                spec.address(),
                                spec.dualStack(),
                                new Requests(fabric),
                                spec.accepted()::with)));
    }

    /** Connections from one fabric. */
    private final class Requests implements RequestHandler {
        private final Fabric fabric;

        Requests(Fabric fabric) {
            this.fabric = fabric;
        }

        @Override
        public void onRequest(ConnectionRequest request) {
            SdpListener.this.onRequest(fabric, request);
        }

        @Override
        public void onRefused(String peer, String why) {
            context.complaints().add(peer, "was refused: " + why);
        }

        @Override
        public void onShort(String why) {
            context.complaints().shortOf(why);
        }
    }

    /** Logs faults of a peer, and causes that the operator of this process can remove. */
    private void onFailed(ConnectionRequest request, FabricException failure) {
        switch (failure.why()) {
            case RESOURCES -> context.complaints().shortOf(failure.getMessage());
            case PROTOCOL, BUFFERS, TIMED_OUT ->
                    context.complaints()
                            .add(request.peer(), "was refused: " + failure.getMessage());
            default -> {
                // it has left
            }
        }
    }

    private void onRequest(Fabric fabric, ConnectionRequest request) {
        if (closed) {
            request.reject(Reasons.refusal(Reasons.CAUSE_NO_LISTENER));
            return;
        }
        Answer answer = new Answer(fabric, request); // first: there may be no memory for it
        if (request.moves()) {
            // the kernel has accepted it already, so no backlog counts
            if (!spec.accepted().begin(request.localAddress(), request.remoteAddress())) {
                request.reject(Reasons.refusal(Reasons.CAUSE_NO_LISTENER));
                return;
            }
        } else if (waiting.incrementAndGet() > spec.backlog()) {
            waiting.decrementAndGet();
            request.reject(Reasons.refusal(Reasons.CAUSE_BACKLOG));
            return;
        }
        boolean answered = false;
        try {
            PassiveOpen.answer(request, fabric, context, answer);
            answered = true;
        } finally {
            if (!answered) {
                answer.fail(true);
            }
        }
    }

    private final class Answer implements PassiveOpen.Outcome {
        private final Fabric fabric;
        private final ConnectionRequest request;
        private boolean told; // event thread

        Answer(Fabric fabric, ConnectionRequest request) {
            this.fabric = fabric;
            this.request = request;
        }

        @Override
        public void onEstablished(Established open) {
            OffloadStream stream;
            try {
                stream = SdpStream.begin(open, context, fabric);
            } catch (RuntimeException | Error e) {
                onLost(e);
                throw e;
            }
            if (request.moves()) {
                spec.accepted().moved(stream);
                told = true;
                return;
            }
            ready.add(stream);
            told = true;
            if (closed) {
                abortReady();
            } else {
                spec.onPending().run();
            }
        }

        /**
         * Tells that there is no connection, unless more was told. There may be no memory.
         *
         * @param scarce whether this end was short of something, so that the peer may ask again
         */
        private void fail(boolean scarce) {
            if (told) {
                return;
            }
            if (!request.moves()) {
                waiting.decrementAndGet();
            } else if (scarce) {
                spec.accepted().refused(request.localAddress(), request.remoteAddress());
            } else {
                spec.accepted().failed(request.localAddress(), request.remoteAddress());
            }
            told = true;
        }

        @Override
        public void onFailed(FabricException failure) {
            fail(failure.why() == FabricException.Cause.RESOURCES);
            SdpListener.this.onFailed(request, failure);
        }

        @Override
        public void onLost(Throwable why) {
            if (request.moves()) { // first: there may be no memory for the rest
                spec.accepted().broken(request.localAddress(), request.remoteAddress());
            } else {
                waiting.decrementAndGet();
            }
            told = true;
            SdpListener.this.onFailed(request, PassiveOpen.lost(why));
        }
    }

    @Override
    public OffloadStream poll() {
        OffloadStream stream = ready.poll();
        if (stream != null) {
            waiting.decrementAndGet();
        }
        return stream;
    }

    @Override
    public boolean pending() {
        return !ready.isEmpty();
    }

    @Override
    public void close() {
        closed = true;
        for (FabricListener l : listeners) {
            l.close();
        }
        abortReady();
    }

    private void abortReady() {
        for (OffloadStream s = ready.poll(); s != null; s = ready.poll()) {
            s.close(true);
        }
    }
}
