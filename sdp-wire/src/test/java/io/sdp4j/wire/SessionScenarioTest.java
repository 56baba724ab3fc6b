package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The scenarios of docs/protocol.md 19.B that concern urgent data, sizes, suspension and loss, one
 * test per number.
 */
class SessionScenarioTest extends ZcopyRig {
    @Test
    void s31() {
        rig.send(10_000);
        assertEquals(0, Bsdh.flags(rig.out.row(0).first));
        rig.machine.reserve();
        rig.out.clear();
        rig.machine.send(0, 1000, true, rig.out);
        assertEquals(Bsdh.OOB_PRES | Bsdh.OOB_PEND, Bsdh.flags(rig.out.row(0).first));
        assertEquals(ActionList.SOLICITED, rig.out.row(0).flags);
    }

    @Test
    void s32() {
        Rig poor = new Rig(CONFIG, 2, 0, 0);
        assertFalse(poor.machine.reserve());
        poor.feed(Mid.DATA, 3, 0);
        assertTrue(poor.machine.reserve());
        poor.out.clear();
        poor.machine.send(0, 1, true, poor.out);
        assertEquals(Bsdh.OOB_PRES | Bsdh.OOB_PEND, Bsdh.flags(poor.out.row(0).first));
    }

    /** The announcement of an urgent byte is taken on any message, and means nothing here (8). */
    @Test
    void anUrgentByteIsAnnounced() {
        rig.feed("FF 02 00 40 00 00 00 10 00 00 00 01 00 00 00 00");
        rig.feed("0B 02 00 40 00 00 00 14 00 00 00 02 00 00 00 00 00 00 10 00");
        rig.assertAlive();
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), rig.mids());
        assertEquals(-1, rig.row(ActionList.WAKE));
    }

    /** Buffers keep their size, whatever is asked for: the answer tells it. */
    @Test
    void s33() {
        for (int wanted : new int[] {0, 37, 4096, 16_400, 65_552, 1 << 31}) {
            rig.feed(Mid.CH_RCV_BUF, 64, 0, wanted);
            assertEquals(List.of(Mid.CH_RCV_BUF_ACK), rig.mids());
            assertEquals(16_400, rig.message().get(Wire.INT, Bsdh.BYTES));
            rig.feed(Mid.DATA, 64, 16_384);
            rig.consumed();
            rig.assertAlive();
        }
        rig.feed(Mid.DATA, 64, 16_385);
        rig.assertViolation(AbortReason.MESSAGE_TOO_LONG);
    }

    @Test
    void oneAnswerForTwoRequests() {
        rig.feed(Mid.CH_RCV_BUF, 0, 0, 4096);
        rig.feed(Mid.CH_RCV_BUF, 0, 0, 65_552);
        assertEquals(List.of(), rig.mids(), "no credit");
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), rig.mids());
    }

    /** We ask for nothing, so there is nothing to answer. */
    @Test
    void anAnswerIsAViolation() {
        rig.feed(Mid.CH_RCV_BUF_ACK, 64, 0, 16_400);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }

    @Test
    void s42() {
        assertTrue(lendSource(3, 100_000));
        assertTrue(lendSink(5, 1000));
        rig.out.clear();
        rig.machine.onQpError(rig.out);
        assertSourceReturned(3, 1, ActionList.CUT);
        assertSinkReturned(5, 0);
        assertTrue(rig.row(ActionList.ABORT) < rig.row(ActionList.SOURCE_RETURNED));
        assertEquals(0, rig.machine.source().lent() + rig.machine.sink().lent());
    }

    @Test
    void s48() {
        rig.out.clear();
        rig.machine.onKeepAlive(rig.out); // takes note
        rig.out.clear();
        int lastSent = rig.machine.credits.lastSent();
        for (int i = 0; i < 3; i++) {
            rig.machine.onKeepAlive(rig.out);
            assertEquals(1, rig.out.size());
            assertEquals(ActionList.KEEP_ALIVE, rig.out.row(0).kind);
            rig.out.clear();
        }
        assertEquals(lastSent, rig.machine.credits.lastSent());
        rig.feed(Mid.DATA, 64, 0);
        rig.out.clear();
        rig.machine.onKeepAlive(rig.out);
        assertEquals(0, rig.out.size(), "not idle");
    }

    private static Rig suspending() {
        return new Rig(CONFIG.with(ZCOPY.withSuspending()), 64, 0, 0);
    }

    /** The side that is asked: finishes what is in process, answers, hangs up (10). */
    @Test
    void suspendIsAnswered() {
        Rig asked = suspending();
        asked.machine.sink().lend(5, 1000, 0, 0, true, asked.out);
        asked.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        asked.feed(Mid.SUSP_COMM, 64, 0, 0, 0x11F90);
        assertEquals(List.of(), asked.mids(), "a read is running");
        assertFalse(asked.machine.reserve());
        asked.out.clear();
        asked.machine.sink().onReadsCompleted(1, asked.out);
        assertEquals(List.of(Mid.RDMA_RD_COMPL, Mid.SUSP_COMM_ACK), asked.mids());
        asked.complete(Mid.SUSP_COMM_ACK);
        assertEquals(8080, asked.out.row(asked.row(ActionList.SUSPENDED)).port);
        assertTrue(asked.row(ActionList.DISCONNECT) >= 0);
        assertEquals(State.SUSPENDED, asked.machine.state());
        assertTrue(asked.machine.closed());
        assertFalse(asked.machine.reset() || asked.machine.eof());
    }

    /** The side that has asked may hang up before the answer is known to have been sent. */
    @Test
    void suspendIsAnsweredAndHungUp() {
        Rig asked = suspending();
        asked.feed(Mid.SUSP_COMM, 64, 0, 0, 0x11F90);
        assertEquals(List.of(Mid.SUSP_COMM_ACK), asked.mids());
        asked.out.clear();
        asked.machine.onDisconnected(asked.out);
        assertEquals(8080, asked.out.row(asked.row(ActionList.SUSPENDED)).port);
        assertEquals(State.SUSPENDED, asked.machine.state());
        asked.complete(Mid.SUSP_COMM_ACK);
        assertEquals(0, asked.out.size());
    }

    /** Bytes that we have asked for as Data are in process: the peer needs credits for them. */
    @Test
    void suspendWaitsForWhatWasRefused() {
        Rig asking = suspending();
        asking.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        asking.machine.sink().refuse(asking.out);
        asking.out.clear();
        assertTrue(asking.machine.suspend(8080, asking.out));
        assertEquals(List.of(), asking.mids());
        asking.feed(Mid.DATA, 64, 999);
        assertEquals(List.of(Mid.SUSP_COMM), asking.mids());
    }

    /** The side that asks: says nothing more, and is suspended when it is answered. */
    @Test
    void suspendIsAsked() {
        Rig asking = suspending();
        asking.machine.source().lend(3, 100_000, 1, 2, asking.out);
        asking.out.clear();
        assertTrue(asking.machine.suspend(8080, asking.out));
        assertEquals(List.of(Mid.SUSP_COMM), asking.mids());
        asking.feed(Mid.RDMA_RD_COMPL, 64, 0, 999);
        asking.feed(Mid.DATA, 64, 10);
        asking.consumed();
        assertEquals(List.of(), asking.mids());
        asking.feed(Mid.SUSP_COMM_ACK, 64, 0);
        assertEquals(8080, asking.out.row(asking.row(ActionList.SUSPENDED)).port);
        int row = asking.row(ActionList.SOURCE_RETURNED);
        assertEquals(1000, asking.out.row(row).bufferOffset);
        assertEquals(ActionList.RECALLED, asking.out.row(row).outcome);
        assertEquals(State.SUSPENDED, asking.machine.state());
        assertFalse(asking.machine.suspend(1, asking.out));
        asking.machine.onDisconnected(asking.out);
        assertEquals(State.SUSPENDED, asking.machine.state());
    }

    /** Both ask: the accepting side's request stands (10). */
    @Test
    void suspendsCross() {
        Rig accepting = suspending();
        accepting.machine.suspend(8080, accepting.out);
        accepting.feedAck(Mid.SUSP_COMM, 64, 0, 0, 0, 0x11F91);
        assertEquals(List.of(), accepting.mids());
        accepting.feed(Mid.SUSP_COMM_ACK, 64, 0);
        assertEquals(8080, accepting.out.row(accepting.row(ActionList.SUSPENDED)).port);
        Suspension connecting = new Suspension();
        connecting.want(8081);
        connecting.onRequestSent();
        connecting.onRequest(8080, true);
        assertTrue(connecting.answerDue());
        assertFalse(connecting.onAnswer());
    }

    @Test
    void suspendTimesOut() {
        Rig asking = suspending();
        asking.machine.suspend(8080, asking.out);
        asking.machine.onTimer(SdpMachine.TIMER_SUSPEND, asking.out);
        assertEquals(AbortReason.ANSWER_TIMEOUT, asking.machine.abortReason());
    }
}
