package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The timers of what the peer, or RDMA, must get on with (12.5, 18): armed once, looked at when
 * they run out, armed again where something has moved.
 */
class ProgressTimersTest extends ZcopyRig {
    private void fire(int timer) {
        rig.out.clear();
        rig.machine.onTimer(timer, rig.out);
    }

    private void assertArmed(int timer, int seconds) {
        int row = rig.row(ActionList.ARM_TIMER);
        assertTrue(row >= 0, rig::actions);
        assertEquals(timer, rig.out.row(row).timer);
        assertEquals(seconds * 1_000_000_000L, rig.out.row(row).nanos);
    }

    /** Something has moved since the timer was armed, and nothing does from now on. */
    private void assertCutTheSecondTime(int timer, int seconds) {
        fire(timer);
        rig.assertAlive();
        assertArmed(timer, seconds);
        fire(timer);
        assertEquals(AbortReason.ANSWER_TIMEOUT, rig.machine.abortReason());
        assertTrue(rig.machine.closed());
    }

    private void recallSource() {
        rig.out.clear();
        rig.machine.source().recall(rig.out);
        assertEquals(List.of(Mid.SRC_AVAIL_CANCEL), rig.mids());
    }

    private void recallSink() {
        rig.out.clear();
        rig.machine.sink().recall(rig.out);
        assertEquals(List.of(Mid.SINK_AVAIL_CANCEL), rig.mids());
    }

    @Test
    void aSrcAvailThatIsReadInPartStays() {
        assertTrue(lendSource(3, 100_000));
        assertArmed(SdpMachine.TIMER_SRC_AVAIL, 1);
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 10_000);
        assertEquals(-1, rig.row(ActionList.ARM_TIMER), "it runs already");
        fire(SdpMachine.TIMER_SRC_AVAIL);
        assertEquals(List.of(), rig.mids(), "something was read");
        assertArmed(SdpMachine.TIMER_SRC_AVAIL, 1);
        fire(SdpMachine.TIMER_SRC_AVAIL);
        assertEquals(List.of(Mid.SRC_AVAIL_CANCEL), rig.mids(), "nothing was read since");
    }

    @Test
    void aRefusalIsAnAnswer() {
        pipelineSource();
        assertTrue(lendSource(3, 100_000));
        assertTrue(lendSource(4, 100_000));
        rig.feed(Mid.SEND_SM, 64, 0);
        assertSourceReturned(3, 0, ActionList.COPY);
        fire(SdpMachine.TIMER_SRC_AVAIL);
        assertEquals(List.of(), rig.mids());
        fire(SdpMachine.TIMER_SRC_AVAIL);
        assertEquals(List.of(Mid.SRC_AVAIL_CANCEL), rig.mids());
    }

    /** Both count, however many there are of each. */
    @Test
    void readingAndRefusingAreProgress() {
        pipelineSource();
        assertTrue(lendSource(3, 100_000));
        assertTrue(lendSource(4, 100_000));
        assertTrue(lendSource(5, 100_000));
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 100_000);
        rig.feed(Mid.SEND_SM, 64, 0);
        fire(SdpMachine.TIMER_SRC_AVAIL);
        assertEquals(List.of(), rig.mids(), "two of three were answered");
        assertArmed(SdpMachine.TIMER_SRC_AVAIL, 1);
    }

    @Test
    void readingAndTheAnswerToACancelAreProgress() {
        assertTrue(lendSource(3, 100_000));
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 10_000);
        recallSource();
        rig.feed(Mid.SEND_SM, 64, 0);
        assertTrue(lendSource(4, 100_000));
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        fire(SdpMachine.TIMER_SRC_AVAIL);
        assertEquals(List.of(), rig.mids(), "it is a new one");
        assertArmed(SdpMachine.TIMER_SRC_AVAIL, 1);
    }

    /** Those of both halves, too. */
    @Test
    void cancelsOfBothHalvesAreToldApart() {
        assertTrue(lendSource(3, 1000));
        recallSource();
        rig.feed(Mid.SEND_SM, 64, 0);
        assertTrue(lendSource(3, 1000));
        recallSource();
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        recallSink();
        fire(SdpMachine.TIMER_CANCEL);
        rig.assertAlive();
        assertArmed(SdpMachine.TIMER_CANCEL, 60);
    }

    /** A peer that answers one kind of cancel cannot leave the other without an answer. */
    @Test
    void anAnswerForOneHalfIsNoneForTheOther() {
        pipelineSink();
        assertTrue(lendSource(3, 1000));
        recallSource();
        assertArmed(SdpMachine.TIMER_CANCEL, 60);
        assertTrue(lendSink(5, 100_000));
        recallSink();
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0);
        fire(SdpMachine.TIMER_CANCEL);
        assertEquals(AbortReason.ANSWER_TIMEOUT, rig.machine.abortReason());
    }

    @Test
    void readsAndWritesBothGetOn() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(200_000, 0));
        assertTrue(lendSource(3, 150_000));
        assertArmed(SdpMachine.TIMER_RDMA, 60);
        assertTrue(lendSink(5, 1000));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        writesCompleted(1);
        readsCompleted(1);
        fire(SdpMachine.TIMER_RDMA);
        rig.assertAlive();
        assertArmed(SdpMachine.TIMER_RDMA, 60);
    }

    @Test
    void aTimerOfNothingDoesNothing() {
        assertTrue(lendSource(3, 1000));
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 999);
        assertSourceReturned(3, 1000, ActionList.DONE);
        assertEquals(-1, rig.row(ActionList.CANCEL_TIMER), "it may run out");
        fire(SdpMachine.TIMER_SRC_AVAIL);
        assertEquals(0, rig.out.size(), rig::actions);
        assertTrue(lendSource(3, 1000));
        assertArmed(SdpMachine.TIMER_SRC_AVAIL, 1);
    }

    /** An answer in between, then a newer cancel: that one has its own time. */
    @Test
    void srcAvailCancelsAreToldApart() {
        assertTrue(lendSource(3, 1000));
        recallSource();
        assertArmed(SdpMachine.TIMER_CANCEL, 60);
        rig.feed(Mid.SEND_SM, 64, 0);
        assertTrue(lendSource(3, 1000));
        recallSource();
        assertEquals(-1, rig.row(ActionList.ARM_TIMER), "it runs already");
        assertCutTheSecondTime(SdpMachine.TIMER_CANCEL, 60);
    }

    @Test
    void anAnsweredCancelIsOver() {
        assertTrue(lendSource(3, 1000));
        recallSource();
        rig.feed(Mid.SEND_SM, 64, 0);
        fire(SdpMachine.TIMER_CANCEL);
        assertEquals(0, rig.out.size(), rig::actions);
        rig.assertAlive();
    }

    @Test
    void sinkAvailCancelsAreToldApart() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        recallSink();
        assertArmed(SdpMachine.TIMER_CANCEL, 60);
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0);
        assertSinkReturned(5, 0);
        assertTrue(lendSink(6, 100_000));
        recallSink();
        assertCutTheSecondTime(SdpMachine.TIMER_CANCEL, 60);
    }

    @Test
    void readsMustGetOn() {
        assertTrue(lendSink(5, 131_072));
        assertEquals(-1, rig.row(ActionList.ARM_TIMER), "a reader may wait for ever");
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(131_072));
        assertArmed(SdpMachine.TIMER_RDMA, 60);
        readsCompleted(1);
        assertCutTheSecondTime(SdpMachine.TIMER_RDMA, 60);
    }

    /** The SrcAvail that was waited for was taken back: that is no refusal. */
    @Test
    void aSrcAvailThatWasTakenBack() {
        pipelineSource();
        assertTrue(lendSource(3, 200_000));
        assertArmed(SdpMachine.TIMER_SRC_AVAIL, 1);
        rig.feed(Mid.SINK_AVAIL, 0, 0, sinkAvail(100_000, 0)); // no credit to go on with the rest
        fire(SdpMachine.TIMER_SRC_AVAIL);
        writesCompleted(2);
        assertEquals(-1, rig.row(ActionList.SOURCE_RETURNED));
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.RDMA_WR_COMPL, Mid.SRC_AVAIL), rig.mids());
    }

    @Test
    void writesMustGetOn() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(200_000, 0));
        assertTrue(lendSource(3, 150_000));
        assertArmed(SdpMachine.TIMER_RDMA, 60);
        writesCompleted(1);
        assertCutTheSecondTime(SdpMachine.TIMER_RDMA, 60);
    }

    @Test
    void rdmaThatIsDoneIsOver() {
        assertTrue(lendSink(5, 1000));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        readsCompleted(1);
        fire(SdpMachine.TIMER_RDMA);
        assertEquals(0, rig.out.size(), rig::actions);
        rig.assertAlive();
    }

    @Test
    void suspendingMustBeAnswered() {
        Rig asking = new Rig(CONFIG.with(ZCOPY.withSuspending()), 64, 0, 0);
        assertTrue(asking.machine.suspend(8080, asking.out));
        int row = asking.row(ActionList.ARM_TIMER);
        assertEquals(SdpMachine.TIMER_SUSPEND, asking.out.row(row).timer);
        assertEquals(5_000_000_000L, asking.out.row(row).nanos);
        assertFalse(asking.machine.suspend(8080, asking.out), "once");
    }
}
