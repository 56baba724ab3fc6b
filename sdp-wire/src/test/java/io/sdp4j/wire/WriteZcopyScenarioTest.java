package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scenarios of docs/protocol.md 19.B that concern SinkAvail, one test per number. */
class WriteZcopyScenarioTest extends ZcopyRig {
    @Test
    void s19() {
        pipelineSource();
        rig.send(10);
        rig.send(10);
        for (int i = 0; i < 3; i++) {
            rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(200_000, 0));
            assertEquals(List.of(), rig.mids());
        }
        assertTrue(lendSource(3, 5000), "the third is used");
        assertEquals(5000, rdmaBytes(ActionList.RDMA_WRITE));
        assertEquals(0x2000, rig.out.row(rig.row(ActionList.RDMA_WRITE)).remoteAddress);
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(200_000, 0)); // P ended 0
        assertTrue(lendSource(4, 5000));
        assertEquals(5000, rdmaBytes(ActionList.RDMA_WRITE));
    }

    @Test
    void s20() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        assertEquals(List.of(Mid.SINK_AVAIL), rig.mids());
        rig.feedAck(Mid.DATA, 64, 0, 50);
        assertEquals(50, rig.out.row(rig.row(ActionList.DELIVER)).bytes);
        assertSinkReturned(5, 0);
        assertTrue(rig.row(ActionList.DELIVER) < rig.row(ActionList.SINK_RETURNED));
        rig.consumed();
        assertTrue(lendSink(6, 100_000));
        assertEquals(0, nonDiscards(rowOf(Mid.SINK_AVAIL)), "N unchanged");
    }

    @Test
    void s21() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        rig.feed(Mid.DATA, 64, 50);
        assertSinkReturned(5, 0);
        rig.feed(Mid.DATA, 64, 60);
        rig.consumed();
        rig.consumed();
        assertTrue(lendSink(6, 100_000));
        assertEquals(1, nonDiscards(rowOf(Mid.SINK_AVAIL)));

        Rig source = new Rig(CONFIG, 64, 0, 0);
        source.pipeline();
        source.send(50);
        source.send(60);
        source.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0)); // stale: P 2 -> 1
        source.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 1)); // equal counters
        source.out.clear();
        source.machine.source().lend(3, 500, 1, 2, source.out);
        assertTrue(source.row(ActionList.RDMA_WRITE) >= 0);
    }

    @Test
    void s22() {
        pipelineSource();
        assertTrue(lendSource(3, 300_000));
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(200_000, 0));
        assertEquals(200_000, rdmaBytes(ActionList.RDMA_WRITE));
        assertEquals(List.of(Mid.RDMA_WR_COMPL, Mid.SRC_AVAIL), rig.mids());
        assertEquals(200_000, extension(rig, rowOf(Mid.RDMA_WR_COMPL)));
        assertEquals(100_000, extension(rig, rowOf(Mid.SRC_AVAIL)));
        assertEquals(0x7000 + 200_000, rig.out.row(rowOf(Mid.SRC_AVAIL)).remoteAddress);

        pipelineSink();
        assertTrue(lendSink(5, 200_000));
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(300_000));
        assertEquals(-1, rig.row(ActionList.RDMA_READ), "the Sink ignores it");
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 200_000);
        assertSinkReturned(5, 200_000);
    }

    @Test
    void s23() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(262_144, 0));
        assertTrue(lendSource(3, 1000));
        assertEquals(1000, rdmaBytes(ActionList.RDMA_WRITE));
        assertEquals(1000, extension(rig, rowOf(Mid.RDMA_WR_COMPL)));
        assertTrue(rig.row(ActionList.RDMA_WRITE) < rowOf(Mid.RDMA_WR_COMPL));
        assertEquals(-1, rig.row(ActionList.SOURCE_RETURNED), "the write is still running");
        writesCompleted(1);
        assertSourceReturned(3, 1000, ActionList.DONE);
    }

    /**
     * The Source: a partly written buffer is completed short, the rest given up with one answer.
     */
    @Test
    void s24() {
        Rig few = new Rig(CONFIG.with(new Features(8, 5000, 1, 1, true, false)), 64, 0, 0);
        few.pipeline();
        few.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        few.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        few.out.clear();
        few.machine.source().lend(3, 8000, 1, 2, few.out); // one write at a time: 5000 of 8000
        assertEquals(List.of(), few.mids());
        few.feed(Mid.SINK_AVAIL_CANCEL, 64, 0);
        assertEquals(Mid.RDMA_WR_COMPL, few.mids().get(0));
        assertEquals(Mid.SINK_CANCEL_ACK, few.mids().get(1));
        assertEquals(5000, extension(few, few.row(ActionList.CONTROL)));
        few.feed(Mid.DATA, 64, 0);
        assertFalse(few.mids().contains(Mid.SINK_CANCEL_ACK), "exactly one");

        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        assertTrue(lendSink(6, 100_000));
        rig.out.clear();
        rig.machine.sink().recall(rig.out);
        assertEquals(List.of(Mid.SINK_AVAIL_CANCEL), rig.mids());
        assertFalse(lendSink(7, 100_000));
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 5000);
        assertSinkReturned(5, 5000);
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0);
        assertSinkReturned(6, 0);
    }

    @Test
    void s25() {
        pipelineSink();
        for (boolean acknowledged : new boolean[] {true, false, true}) {
            assertTrue(lendSink(5, 100_000));
            assertEquals(List.of(Mid.SINK_AVAIL), rig.mids());
            int before = rig.machine.credits.lastSent();
            rig.machine.sink().recall(rig.out);
            rig.feedAck(Mid.RDMA_WR_COMPL, 64, before, 0, 5000);
            assertSinkReturned(5, 5000);
            assertTrue(lendSink(6, 100_000), "advertising goes on at once");
            if (acknowledged) {
                rig.feedAck(Mid.SINK_CANCEL_ACK, 64, before + 1, 0);
                rig.assertAlive();
                assertEquals(-1, rig.row(ActionList.SINK_RETURNED), "the newer one is untouched");
            }
            rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 7);
            assertSinkReturned(6, 7);
        }
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0); // the one still missing
        rig.assertAlive();
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }

    @Test
    void s26() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        lendSource(3, 100); // RdmaWrCompl is on its way
        rig.feed(Mid.SINK_AVAIL_CANCEL, 64, 0);
        rig.assertAlive();
        assertEquals(List.of(), rig.mids());
    }

    @Test
    void s27() {
        pipelineSink();
        rig.out.clear();
        assertTrue(rig.machine.sink().lend(5, 100_000, 0, 0, false, rig.out));
        assertEquals(List.of(), rig.mids(), "a read that must be full is not offered");
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(100_000));
        readsCompleted(2);
        assertSinkReturned(5, 100_000);
    }

    /** Behind a message that no SinkAvail waits for, no lent buffer is next any more (6.5). */
    @Test
    void oneMessageReturnsAllThatAreNotOffered() {
        for (int buffer : new int[] {5, 6, 7}) {
            assertTrue(lendSink(buffer, 100_000));
        }
        rig.feed(Mid.DATA, 64, 10);
        assertEquals(List.of(5, 6, 7), sinksReturned());
        assertEquals(0, rig.machine.sink().lent());
        rig.consumed();
        pipelineSink();
        assertTrue(lendSink(8, 100_000));
        assertEquals(1, nonDiscards(rowOf(Mid.SINK_AVAIL)), "one message");
    }

    /**
     * One that is offered takes the message for itself; a buffer that waits behind it stays (6.5).
     */
    @Test
    void oneMessageReturnsOneThatIsOffered() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        assertTrue(lendSink(6, 100_000));
        assertTrue(lendSink(7, 16_400));
        assertEquals(List.of(), rig.mids(), "too small to be offered");
        assertTrue(lendSink(8, 100_000));
        for (List<Integer> back : List.of(List.of(5), List.of(6), List.of(7, 8))) {
            rig.feed(Mid.DATA, 64, 10);
            assertEquals(back, sinksReturned());
        }
    }

    /** Several offers end together: with the mode (7.3), the half (12.3), or a cancel (6.7). */
    @ParameterizedTest
    @ValueSource(ints = {Mid.MODE_CHANGE, Mid.DISCONN, Mid.SINK_CANCEL_ACK})
    void offersThatEndTogetherAllComeBack(int end) {
        pipelineSink();
        for (int buffer : new int[] {5, 6, 7}) {
            assertTrue(lendSink(buffer, 100_000));
            assertEquals(List.of(Mid.SINK_AVAIL), rig.mids());
        }
        if (end == Mid.SINK_CANCEL_ACK) {
            rig.machine.sink().recall(rig.out);
        }
        int[] header = end == Mid.MODE_CHANGE ? new int[] {Mch.COMBINED << 28} : new int[0];
        rig.feed(end, 64, 0, header);
        if (end == Mid.MODE_CHANGE) {
            assertEquals(List.of(), sinksReturned(), "they are ordinary now");
            rig.feed(Mid.DATA, 64, 10);
        }
        assertEquals(List.of(5, 6, 7), sinksReturned());
        assertEquals(0, rig.machine.sink().lent());
        rig.assertAlive();
    }

    /** Buffers that come back empty, in the order of the rows, behind what is delivered. */
    private List<Integer> sinksReturned() {
        List<Integer> buffers = new ArrayList<>();
        for (int i = 0; i < rig.out.size(); i++) {
            if (rig.out.row(i).kind == ActionList.SINK_RETURNED) {
                assertTrue(i > rig.row(ActionList.DELIVER));
                assertEquals(0, rig.out.row(i).bufferOffset);
                buffers.add(rig.out.row(i).buffer);
            }
        }
        return buffers;
    }

    /** Payload of a SinkAvail belongs to the other half and is delivered whatever becomes of it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 9})
    void transaction(int nonDiscards) {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 3, sinkAvail(65_536, nonDiscards));
        assertEquals(3, rig.out.row(rig.row(ActionList.DELIVER)).bytes);
        assertEquals(36, rig.out.row(rig.row(ActionList.DELIVER)).offset);
        rig.assertAlive();
        lendSource(3, 100);
        assertEquals(nonDiscards == 0, rig.row(ActionList.RDMA_WRITE) >= 0);
    }

    /** RdmaRdCompl and RdmaWrCompl for what was never advertised. */
    @Test
    void unexpectedCompletions() {
        for (int mid : new int[] {Mid.RDMA_RD_COMPL, Mid.RDMA_WR_COMPL}) {
            Rig fresh = new Rig(CONFIG, 64, 0, 0);
            fresh.feed(mid, 64, 0, 100);
            fresh.assertViolation(AbortReason.UNEXPECTED_ANSWER);
        }
        pipelineSink();
        lendSink(5, 100_000);
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 100_001);
        rig.assertViolation(AbortReason.BAD_COMPLETION);
    }
}
