package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The scenarios of docs/protocol.md 19.B that concern modes, one test per number. */
class ModeScenarioTest extends ZcopyRig {
    /** The Source leaves Pipelined while a SinkAvail is on its way, and sends Data behind. */
    @Test
    void s29() {
        Rig sink = new Rig(CONFIG, 64, 0, 0);
        sink.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        for (int i = 0; i < 7; i++) {
            sink.feed(Mid.DATA, 64, 1);
            sink.consumed();
        }
        sink.machine.sink().lend(5, 100_000, 0, 0, true, sink.out);
        int offer = sink.machine.credits.lastSent();
        sink.feedAck(Mid.MODE_CHANGE, 64, offer - 1, 0, Mch.COMBINED << 28);
        sink.feedAck(Mid.DATA, 64, offer - 1, 1);
        sink.assertAlive();
        assertEquals(
                5, sink.out.row(sink.row(ActionList.SINK_RETURNED)).buffer, "an ordinary buffer");
        assertEquals(8, sink.machine.receive.sinks.n());
    }

    /** As s29, but a Data sent before the ModeChange had used the SinkAvail up. */
    @Test
    void s30() {
        Rig sink = new Rig(CONFIG, 64, 0, 0);
        sink.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        sink.machine.sink().lend(5, 100_000, 0, 0, true, sink.out);
        sink.feed(Mid.DATA, 64, 1); // uses it up
        sink.feed(Mid.MODE_CHANGE, 64, 0, Mch.COMBINED << 28);
        sink.feed(Mid.DATA, 64, 1);
        sink.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        sink.consumed();
        sink.consumed();
        sink.machine.sink().lend(6, 100_000, 0, 0, true, sink.out);
        MemorySegment m = sink.message();
        assertEquals(1, SnkAh.nonDiscards(m, Bsdh.BYTES));
    }

    /** Several buffers lent: the half is pipelined, unless the peer tracks one advertisement. */
    @Test
    void pipelinesByItself() {
        lendSource(3, 100_000);
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        lendSource(4, 100_000);
        assertEquals(List.of(Mid.MODE_CHANGE, Mid.SRC_AVAIL), rig.mids());
        assertEquals(0, rig.out.row(rowOf(Mid.SRC_AVAIL)).bytes);
    }

    /** Into Buffered only when the Source knows its SrcAvail to be processed (7.3, 7.4). */
    @Test
    void intoBufferedWhileTheAnswerIsInFlight() {
        for (boolean seen : new boolean[] {false, true}) {
            Rig sink = new Rig(CONFIG, 64, 0, 0);
            sink.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
            sink.machine.sink().refuse(sink.out);
            int answer = sink.machine.credits.lastSent();
            sink.feedAck(Mid.MODE_CHANGE, 64, seen ? answer : answer - 1, 0, Mch.BUFFERED << 28);
            if (seen) {
                sink.assertAlive();
                sink.feed(Mid.DATA, 64, 999); // what is owed may come in Buffered
                sink.assertAlive();
            } else {
                sink.assertViolation(AbortReason.BAD_MODE_CHANGE);
            }
        }
    }
}
