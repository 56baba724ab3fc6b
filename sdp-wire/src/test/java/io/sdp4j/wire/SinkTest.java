package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lent sinks: when they are filled, offered, and given back (6.2 to 6.7). */
class SinkTest extends ZcopyRig {
    private boolean lendPrivateSink(int buffer, long lenBytes) {
        rig.out.clear();
        return rig.machine.sink().lend(buffer, lenBytes, 0x44, 0x9000, false, rig.out);
    }

    /** Payload of a SrcAvail goes where the rest will go, if it fits. */
    @ParameterizedTest
    @ValueSource(ints = {19, 20, 21})
    void payloadIsPlacedWhereItFits(int room) {
        assertTrue(lendSink(5, room));
        rig.feed(Mid.SRC_AVAIL, 64, 20, Rig.srcAvail(1000));
        boolean fits = room >= 20;
        assertEquals(fits, rig.row(ActionList.PLACE) >= 0);
        assertEquals(fits, rig.row(ActionList.REPOST) >= 0);
        assertEquals(!fits, rig.row(ActionList.DELIVER) >= 0);
        assertEquals(room == 21, rig.row(ActionList.RDMA_READ) >= 0);
        if (room < 21) {
            assertSinkReturned(5, fits ? 20 : 0);
        }
        assertEquals(20, rig.machine.bytesReceived());
        assertEquals(room == 21 ? 0 : 980, rig.machine.sink().offeredBytes());
    }

    /** Placed bytes count as received: the counters of 6.5 stay equal. */
    @Test
    void placedPayloadIsCounted() {
        assertTrue(lendSink(5, 1000));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        readsCompleted(1);
        assertSinkReturned(5, 1000);
        pipelineSink();
        assertTrue(lendSink(6, 100_000));
        assertEquals(1, nonDiscards(rowOf(Mid.SINK_AVAIL)));
    }

    /** Several SrcAvails go into one buffer, which comes back when there is no more of them. */
    @Test
    void oneSinkForSeveralSources() {
        pipelineSink();
        assertTrue(lendPrivateSink(5, 5000));
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(2000));
        assertEquals(1000, rig.out.row(rig.row(ActionList.RDMA_READ)).bufferOffset);
        readsCompleted(1);
        assertEquals(List.of(Mid.RDMA_RD_COMPL), rig.mids());
        assertEquals(-1, rig.row(ActionList.SINK_RETURNED), "it is being filled");
        readsCompleted(1);
        assertSinkReturned(5, 3000);
    }

    /** One SrcAvail goes into several buffers; it is told of when it is all there. */
    @Test
    void severalSinksForOneSource() {
        assertTrue(lendSink(5, 400));
        assertTrue(lendSink(6, 600));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        assertEquals(999, rdmaBytes(ActionList.RDMA_READ));
        readsCompleted(1);
        assertSinkReturned(5, 400);
        assertEquals(List.of(), rig.mids());
        readsCompleted(1);
        assertEquals(999, extension(rig, rowOf(Mid.RDMA_RD_COMPL)));
        assertSinkReturned(6, 600);
    }

    /** No more reads at a time than agreed, nor longer ones than the shell wants. */
    @Test
    void readsAreLimited() {
        assertTrue(lendSink(5, 1_000_000));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1_000_000));
        assertEquals(4 * 65_536, rdmaBytes(ActionList.RDMA_READ));
        readsCompleted(1);
        assertEquals(65_536, rdmaBytes(ActionList.RDMA_READ));
        int read = rig.row(ActionList.RDMA_READ);
        assertEquals(1 + 4 * 65_536, rig.out.row(read).bufferOffset);
        assertEquals(0x1000 + 1 + 4 * 65_536, rig.out.row(read).remoteAddress);
    }

    /** An offer wanted as Data is not read, though the SendSm waits for a credit. */
    @Test
    void whatIsRefusedIsNotRead() {
        Rig poor = new Rig(CONFIG, 0, 0, 0);
        poor.feed(Mid.SRC_AVAIL, 0, 1, Rig.srcAvail(1000));
        poor.consumed();
        poor.machine.sink().refuse(poor.out);
        assertEquals(0, poor.machine.sink().offeredBytes());
        poor.out.clear();
        assertTrue(poor.machine.sink().lend(5, 5000, 1, 2, true, poor.out));
        assertEquals(-1, poor.row(ActionList.RDMA_READ));
        poor.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.SEND_SM), poor.mids());
        assertEquals(-1, poor.row(ActionList.SINK_RETURNED), "Data will come");
        poor.feed(Mid.DATA, 64, 999);
        assertEquals(5, poor.out.row(poor.row(ActionList.SINK_RETURNED)).buffer);
        poor.assertAlive();
    }

    /** The half leaves Pipelined: offered buffers become ordinary, and can be read into (7.3). */
    @Test
    void offersAreForgotten() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        rig.feed(Mid.MODE_CHANGE, 64, 0, Mch.COMBINED << 28);
        assertEquals(-1, rig.row(ActionList.SINK_RETURNED));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        assertTrue(rig.row(ActionList.PLACE) >= 0);
        assertEquals(999, rdmaBytes(ActionList.RDMA_READ));
        readsCompleted(1);
        assertSinkReturned(5, 1000);
    }

    /** The same with a cancel on its way: its answer may come late, once. */
    @Test
    void offersAreForgottenAndCancelled() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        rig.out.clear();
        rig.machine.sink().recall(rig.out);
        int cancel = rig.machine.credits.lastSent();
        rig.feedAck(Mid.MODE_CHANGE, 64, cancel - 1, 0, Mch.COMBINED << 28);
        assertSinkReturned(5, 0);
        rig.machine.onTimer(SdpMachine.TIMER_CANCEL, rig.out);
        rig.assertAlive();
        assertTrue(lendSink(6, 100_000));
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0);
        rig.assertAlive();
        assertEquals(1, rig.machine.sink().lent());
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }

    /** The Source has left Pipelined, or ended: its word on earlier SinkAvails is void (6.3). */
    @ParameterizedTest
    @ValueSource(ints = {Mid.MODE_CHANGE, Mid.DISCONN})
    void anEndedSinkAvailMayBeCompleted(int end) {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        assertTrue(lendSink(6, 100_000));
        int[] header = end == Mid.MODE_CHANGE ? new int[] {Mch.COMBINED << 28} : new int[0];
        rig.feed(end, 64, 0, header);
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 100);
        rig.assertAlive();
        assertEquals(-1, rig.row(ActionList.SINK_RETURNED), "no bytes of the stream");
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 0);
        rig.assertAlive();
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 0);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER); // there were two
    }

    /** Back in Pipelined it has nothing more to say of them; of newer ones it has. */
    @Test
    void anEndedSinkAvailIsForgottenInPipelined() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        rig.feed(Mid.MODE_CHANGE, 64, 0, Mch.COMBINED << 28);
        rig.machine.sink().recall(rig.out);
        pipelineSink();
        assertTrue(lendSink(6, 100_000));
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 100_000);
        assertSinkReturned(6, 100_000);
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 0);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }

    /** An ended SinkAvail brings no bytes after close either. */
    @Test
    void anEndedSinkAvailIsNoDataAfterClose() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        rig.feed(Mid.MODE_CHANGE, 64, 0, Mch.COMBINED << 28);
        rig.machine.close(false, false, rig.out);
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 100);
        rig.assertAlive();
    }

    /** Nor does a SinkAvail that is completed with nothing. */
    @Test
    void completingWithNothingIsNoDataAfterClose() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        rig.machine.close(false, false, rig.out);
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 0);
        rig.assertAlive();
    }

    /** A message uses up one SinkAvail, the oldest; the others stay good (6.5). */
    @Test
    void payloadUsesUpOneOffer() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        assertTrue(lendSink(6, 100_000));
        assertTrue(lendSink(7, 100_000));
        rig.feed(Mid.DATA, 64, 10);
        assertSinkReturned(5, 0);
        assertEquals(2, rig.machine.sink().lent());
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 500);
        assertSinkReturned(6, 500);
        rig.feed(Mid.DATA, 64, 10);
        assertSinkReturned(7, 0);
    }

    /** An offered buffer must be larger than a message, untouched, and may be written. */
    @Test
    void whatIsOffered() {
        pipelineSink();
        assertTrue(lendSink(5, 16_400));
        assertEquals(List.of(), rig.mids(), "as large as a private buffer");
        rig.out.clear();
        rig.machine.sink().recall(rig.out);
        assertSinkReturned(5, 0);
        assertTrue(lendSink(5, 16_401));
        assertEquals(List.of(Mid.SINK_AVAIL), rig.mids());
        assertTrue(lendPrivateSink(6, 20_000));
        assertEquals(List.of(), rig.mids());
        assertTrue(lendSink(7, 20_000));
        assertEquals(List.of(), rig.mids(), "not past one that may not be");
    }

    /** While Data is expected nothing is offered: it would go into the buffer (6.4). */
    @Test
    void nothingIsOfferedWhileDataIsExpected() {
        pipelineSink();
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        rig.machine.sink().refuse(rig.out);
        assertTrue(lendSink(5, 100_000));
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.DATA, 64, 1000);
        assertSinkReturned(5, 0);
        rig.consumed();
        assertTrue(lendSink(6, 100_000));
        assertEquals(List.of(Mid.SINK_AVAIL), rig.mids());
    }

    /** A full buffer comes back though there is more to read; a recalled one takes no more. */
    @Test
    void whatIsFullComesBack() {
        assertTrue(lendSink(5, 400));
        assertTrue(lendSink(6, 600));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(5000));
        readsCompleted(1);
        assertSinkReturned(5, 400);
        readsCompleted(1);
        assertSinkReturned(6, 600);
        assertEquals(999, extension(rig, rowOf(Mid.RDMA_RD_COMPL)), "no reader goes on");
        assertTrue(lendSink(7, 1_000_000));
        assertEquals(4000, rdmaBytes(ActionList.RDMA_READ));
        readsCompleted(1);
        assertSinkReturned(7, 4000);
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1_000_000));
        rig.consumed();
        assertTrue(lendSink(8, 1_000_000));
        rig.machine.sink().recall(rig.out);
        readsCompleted(1);
        assertEquals(-1, rig.row(ActionList.RDMA_READ));
        readsCompleted(3);
        assertSinkReturned(8, 4 * 65_536);
    }

    /** One cancel is enough for all that is wanted back. */
    @Test
    void offersAreTakenBackOnce() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        for (List<Integer> said : List.of(List.of(Mid.SINK_AVAIL_CANCEL), List.<Integer>of())) {
            rig.out.clear();
            rig.machine.sink().recall(rig.out);
            assertEquals(said, rig.mids());
        }
    }

    /** After SrcAvailCancel what is being read is finished, and no more is begun (6.6). */
    @Test
    void whatIsCancelledIsNotReadOn() {
        assertTrue(lendSink(5, 1_000_000));
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1_000_000));
        rig.feed(Mid.SRC_AVAIL_CANCEL, 64, 0);
        readsCompleted(1);
        assertEquals(-1, rig.row(ActionList.RDMA_READ));
        readsCompleted(3);
        assertEquals(List.of(Mid.RDMA_RD_COMPL, Mid.SEND_SM), rig.mids());
        assertEquals(4 * 65_536, extension(rig, rowOf(Mid.RDMA_RD_COMPL)));
    }

    /** A buffer that waits behind an offer that is taken back is not offered any more. */
    @Test
    void nothingIsOfferedWhileOffersAreTakenBack() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        rig.feed(Mid.DATA, 0, 0);
        assertTrue(lendSink(6, 100_000));
        assertEquals(List.of(), rig.mids(), "no credit");
        rig.machine.sink().recall(rig.out);
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(Mid.SINK_AVAIL_CANCEL), rig.mids());
    }

    /** While there is something to read it is read, and nothing offered (6.3). */
    @Test
    void nothingIsOfferedWhileThereIsSomethingToRead() {
        pipelineSink();
        rig.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        assertTrue(lendSink(5, 100_000));
        assertEquals(1000, rdmaBytes(ActionList.RDMA_READ));
        assertEquals(List.of(), rig.mids());
        assertTrue(lendSink(6, 100_000));
        assertEquals(List.of(), rig.mids());
        readsCompleted(1);
        assertSinkReturned(5, 1000);
        assertEquals(List.of(Mid.RDMA_RD_COMPL, Mid.SINK_AVAIL), rig.mids());
    }

    /** A Sink that does not pipeline does not ask for it (2.3). */
    @Test
    void pipeliningIsNotAskedFor() {
        Features combined = new Features(8, 65_536, 4, 1, false, false);
        Rig sink = new Rig(CONFIG.with(combined), 64, 0, 0);
        sink.machine.sink().lend(5, 1000, 1, 2, true, sink.out);
        sink.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        sink.out.clear();
        sink.machine.sink().onReadsCompleted(1, sink.out);
        assertEquals(List.of(Mid.RDMA_RD_COMPL), sink.mids());
        assertEquals(0, Bsdh.flags(sink.out.row(sink.row(ActionList.CONTROL)).first));
    }

    /** A side that stops reading says so at once to a peer that offers. */
    @Test
    void shutdownInputRefuses() {
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        rig.out.clear();
        rig.machine.shutdownInput(rig.out);
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
    }
}
