package io.sdp4j.stream;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.trace.ConnectionTrace;
import io.sdp4j.wire.Hello;
import io.sdp4j.wire.HelloFault;
import io.sdp4j.wire.SdpMachine;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The active side of set-up: sends Hello, judges the peer's HelloAck. */
final class ActiveOpen {
    private ActiveOpen() {}

    /**
     * Blocks as {@link Fabric#connect} does.
     *
     * @throws OffloadUnavailable if there is no connection; nothing is left behind then
     */
    static Established connect(Fabric fabric, StreamContext context, ConnectSpec spec)
            throws OffloadUnavailable {
        InetSocketAddress remote = spec.remote();
        StreamSettings settings = context.settings().over(fabric.capabilities());
        SdpMachine machine = SdpMachine.connecting(settings.wireConfig(fabric.capabilities()));
        byte[] hello = new byte[Hello.SHORT_BYTES];
        machine.writeHello(MemorySegment.ofArray(hello), 0);
        InetSocketAddress[] own = {new InetSocketAddress(0)}; // until the fabric asks for it
        ConnectRequest request =
                new ConnectRequest(
                        remote,
                        ConnectRequest.LocalAddress.of(
                                bound(spec.localAddress(), remote),
                                source -> {
                                    own[0] = spec.localAddress().find(source);
                                    return own[0];
                                }),
                        hello,
                        settings.qpSpec(),
                        spec.askedNanos(),
                        spec.deadlineNanos(),
                        spec.limitNanos(),
                        spec.abandoned(),
                        spec.asked(),
                        spec.socket());
        long helloNanos = context.traces() == null ? 0 : System.nanoTime();
        Fabric.Connection c;
        try {
            c = fabric.connect(request);
        } catch (FabricException e) {
            throw fabric.capabilities().reachesOtherHosts()
                    ? Reasons.unavailableThere(e)
                    : Reasons.unavailable(e);
        }
        ConnectionTrace trace =
                context.trace(true, own[0], remote, fabric, hello, helloNanos, c.privateData());
        Established open = new Established(machine, c.queuePair(), own[0], remote, trace);
        MemorySegment helloAck = MemorySegment.ofArray(c.privateData());
        HelloFault fault = machine.onHelloAck(helloAck, 0, (int) helloAck.byteSize());
        if (fault != HelloFault.NONE) {
            open.abort();
            throw Reasons.badHelloAck(fault);
        }
        return open;
    }

    /**
     * Returns the source address if the application has bound one of the same family as {@code
     * remote}; else null.
     */
    static InetAddress bound(ConnectSpec.LocalAddress local, InetSocketAddress remote) {
        InetAddress bound = local.bound();
        boolean able = bound != null && bound.getClass() == remote.getAddress().getClass();
        return able ? bound : null;
    }
}
