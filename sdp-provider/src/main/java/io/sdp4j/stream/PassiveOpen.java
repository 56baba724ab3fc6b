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

/** The passive side of one connection: Hello here, HelloAck there. */
final class PassiveOpen {
    /** How it ended. Called once: by the answer itself if that is no, else on the event thread. */
    interface Outcome {
        /** The receiver of the call owns the queue pair. */
        void onEstablished(SdpMachine machine, QueuePair qp);

        /** There is no connection, and nothing is left of it. */
        void onFailed(FabricException failure);
    }

    private PassiveOpen() {}

    /** Answers a request whose Hello is acceptable with HelloAck, else with a refusal. */
    static void answer(
            ConnectionRequest request, Fabric fabric, StreamSettings general, Outcome outcome) {
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
            outcome.onFailed(
                    new FabricException(Cause.RESOURCES, "its SDP Hello is not answered: " + e, e));
            throw e;
        }
        if (reply == null) {
            outcome.onFailed(
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
                        outcome.onEstablished(machine, qp);
                    }

                    @Override
                    public void onFailed(FabricException failure) {
                        outcome.onFailed(failure);
                    }
                });
    }

    private static byte[] helloAck(SdpMachine machine) {
        byte[] reply = new byte[HelloAck.SHORT_BYTES];
        machine.writeHelloAck(MemorySegment.ofArray(reply), 0);
        return reply;
    }
}
