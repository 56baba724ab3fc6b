package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages that may or may not come while bytes of a SrcAvail are missing (6.2, 6.4, 12.3). */
class OwedTest extends ZcopyRig {
    /** A SrcAvail of 50,000 bytes with one inline, which we want as Data; not yet acknowledged. */
    private int refuse() {
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(50_000));
        rig.out.clear();
        rig.machine.sink().refuse(rig.out);
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
        return rig.machine.credits.lastSent();
    }

    @Test
    void theEndComesAfterWhatIsOwed() {
        refuse();
        for (int left = 49_999; left > 0; left -= Math.min(left, 16_384)) {
            rig.feed(Mid.DATA, 64, Math.min(left, 16_384));
            rig.consumed();
        }
        rig.feed(Mid.DISCONN, 64, 0);
        rig.assertAlive();
        assertTrue(rig.machine.eof());
    }

    @Test
    void theEndBeforeWhatIsOwed() {
        refuse();
        rig.feed(Mid.DATA, 64, 16_384);
        rig.feed(Mid.DISCONN, 64, 0);
        rig.assertViolation(AbortReason.ILLEGAL_IN_STATE);
        assertFalse(rig.machine.eof());
    }

    @Test
    void theEndWhileOurSendSmIsInFlight() {
        int sendSm = refuse();
        rig.feedAck(Mid.DISCONN, 64, sendSm - 1, 0);
        rig.assertViolation(AbortReason.ILLEGAL_IN_STATE);
        assertFalse(rig.machine.eof());
    }

    /** A peer that holds its MSeqAck back is trusted to have seen our answer, and owes the same. */
    @Test
    void theEndWhileAcknowledgementsAreHeldBack() {
        lendSource(3, 100_000);
        rig.machine.source().recall(rig.out);
        int cancel = rig.machine.credits.lastSent();
        rig.feedAck(Mid.SRC_AVAIL, 64, cancel - 1, 1, Rig.srcAvail(50_000));
        rig.machine.sink().refuse(rig.out);
        rig.feedAck(Mid.DATA, 64, cancel - 1, 16_384);
        rig.assertAlive();
        rig.feedAck(Mid.DISCONN, 64, cancel - 1, 0);
        rig.assertViolation(AbortReason.ILLEGAL_IN_STATE);
    }

    @Test
    void anotherSrcAvailWithPayloadBeforeWhatIsOwed() {
        refuse();
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    /** Without payload nothing comes out of order: other SrcAvails stay valid (6.4). */
    @Test
    void anotherSrcAvailWithoutPayload() {
        pipelineSink();
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        rig.machine.sink().refuse(rig.out);
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        rig.assertAlive();
        rig.feed(Mid.DATA, 64, 1001); // more than is owed, beside the second
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    /** Two SendSms, of which the peer has seen one: only that one's bytes can be meant. */
    @Test
    void dataThatThePeerCannotKnowToBeWanted() {
        pipelineSink();
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(2000));
        rig.machine.sink().refuse(rig.out);
        int first = rig.machine.credits.lastSent();
        rig.machine.sink().refuse(rig.out);
        assertEquals(first + 1, rig.machine.credits.lastSent());
        rig.feedAck(Mid.DATA, 64, first, 1000);
        rig.assertAlive();
        rig.feedAck(Mid.DATA, 64, first, 1);
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    @Test
    void dataBesideASrcAvailThatIsBeingAnswered() {
        lendSink(5, 100_000);
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        readsCompleted(1);
        assertEquals(List.of(Mid.RDMA_RD_COMPL), rig.mids());
        rig.feedAck(Mid.DATA, 64, rig.machine.credits.lastSent() - 1, 10);
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    @Test
    void dataAfterTheAnswer() {
        lendSink(5, 100_000);
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        readsCompleted(1);
        rig.feed(Mid.DATA, 64, 10);
        rig.assertAlive();
    }

    /** Payload of a SinkAvail is payload, too, and it is not the Data that is owed. */
    @Test
    void aTransactionBeforeWhatIsOwed() {
        pipelineSource();
        refuse();
        rig.feed(Mid.SINK_AVAIL, 64, 3, sinkAvail(100_000, 0));
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    @Test
    void aTransactionBesideASrcAvail() {
        pipelineSource();
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(50_000));
        rig.feed(Mid.SINK_AVAIL, 64, 3, sinkAvail(100_000, 0));
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    @Test
    void aTransactionAfterTheEnd() {
        pipelineSource();
        rig.feed(Mid.DISCONN, 64, 0);
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        rig.assertAlive();
        rig.feed(Mid.SINK_AVAIL, 64, 3, sinkAvail(100_000, 0));
        rig.assertViolation(AbortReason.ILLEGAL_IN_STATE);
    }
}
