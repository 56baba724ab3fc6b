package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Advertisements taken back, given up, refused or dropped, at the edges of 6.4 to 6.7 and 7.3. */
class RevocationTest extends ZcopyRig {
    /** The Source of s25: one SinkAvail, partly written. */
    @Test
    void theRestOfOneSinkAvailIsGivenUp() {
        Rig few = new Rig(CONFIG.with(new Features(8, 5000, 1, 1, true, false)), 64, 0, 0);
        few.pipeline();
        few.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        few.out.clear();
        few.machine.source().lend(3, 8000, 1, 2, few.out);
        few.feed(Mid.SINK_AVAIL_CANCEL, 64, 0);
        assertEquals(List.of(Mid.RDMA_WR_COMPL, Mid.SINK_CANCEL_ACK), few.mids().subList(0, 2));
    }

    /** A SinkAvail that is full is completed: nothing of it can be given up. */
    @Test
    void aFullSinkAvailIsNotGivenUp() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 0, 0, sinkAvail(20_000, 0));
        assertTrue(lendSource(3, 20_000));
        assertEquals(20_000, rdmaBytes(ActionList.RDMA_WRITE));
        assertEquals(List.of(), rig.mids(), "no credit");
        rig.feed(Mid.SINK_AVAIL_CANCEL, 0, 0);
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.RDMA_WR_COMPL), rig.mids());
    }

    /** The stream's order: owed bytes leave as Data before those lent after them. */
    @Test
    void owedBytesLeaveBeforeASinkAvailIsFilled() {
        pipelineSource();
        assertTrue(lendSource(3, 20_000));
        assertTrue(lendSource(4, 20_000));
        rig.feed(Mid.SEND_SM, 64, 0);
        assertSourceReturned(3, 0, ActionList.COPY);
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        rig.assertAlive();
        assertEquals(-1, rig.row(ActionList.RDMA_WRITE), rig::actions);
        assertEquals(List.of(), rig.mids());
    }

    @Test
    void moreSinkAvailsThanWeTrack() {
        Rig two = new Rig(new WireConfig(32, 16_400, Integer.MAX_VALUE, 2, 4, 4, ZCOPY), 64, 0, 0);
        two.pipeline();
        two.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        two.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        two.assertAlive();
        two.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        two.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
    }

    /** MaxAdverts is one limit for both kinds together (2.13). */
    @Test
    void moreAdvertisementsThanWeTrack() {
        WireConfig config = new WireConfig(32, 16_400, Integer.MAX_VALUE, 3, 4, 4, ZCOPY);
        for (boolean sinkAvailLast : new boolean[] {false, true}) {
            Rig three = new Rig(config, 64, 0, 0);
            three.pipeline();
            three.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
            three.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
            three.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
            if (sinkAvailLast) {
                three.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
                three.assertAlive();
                three.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
            } else {
                three.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
                three.assertAlive();
                three.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
            }
            three.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
        }
    }

    /** One SrcAvail at a time, in Combined, beside as many SinkAvails as there may be. */
    @Test
    void aSrcAvailInCombinedBesideSinkAvails() {
        WireConfig config = new WireConfig(32, 16_400, Integer.MAX_VALUE, 1, 4, 4, ZCOPY);
        Rig one = new Rig(config, 64, 0, 0);
        one.pipeline();
        one.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        one.assertAlive();
        one.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        one.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
    }

    /** A SrcAvail with nothing left to read counts until it is answered. */
    @Test
    void anEmptySrcAvailCounts() {
        WireConfig config = new WireConfig(32, 16_400, Integer.MAX_VALUE, 1, 4, 4, ZCOPY);
        Rig one = new Rig(config, 64, 0, 0);
        one.pipeline();
        one.feed(Mid.SRC_AVAIL, 0, 1, Rig.srcAvail(1));
        assertEquals(List.of(), one.mids(), "no credit");
        one.feed(Mid.SINK_AVAIL, 0, 0, sinkAvail(100_000, 0));
        one.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
    }

    /** Advertisements that our DisConn has voided count no more, nor those that cross it. */
    @Test
    void sinkAvailsEndWithOurHalf() {
        WireConfig config = new WireConfig(32, 16_400, Integer.MAX_VALUE, 1, 4, 4, ZCOPY);
        Rig one = new Rig(config, 64, 0, 0);
        one.pipeline();
        one.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        one.machine.shutdownOutput(one.out);
        int disConn = one.machine.credits.lastSent();
        one.feedAck(Mid.DATA, 64, disConn - 1, 0);
        one.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        one.assertAlive();
        one.machine.sink().refuse(one.out);
        one.feed(Mid.DATA, 64, 999);
        one.feedAck(Mid.SINK_AVAIL, 64, disConn + 1, 0, sinkAvail(100_000, 0));
        one.assertAlive();
        assertEquals(-1, one.row(ActionList.RDMA_WRITE));
        one.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        one.assertAlive();
    }

    /** Len is checked of every SinkAvail, its use only of one that is used (2.13, 6.5, 16.1). */
    @Test
    void aStaleSinkAvailMayBeSmallButNotImpossible() {
        pipelineSource();
        rig.send(1);
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100, 0)); // stale
        rig.assertAlive();
        assertEquals(0, rig.machine.send.offers.p);
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100, 0));
        rig.assertViolation(AbortReason.BAD_ADVERTISEMENT);
        for (int len : new int[] {0, 0x8000_0001, -1}) {
            Rig other = new Rig(CONFIG, 64, 0, 0);
            other.pipeline();
            other.send(1);
            other.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(len, 0));
            other.assertViolation(AbortReason.BAD_ADVERTISEMENT);
        }
    }

    /** After SendSm nothing later is read before its bytes have come as Data (6.4). */
    @Test
    void refusedBytesComeFirst() {
        pipelineSink();
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(2000));
        rig.out.clear();
        rig.machine.sink().refuse(rig.out);
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
        assertEquals(0, rig.machine.sink().offeredBytes());
        assertTrue(lendSink(5, 5000));
        assertEquals(-1, rig.row(ActionList.RDMA_READ));
        rig.feed(Mid.DATA, 64, 999);
        rig.consumed();
        assertEquals(0, rig.machine.sink().offeredBytes(), "one byte is missing");
        rig.feed(Mid.DATA, 64, 1);
        rig.consumed();
        assertEquals(2000, rig.machine.sink().offeredBytes());
        assertTrue(lendSink(6, 5000));
        assertEquals(2000, rdmaBytes(ActionList.RDMA_READ));
        rig.assertAlive();
    }

    /** Each refusal concerns the oldest that is not refused yet. */
    @Test
    void refusalsFollowEachOther() {
        pipelineSink();
        rig.feed(Mid.SRC_AVAIL, 0, 0, Rig.srcAvail(1000));
        rig.feed(Mid.SRC_AVAIL, 0, 0, Rig.srcAvail(2000));
        rig.out.clear();
        rig.machine.shutdownInput(rig.out);
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.SEND_SM, Mid.SEND_SM), rig.mids());
    }

    /** A cancel that finds nothing is acknowledged like any message. */
    @Test
    void anIgnoredCancelHoldsNothingBack() {
        rig.feed(Mid.SRC_AVAIL_CANCEL, 64, 0);
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(2, Bsdh.mseqAck(rig.out.row(rig.row(ActionList.CONTROL)).second));
    }

    /** In Combined the next SrcAvail follows the answer, also that to a cancel or an empty one. */
    @Test
    void theNextSrcAvailFollowsTheAnswer() {
        for (boolean empty : new boolean[] {true, false}) {
            Rig sink = new Rig(CONFIG, 64, 0, 0);
            sink.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(empty ? 1 : 1000));
            if (!empty) {
                sink.feed(Mid.SRC_AVAIL_CANCEL, 64, 0);
            }
            assertFalse(sink.mids().isEmpty());
            int answer = sink.machine.credits.lastSent();
            sink.feedAck(Mid.SRC_AVAIL, 64, answer - 1, 1, Rig.srcAvail(1000));
            sink.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
        }
    }

    /** A loan that was never advertised comes back at once, and makes room for a writer. */
    @Test
    void whatWaitsIsReturnedAtOnce() {
        assertTrue(rig.machine.reserve());
        assertTrue(lendSource(3, 1000));
        assertEquals(List.of(), rig.mids(), "a reservation is before it");
        rig.out.clear();
        rig.machine.source().recall(rig.out);
        assertSourceReturned(3, 0, ActionList.RECALLED);
        assertEquals(List.of(), rig.mids());
        assertEquals(ActionList.WRITABLE, rig.out.row(rig.row(ActionList.WAKE)).flags);
        assertTrue(lendSource(3, 1000), "nothing is recalled any more");
        while (rig.machine.credits.posted() > 2) {
            assertEquals(-1, rig.row(ActionList.SOURCE_RETURNED));
            rig.feed(Mid.DATA, 64, 1); // both write, and neither reads (6.8)
        }
        assertSourceReturned(3, 0, ActionList.COPY);
        assertEquals(1000, rig.machine.send.sources.owed());
        assertEquals(ActionList.WRITABLE, rig.out.row(rig.row(ActionList.WAKE)).flags);
    }

    /** A recall of nothing recalls nothing later, on either half. */
    @Test
    void aRecallOfNothing() {
        rig.machine.source().recall(rig.out);
        rig.machine.sink().recall(rig.out);
        assertTrue(lendSource(3, 1000));
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        assertTrue(lendSink(5, 1000));
        assertEquals(-1, rig.row(ActionList.SINK_RETURNED));
    }

    /** A loan that is being read when it is recalled comes back when the reads have come. */
    @Test
    void aRecallWaitsForReads() {
        assertTrue(lendSink(5, 70_000));
        assertTrue(lendSink(6, 70_000));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(65_000));
        rig.out.clear();
        rig.machine.sink().recall(rig.out);
        assertEquals(-1, rig.row(ActionList.SINK_RETURNED));
        assertFalse(lendSink(7, 1000));
        readsCompleted(1);
        assertSinkReturned(5, 65_000);
        assertEquals(6, rig.out.row(rig.row(ActionList.SINK_RETURNED) + 1).buffer);
        assertEquals(List.of(Mid.RDMA_RD_COMPL), rig.mids());
        assertTrue(lendSink(7, 1000));
    }

    /** A stale answer to what was taken back is ignored; one to what never was is not. */
    @Test
    void answersToWhatWasTakenBack() {
        pipelineSource();
        assertTrue(lendSource(3, 50_000));
        int before = rig.machine.credits.lastSent();
        rig.feedAck(Mid.SINK_AVAIL, 64, before, 0, sinkAvail(50_000, 0)); // taken back, written
        assertEquals(50_000, rdmaBytes(ActionList.RDMA_WRITE));
        rig.feedAck(Mid.RDMA_RD_COMPL, 64, before, 0, 100);
        rig.assertAlive();
        rig.feedAck(Mid.SEND_SM, 64, before, 0);
        rig.assertAlive();
        assertEquals(0, rig.machine.send.sources.owed());
    }

    /** RdmaRdCompl of all that is left, and of one byte more. */
    @Test
    void noMoreIsReadThanThereIs() {
        assertTrue(lendSource(3, 1000));
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 400);
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 600);
        rig.assertViolation(AbortReason.BAD_COMPLETION);
        assertSourceReturned(3, 401, ActionList.CUT);
    }
}
