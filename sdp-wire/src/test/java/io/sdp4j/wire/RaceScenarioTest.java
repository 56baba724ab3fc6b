package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Races that a simulation has found, each as short as it can be told. */
class RaceScenarioTest extends ZcopyRig {
    private void recallSinks() {
        rig.out.clear();
        rig.machine.sink().recall(rig.out);
    }

    /**
     * One SinkAvailCancel ends with a short RdmaWrCompl: its SinkCancelAck may still come (6.7).
     */
    private void leaveOneAnswerOut() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        int before = rig.machine.credits.lastSent();
        recallSinks();
        assertEquals(List.of(Mid.SINK_AVAIL_CANCEL), rig.mids());
        rig.feedAck(Mid.RDMA_WR_COMPL, 64, before, 0, 5000);
        assertSinkReturned(5, 5000);
    }

    /** Then takes back what is lent on both halves; returns the MSeq of the SrcAvailCancel. */
    private int cancelBoth() {
        leaveOneAnswerOut();
        assertTrue(lendSource(3, 1000));
        rig.out.clear();
        rig.machine.source().recall(rig.out);
        int cancel = rig.machine.credits.lastSent();
        assertTrue(lendSink(6, 100_000));
        recallSinks();
        return cancel;
    }

    /**
     * The answer to one SinkAvailCancel comes late and with an MSeqAck that the peer holds back: it
     * could be taken for the answer to the next one, which therefore waits (6.6, 6.7).
     */
    @Test
    void lateSinkCancelAckUnderAHeldAck() {
        int cancel = cancelBoth();
        assertEquals(List.of(), rig.mids(), "two answers would look the same");
        rig.feedAck(Mid.SINK_CANCEL_ACK, 64, cancel - 1, 0); // the late one
        rig.assertAlive();
        assertEquals(-1, rig.row(ActionList.SINK_RETURNED), "the newer one is untouched");
        assertEquals(List.of(Mid.SINK_AVAIL_CANCEL), rig.mids(), "nothing is late any more");
        rig.feedAck(Mid.SINK_CANCEL_ACK, 64, cancel - 1, 0); // in answer to the second, held back
        rig.assertAlive();
        assertSinkReturned(6, 0);
    }

    /** The same, but the late answer never comes: the SrcAvailCancel is processed instead. */
    @Test
    void sinkAvailCancelWaitsForSrcAvailCancel() {
        int cancel = cancelBoth();
        rig.feedAck(Mid.RDMA_RD_COMPL, 64, cancel - 1, 0, 999);
        assertEquals(List.of(Mid.SINK_AVAIL_CANCEL), rig.mids());
        int second = rig.machine.credits.lastSent();
        rig.feedAck(Mid.SINK_CANCEL_ACK, 64, second - 1, 0); // the late one after all
        assertEquals(-1, rig.row(ActionList.SINK_RETURNED));
        rig.feedAck(Mid.SINK_CANCEL_ACK, 64, second, 0);
        assertSinkReturned(6, 0);
        rig.assertAlive();
    }

    /**
     * Payload that leaves between SinkAvailCancel and its answer still uses up a SinkAvail, as it
     * does at the Sink: else the counters would differ for ever (6.5, 6.7).
     */
    @Test
    void payloadBeforeSinkCancelAck() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        assertTrue(rig.machine.reserve());
        rig.feed(Mid.SINK_AVAIL_CANCEL, 3, 0);
        assertEquals(List.of(), rig.mids(), "the credits are reserved");
        rig.out.clear();
        assertTrue(rig.machine.send(0, 10, false, rig.out));
        assertEquals(List.of(Mid.DATA), rig.mids());
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(), rig.mids(), "nothing was given up");
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        assertTrue(lendSource(3, 5000));
        assertEquals(5000, rdmaBytes(ActionList.RDMA_WRITE), "the counters are equal");
    }

    /** The same with two: one is used up, the other given up, with one answer. */
    @Test
    void payloadBeforeSinkCancelAckOfTwo() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        assertTrue(rig.machine.reserve());
        rig.feed(Mid.SINK_AVAIL_CANCEL, 3, 0);
        rig.out.clear();
        assertTrue(rig.machine.send(0, 10, false, rig.out));
        assertEquals(List.of(Mid.DATA, Mid.SINK_CANCEL_ACK), rig.mids());
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(), rig.mids());
        assertTrue(lendSource(3, 5000));
        assertEquals(0, rdmaBytes(ActionList.RDMA_WRITE), "none is left");
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
    }

    /** A late SinkCancelAck that never comes: MSeqAck tells that this one is the next (6.7). */
    @Test
    void theNextSinkCancelAck() {
        leaveOneAnswerOut();
        assertTrue(lendSink(6, 100_000));
        recallSinks();
        int cancel = rig.machine.credits.lastSent();
        rig.feedAck(Mid.SINK_CANCEL_ACK, 64, cancel, 0);
        assertSinkReturned(6, 0);
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0);
        rig.assertAlive();
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }
}
