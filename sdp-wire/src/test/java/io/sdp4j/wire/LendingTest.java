package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Loans that are taken, refused, limited and begun, and messages that may still come after the end.
 */
class LendingTest extends ZcopyRig {
    @Test
    void nothingIsTakenInVain() {
        Rig few = new Rig(CONFIG.with(Features.NONE.withZcopy(1, 100)), 64, 0, 0);
        assertTrue(few.machine.source().lend(3, 1000, 1, 2, few.out));
        assertFalse(few.machine.source().lend(4, 1000, 1, 2, few.out), "too many");
        assertTrue(few.machine.sink().lend(5, 1000, 1, 2, true, few.out));
        assertFalse(few.machine.sink().lend(6, 1000, 1, 2, true, few.out));
        assertEquals(1, few.machine.source().lent());
        assertEquals(1, few.machine.sink().lent());
        Rig off = new Rig();
        assertFalse(off.machine.source().lend(3, 1000, 1, 2, off.out), "without zero copy");
        assertFalse(off.machine.sink().lend(3, 1000, 1, 2, true, off.out));
        assertFalse(lendSource(3, 1), "nothing would be left to read");
        assertTrue(lendSource(3, 2));
    }

    @Test
    void endedHalvesTakeNothing() {
        rig.machine.shutdownOutput(rig.out);
        assertFalse(lendSource(3, 1000));
        assertTrue(lendSink(5, 1000));
        rig.feed(Mid.DISCONN, 64, 0);
        assertSinkReturned(5, 0);
        assertFalse(lendSink(5, 1000));
        Rig shut = new Rig(CONFIG, 64, 0, 0);
        shut.machine.shutdownInput(shut.out);
        assertFalse(shut.machine.sink().lend(5, 1000, 1, 2, true, shut.out));
        Rig unread = new Rig(CONFIG, 64, 0, 0);
        unread.feed(Mid.DATA, 64, 10);
        assertFalse(unread.machine.sink().lend(5, 1000, 1, 2, true, unread.out), "bytes first");
        unread.consumed();
        assertTrue(unread.machine.sink().lend(5, 1000, 1, 2, true, unread.out));
    }

    /** No more writes at a time than the shell wants. */
    @Test
    void writesAreLimited() {
        Rig two = new Rig(CONFIG.with(new Features(8, 1000, 2, 1, true, false)), 64, 0, 0);
        two.pipeline();
        two.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        two.out.clear();
        two.machine.source().lend(3, 2500, 1, 0x7000, two.out);
        int writes = 0;
        for (int i = 0; i < two.out.size(); i++) {
            writes += two.out.row(i).kind == ActionList.RDMA_WRITE ? 1 : 0;
        }
        assertEquals(2, writes);
        assertEquals(List.of(), two.mids());
        two.out.clear();
        two.machine.source().onWritesCompleted(1, two.out);
        int write = two.row(ActionList.RDMA_WRITE);
        assertEquals(500, two.out.row(write).bytes);
        assertEquals(2000, two.out.row(write).bufferOffset);
        assertEquals(0x2000 + 2000, two.out.row(write).remoteAddress);
        assertEquals(0x22, two.out.row(write).rkey);
        assertEquals(List.of(Mid.RDMA_WR_COMPL), two.mids());
    }

    /** Payload held by a reader who has gone is thrown away, and the rest refused. */
    @Test
    void offersToAReaderWhoLeft() {
        rig.machine.shutdownInput(rig.out);
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        assertEquals(-1, rig.row(ActionList.DELIVER));
        assertTrue(rig.row(ActionList.REPOST) >= 0);
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
        assertEquals(-1, rig.row(ActionList.WAKE), "no reader waits");
    }

    /** After close nothing is taken any more: neither Data nor offers, nor what was written. */
    @Test
    void whatComesAfterClose() {
        for (int mid : new int[] {Mid.DATA, Mid.SRC_AVAIL, Mid.RDMA_WR_COMPL}) {
            Rig closed = new Rig(CONFIG, 64, 0, 0);
            closed.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
            closed.machine.sink().lend(5, 100_000, 1, 2, true, closed.out);
            closed.machine.close(false, false, closed.out);
            closed.complete(Mid.DISCONN);
            if (mid == Mid.RDMA_WR_COMPL) {
                closed.feed(mid, 64, 0, 0);
                closed.assertAlive();
                continue;
            }
            closed.feed(mid, 64, mid == Mid.DATA ? 1 : 0, afterClose(mid));
            assertEquals(AbortReason.DATA_AFTER_CLOSE, closed.machine.abortReason());
            assertEquals(-1, closed.row(ActionList.DELIVER));
        }
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        rig.machine.close(false, false, rig.out);
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 7);
        assertEquals(AbortReason.DATA_AFTER_CLOSE, rig.machine.abortReason());
    }

    /** A completion that cannot be true is that, and no data. */
    @Test
    void aBadCompletionAfterClose() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        rig.machine.close(false, false, rig.out);
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 100_001);
        assertEquals(AbortReason.BAD_COMPLETION, rig.machine.abortReason());
    }

    private static int[] afterClose(int mid) {
        return mid == Mid.SRC_AVAIL ? Rig.srcAvail(1000) : new int[0];
    }

    /** A SinkAvail must be larger than the Sink's own buffers, and of a legal length (2.8). */
    @Test
    void sinkAvailsOfAWrongSize() {
        for (int len : new int[] {0, 16_400, (1 << 31) + 1}) {
            Rig source = new Rig(CONFIG, 64, 0, 0);
            source.pipeline();
            source.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(len, 0));
            source.assertViolation(AbortReason.BAD_ADVERTISEMENT);
        }
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(16_401, 0));
        rig.assertAlive();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(1 << 31, 0));
        rig.assertAlive();
        Rig combined = new Rig(CONFIG, 64, 0, 0);
        combined.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        combined.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    /** Nothing is changed after DisConn. */
    @Test
    void noModeAfterTheEnd() {
        Rig ended = new Rig(CONFIG, 64, 0, 0);
        ended.machine.shutdownOutput(ended.out);
        ended.out.clear();
        ended.pipeline();
        assertEquals(List.of(), ended.mids());
    }

    private static Rig inlining(int inlineBytes) {
        Features features = new Features(8, 65_536, 4, inlineBytes, false, false);
        return new Rig(CONFIG.with(features), 64, 0, 0);
    }

    /** Two bytes: one goes along, one is read. A rest of one byte is copied. */
    @Test
    void theLastByte() {
        assertTrue(lendSource(3, 2));
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        Rig wide = inlining(100);
        wide.out.clear();
        wide.machine.source().lend(3, 50, 1, 2, wide.out);
        assertEquals(49, wide.out.row(wide.row(ActionList.SEND_LENT)).bytes, "one is left to read");
        Rig narrow = inlining(20_000);
        narrow.out.clear();
        narrow.machine.source().lend(3, 100_000, 1, 2, narrow.out);
        assertEquals(16_400 - 32, narrow.out.row(narrow.row(ActionList.SEND_LENT)).bytes);
    }

    /** After the end completions of RDMA are late news. */
    @Test
    void lateCompletions() {
        assertTrue(lendSink(5, 1000));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        rig.machine.abort(AbortReason.LOCAL_ABORT, rig.out);
        readsCompleted(1);
        assertEquals(0, rig.out.size());
        assertEquals(0, rig.machine.sink().offeredBytes());
        Rig source = new Rig(CONFIG, 64, 0, 0);
        source.pipeline();
        source.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        source.machine.source().lend(3, 1000, 1, 2, source.out);
        source.machine.abort(AbortReason.LOCAL_ABORT, source.out);
        source.out.clear();
        source.machine.source().onWritesCompleted(1, source.out);
        assertEquals(0, source.out.size());
    }

    /** A reservation outlives a cut, and then leads nowhere. */
    @Test
    void aReservationCutOff() {
        assertTrue(rig.machine.reserve());
        rig.machine.abort(AbortReason.LOCAL_ABORT, rig.out);
        rig.out.clear();
        assertFalse(rig.machine.send(0, 10, false, rig.out));
        assertEquals(0, rig.out.size());
        rig.machine.onKeepAlive(rig.out);
        rig.machine.onKeepAlive(rig.out);
        assertEquals(0, rig.out.size(), "nothing to keep alive");
    }

    /** Payload of a SinkAvail is payload: it has its place in the order of the other half. */
    @Test
    void payloadOfASinkAvailOutOfPlace() {
        pipelineSource();
        rig.feed(Mid.DISCONN, 64, 0);
        rig.feed(Mid.SINK_AVAIL, 64, 1, sinkAvail(100_000, 0));
        rig.assertViolation(AbortReason.ILLEGAL_IN_STATE);
        Rig offered = new Rig(CONFIG, 64, 0, 0);
        offered.pipeline();
        offered.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        offered.feed(Mid.SINK_AVAIL, 64, 1, sinkAvail(100_000, 0));
        offered.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    /** A SinkAvail without payload may cross our close; an answer to nothing stays a violation. */
    @Test
    void whatMayCrossAClose() {
        pipelineSource();
        rig.machine.close(false, false, rig.out);
        rig.complete(Mid.DISCONN);
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        rig.assertAlive();
        assertTrue(rig.row(ActionList.REPOST) >= 0);
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 7);
        assertEquals(AbortReason.UNEXPECTED_ANSWER, rig.machine.abortReason());
    }

    /** Bytes being read are unread at close; merely lent ones come back. */
    @Test
    void closeWithBuffersLent() {
        assertTrue(lendSink(5, 1000));
        rig.out.clear();
        rig.machine.close(false, false, rig.out);
        assertSinkReturned(5, 0);
        assertEquals(List.of(Mid.DISCONN), rig.mids());
        Rig late = new Rig(CONFIG, 64, 0, 0);
        late.machine.shutdownOutput(late.out);
        late.machine.sink().lend(5, 1000, 1, 2, true, late.out);
        late.out.clear();
        late.machine.close(false, false, late.out);
        assertTrue(late.row(ActionList.SINK_RETURNED) >= 0);
        Rig reading = new Rig(CONFIG, 64, 0, 0);
        reading.machine.sink().lend(5, 1000, 1, 2, true, reading.out);
        reading.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        reading.machine.close(false, false, reading.out);
        assertEquals(AbortReason.UNREAD_DATA, reading.machine.abortReason());
    }

    /** Both sides write and this one reads: nothing is refused (6.8). */
    @Test
    void whoReadsNeedNotRefuse() {
        assertTrue(lendSource(3, 1000));
        assertTrue(lendSink(5, 1000));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        assertEquals(999, rdmaBytes(ActionList.RDMA_READ));
        assertEquals(List.of(), rig.mids());
    }

    /** One SrcAvail at a time is refused: the next when the bytes of the first have come (6.8). */
    @Test
    void refusesOneAfterTheOther() {
        pipelineSink();
        assertTrue(lendSource(3, 1000));
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(2000));
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.DATA, 64, 1000);
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
    }

    /** No more advertisements than the peer tracks, and one of them is left to SrcAvail (6.2). */
    @Test
    void whatThePeerTracks() {
        Rig three = new Rig(CONFIG, 64, 3);
        three.pipeline();
        three.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        three.out.clear();
        for (int i = 0; i < 3; i++) {
            assertTrue(three.machine.sink().lend(5 + i, 100_000, 1, 2, true, three.out));
        }
        assertEquals(List.of(Mid.SINK_AVAIL, Mid.SINK_AVAIL), three.mids());
        three.out.clear();
        for (int i = 0; i < 2; i++) {
            assertTrue(three.machine.source().lend(i, 1000, 1, 2, three.out));
        }
        assertEquals(List.of(Mid.SRC_AVAIL), three.mids());
        three.feed(Mid.RDMA_WR_COMPL, 64, 0, 10);
        assertEquals(List.of(Mid.SRC_AVAIL), three.mids());
        three.feed(Mid.RDMA_RD_COMPL, 64, 0, 1000);
        assertEquals(List.of(), three.mids());
        three.feed(Mid.RDMA_RD_COMPL, 64, 0, 1000);
        assertEquals(List.of(Mid.SINK_AVAIL), three.mids());
    }
}
