package io.sdp4j.stream;

import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.wire.HelloAck;
import io.sdp4j.wire.HelloFault;
import io.sdp4j.wire.SdpMachine;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The passive side of one connection: Hello here, HelloAck there. */
final class PassiveOpen {
    private PassiveOpen() {}

    /**
     * Answers a request whose Hello is acceptable with HelloAck, else with a refusal. One of the
     * two is told, once: by the answer itself if that is no, else on the event thread.
     *
     * @param established owns the queue pair
     * @param failed there is no connection, and nothing is left of it
     */
    static void answer(
            ConnectionRequest request,
            Fabric fabric,
            StreamSettings general,
            BiConsumer<SdpMachine, QueuePair> established,
            Consumer<FabricException> failed) {
        StreamSettings settings;
        SdpMachine machine;
        HelloFault fault;
        byte[] reply;
        try {
            settings = general.over(fabric.capabilities());
            machine = SdpMachine.accepting(settings.wireConfig(fabric.capabilities()));
            MemorySegment hello = MemorySegment.ofArray(request.privateData());
            fault = machine.onHello(hello, 0, (int) hello.byteSize());
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
                        established.accept(machine, qp);
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
