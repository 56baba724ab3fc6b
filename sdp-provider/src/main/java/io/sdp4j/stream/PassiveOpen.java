package io.sdp4j.stream;

import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.trace.ConnectionTrace;
import io.sdp4j.trace.TraceWriter;
import io.sdp4j.wire.HelloAck;
import io.sdp4j.wire.HelloFault;
import io.sdp4j.wire.SdpMachine;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** The passive side of one connection: Hello here, HelloAck there. */
final class PassiveOpen {
    private PassiveOpen() {}

    /**
     * Answers a request whose Hello is acceptable with HelloAck, else with a refusal. One of the
     * two is told, once: by the answer itself if that is no, else on the event thread.
     *
     * @param established owns the connection
     * @param failed there is no connection, and nothing is left of it
     */
    static void answer(
            ConnectionRequest request,
            Fabric fabric,
            StreamContext context,
            Consumer<Established> established,
            Consumer<FabricException> failed) {
        long helloNanos = System.nanoTime();
        InetSocketAddress local;
        InetSocketAddress remote;
        byte[] hello;
        StreamSettings settings;
        SdpMachine machine;
        HelloFault fault;
        byte[] reply;
        try {
            local = request.localAddress();
            remote = request.remoteAddress();
            hello = request.privateData();
            settings = context.settings().over(fabric.capabilities());
            machine = SdpMachine.accepting(settings.wireConfig(fabric.capabilities()));
            fault = machine.onHello(MemorySegment.ofArray(hello), 0, hello.length);
            reply = fault == HelloFault.NONE ? helloAck(machine) : null;
        } catch (RuntimeException | Error e) {
            failed.accept(
                    new FabricException(Cause.RESOURCES, "its SDP Hello is not answered: " + e, e));
            throw e;
        }
        if (reply == null) {
            failed.accept(
                    new FabricException(Cause.PROTOCOL, "its SDP Hello is refused: " + fault));
            request.reject(Reasons.refusal(fault.rejectCause()));
            return;
        }
        request.accept(
                settings.qpSpec(),
                reply,
                new ConnectionRequest.Outcome() {
                    @Override
                    public void onEstablished(QueuePair qp) {
                        TraceWriter traces = context.traces();
                        ConnectionTrace trace =
                                traces == null
                                        ? null
                                        : traces.connection(
                                                false,
                                                local,
                                                remote,
                                                fabric.name(),
                                                hello,
                                                helloNanos,
                                                reply,
                                                System.nanoTime());
                        established.accept(new Established(machine, qp, local, remote, trace));
                    }

                    @Override
                    public void onFailed(FabricException failure) {
                        failed.accept(failure);
                    }
                });
    }

    private static byte[] helloAck(SdpMachine machine) {
        byte[] reply = new byte[HelloAck.SHORT_BYTES];
        machine.writeHelloAck(MemorySegment.ofArray(reply), 0);
        return reply;
    }
}
