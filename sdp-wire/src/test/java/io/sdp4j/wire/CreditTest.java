package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Credits, credit updates and counters: the effects of each event, at their edges. */
class CreditTest {
    @Test
    void counters() {
        Rig rig = new Rig();
        rig.send(10);
        rig.send(20);
        rig.feed(Mid.DATA, 64, 100);
        rig.feed(Mid.DATA, 64, 0);
        rig.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(30, rig.machine.bytesSent());
        assertEquals(3, rig.machine.messagesSent());
        assertEquals(100, rig.machine.bytesReceived());
        assertEquals(3, rig.machine.messagesReceived());
        assertFalse(rig.machine.outputShut() || rig.machine.closed());
    }

    /** An ordinary message asks for no solicited event and carries no flag (14). */
    @Test
    void ordinaryDataIsUnsolicited() {
        Rig rig = new Rig();
        rig.send(10);
        int row = rig.row(ActionList.SEND);
        assertEquals(0, rig.out.row(row).flags);
        assertEquals(0, Bsdh.flags(Bsdh.first(rig.message(), 0)));
    }

    /**
     * Only the two urgent flags reach the program; REQ_PIPE on Data means nothing, and what is
     * reserved never does (2.3).
     */
    @Test
    void deliveredFlags() {
        Rig rig = new Rig();
        rig.feed("FF 07 00 40 00 00 00 11 00 00 00 01 00 00 00 00 41");
        assertEquals(Bsdh.OOB_PRES | Bsdh.OOB_PEND, rig.out.row(rig.row(ActionList.DELIVER)).flags);
        rig.feed("FF 04 00 40 00 00 00 11 00 00 00 02 00 00 00 00 41");
        assertEquals(0, rig.out.row(rig.row(ActionList.DELIVER)).flags);
        rig.feed("FF F8 00 40 00 00 00 11 00 00 00 03 00 00 00 00 41");
        assertEquals(0, rig.out.row(rig.row(ActionList.DELIVER)).flags);
        rig.assertAlive();
    }

    /** A message as long as the buffers is legal. */
    @Test
    void longestMessage() {
        Rig rig = new Rig();
        rig.feed(Mid.DATA, 64, 16_400 - Bsdh.BYTES);
        rig.assertAlive();
    }

    /** Our buffers are full of what the peer does not know to be free again: it overruns us. */
    @Test
    void messageWithoutCredit() {
        Rig rig = new Rig(new WireConfig(5, 16_400, Integer.MAX_VALUE, 16, 4, 4), 0, 0, 0);
        for (int i = 0; i < 5; i++) {
            rig.feed(Mid.DATA, 0, 10);
            rig.consumed();
            assertEquals(List.of(), rig.mids(), "we have no credit to tell");
        }
        rig.assertAlive();
        rig.feed(Mid.DATA, 0, 10);
        rig.assertViolation(AbortReason.NO_CREDIT);
    }

    /** Two that the peer knows of and one it does not: told at once (4.4). */
    @Test
    void updateWhenFewAreKnown() {
        Rig rig = new Rig(new WireConfig(16, 16_400, Integer.MAX_VALUE, 16, 4, 4), 64, 0, 0);
        for (int i = 0; i < 14; i++) {
            rig.feed(Mid.DATA, 64, 10);
            assertEquals(List.of(), rig.mids());
        }
        assertEquals(2, rig.machine.credits.known());
        rig.consumed();
        assertEquals(List.of(Mid.DATA), rig.mids());
        assertEquals(3, Bsdh.bufs(rig.message(), 0));
        rig.consumed();
        assertEquals(List.of(), rig.mids(), "three are known, one more can wait");
    }

    /**
     * With enough known, a quarter of the pool is worth a message, of a small one up to six buffers
     * if that is less than half, and not one buffer less.
     */
    @Test
    void updateByTheQuarter() {
        for (int[] poolAndStep :
                new int[][] {{8, 2}, {12, 4}, {16, 6}, {24, 6}, {32, 8}, {64, 16}}) {
            int pool = poolAndStep[0];
            int step = poolAndStep[1];
            Rig rig = new Rig(new WireConfig(pool, 16_400, Integer.MAX_VALUE, 16, 4, 4), 64, 0, 0);
            for (int i = 0; i < step; i++) {
                rig.feed(Mid.DATA, 64, 10);
            }
            for (int i = 1; i < step; i++) {
                rig.consumed();
                assertEquals(List.of(), rig.mids());
            }
            rig.consumed();
            assertEquals(List.of(Mid.DATA), rig.mids());
            assertEquals(pool, Bsdh.bufs(rig.message(), 0));
        }
    }

    /**
     * A side that only hears of credits says less of its own: that would wake a peer for nothing.
     */
    @Test
    void updatesAreNoNews() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 64, 0, 0);
        for (int i = 0; i < 3; i++) {
            rig.feed(Mid.DATA, 64, 0);
            assertEquals(List.of(), rig.mids());
        }
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.DATA), rig.mids(), "half of the pool is worth a message");
        rig.feed(Mid.DATA, 64, 0);
        rig.feed(Mid.DATA, 64, 10);
        assertEquals(List.of(), rig.mids());
        rig.consumed();
        assertEquals(List.of(), rig.mids(), "one was read, which is less than a quarter");
        rig.feed(Mid.DATA, 64, 10);
        rig.consumed();
        assertEquals(List.of(Mid.DATA), rig.mids(), "two were");
    }

    /**
     * Answers to lent buffers come one at a time: nothing but them is said, whatever the peer does.
     */
    @Test
    void anUpdateBesideAnAnswerIsNotAnswered() {
        WireConfig few = new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4);
        Rig rig = new Rig(few.with(ZcopyRig.ZCOPY), 64, 0, 0);
        for (int i = 0; i < 20; i++) {
            rig.out.clear();
            assertTrue(rig.machine.source().lend(3, 1000, 1, 2, rig.out));
            assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
            rig.feed(Mid.DATA, 64, 0);
            assertEquals(List.of(), rig.mids());
            rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 999);
            assertEquals(List.of(), rig.mids(), "the next buffer will tell of both");
        }
        rig.assertAlive();
    }

    /**
     * The last message that payload's credits allow may wait, promised and unsent: having read all
     * before it, the peer tells of its buffers, however many credit updates were among that.
     */
    @Test
    void aPeerAnnouncesBeforeTheLastMessage() {
        assertFalse(SdpMachine.peerAnnounces(4));
        assertFalse(SdpMachine.peerAnnounces(6));
        for (int pool = 7; pool <= 64; pool++) {
            assertTrue(SdpMachine.peerAnnounces(pool));
            for (int updates = 0; updates <= pool - 3; updates++) {
                Credits peer = new Credits(pool);
                peer.advertised();
                peer.granted(64);
                boolean told = false;
                for (int mseq = 1; mseq <= pool - 3; mseq++) {
                    peer.onArrival();
                    assertEquals(AbortReason.NONE, peer.accept(mseq, 0, 64));
                    boolean inHand = mseq == pool - 3 && updates < pool - 3;
                    if (!inHand) {
                        peer.onReposted(mseq <= updates);
                    }
                    told |= peer.updateDue();
                }
                assertTrue(told, "pool of " + pool + ", " + updates + " updates");
            }
        }
    }

    /** A reservation that is kept must be used when something else has to be said. */
    @Test
    void aReservationHoldsUp() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 3, 0, 0);
        assertFalse(rig.machine.heldUp());
        assertTrue(rig.machine.reserve());
        for (int i = 0; i < 5; i++) {
            rig.feed(Mid.DATA, 3, 10);
        }
        assertFalse(rig.machine.heldUp(), "nothing was read");
        for (int i = 0; i < 2; i++) {
            rig.consumed();
        }
        assertEquals(List.of(), rig.mids());
        assertTrue(rig.machine.heldUp(), "the peer may wait for these two");
        rig.out.clear();
        rig.machine.send(0, 10, false, rig.out);
        assertFalse(rig.machine.heldUp());
        Rig wanted = new Rig(3);
        assertTrue(wanted.machine.reserve());
        wanted.feed(Mid.CH_RCV_BUF, 3, 0, 4096);
        assertTrue(wanted.machine.heldUp());
        wanted.machine.unreserve(wanted.out);
        assertFalse(wanted.machine.heldUp());
    }

    /** The peer has ended its half and still needs credits, for its control messages (4.4). */
    @Test
    void updatesGoOnAfterThePeersDisConn() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 64, 0, 0);
        rig.feed(Mid.DISCONN, 64, 0);
        int updates = 0;
        for (int i = 0; i < 40; i++) {
            assertTrue(rig.machine.credits.known() > 1, "the peer cannot say anything any more");
            rig.feed(Mid.SINK_AVAIL_CANCEL, 64, 0);
            updates += rig.mids().size();
        }
        rig.assertAlive();
        assertTrue(updates >= 10, () -> "too few");
    }

    /** An empty message can be made at any time, and tells of credits as each message does. */
    @Test
    void anEmptyMessageOnDemand() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 3, 0, 0);
        assertTrue(rig.machine.sendEmpty(rig.out));
        assertEquals(List.of(Mid.DATA), rig.mids());
        rig.feed(Mid.DATA, 2, 10);
        rig.consumed();
        assertTrue(rig.machine.sendEmpty(rig.out));
        assertEquals(List.of(Mid.DATA), rig.mids());
        assertEquals(8, Bsdh.bufs(rig.message(), 0));
        assertFalse(rig.machine.sendEmpty(rig.out), "the last credit is another's");
        rig.assertAlive();
    }

    /** After both DisConns nothing more is said, whatever is due. */
    @Test
    void silenceAfterBothDisConns() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 64, 0, 0);
        rig.machine.shutdownOutput(rig.out);
        rig.feed(Mid.DISCONN, 64, 0);
        assertEquals(State.FIN_CROSS, rig.machine.state());
        assertFalse(rig.machine.sendEmpty(rig.out));
        for (int i = 0; i < 7; i++) {
            rig.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
            assertEquals(List.of(), rig.mids());
        }
        rig.assertAlive();
    }

    /** A message that a reservation held back leaves when that is given back. */
    @Test
    void unreserveLetsControlGo() {
        Rig rig = new Rig(3);
        assertTrue(rig.machine.reserve());
        rig.feed(Mid.CH_RCV_BUF, 3, 0, 4096);
        assertEquals(List.of(), rig.mids());
        rig.out.clear();
        rig.machine.unreserve(rig.out);
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), rig.mids());
    }

    /** Each reservation costs a credit, and a unit of send depth. */
    @Test
    void reservationsCount() {
        Rig credits = new Rig(4);
        assertTrue(credits.machine.reserve());
        assertTrue(credits.machine.reserve());
        assertFalse(credits.machine.reserve(), "two of four credits are left to control");
        assertEquals(2, credits.machine.credit());
        Rig depth = new Rig(new WireConfig(8, 16_400, 4, 16, 4, 4), 64, 0, 0);
        assertTrue(depth.machine.reserve());
        assertTrue(depth.machine.reserve());
        assertTrue(depth.machine.reserve());
        assertFalse(depth.machine.reserve());
        depth.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), depth.mids(), "the last send is control's");
        depth.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(List.of(), depth.mids(), "three more are promised to payload");
    }

    /** With a credit promised, control must leave payload three, and takes what is above. */
    @Test
    void controlBesideAReservation() {
        Rig rig = new Rig(4);
        assertTrue(rig.machine.reserve());
        rig.feed(Mid.CH_RCV_BUF, 4, 0, 4096);
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), rig.mids());
        rig.feed(Mid.CH_RCV_BUF, 3, 0, 4096);
        assertEquals(List.of(), rig.mids());
    }

    /** A credit update is nothing to a peer that waits for payload; an urgent byte is (14). */
    @Test
    void flagsOfMessages() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 64, 0, 0);
        for (int i = 0; i < 2; i++) {
            rig.feed(Mid.DATA, 64, 10);
        }
        rig.consumed();
        rig.consumed();
        assertEquals(List.of(Mid.DATA), rig.mids());
        assertEquals(ActionList.QUIET, rig.out.row(rig.row(ActionList.CONTROL)).flags);
        assertTrue(rig.machine.reserve());
        rig.out.clear();
        rig.machine.send(0, 10, true, rig.out);
        assertEquals(ActionList.SOLICITED, rig.out.row(rig.row(ActionList.SEND)).flags);
    }

    /** A reservation given back is room for another writer. */
    @Test
    void unreserveWakes() {
        Rig rig = new Rig(3);
        assertTrue(rig.machine.reserve());
        rig.out.clear();
        rig.machine.unreserve(rig.out);
        assertEquals(ActionList.WRITABLE, rig.out.row(rig.row(ActionList.WAKE)).flags);
        assertTrue(rig.machine.reserve());
        Rig rich = new Rig(64);
        assertTrue(rich.machine.reserve());
        rich.out.clear();
        rich.machine.unreserve(rich.out);
        assertEquals(0, rich.out.size(), "it could write all the time");
    }

    /** Messages that are not acknowledged yet are buffers in use to the peer (6.6). */
    @Test
    void heldAcks() {
        Credits credits = new Credits(8);
        credits.advertised();
        credits.granted(10);
        for (int mseq = 1; mseq <= 6; mseq++) {
            credits.onArrival();
            assertEquals(AbortReason.NONE, credits.accept(mseq, 0, 10));
        }
        assertEquals(6, credits.ack);
        credits.holdAck(3);
        assertEquals(3, credits.ack);
        for (int i = 0; i < 4; i++) {
            credits.onReposted(false);
        }
        assertTrue(credits.updateDue(), "one more than the peer counts on");
        assertEquals(Bsdh.second(1, 3), credits.onSent());
        assertFalse(credits.updateDue());
        assertEquals(6, credits.posted());
        credits.releaseAck();
        assertEquals(6, credits.ack);
        assertFalse(credits.updateDue(), "three more, but nothing was read since");
        credits.onReposted(false);
        assertTrue(credits.updateDue(), "four more at once");
        assertTrue(credits.acknowledged(0));
        assertFalse(credits.acknowledged(1));
        assertEquals(AbortReason.BAD_ACK, credits.accept(7, 2, 10));
        assertEquals(AbortReason.NONE, credits.accept(7, 1, 10));
        assertTrue(credits.acknowledged(1));
    }

    /** Bytes that go along in a SrcAvail are payload sent; messages either way keep alive (11). */
    @Test
    void whatCounts() {
        Rig rig = new Rig(ZcopyRig.CONFIG, 64, 0, 0);
        rig.machine.onKeepAlive(rig.out);
        assertTrue(rig.machine.source().lend(3, 1000, 1, 2, rig.out));
        assertEquals(1, rig.machine.bytesSent());
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 999);
        rig.out.clear();
        rig.machine.onKeepAlive(rig.out);
        assertEquals(0, rig.out.size(), "one went, one came");
        rig.machine.onKeepAlive(rig.out);
        assertEquals(ActionList.KEEP_ALIVE, rig.out.row(0).kind);
    }

    /** A reservation holds up only an update that the peer may need (4.4). */
    @Test
    void anUpdateThatIsNotNeededIsNotHeldUp() {
        Rig rig = new Rig();
        for (int i = 0; i < 10; i++) {
            rig.feed(Mid.DATA, 3, 1);
        }
        assertTrue(rig.machine.reserve());
        for (int i = 0; i < 10; i++) {
            rig.consumed();
        }
        assertTrue(rig.machine.credits.updateDue());
        assertFalse(rig.machine.heldUp());
    }
}
