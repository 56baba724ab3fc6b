package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When OOB_PEND goes out early, and behind what (8). */
class UrgentTest extends ZcopyRig {
    private final Urgent urgent = new Urgent();

    @Test
    void withoutAnnouncementBothFlagsGoTogether() {
        assertFalse(urgent.pendDue());
        assertEquals(0, urgent.takePend());
        assertEquals(Bsdh.OOB_PRES | Bsdh.OOB_PEND, urgent.takePresent());
    }

    @Test
    void theReachIs65535Bytes() {
        urgent.announce(65_535); // and the byte itself
        assertFalse(urgent.pendDue());
        urgent.onSent(1);
        assertTrue(urgent.pendDue());
        assertEquals(Bsdh.OOB_PEND, urgent.takePend());
        assertFalse(urgent.pendDue());
        assertEquals(0, urgent.takePend(), "exactly once");
    }

    @Test
    void oneByteIsAnnouncedAtATime() {
        urgent.announce(100_000);
        urgent.announce(0);
        assertFalse(urgent.pendDue(), "the first one counts");
        urgent.onSent(50_000);
        assertEquals(Bsdh.OOB_PEND, urgent.takePend());
        urgent.announce(0);
        assertFalse(urgent.pendDue(), "the first byte has not been sent");
        assertEquals(Bsdh.OOB_PRES, urgent.takePresent());
        urgent.announce(0);
        assertTrue(urgent.pendDue());
    }

    @Test
    void aByteThatOvertakesItsAnnouncementNeedsNone() {
        urgent.announce(100_000);
        assertEquals(Bsdh.OOB_PRES | Bsdh.OOB_PEND, urgent.takePresent());
        urgent.onSent(100_000);
        assertFalse(urgent.pendDue());
    }

    @Test
    void whatIsTakenBackIsAheadAgain() {
        urgent.announce(70_000);
        urgent.onSent(10_000);
        assertTrue(urgent.pendDue());
        urgent.onWithdrawn(10_000);
        assertFalse(urgent.pendDue());
    }

    /** Bytes that are lent and wait are ahead; those advertised are as good as sent. */
    @Test
    void behindLentBuffers() {
        Features combined = new Features(8, 65_536, 4, 1, false, 0, 0, false);
        Rig source = new Rig(CONFIG.with(combined), 64, 0, 0);
        source.machine.source().lend(3, 100_000, 1, 2, source.out);
        source.machine.source().lend(4, 80_000, 1, 2, source.out);
        source.out.clear();
        source.machine.source().announceUrgent(0, source.out);
        assertEquals(List.of(), source.mids(), "80,000 bytes are ahead");
        source.feed(Mid.RDMA_RD_COMPL, 64, 0, 99_999);
        assertEquals(List.of(Mid.SRC_AVAIL, Mid.DATA), source.mids());
        assertEquals(0, source.out.bsdhFlags(source.row(ActionList.SEND_LENT)), "not yet then");
        assertEquals(Bsdh.OOB_PEND, source.out.bsdhFlags(source.row(ActionList.CONTROL)));
        assertEquals(ActionList.SOLICITED, source.out.flags(source.row(ActionList.CONTROL)));
    }

    /** Bytes that came back unread and are owed are ahead, too. */
    @Test
    void behindOwedBytes() {
        assertTrue(lendSource(3, 100_000));
        rig.feed(Mid.SEND_SM, 64, 0);
        rig.out.clear();
        rig.machine.source().announceUrgent(0, rig.out);
        assertEquals(List.of(), rig.mids());
        rig.send(16_384);
        rig.send(16_384);
        assertEquals(List.of(Mid.DATA), rig.mids());
        rig.send(16_384);
        assertEquals(List.of(Mid.DATA, Mid.DATA), rig.mids());
        assertEquals(0, rig.out.bsdhFlags(rig.row(ActionList.SEND)));
        assertEquals(Bsdh.OOB_PEND, rig.out.bsdhFlags(rig.row(ActionList.CONTROL)));
    }

    /** Bytes advertised, payload of the SrcAvail among them, count as sent once. */
    @Test
    void advertisedBytesAreCounted() {
        for (int bytes : new int[] {4465, 4466}) {
            Features inlining = new Features(8, 65_536, 4, 1000, false, 0, 0, false);
            Rig source = new Rig(CONFIG.with(inlining), 64, 0, 0);
            source.machine.source().announceUrgent(70_000, source.out);
            source.out.clear();
            assertTrue(source.machine.source().lend(3, bytes, 1, 2, source.out));
            assertEquals(bytes == 4466, source.mids().contains(Mid.DATA), "within reach");
        }
    }

    @Test
    void writtenBytesAreCounted() {
        for (int bytes : new int[] {4465, 4466}) {
            Rig source = new Rig(CONFIG, 64, 0, 0);
            source.machine.source().changeMode(Mch.PIPELINED, source.out);
            source.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
            source.machine.source().announceUrgent(70_000, source.out);
            source.out.clear();
            assertTrue(source.machine.source().lend(3, bytes, 1, 2, source.out));
            int word = source.out.bsdhFlags(source.row(ActionList.CONTROL));
            assertEquals(bytes == 4466 ? Bsdh.OOB_PEND : 0, word);
        }
    }

    /** Taken back by a SinkAvail, written in part, advertised again: counted once all the same. */
    @Test
    void withdrawnBytesAreCountedOnce() {
        pipelineSource();
        rig.machine.source().announceUrgent(170_000, rig.out);
        assertTrue(lendSource(3, 100_000));
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(20_000, 0));
        assertEquals(List.of(Mid.RDMA_WR_COMPL, Mid.SRC_AVAIL), rig.mids());
        assertEquals(0, rig.out.bsdhFlags(rowOf(Mid.RDMA_WR_COMPL)));
        assertEquals(0, rig.out.bsdhFlags(rowOf(Mid.SRC_AVAIL)));
    }

    /** The same when they must be copied. */
    @Test
    void refusedBytesAreCountedOnce() {
        rig.machine.source().announceUrgent(170_000, rig.out);
        assertTrue(lendSource(3, 100_000));
        rig.feed(Mid.SEND_SM, 64, 0);
        rig.send(16_384);
        assertEquals(List.of(Mid.DATA), rig.mids());
    }
}
