package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Work that a session finishes before it is suspended, the side that may ask, and messages that may
 * not follow (10).
 */
class SuspensionTest extends ZcopyRig {
    static final WireConfig SUSPENDING = CONFIG.with(ZCOPY.withSuspending());

    private final Rig able = new Rig(SUSPENDING, 64, 0, 0);

    private void suspend(Rig session) {
        session.out.clear();
        assertTrue(session.machine.suspend(8080, session.out));
    }

    private static int[] suspComm(int port) {
        return new int[] {0, 0x10000 + port};
    }

    @Test
    void bookKeeping() {
        Suspension none = new Suspension();
        assertFalse(none.wanted() || none.requested() || none.requestDue() || none.answerDue());
        assertFalse(none.silent() || none.over() || none.peerSilent() || none.answered());
        assertFalse(none.onAnswer(), "not asked");

        Suspension asking = new Suspension();
        asking.want(0);
        assertTrue(asking.wanted() && asking.requested() && asking.requestDue());
        assertFalse(asking.silent());
        assertFalse(asking.onAnswer(), "the question has not left");
        asking.onRequestSent();
        assertFalse(asking.requestDue());
        assertTrue(asking.silent());
        assertTrue(asking.onAnswer());
        assertTrue(asking.over());

        Suspension asked = new Suspension();
        asked.onRequest(0, false);
        assertTrue(asked.wanted() && asked.answerDue() && asked.peerSilent());
        assertFalse(asked.requested() || asked.silent() || asked.answered());
        asked.onAnswerSent();
        assertTrue(asked.answered() && asked.silent());
        assertFalse(asked.answerDue());
    }

    @Test
    void crossing() {
        Suspension accepting = new Suspension();
        accepting.want(1);
        accepting.onRequestSent();
        accepting.onRequest(2, false);
        assertFalse(accepting.answerDue() || accepting.peerSilent());
        Suspension connecting = new Suspension();
        connecting.want(1);
        connecting.onRequestSent();
        connecting.onRequest(2, true);
        assertEquals(2, connecting.theirs());
        assertFalse(connecting.silent(), "it has an answer to give");
        assertFalse(connecting.onAnswer());
        Suspension zero = new Suspension();
        zero.want(1);
        zero.onRequestSent();
        zero.onRequest(0, true);
        assertTrue(zero.answerDue(), "0 is a port");
        assertFalse(zero.silent() || zero.onAnswer());
        Suspension early = new Suspension();
        early.want(1);
        early.onRequest(0, false);
        assertTrue(early.answerDue());
        assertFalse(early.requestDue(), "an answer makes it pointless");
    }

    @Test
    void whoMaySuspend() {
        assertFalse(rig.machine.suspend(8080, rig.out), "not a machine that cannot");
        able.machine.shutdownOutput(able.out);
        assertFalse(able.machine.suspend(8080, able.out), "not while a half ends");
        Rig ended = new Rig(SUSPENDING, 64, 0, 0);
        ended.feed(Mid.DISCONN, 64, 0);
        assertFalse(ended.machine.suspend(8080, ended.out));
        Rig asked = new Rig(SUSPENDING, 64, 0, 0);
        asked.feed(Mid.SUSP_COMM, 64, 0, suspComm(1));
        assertFalse(asked.machine.suspend(8080, asked.out), "it does so already");
    }

    @Test
    void nothingNewIsBegun() {
        suspend(able);
        assertTrue(SuspCh.legal(able.message(), Bsdh.BYTES));
        assertEquals(8080, SuspCh.port(able.message(), Bsdh.BYTES));
        assertFalse(able.machine.writable());
        assertFalse(able.machine.source().lend(3, 1000, 1, 2, able.out));
        assertFalse(able.machine.sink().lend(5, 1000, 1, 2, true, able.out));
    }

    /** The peer, too, needs buffers: one for its answer and two that it may not use. */
    @Test
    void waitsForBuffers() {
        WireConfig four =
                new WireConfig(
                        4, 16_400, Integer.MAX_VALUE, 16, 4, 4, Features.NONE.withSuspending());
        Rig small = new Rig(four, 64, 0, 0);
        small.feed(Mid.DATA, 64, 10);
        small.feed(Mid.DATA, 64, 10);
        suspend(small);
        assertFalse(small.mids().contains(Mid.SUSP_COMM), "two are posted");
        small.consumed();
        assertTrue(small.mids().contains(Mid.SUSP_COMM));
    }

    @Test
    void waitsForWhatIsReserved() {
        assertTrue(able.machine.reserve());
        suspend(able);
        assertEquals(List.of(), able.mids());
        able.machine.send(0, 10, false, able.out);
        assertEquals(List.of(Mid.DATA, Mid.SUSP_COMM), able.mids());
    }

    @Test
    void waitsForWhatIsOwed() {
        able.machine.source().lend(3, 1000, 1, 2, able.out);
        able.feed(Mid.SEND_SM, 64, 0);
        suspend(able);
        assertEquals(List.of(), able.mids());
        able.send(999);
        assertEquals(List.of(Mid.DATA, Mid.SUSP_COMM), able.mids());
        assertFalse(able.machine.writable());
    }

    @Test
    void waitsForReads() {
        able.machine.sink().lend(5, 400_000, 1, 2, true, able.out);
        able.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(400_000));
        suspend(able);
        assertEquals(List.of(), able.mids());
        able.out.clear();
        able.machine.sink().onReadsCompleted(3, able.out);
        assertEquals(-1, able.row(ActionList.RDMA_READ), "no new one");
        assertEquals(List.of(), able.mids(), "one is running");
        able.out.clear();
        able.machine.sink().onReadsCompleted(1, able.out);
        assertEquals(List.of(Mid.RDMA_RD_COMPL, Mid.SUSP_COMM), able.mids());
    }

    @Test
    void waitsForWrites() {
        able.pipeline();
        able.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(200_000, 0));
        able.machine.source().lend(3, 1000, 1, 2, able.out);
        suspend(able);
        assertEquals(List.of(), able.mids());
        able.out.clear();
        able.machine.source().onWritesCompleted(1, able.out);
        assertEquals(List.of(Mid.SUSP_COMM), able.mids());
    }

    /** A write is done, what completes it waits for a credit. */
    @Test
    void waitsForRdmaWrCompl() {
        able.pipeline();
        able.feed(Mid.SINK_AVAIL, 0, 0, sinkAvail(200_000, 0));
        able.out.clear();
        able.machine.source().lend(3, 1000, 1, 2, able.out);
        assertEquals(List.of(), able.mids());
        able.out.clear();
        able.machine.source().onWritesCompleted(1, able.out);
        suspend(able);
        able.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.RDMA_WR_COMPL, Mid.SUSP_COMM), able.mids());
    }

    /** Both halves are silent after SuspComm: a message after it is a violation. */
    @Test
    void nothingFollowsSuspComm() {
        able.feed(Mid.SUSP_COMM, 64, 0, suspComm(1));
        able.feed(Mid.DATA, 64, 1);
        able.assertViolation(AbortReason.ILLEGAL_IN_STATE);
        Rig answering = new Rig(SUSPENDING, 64, 0, 0); // as short as a credit update
        answering.feed(Mid.SUSP_COMM, 64, 0, suspComm(1));
        answering.feed(Mid.SEND_SM, 64, 0);
        answering.assertViolation(AbortReason.ILLEGAL_IN_STATE);
        Rig illegal = new Rig(SUSPENDING, 64, 0, 0);
        illegal.feed(Mid.SUSP_COMM, 64, 0, 0, 0x20001);
        illegal.assertViolation(AbortReason.BAD_ADVERTISEMENT);
        Rig ended = new Rig(SUSPENDING, 64, 0, 0);
        ended.feed(Mid.DISCONN, 64, 0);
        ended.feed(Mid.SUSP_COMM, 64, 0, suspComm(1));
        ended.assertViolation(AbortReason.ILLEGAL_IN_STATE);
        Rig unasked = new Rig(SUSPENDING, 64, 0, 0);
        unasked.feed(Mid.SUSP_COMM_ACK, 64, 0);
        unasked.assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }

    /** Hello cannot say that a half has ended, so a session is moved while both are open (10). */
    @Test
    void aSessionWithOneHalfEndedIsNotMoved() {
        able.machine.shutdownOutput(able.out);
        assertFalse(able.machine.suspend(1, able.out));
        able.complete(Mid.DISCONN);
        assertFalse(able.machine.suspend(1, able.out));
        Rig ended = new Rig(SUSPENDING, 64, 0, 0);
        ended.feed(Mid.DISCONN, 64, 0);
        assertFalse(ended.machine.suspend(1, ended.out));
        ended.assertAlive();
    }

    /** Our DisConn crosses SuspComm: the half will be ended again on the next connection. */
    @Test
    void aHalfEndsMeanwhile() {
        able.machine.shutdownOutput(able.out);
        able.feedAck(Mid.SUSP_COMM, 64, 0, 0, suspComm(1));
        assertEquals(List.of(Mid.SUSP_COMM_ACK), able.mids());
        able.complete(Mid.DISCONN);
        able.complete(Mid.SUSP_COMM_ACK);
        assertEquals(State.SUSPENDED, able.machine.state());
        assertFalse(able.machine.reset());

        Rig asking = new Rig(SUSPENDING, 64, 0, 0);
        suspend(asking);
        asking.feedAck(Mid.DISCONN, 64, 0, 0);
        assertTrue(asking.machine.eof());
        asking.machine.shutdownOutput(asking.out);
        assertEquals(List.of(), asking.mids(), "it said SuspComm");
        asking.feed(Mid.SUSP_COMM_ACK, 64, 0);
        assertEquals(State.SUSPENDED, asking.machine.state());
    }

    /** A side that has asked says nothing more, but lets the peer say what it has to. */
    @Test
    void creditsFollowSuspComm() {
        WireConfig four =
                new WireConfig(
                        4, 16_400, Integer.MAX_VALUE, 16, 4, 4, Features.NONE.withSuspending());
        Rig asking = new Rig(four, 64, 0, 0);
        suspend(asking);
        asking.feedAck(Mid.SEND_SM, 64, 0, 0);
        assertEquals(List.of(), asking.mids(), "it has three");
        asking.feedAck(Mid.SEND_SM, 64, 0, 0);
        assertEquals(List.of(Mid.DATA), asking.mids());
        for (int i = 0; i < 3; i++) {
            asking.feedAck(Mid.SEND_SM, 1, 0, 0);
            assertEquals(List.of(), asking.mids(), "no credit of its own");
        }
        asking.feedAck(Mid.SEND_SM, 64, 0, 0);
        assertEquals(List.of(Mid.DATA), asking.mids());
        asking.feed(Mid.SUSP_COMM_ACK, 64, 0);
        assertEquals(State.SUSPENDED, asking.machine.state());
    }

    /** Nor does anything follow the answer, however much is read afterwards. */
    @Test
    void nothingFollowsTheAnswer() {
        for (int i = 0; i < 30; i++) {
            able.feed(Mid.DATA, 64, 10);
        }
        able.feed(Mid.SUSP_COMM, 64, 0, suspComm(1));
        assertEquals(List.of(Mid.SUSP_COMM_ACK), able.mids());
        for (int i = 0; i < 30; i++) {
            able.consumed();
            assertEquals(List.of(), able.mids(), "after " + i + " buffers");
        }
    }

    /** A side that is asked may need a credit to answer, and hears of it. */
    @Test
    void waitsForACreditToAnswer() {
        able.feed(Mid.SUSP_COMM, 0, 0, suspComm(1));
        assertEquals(List.of(), able.mids());
        able.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.SUSP_COMM_ACK), able.mids());
        able.feed(Mid.DATA, 64, 0);
        able.assertAlive();
        able.feed(Mid.DATA, 64, 1);
        able.assertViolation(AbortReason.ILLEGAL_IN_STATE);
    }

    /** The peer has the answer, and its end of the queue pair is gone: no news either. */
    @Test
    void failsAfterTheAnswer() {
        able.feed(Mid.SUSP_COMM, 64, 0, suspComm(8080));
        able.out.clear();
        able.machine.onQpError(able.out);
        assertEquals(8080, able.out.row(able.row(ActionList.SUSPENDED)).port);
        assertEquals(State.SUSPENDED, able.machine.state());
    }

    /** Bytes held back for a cancel that will not be answered are held back no more. */
    @Test
    void acknowledgesWhatItDoesNotAnswer() {
        able.machine.sink().lend(5, 100, 1, 2, true, able.out);
        able.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        able.machine.sink().onReadsCompleted(1, able.out);
        suspend(able);
        assertEquals(List.of(Mid.SUSP_COMM), able.mids());
        able.feedAck(Mid.SRC_AVAIL_CANCEL, 64, 0, 0);
        assertEquals(2, able.machine.credits.ack, "the cancel, too");
    }

    /** A cancel that crosses the last RdmaRdCompl is ignored by one who says nothing more, too. */
    @Test
    void aCancelOfNothingWhileSilent() {
        suspend(able);
        able.feedAck(Mid.SRC_AVAIL_CANCEL, 64, 0, 0);
        able.feedAck(Mid.SRC_AVAIL, 64, 0, 1, Rig.srcAvail(1000));
        able.assertAlive();
    }

    /** Loans come back, delivered bytes stay. */
    @Test
    void whatIsLentComesBack() {
        able.machine.sink().lend(5, 1000, 1, 2, true, able.out);
        suspend(able);
        able.feed(Mid.SUSP_COMM_ACK, 64, 0);
        assertFalse(able.machine.suspendedByPeer());
        assertEquals(5, able.out.row(able.row(ActionList.SINK_RETURNED)).buffer);
        assertEquals(State.SUSPENDED, able.machine.state());
        assertTrue(able.row(ActionList.SINK_RETURNED) < able.row(ActionList.SUSPENDED));
        able.out.clear();
        able.machine.onKeepAlive(able.out);
        able.machine.sink().onReadsCompleted(0, able.out);
        able.machine.source().onWritesCompleted(0, able.out);
        assertEquals(0, able.out.size());
    }

    /** Nor does a half end then. */
    @Test
    void noHalfEnds() {
        able.feed(Mid.DATA, 0, 0);
        suspend(able);
        able.machine.shutdownOutput(able.out);
        assertEquals(List.of(), able.mids(), "no credit");
        able.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.SUSP_COMM), able.mids());
    }

    /** The end of the connection below is no news to a suspended session. */
    @Test
    void hungUpAfterwards() {
        able.feed(Mid.SUSP_COMM, 64, 0, suspComm(1));
        able.complete(Mid.SUSP_COMM_ACK);
        assertEquals(State.SUSPENDED, able.machine.state());
        assertTrue(able.machine.suspendedByPeer());
        able.out.clear();
        able.machine.onDisconnected(able.out);
        assertEquals(0, able.out.size());
    }

    /** A buffer that waits to be advertised is not advertised any more. */
    @Test
    void nothingIsAdvertisedBeforeIt() {
        able.feed(Mid.DATA, 0, 0);
        assertTrue(able.machine.source().lend(3, 100_000, 1, 2, able.out));
        suspend(able);
        assertEquals(List.of(), able.mids(), "no credit");
        able.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.SUSP_COMM), able.mids());
    }

    /** A buffer that waits to be offered is not offered any more. */
    @Test
    void nothingIsOfferedBeforeIt() {
        able.feed(Mid.MODE_CHANGE, 0, 0, TO_PIPELINED);
        assertTrue(able.machine.sink().lend(5, 100_000, 1, 2, true, able.out));
        suspend(able);
        assertEquals(List.of(), able.mids(), "no credit");
        able.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.SUSP_COMM), able.mids());
    }
}
