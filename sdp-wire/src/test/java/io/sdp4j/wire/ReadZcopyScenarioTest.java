package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The scenarios of docs/protocol.md 19.B that concern SrcAvail, one test per number. */
class ReadZcopyScenarioTest extends ZcopyRig {
    /** The Sink: one byte placed, reads for the rest, RdmaRdCompl of the bytes that were read. */
    @Test
    void s09() {
        assertTrue(lendSink(5, 131_072));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(131_072));
        int place = rig.row(ActionList.PLACE);
        assertEquals(1, rig.out.row(place).bytes);
        assertEquals(32, rig.out.row(place).offset);
        int read = rig.row(ActionList.RDMA_READ);
        assertEquals(0x1001, rig.out.row(read).remoteAddress);
        assertEquals(0x11, rig.out.row(read).rkey);
        assertEquals(1, rig.out.row(read).bufferOffset);
        assertEquals(131_071, rdmaBytes(ActionList.RDMA_READ));
        assertEquals(List.of(), rig.mids(), "nothing before the reads have completed");
        readsCompleted(1);
        assertEquals(List.of(), rig.mids());
        readsCompleted(1);
        assertEquals(List.of(Mid.RDMA_RD_COMPL), rig.mids());
        assertEquals(131_071, extension(rig, rowOf(Mid.RDMA_RD_COMPL)));
        assertEquals(Bsdh.REQ_PIPE, Bsdh.flags(rig.out.row(rowOf(Mid.RDMA_RD_COMPL)).first));
        assertSinkReturned(5, 131_072);
    }

    /** The Source: SrcAvail with one byte, and back when all is read. */
    @Test
    void s09source() {
        assertTrue(lendSource(3, 131_072));
        int row = rig.row(ActionList.SEND_LENT);
        assertEquals(Mid.SRC_AVAIL, Bsdh.mid(rig.out.row(row).first));
        assertEquals(32, rig.out.row(row).offset);
        assertEquals(1, rig.out.row(row).bytes);
        assertEquals(131_072, extension(rig, row));
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 100_000);
        assertEquals(-1, rig.row(ActionList.SOURCE_RETURNED), "a part is not all");
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 31_071);
        assertSourceReturned(3, 131_072, ActionList.DONE);
        assertTrue(rig.machine.writable());
    }

    @Test
    void s10() {
        Rig wide = new Rig(CONFIG.with(new Features(8, 65_536, 4, 1000, true, false)), 64, 0, 0);
        wide.out.clear();
        assertTrue(wide.machine.source().lend(3, 100_000, 1, 2, wide.out));
        assertEquals(1000, wide.out.row(wide.row(ActionList.SEND_LENT)).bytes);
        wide.feed(Mid.RDMA_RD_COMPL, 64, 0, 40_000);
        assertFalse(wide.machine.reserve());
        wide.feed(Mid.SEND_SM, 64, 0);
        int row = wide.row(ActionList.SOURCE_RETURNED);
        assertEquals(41_000, wide.out.row(row).bufferOffset);
        assertEquals(ActionList.COPY, wide.out.row(row).outcome);
        for (int bytes : new int[] {16_384, 16_384, 16_384, 9848}) {
            assertEquals(bytes, wide.machine.source().payloadLimit());
            wide.send(bytes);
            assertEquals(List.of(Mid.DATA), wide.mids());
        }
        assertEquals(0, wide.machine.send.sources.owed());
        assertEquals(16_384, wide.machine.source().payloadLimit());
    }

    @Test
    void s11() {
        Features combined = new Features(8, 65_536, 4, 1, false, false);
        Rig source = new Rig(CONFIG.with(combined), 64, 0, 0);
        source.machine.source().lend(3, 100_000, 1, 2, source.out);
        assertFalse(source.machine.writable());
        assertFalse(source.machine.reserve());
        source.out.clear();
        assertTrue(source.machine.source().lend(4, 100_000, 1, 2, source.out));
        assertEquals(List.of(), source.mids(), "it waits");
        source.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), source.mids(), "control goes on");
        source.feed(Mid.RDMA_RD_COMPL, 64, 0, 99_999);
        assertEquals(List.of(Mid.SRC_AVAIL), source.mids());
    }

    /** A second SrcAvail while the first waits for a reader. */
    @Test
    void s12() {
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        assertEquals(999, rig.machine.sink().offeredBytes());
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        rig.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
    }

    /** Without a reader the Source takes it back: one SendSm that acknowledges the cancel. */
    @Test
    void s13() {
        Rig late = new Rig(CONFIG, 64, 0, 39);
        late.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        late.feed(Mid.SRC_AVAIL_CANCEL, 64, 0);
        assertEquals(-1, late.row(ActionList.RDMA_READ));
        assertEquals(List.of(Mid.SEND_SM), late.mids());
        assertEquals(41, Bsdh.mseqAck(late.out.row(late.row(ActionList.CONTROL)).second));
        assertEquals(0, late.machine.sink().offeredBytes());
        late.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(500));
        late.assertAlive();
    }

    /** The Source of it: a recall reports the inline bytes as sent. */
    @Test
    void s13source() {
        assertTrue(lendSource(3, 1000));
        rig.out.clear();
        rig.machine.source().recall(rig.out);
        assertEquals(List.of(Mid.SRC_AVAIL_CANCEL), rig.mids());
        assertFalse(lendSource(4, 1000), "not before the cancel is processed");
        rig.feed(Mid.SEND_SM, 64, 0);
        assertSourceReturned(3, 1, ActionList.RECALLED);
        assertTrue(rig.machine.writable());
        assertTrue(lendSource(4, 1000));
    }

    @Test
    void s14() {
        Rig late = new Rig(CONFIG, 64, 0, 39);
        late.machine.sink().lend(5, 200_000, 0, 0, true, late.out);
        late.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(200_000));
        assertEquals(65_536, late.out.row(late.row(ActionList.RDMA_READ)).bytes);
        late.feed(Mid.SRC_AVAIL_CANCEL, 64, 0);
        assertEquals(List.of(), late.mids(), "reads are running");
        late.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(
                40, Bsdh.mseqAck(late.out.row(late.row(ActionList.CONTROL)).second), "held back");
        late.out.clear();
        late.machine.sink().onReadsCompleted(4, late.out);
        assertEquals(List.of(Mid.RDMA_RD_COMPL), late.mids(), "all was read: the cancel is void");
        assertEquals(40, Bsdh.mseqAck(late.out.row(late.row(ActionList.CONTROL)).second));
    }

    /** The same with less lent than advertised: the rest goes back by SendSm. */
    @Test
    void s14partial() {
        Rig late = new Rig(CONFIG, 64, 0, 39);
        late.machine.sink().lend(5, 65_537, 0, 0, true, late.out);
        late.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(200_000));
        late.out.clear();
        late.machine.sink().onReadsCompleted(1, late.out);
        assertEquals(List.of(Mid.RDMA_RD_COMPL), late.mids(), "65536 reported");
        late.machine.sink().lend(6, 65_536, 0, 0, true, late.out);
        late.feed(Mid.SRC_AVAIL_CANCEL, 64, 0);
        late.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(40, Bsdh.mseqAck(late.out.row(late.row(ActionList.CONTROL)).second));
        late.out.clear();
        late.machine.sink().onReadsCompleted(1, late.out);
        assertEquals(List.of(Mid.RDMA_RD_COMPL, Mid.SEND_SM), late.mids());
        int first = late.row(ActionList.CONTROL);
        assertEquals(65_536, extension(late, first));
        assertEquals(40, Bsdh.mseqAck(late.out.row(first).second));
        assertEquals(
                42, Bsdh.mseqAck(late.out.row(first + 1).second), "the cancel is acknowledged");
    }

    /** Without credits the acknowledgement is held all the same, as long as reads are running. */
    @Test
    void s14starved() {
        Rig late = new Rig(CONFIG, 0, 0, 39);
        late.machine.sink().lend(5, 200_000, 0, 0, true, late.out);
        late.feed(Mid.SRC_AVAIL, 0, 1, Rig.srcAvail(400_000));
        late.feed(Mid.SRC_AVAIL_CANCEL, 0, 0);
        late.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(40, Bsdh.mseqAck(late.out.row(late.row(ActionList.CONTROL)).second));
        late.feed(Mid.DATA, 0, 0);
        late.out.clear();
        late.machine.sink().onReadsCompleted(4, late.out);
        assertEquals(List.of(), late.mids());
        late.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.RDMA_RD_COMPL, Mid.SEND_SM), late.mids());
        assertEquals(
                44,
                Bsdh.mseqAck(late.out.row(late.row(ActionList.CONTROL)).second),
                "released for a credit");
    }

    /** Its Source keeps what was neither read nor sent along. */
    @Test
    void s14source() {
        assertTrue(lendSource(3, 200_000));
        rig.machine.source().recall(rig.out);
        int cancel = rig.machine.credits.lastSent();
        rig.feedAck(Mid.RDMA_RD_COMPL, 64, cancel - 1, 0, 65_536);
        rig.feedAck(Mid.RDMA_RD_COMPL, 64, cancel - 1, 0, 65_536);
        assertEquals(-1, rig.row(ActionList.SOURCE_RETURNED));
        rig.feedAck(Mid.SEND_SM, 64, cancel, 0);
        assertSourceReturned(3, 200_000 - 68_927, ActionList.RECALLED);
    }

    @Test
    void s15() {
        assertTrue(lendSource(3, 1000));
        rig.machine.source().recall(rig.out);
        int cancel = rig.machine.credits.lastSent();
        rig.feedAck(Mid.RDMA_RD_COMPL, 64, cancel - 1, 0, 999);
        assertSourceReturned(3, 1000, ActionList.DONE);
        assertTrue(lendSource(4, 1000), "the cancel is processed");

        Rig sink = new Rig(CONFIG, 64, 0, 0);
        sink.machine.sink().lend(5, 1000, 0, 0, true, sink.out);
        sink.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        sink.machine.sink().onReadsCompleted(1, sink.out);
        sink.feedAck(Mid.SRC_AVAIL_CANCEL, 64, 0, 0);
        assertEquals(List.of(), sink.mids(), "nothing to revoke: ignored");
        sink.feed(Mid.DATA, 64, 10);
        sink.assertAlive();
    }

    @Test
    void s16() {
        Rig inline = new Rig(CONFIG.with(new Features(8, 65_536, 4, 100, true, false)), 64, 39, 0);
        inline.machine.source().lend(3, 5000, 1, 2, inline.out);
        inline.machine.source().recall(inline.out);
        assertEquals(41, inline.machine.credits.lastSent());
        inline.feedAck(Mid.SEND_SM, 64, 40, 0);
        int row = inline.row(ActionList.SOURCE_RETURNED);
        assertEquals(
                ActionList.COPY, inline.out.row(row).outcome, "the Sink counts on these bytes");
        assertEquals(100, inline.out.row(row).bufferOffset);
        assertEquals(4900, inline.machine.send.sources.owed());
        inline.send(4900);
        inline.out.clear();
        assertTrue(inline.machine.source().lend(4, 5000, 1, 2, inline.out), "cancel processed");
    }

    /** Both write without reading: both get SendSm and fall back to Data within an event. */
    @Test
    void s17() {
        assertTrue(lendSource(3, 300_000));
        rig.feedAck(Mid.SRC_AVAIL, 64, 0, 1, Rig.srcAvail(300_000));
        assertEquals(List.of(Mid.SEND_SM), rig.mids(), "at once, without a timer");
        rig.feedAck(Mid.SEND_SM, 64, 1, 0); // the peer thinks alike
        assertSourceReturned(3, 1, ActionList.COPY);
        assertTrue(rig.machine.writable());
        rig.send(16_384);
    }

    /** Our buffers are full of unread bytes: our loans are copied, too. */
    @Test
    void s17full() {
        Rig small =
                new Rig(new WireConfig(4, 16_400, Integer.MAX_VALUE, 16, 4, 4, ZCOPY), 64, 0, 0);
        small.machine.source().lend(3, 300_000, 1, 2, small.out);
        small.feed(Mid.DATA, 64, 100);
        assertFalse(small.mids().contains(Mid.SRC_AVAIL_CANCEL));
        small.feed(Mid.DATA, 64, 100);
        assertTrue(small.mids().contains(Mid.SRC_AVAIL_CANCEL));
        small.feed(Mid.SEND_SM, 64, 0);
        assertEquals(ActionList.COPY, small.out.row(small.row(ActionList.SOURCE_RETURNED)).outcome);
    }

    /** A peer that neither reads nor answers: after a second the rest is copied (18). */
    @Test
    void srcAvailTimesOut() {
        assertTrue(lendSource(3, 100_000));
        assertEquals(SdpMachine.TIMER_SRC_AVAIL, rig.out.row(rig.row(ActionList.ARM_TIMER)).timer);
        rig.out.clear();
        rig.machine.onTimer(SdpMachine.TIMER_SRC_AVAIL, rig.out);
        assertEquals(
                Mid.SRC_AVAIL_CANCEL, Bsdh.mid(rig.out.row(rowOf(Mid.SRC_AVAIL_CANCEL)).first));
        rig.out.clear();
        rig.machine.onTimer(SdpMachine.TIMER_CANCEL, rig.out);
        assertEquals(AbortReason.ANSWER_TIMEOUT, rig.machine.abortReason());
        assertSourceReturned(3, 1, ActionList.CUT);
        assertTrue(
                rig.row(ActionList.ABORT) < rig.row(ActionList.SOURCE_RETURNED),
                "access ends before that");
    }

    @Test
    void s18() {
        assertTrue(lendSource(3, 1000));
        rig.feedAck(Mid.RDMA_RD_COMPL, 64, 0, 0, 999); // from before the SrcAvail
        rig.assertAlive();
        assertEquals(1, rig.machine.source().lent());
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 1000);
        rig.assertViolation(AbortReason.BAD_COMPLETION);
    }

    /** Advertisements of both halves together stay within what the peer can keep track of. */
    @Test
    void maxAdverts() {
        pipelineSource();
        Rig one = new Rig(new WireConfig(32, 16_400, Integer.MAX_VALUE, 2, 4, 4, ZCOPY), 64, 0, 0);
        one.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        for (int i = 0; i < 2; i++) {
            one.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(100_000));
        }
        one.assertAlive();
        one.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(100_000));
        one.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
        int adverts = 0;
        for (int i = 0; i < 8; i++) {
            assertTrue(lendSource(i, 100_000));
            adverts += rig.mids().size();
        }
        assertFalse(lendSource(9, 100_000), "no more than the shell said");
        assertEquals(8, adverts);
    }

    /** A write that must not wait lends nothing: it takes what there is credit for, and returns. */
    @Test
    void s47() {
        Rig poor = new Rig(CONFIG, 5, 0, 0);
        int messages = 0;
        for (; poor.machine.reserve(); messages++) {
            poor.out.clear();
            assertTrue(poor.machine.send(0, 16_384, false, poor.out));
            assertEquals(List.of(Mid.DATA), poor.mids(), "no advertisement");
            assertEquals(-1, poor.row(ActionList.ARM_TIMER), "and nothing to wait for");
        }
        assertEquals(3, messages);
        assertEquals(0, poor.machine.source().lent());
    }

    /** A peer that wants everything as Data gets it, and may say so once too often. */
    @Test
    void everythingAsData() {
        for (int i = 1; i <= 3; i++) {
            assertTrue(lendSource(i, 1000));
            rig.feed(Mid.SEND_SM, 64, 0);
            assertSourceReturned(i, 1, ActionList.COPY);
            rig.send(999);
        }
        rig.feed(Mid.SEND_SM, 64, 0); // stale
        rig.assertAlive();
    }

    /** Unread offers at close are unread data (12.2). */
    @Test
    void closeWithUnreadOffer() {
        pipelineSink();
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        assertEquals(ActionList.READABLE, rig.out.row(rig.row(ActionList.WAKE)).flags);
        rig.out.clear();
        rig.machine.close(false, false, rig.out);
        assertEquals(AbortReason.UNREAD_DATA, rig.machine.abortReason());
    }

    /** DisConn follows what is lent and owed (12.4). */
    @Test
    void disConnFollowsWhatIsLent() {
        lendSource(3, 1000);
        rig.out.clear();
        rig.machine.shutdownOutput(rig.out);
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.SEND_SM, 64, 0);
        assertEquals(List.of(), rig.mids());
        rig.send(999);
        assertEquals(List.of(Mid.DATA, Mid.DISCONN), rig.mids());
    }

    /** Payload past a SrcAvail that was not asked for as Data (7.2). */
    @Test
    void dataPastAnOffer() {
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        rig.feed(Mid.DATA, 64, 1);
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }
}
