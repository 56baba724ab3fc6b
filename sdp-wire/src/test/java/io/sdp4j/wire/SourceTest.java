package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Lent sources where answers, withdrawals, writes and cancels meet (6.2 to 6.8). */
class SourceTest extends ZcopyRig {
    private void recall() {
        rig.out.clear();
        rig.machine.source().recall(rig.out);
    }

    /**
     * A cancel of the machine's own bars lending as a recall does, which itself does for longer.
     */
    @Test
    void nothingIsTakenWhileSomethingIsTakenBack() {
        assertTrue(lendSource(3, 1000));
        rig.machine.onTimer(SdpMachine.TIMER_SRC_AVAIL, rig.out);
        assertFalse(lendSource(4, 1000), "a cancel is out");
        rig.feed(Mid.SEND_SM, 64, 0);
        assertSourceReturned(3, 1, ActionList.COPY);
        rig.send(999);
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 2));
        assertTrue(lendSource(4, 1000));
        assertEquals(1000, rdmaBytes(ActionList.RDMA_WRITE));
        recall();
        assertEquals(List.of(), rig.mids(), "nothing is advertised");
        assertFalse(lendSource(5, 1000), "a write is running");
        writesCompleted(1);
        assertSourceReturned(4, 1000, ActionList.DONE);
        assertTrue(lendSource(5, 1000));
    }

    /** The peer has acknowledged our cancel before it is processed: it holds nothing back (6.6). */
    @Test
    void aPeerThatHoldsNoAcknowledgementBack() {
        assertTrue(lendSource(3, 1000));
        recall();
        int cancel = rig.machine.credits.lastSent();
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1));
        assertEquals(List.of(Mid.RDMA_RD_COMPL), rig.mids());
        rig.feedAck(Mid.SRC_AVAIL, 64, cancel, 1, Rig.srcAvail(1000));
        rig.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
    }

    /** The same from one that does: its messages are trusted. */
    @Test
    void aPeerThatHoldsAcknowledgementsBack() {
        assertTrue(lendSource(3, 1000));
        recall();
        int cancel = rig.machine.credits.lastSent();
        rig.feedAck(Mid.SRC_AVAIL, 64, cancel - 1, 1, Rig.srcAvail(1));
        rig.feedAck(Mid.SRC_AVAIL, 64, cancel - 1, 1, Rig.srcAvail(1000));
        rig.assertAlive();
    }

    /** Answers that come after the cancel is processed, or from before the SrcAvail. */
    @Test
    void staleAnswers() {
        assertTrue(lendSource(3, 1000));
        recall();
        rig.feed(Mid.SEND_SM, 64, 0);
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 10);
        rig.assertAlive();
        int before = rig.machine.credits.lastSent();
        assertTrue(lendSource(4, 1000));
        rig.feedAck(Mid.SEND_SM, 64, before, 0);
        assertEquals(-1, rig.row(ActionList.SOURCE_RETURNED));
        rig.feedAck(Mid.SEND_SM, 64, before + 1, 0);
        assertSourceReturned(4, 1, ActionList.COPY);
    }

    /** SendSm concerns one SrcAvail: buffers that wait behind it are advertised all the same. */
    @Test
    void aRefusalConcernsOne() {
        Rig source = new Rig(CONFIG.with(new Features(8, 65_536, 4, 1, false, false)), 64, 0, 0);
        source.machine.source().lend(3, 1000, 1, 2, source.out);
        source.machine.source().lend(4, 1000, 1, 2, source.out);
        source.feed(Mid.SEND_SM, 64, 0);
        assertEquals(3, source.out.row(source.row(ActionList.SOURCE_RETURNED)).buffer);
        assertEquals(1, source.machine.source().lent());
        source.send(999);
        assertEquals(List.of(Mid.DATA, Mid.SRC_AVAIL), source.mids());
    }

    /** One is being written, the next advertised: each comes back as it ended, in order. */
    @Test
    void outcomesStayApart() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        assertTrue(lendSource(3, 1000));
        assertTrue(lendSource(4, 1000));
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        recall();
        rig.feed(Mid.SEND_SM, 64, 0);
        assertEquals(-1, rig.row(ActionList.SOURCE_RETURNED), "a write is running");
        writesCompleted(1);
        assertSourceReturned(3, 1000, ActionList.DONE);
        int next = rig.row(ActionList.SOURCE_RETURNED) + 1;
        assertEquals(4, rig.out.row(next).buffer);
        assertEquals(ActionList.RECALLED, rig.out.row(next).outcome);
    }

    /** At a cut only what is known to have arrived is done. */
    @Test
    void outcomesOfACut() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        assertTrue(lendSource(3, 1000));
        assertTrue(lendSource(4, 1000));
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 1000);
        assertEquals(-1, rig.row(ActionList.SOURCE_RETURNED), "one after the other");
        rig.out.clear();
        rig.machine.abort(AbortReason.LOCAL_ABORT, rig.out);
        assertSourceReturned(3, 0, ActionList.CUT);
        int next = rig.row(ActionList.SOURCE_RETURNED) + 1;
        assertEquals(4, rig.out.row(next).buffer);
        assertEquals(ActionList.DONE, rig.out.row(next).outcome);
        assertEquals(1000, rig.out.row(next).bufferOffset);
    }

    /** The last RdmaRdCompl crosses a cancel: buffers that wait behind come back all the same. */
    @Test
    void aRecallThatCrossesTheEnd() {
        Features combined = new Features(8, 65_536, 4, 1, false, false);
        Rig source = new Rig(CONFIG.with(combined), 64, 0, 0);
        source.machine.source().lend(3, 1000, 1, 2, source.out);
        source.machine.source().lend(4, 1000, 1, 2, source.out);
        source.machine.source().recall(source.out);
        int cancel = source.machine.credits.lastSent();
        source.feedAck(Mid.RDMA_RD_COMPL, 64, cancel - 1, 0, 999);
        int row = source.row(ActionList.SOURCE_RETURNED);
        assertEquals(ActionList.DONE, source.out.row(row).outcome);
        assertEquals(4, source.out.row(row + 1).buffer);
        assertEquals(ActionList.RECALLED, source.out.row(row + 1).outcome);
        assertEquals(List.of(), source.mids());
    }
}
