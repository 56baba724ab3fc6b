package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The scenarios of docs/protocol.md 19.B that concern modes, one test per number. */
class ModeScenarioTest extends ZcopyRig {
    /** The Source leaves Pipelined while a SinkAvail is on its way, and sends Data behind. */
    @Test
    void s29() {
        pipelineSource();
        for (int i = 0; i < 7; i++) {
            rig.send(1);
        }
        rig.machine.source().changeMode(Mch.COMBINED, rig.out);
        int mseq = rig.machine.credits().lastSent();
        rig.send(1);
        assertEquals(8, rig.machine.send.offers.p);
        rig.feedAck(Mid.SINK_AVAIL, 64, mseq - 1, 0, sinkAvail(100_000, 7)); // crossed
        rig.assertAlive();
        assertEquals(8, rig.machine.send.offers.p, "dropped, and not for this Data");
        rig.feed(Mid.DATA, 64, 0);
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 8));
        lendSource(3, 1000);
        assertEquals(1000, rdmaBytes(ActionList.RDMA_WRITE), "the counters are equal");

        Rig sink = new Rig(CONFIG, 64, 0, 0);
        sink.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        for (int i = 0; i < 7; i++) {
            sink.feed(Mid.DATA, 64, 1);
            sink.consumed();
        }
        sink.machine.sink().lend(5, 100_000, 0, 0, true, sink.out);
        int offer = sink.machine.credits().lastSent();
        sink.feedAck(Mid.MODE_CHANGE, 64, offer - 1, 0, Mch.COMBINED << 28);
        sink.feedAck(Mid.DATA, 64, offer - 1, 1);
        sink.assertAlive();
        assertEquals(5, sink.out.buffer(sink.row(ActionList.SINK_RETURNED)), "an ordinary buffer");
        assertEquals(8, sink.machine.receive.sinks.n());
    }

    /** As s29, with SrcAvails that the SinkAvail takes back. */
    @Test
    void s29WithSrcAvails() {
        pipelineSource();
        for (int i = 0; i < 7; i++) {
            rig.send(1);
        }
        lendSource(3, 50_000);
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        lendSource(4, 60_000);
        rig.out.clear();
        rig.machine.source().changeMode(Mch.COMBINED, rig.out);
        assertEquals(List.of(Mid.MODE_CHANGE), rig.mids());
        int mseq = rig.machine.credits().lastSent();
        rig.feedAck(Mid.SINK_AVAIL, 64, mseq - 1, 0, sinkAvail(100_000, 7)); // crossed
        assertEquals(-1, rig.row(ActionList.RDMA_WRITE), "dropped");
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids(), "again, one at a time, with payload");
        assertEquals(1, rig.out.bytes(rig.row(ActionList.SEND_LENT)));
        rig.machine.source().changeMode(Mch.PIPELINED, rig.out);
        rig.feedAck(Mid.DATA, 64, mseq - 1, 0);
        assertFalse(rig.mids().contains(Mid.MODE_CHANGE), "not before the acknowledgement");
        rig.feedAck(Mid.DATA, 64, mseq, 0);
        assertTrue(rig.mids().contains(Mid.MODE_CHANGE));
    }

    /** As s29, but a Data sent before the ModeChange had used the SinkAvail up. */
    @Test
    void s30() {
        pipelineSource();
        for (int i = 0; i < 8; i++) {
            rig.send(1);
        }
        rig.out.clear();
        rig.machine.source().changeMode(Mch.COMBINED, rig.out);
        int mseq = rig.machine.credits().lastSent();
        rig.send(1);
        rig.feedAck(Mid.SINK_AVAIL, 64, mseq - 2, 0, sinkAvail(100_000, 7));
        rig.assertAlive();
        rig.feed(Mid.DATA, 64, 0);
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 8)); // the counters are equal again
        lendSource(3, 1000);
        assertTrue(rig.row(ActionList.RDMA_WRITE) >= 0);

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

    /** The four legal ways, by our own wish, and the one that only the Sink can lead. */
    @Test
    void modesAreChangedOneStepAtATime() {
        rig.out.clear();
        rig.machine.source().changeMode(Mch.PIPELINED, rig.out);
        assertEquals(0x20, extension(rig, rowOf(Mid.MODE_CHANGE)) >>> 24);
        rig.feed(Mid.DATA, 64, 0);
        rig.out.clear();
        rig.machine.source().changeMode(Mch.BUFFERED, rig.out);
        assertEquals(0x10, extension(rig, rowOf(Mid.MODE_CHANGE)) >>> 24);
        assertEquals(1, rig.mids().size(), "no other change before the acknowledgement");
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(0x00, extension(rig, rowOf(Mid.MODE_CHANGE)) >>> 24);
        assertFalse(lendSource(3, 100_000), "Buffered");
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);

        Rig sink = new Rig(CONFIG, 64, 0, 0);
        sink.feed(Mid.MODE_CHANGE, 64, 0, Mch.BUFFERED << 28);
        sink.out.clear();
        sink.machine.sink().leaveBuffered(sink.out);
        assertEquals(0x90, extension(sink, sink.row(ActionList.CONTROL)) >>> 24);
        assertEquals(Mch.COMBINED, sink.machine.receive.mode());
    }

    /** Several buffers lent: the half is pipelined, unless the peer tracks one advertisement. */
    @Test
    void pipelinesByItself() {
        lendSource(3, 100_000);
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        lendSource(4, 100_000);
        assertEquals(List.of(Mid.MODE_CHANGE, Mid.SRC_AVAIL), rig.mids());
        assertEquals(0, rig.out.bytes(rowOf(Mid.SRC_AVAIL)));
    }

    /** Into Buffered only when the Source knows its SrcAvail to be processed (7.3, 7.4). */
    @Test
    void intoBufferedWhileTheAnswerIsInFlight() {
        for (boolean seen : new boolean[] {false, true}) {
            Rig sink = new Rig(CONFIG, 64, 0, 0);
            sink.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
            sink.machine.sink().refuse(sink.out);
            int answer = sink.machine.credits().lastSent();
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

    /** A wished mode does not count before the Sink has led the way (7.3). */
    @Test
    void nothingIsLentBeforeTheWayOutOfBuffered() {
        rig.machine.source().changeMode(Mch.BUFFERED, rig.out);
        rig.machine.source().changeMode(Mch.COMBINED, rig.out);
        assertFalse(lendSource(3, 100_000));
        rig.feed(Mid.MODE_CHANGE, 64, 0, 0x9000_0000);
        assertTrue(lendSource(3, 100_000));
    }

    /** Only leaving Pipelined waits for an acknowledgement. */
    @Test
    void pipelinedMayBeLeftAtOnce() {
        rig.out.clear();
        rig.machine.source().changeMode(Mch.PIPELINED, rig.out);
        rig.machine.source().changeMode(Mch.COMBINED, rig.out);
        assertEquals(List.of(Mid.MODE_CHANGE, Mid.MODE_CHANGE), rig.mids());
        rig.out.clear();
        rig.machine.source().changeMode(Mch.PIPELINED, rig.out);
        assertEquals(List.of(), rig.mids());
    }

    /** The Sink may lead out of Buffered into Combined, and nowhere else (7.3). */
    @Test
    void theWayOutOfBuffered() {
        for (int word : new int[] {0x8000_0000, 0x9000_0000, 0xA000_0000}) {
            Rig source = new Rig(CONFIG, 64, 0, 0);
            source.machine.source().changeMode(Mch.BUFFERED, source.out);
            source.feed(Mid.MODE_CHANGE, 64, 0, word);
            if (word == 0x9000_0000) {
                source.assertAlive();
                assertEquals(Mch.COMBINED, source.machine.send.mode());
            } else {
                source.assertViolation(AbortReason.BAD_MODE_CHANGE);
            }
        }
    }

    /** A half that has ended is led nowhere; one that is not Buffered need not be led. */
    @Test
    void leavingBufferedInVain() {
        rig.out.clear();
        rig.machine.sink().leaveBuffered(rig.out);
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.MODE_CHANGE, 0, 0, Mch.BUFFERED << 28);
        rig.machine.sink().leaveBuffered(rig.out);
        assertEquals(List.of(), rig.mids(), "no credit");
        rig.feed(Mid.DISCONN, 64, 0);
        assertEquals(List.of(), rig.mids());
    }
}
