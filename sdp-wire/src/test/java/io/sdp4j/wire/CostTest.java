package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The cost of one message for both machines together: no garbage, and little time. */
class CostTest {
    private static final int ROUND = 100_000;

    private final SdpMachine source = SdpMachine.connecting(Rig.CONFIG);
    private final SdpMachine sink = SdpMachine.accepting(Rig.CONFIG);
    private final ActionList out = new ActionList();
    private long updates;

    /** One Data message sent, received and consumed, credit updates included. */
    private void message(MemorySegment wire) {
        if (!source.reserve()) {
            throw new AssertionError("no credit");
        }
        source.send(1, 1000, false, out);
        out.row(0).writeHeader(wire, 0);
        int len = out.row(0).messageBytes();
        out.clear();
        sink.onReceived(2, Bsdh.first(wire, 0), Bsdh.second(wire, 0), wire, len, out);
        int slot = out.row(0).slot;
        out.clear();
        sink.consumed(slot, out);
        for (int i = 0; i < out.size(); i++) {
            if (out.row(i).kind == ActionList.CONTROL) {
                out.row(i).writeHeader(wire, 0);
                updates++;
                out.clear();
                source.onReceived(
                        3, Bsdh.first(wire, 0), Bsdh.second(wire, 0), wire, Bsdh.BYTES, out);
            }
        }
        out.clear();
    }

    @Test
    void steadyStateAllocatesNothing() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment wire = arena.allocate(64);
            source.writeHello(wire, 0);
            sink.onHello(wire, 0, 64);
            sink.writeHelloAck(wire, 0);
            source.onHelloAck(wire, 0, 64);
            source.onEstablished(out);
            sink.onEstablished(out);
            out.clear();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long self = Thread.currentThread().threadId();
            long fewest = Long.MAX_VALUE;
            long fastest = Long.MAX_VALUE;
            for (int round = 0; round < 20; round++) {
                long bytes = threads.getThreadAllocatedBytes(self);
                long cpu = threads.getCurrentThreadCpuTime();
                for (int i = 0; i < ROUND; i++) {
                    message(wire);
                }
                fastest = Math.min(fastest, threads.getCurrentThreadCpuTime() - cpu);
                fewest = Math.min(fewest, threads.getThreadAllocatedBytes(self) - bytes);
            }
            assertTrue(updates > 0);
            assertTrue(fewest < 4096, "bytes per " + ROUND + " messages: " + fewest);
            assertEquals(20L * ROUND, sink.messagesReceived());
            // Meant to be below 100; the bound leaves room for a busy machine.
            assertTrue(fastest / ROUND < 400, "ns per message: " + fastest / ROUND);
        }
    }
}
