package io.sdp4j.stream;

import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.trace.ConnectionTrace;
import io.sdp4j.wire.HelloAck;
import io.sdp4j.wire.HelloFault;
import io.sdp4j.wire.SdpMachine;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/** The passive side of set-up: judges the peer's Hello, answers with HelloAck. */
final class PassiveOpen {
    /**
     * Result of the set-up. Called once: by {@link PassiveOpen#answer} itself if that refuses, else
     * on the event thread.
     */
    interface Outcome {
        /** The receiver of the call owns the connection. */
        void onEstablished(Established open);

        /** There is no connection, and nothing is left of it. */
        void onFailed(FabricException failure);

        /** As {@link ConnectionRequest.Outcome#onLost}. */
        default void onLost(Throwable why) {
            onFailed(lost(why));
        }
    }

    private PassiveOpen() {}

    static FabricException lost(Throwable why) {
        return new FabricException(Cause.RESOURCES, "its stream cannot begin: " + why, why);
    }

    /** Answers a request whose Hello is acceptable with HelloAck, else with a refusal. */
    static void answer(
            ConnectionRequest request, Fabric fabric, StreamContext context, Outcome outcome) {
        long helloNanos = context.traces() == null ? 0 : System.nanoTime();
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
                        Established open;
                        try {
                            ConnectionTrace trace =
                                    context.trace(
                                            false, local, remote, fabric, hello, helloNanos, reply);
                            open = new Established(machine, qp, local, remote, trace);
                        } catch (RuntimeException | Error e) {
                            try {
                                qp.close();
                            } finally {
                                outcome.onLost(e);
                            }
                            throw e;
                        }
                        outcome.onEstablished(open);
                    }

                    @Override
                    public void onLost(Throwable why) {
                        outcome.onLost(why);
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
