package io.sdp4j.stream;

import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.RequestHandler;
import io.sdp4j.trace.TraceWriter;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * A fabric whose queue pairs are traced: the one place where everything passes that goes over the
 * wire, Hello and HelloAck included. Without a trace it is not there at all, and nothing on the
 * data path knows of it.
 */
final class TracedFabric implements Fabric {
    private final Fabric fabric;
    private final TraceWriter trace;

    TracedFabric(Fabric fabric, TraceWriter trace) {
        this.fabric = fabric;
        this.trace = trace;
    }

    @Override
    public String name() {
        return fabric.name();
    }

    @Override
    public Capabilities capabilities() {
        return fabric.capabilities();
    }

    @Override
    public boolean awaitReady(long nanos) {
        return fabric.awaitReady(nanos);
    }

    @Override
    public Connection connect(ConnectRequest request) throws FabricException {
        InetSocketAddress[] local = {new InetSocketAddress(0)}; // until the fabric wants to know
        long helloNanos = System.nanoTime();
        Connection c =
                fabric.connect(
                        new ConnectRequest(
                                request.remote(),
                                source -> {
                                    local[0] = request.localAddress().find(source);
                                    return local[0];
                                },
                                request.privateData(),
                                request.spec(),
                                request.askedNanos(),
                                request.deadlineNanos(),
                                request.limitNanos(),
                                request.abandoned(),
                                request.asked(),
                                request.socket()));
        QueuePair traced =
                traced(
                        c.queuePair(),
                        true,
                        local[0],
                        request.remote(),
                        request.privateData(),
                        helloNanos,
                        c.privateData());
        return new Connection(traced, c.privateData());
    }

    private QueuePair traced(
            QueuePair qp,
            boolean connecting,
            InetSocketAddress local,
            InetSocketAddress remote,
            byte[] hello,
            long helloNanos,
            byte[] helloAck) {
        return new TracedQueuePair(
                qp,
                trace.connection(
                        connecting,
                        local,
                        remote,
                        fabric.name(),
                        hello,
                        helloNanos,
                        helloAck,
                        System.nanoTime()));
    }

    @Override
    public FabricListener listen(ListenRequest request) throws FabricException {
        return fabric.listen(
                new ListenRequest(
                        request.address(),
                        request.dualStack(),
                        new Requests(request.handler()),
                        request.accepted()));
    }

    private final class Requests implements RequestHandler {
        private final RequestHandler handler;

        Requests(RequestHandler handler) {
            this.handler = handler;
        }

        @Override
        public void onRequest(ConnectionRequest request) {
            handler.onRequest(new Request(request, System.nanoTime()));
        }

        @Override
        public void onRefused(String peer, String why) {
            handler.onRefused(peer, why);
        }

        @Override
        public void onShort(String why) {
            handler.onShort(why);
        }
    }

    @Override
    public int choosePort(Supplier<InetSocketAddress> free) {
        return fabric.choosePort(free);
    }

    @Override
    public boolean endsWithProcess() {
        return fabric.endsWithProcess();
    }

    @Override
    public boolean arrived() {
        return fabric.arrived();
    }

    @Override
    public void close() {
        fabric.close();
    }

    /** Remembers what was asked and answered until the queue pair is there. */
    private final class Request implements ConnectionRequest {
        private final ConnectionRequest request;
        private final long helloNanos;

        Request(ConnectionRequest request, long helloNanos) {
            this.request = request;
            this.helloNanos = helloNanos;
        }

        @Override
        public InetSocketAddress localAddress() {
            return request.localAddress();
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return request.remoteAddress();
        }

        @Override
        public String peer() {
            return request.peer();
        }

        @Override
        public boolean moves() {
            return request.moves();
        }

        @Override
        public byte[] privateData() {
            return request.privateData();
        }

        @Override
        public void accept(QpSpec spec, byte[] helloAck, Outcome outcome) {
            request.accept(
                    spec,
                    helloAck,
                    new Outcome() {
                        @Override
                        public void onEstablished(QueuePair qp) {
                            outcome.onEstablished(
                                    traced(
                                            qp,
                                            false,
                                            request.localAddress(),
                                            request.remoteAddress(),
                                            request.privateData(),
                                            helloNanos,
                                            helloAck));
                        }

                        @Override
                        public void onFailed(FabricException failure) {
                            outcome.onFailed(failure);
                        }
                    });
        }

        @Override
        public void reject(byte[] privateData) {
            request.reject(privateData);
        }
    }
}
