package io.sdp4j.bench.jmh;

import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.HelloFault;
import io.sdp4j.wire.SdpMachine;
import io.sdp4j.wire.WireConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of the protocol itself per message, no payload copied: one Data message decided, encoded,
 * checked, delivered and consumed by two machines, with the credit updates that this causes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class WireMessage {
    private static final WireConfig CONFIG =
            new WireConfig(32, 16_400, Integer.MAX_VALUE, 16, 4, 4);

    private final SdpMachine source = SdpMachine.connecting(CONFIG);
    private final SdpMachine sink = SdpMachine.accepting(CONFIG);
    private final ActionList out = new ActionList();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment wire = arena.allocate(256, 8);

    /** Greets. */
    @Setup
    public void establish() {
        HelloFault hello = sink.onHello(wire, 0, source.writeHello(wire, 0));
        HelloFault ack = source.onHelloAck(wire, 0, sink.writeHelloAck(wire, 0));
        if (hello != HelloFault.NONE || ack != HelloFault.NONE) {
            throw new IllegalStateException(hello + ", " + ack);
        }
        source.onEstablished(out);
        sink.onEstablished(out);
        out.clear();
    }

    /** Gives the memory back. */
    @TearDown
    public void release() {
        arena.close();
    }

    /** One message from one machine to the other. */
    @Benchmark
    public long message() {
        if (!source.reserve()) {
            throw new IllegalStateException("no credit");
        }
        source.send(1, 1000, false, out);
        out.row(0).writeHeader(wire, 0);
        int messageBytes = out.row(0).messageBytes();
        out.clear();
        sink.onReceived(2, Bsdh.first(wire, 0), Bsdh.second(wire, 0), wire, messageBytes, out);
        int slot = out.row(0).slot;
        out.clear();
        sink.consumed(slot, out);
        for (int i = 0; i < out.size(); i++) {
            if (out.row(i).kind == ActionList.CONTROL) { // a credit update
                out.row(i).writeHeader(wire, 0);
                int updateBytes = out.row(i).messageBytes();
                out.clear();
                source.onReceived(
                        3, Bsdh.first(wire, 0), Bsdh.second(wire, 0), wire, updateBytes, out);
            }
        }
        out.clear();
        return sink.messagesReceived();
    }
}
