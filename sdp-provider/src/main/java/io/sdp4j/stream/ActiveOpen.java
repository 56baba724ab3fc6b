package io.sdp4j.stream;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.wire.Hello;
import io.sdp4j.wire.HelloFault;
import io.sdp4j.wire.SdpMachine;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The active side of one connection: Hello there, HelloAck back.
 *
 * @param machine has accepted the HelloAck
 * @param qp the caller's from now on
 */
record ActiveOpen(SdpMachine machine, QueuePair qp) {
    /**
     * Blocks as {@link Fabric#connect} does.
     *
     * @throws OffloadUnavailable if there is no connection; nothing is left behind then
     */
    static ActiveOpen connect(
            Fabric fabric,
            StreamSettings general,
            InetSocketAddress remote,
            ConnectRequest.LocalAddress local,
            long askedNanos,
            long deadlineNanos,
            long limitNanos,
            BooleanSupplier abandoned,
            Consumer<BooleanSupplier> asked,
            int socket)
            throws OffloadUnavailable {
        StreamSettings settings = general.over(fabric.capabilities());
        SdpMachine machine = SdpMachine.connecting(settings.wireConfig(fabric.capabilities()));
        byte[] hello = new byte[Hello.SHORT_BYTES];
        machine.writeHello(MemorySegment.ofArray(hello), 0);
        ConnectRequest request =
                new ConnectRequest(
                        remote,
                        local,
                        hello,
                        settings.qpSpec(),
                        askedNanos,
                        deadlineNanos,
                        limitNanos,
                        abandoned,
                        asked,
                        socket);
        Fabric.Connection c;
        try {
            c = fabric.connect(request);
        } catch (FabricException e) {
            throw fabric.capabilities().refusalCostsRoundTrip()
                    ? Reasons.unavailableThere(e)
                    : Reasons.unavailable(e);
        }
        MemorySegment helloAck = MemorySegment.ofArray(c.privateData());
        HelloFault fault = machine.onHelloAck(helloAck, 0, (int) helloAck.byteSize());
        if (fault != HelloFault.NONE) {
            c.queuePair().abort();
            c.queuePair().close();
            throw Reasons.badHelloAck(fault);
        }
        return new ActiveOpen(machine, c.queuePair());
    }
}
