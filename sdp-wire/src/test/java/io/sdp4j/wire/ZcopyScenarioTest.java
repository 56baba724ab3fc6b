package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The behaviour of sdp-wire.md 19.B that needs zero copy or modes, one test per number. */
class ZcopyScenarioTest {
    private static final Features ZCOPY = Features.NONE.withZcopy(8, 65_536);
    private static final WireConfig CONFIG = Rig.CONFIG.with(ZCOPY);
    private static final int[] TO_PIPELINED = {Mch.PIPELINED << 28};

    private final Rig rig = new Rig(CONFIG, 64, 0, 0);

    private static int[] srcAvail(int len) {
        return new int[] {len, 0x11, 0, 0x1000};
    }

    private static int[] sinkAvail(int len, int nonDiscards) {
        return new int[] {len, 0x22, 0, 0x2000, nonDiscards};
    }

    private boolean lendSource(int buffer, long lenBytes) {
        rig.out.clear();
        return rig.machine.source().lend(buffer, lenBytes, 0x33, 0x7000, rig.out);
    }

    private boolean lendSink(int buffer, long lenBytes) {
        rig.out.clear();
        return rig.machine.sink().lend(buffer, lenBytes, 0x44, 0x9000, true, rig.out);
    }

    private void readsCompleted(int count) {
        rig.out.clear();
        rig.machine.sink().onReadsCompleted(count, rig.out);
    }

    private void writesCompleted(int count) {
        rig.out.clear();
        rig.machine.source().onWritesCompleted(count, rig.out);
    }

    /** Our send half in Pipelined, as asked by us and seen by the peer. */
    private void pipelineSource() {
        rig.out.clear();
        rig.machine.source().changeMode(Mch.PIPELINED, rig.out);
        assertEquals(List.of(Mid.MODE_CHANGE), rig.mids());
        rig.feed(Mid.DATA, 64, 0);
    }

    private void pipelineSink() {
        rig.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        assertEquals(Mch.PIPELINED, rig.machine.sink().mode());
    }

    private void assertSourceReturned(int buffer, long done, int outcome) {
        int row = rig.row(Outbox.SOURCE_RETURNED);
        assertTrue(row >= 0, rig.out::toString);
        assertEquals(buffer, rig.out.buffer(row));
        assertEquals(done, rig.out.bytesDone(row));
        assertEquals(outcome, rig.out.outcome(row));
    }

    private void assertSinkReturned(int buffer, long done) {
        int row = rig.row(Outbox.SINK_RETURNED);
        assertTrue(row >= 0, rig.out::toString);
        assertEquals(buffer, rig.out.buffer(row));
        assertEquals(done, rig.out.bytesDone(row));
    }

    private int rowOf(int mid) {
        for (int i = 0; i < rig.out.size(); i++) {
            int kind = rig.out.kind(i);
            boolean message =
                    kind == Outbox.SEND || kind == Outbox.CONTROL || kind == Outbox.SEND_LENT;
            if (message && rig.out.mid(i) == mid) {
                return i;
            }
        }
        throw new AssertionError(Mid.name(mid) + " is not in " + rig.out);
    }

    /** Bytes of the RDMA rows of a kind. */
    private long rdmaBytes(int kind) {
        long bytes = 0;
        for (int i = 0; i < rig.out.size(); i++) {
            bytes += rig.out.kind(i) == kind ? rig.out.bytes(i) : 0;
        }
        return bytes;
    }

    private static int extension(Rig rig, int row) {
        MemorySegment m = MemorySegment.ofArray(new byte[Bsdh.MAX_HEADER_BYTES]);
        rig.out.writeHeader(row, m, 0);
        return m.get(Wire.INT, Bsdh.BYTES);
    }

    /** The Sink: one byte placed, reads for the rest, RdmaRdCompl of what was read. */
    @Test
    void s09() {
        assertTrue(lendSink(5, 131_072));
        rig.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(131_072));
        int place = rig.row(Outbox.PLACE);
        assertEquals(1, rig.out.bytes(place));
        assertEquals(32, rig.out.offset(place));
        int read = rig.row(Outbox.RDMA_READ);
        assertEquals(0x1001, rig.out.remoteAddress(read));
        assertEquals(0x11, rig.out.rkey(read));
        assertEquals(1, rig.out.bufferOffset(read));
        assertEquals(131_071, rdmaBytes(Outbox.RDMA_READ));
        assertEquals(List.of(), rig.mids(), "nothing before the reads have completed");
        readsCompleted(1);
        assertEquals(List.of(), rig.mids());
        readsCompleted(1);
        assertEquals(List.of(Mid.RDMA_RD_COMPL), rig.mids());
        assertEquals(131_071, extension(rig, rowOf(Mid.RDMA_RD_COMPL)));
        assertEquals(Bsdh.REQ_PIPE, rig.out.bsdhFlags(rowOf(Mid.RDMA_RD_COMPL)));
        assertSinkReturned(5, 131_072);
    }

    /** The Source: SrcAvail with one byte, and back when all is read. */
    @Test
    void s09source() {
        assertTrue(lendSource(3, 131_072));
        int row = rig.row(Outbox.SEND_LENT);
        assertEquals(Mid.SRC_AVAIL, rig.out.mid(row));
        assertEquals(32, rig.out.headerBytes(row));
        assertEquals(1, rig.out.bytes(row));
        assertEquals(131_072, extension(rig, row));
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 100_000);
        assertEquals(-1, rig.row(Outbox.SOURCE_RETURNED), "a part is not all");
        rig.feed(Mid.RDMA_RD_COMPL, 64, 0, 31_071);
        assertSourceReturned(3, 131_072, Outbox.DONE);
        assertTrue(rig.machine.writable());
    }

    @Test
    void s10() {
        Rig wide =
                new Rig(CONFIG.with(new Features(8, 65_536, 4, 1000, true, 0, 0, false)), 64, 0, 0);
        wide.out.clear();
        assertTrue(wide.machine.source().lend(3, 100_000, 1, 2, wide.out));
        assertEquals(1000, wide.out.bytes(wide.row(Outbox.SEND_LENT)));
        wide.feed(Mid.RDMA_RD_COMPL, 64, 0, 40_000);
        assertFalse(wide.machine.reserve());
        wide.feed(Mid.SEND_SM, 64, 0);
        int row = wide.row(Outbox.SOURCE_RETURNED);
        assertEquals(41_000, wide.out.bytesDone(row));
        assertEquals(Outbox.COPY, wide.out.outcome(row));
        for (int bytes : new int[] {16_384, 16_384, 16_384, 9848}) {
            assertEquals(bytes, wide.machine.source().payloadLimit());
            wide.send(bytes);
            assertEquals(List.of(Mid.DATA), wide.mids());
        }
        assertEquals(0, wide.machine.source().owedBytes());
        assertEquals(16_384, wide.machine.source().payloadLimit());
    }

    @Test
    void s11() {
        Features combined = new Features(8, 65_536, 4, 1, false, 0, 0, false);
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
        rig.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1000));
        assertEquals(999, rig.machine.sink().offeredBytes());
        rig.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1000));
        rig.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
    }

    /** Nobody reads, the Source takes it back: one SendSm that acknowledges the cancel. */
    @Test
    void s13() {
        Rig late = new Rig(CONFIG, 64, 0, 39);
        late.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1000));
        late.feed(Mid.SRC_AVAIL_CANCEL, 64, 0);
        assertEquals(-1, late.row(Outbox.RDMA_READ));
        assertEquals(List.of(Mid.SEND_SM), late.mids());
        assertEquals(41, late.out.mseqAck(late.row(Outbox.CONTROL)));
        assertEquals(0, late.machine.sink().offeredBytes());
        late.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(500));
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
        assertSourceReturned(3, 1, Outbox.RECALLED);
        assertTrue(rig.machine.writable());
        assertTrue(lendSource(4, 1000));
    }

    @Test
    void s14() {
        Rig late = new Rig(CONFIG, 64, 0, 39);
        late.machine.sink().lend(5, 200_000, 0, 0, true, late.out);
        late.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(200_000));
        assertEquals(65_536, late.out.bytes(late.row(Outbox.RDMA_READ)));
        late.feed(Mid.SRC_AVAIL_CANCEL, 64, 0);
        assertEquals(List.of(), late.mids(), "reads are running");
        late.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(40, late.out.mseqAck(late.row(Outbox.CONTROL)), "held back");
        late.out.clear();
        late.machine.sink().onReadsCompleted(4, late.out);
        assertEquals(List.of(Mid.RDMA_RD_COMPL), late.mids(), "all was read: the cancel is void");
        assertEquals(40, late.out.mseqAck(late.row(Outbox.CONTROL)));
    }

    /** The same with less lent than advertised: what is left goes back by SendSm. */
    @Test
    void s14partial() {
        Rig late = new Rig(CONFIG, 64, 0, 39);
        late.machine.sink().lend(5, 65_537, 0, 0, true, late.out);
        late.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(200_000));
        late.out.clear();
        late.machine.sink().onReadsCompleted(1, late.out);
        assertEquals(List.of(Mid.RDMA_RD_COMPL), late.mids(), "65536 reported");
        late.machine.sink().lend(6, 65_536, 0, 0, true, late.out);
        late.feed(Mid.SRC_AVAIL_CANCEL, 64, 0);
        late.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(40, late.out.mseqAck(late.row(Outbox.CONTROL)));
        late.out.clear();
        late.machine.sink().onReadsCompleted(1, late.out);
        assertEquals(List.of(Mid.RDMA_RD_COMPL, Mid.SEND_SM), late.mids());
        int first = late.row(Outbox.CONTROL);
        assertEquals(65_536, extension(late, first));
        assertEquals(40, late.out.mseqAck(first));
        assertEquals(42, late.out.mseqAck(first + 1), "the cancel is acknowledged");
    }

    /** Its Source keeps what was neither read nor sent along. */
    @Test
    void s14source() {
        assertTrue(lendSource(3, 200_000));
        rig.machine.source().recall(rig.out);
        int cancel = rig.machine.credits().lastSent();
        rig.feedAck(Mid.RDMA_RD_COMPL, 64, cancel - 1, 0, 65_536);
        rig.feedAck(Mid.RDMA_RD_COMPL, 64, cancel - 1, 0, 65_536);
        assertEquals(-1, rig.row(Outbox.SOURCE_RETURNED));
        rig.feedAck(Mid.SEND_SM, 64, cancel, 0);
        assertSourceReturned(3, 200_000 - 68_927, Outbox.RECALLED);
    }

    @Test
    void s15() {
        assertTrue(lendSource(3, 1000));
        rig.machine.source().recall(rig.out);
        int cancel = rig.machine.credits().lastSent();
        rig.feedAck(Mid.RDMA_RD_COMPL, 64, cancel - 1, 0, 999);
        assertSourceReturned(3, 1000, Outbox.DONE);
        assertTrue(lendSource(4, 1000), "the cancel is processed");

        Rig sink = new Rig(CONFIG, 64, 0, 0);
        sink.machine.sink().lend(5, 1000, 0, 0, true, sink.out);
        sink.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1000));
        sink.machine.sink().onReadsCompleted(1, sink.out);
        sink.feedAck(Mid.SRC_AVAIL_CANCEL, 64, 0, 0);
        assertEquals(List.of(), sink.mids(), "nothing to revoke: ignored");
        sink.feed(Mid.DATA, 64, 10);
        sink.assertAlive();
    }

    @Test
    void s16() {
        Rig inline =
                new Rig(CONFIG.with(new Features(8, 65_536, 4, 100, true, 0, 0, false)), 64, 39, 0);
        inline.machine.source().lend(3, 5000, 1, 2, inline.out);
        inline.machine.source().recall(inline.out);
        assertEquals(41, inline.machine.credits().lastSent());
        inline.feedAck(Mid.SEND_SM, 64, 40, 0);
        int row = inline.row(Outbox.SOURCE_RETURNED);
        assertEquals(Outbox.COPY, inline.out.outcome(row), "the Sink counts on these bytes");
        assertEquals(100, inline.out.bytesDone(row));
        assertEquals(4900, inline.machine.source().owedBytes());
        inline.send(4900);
        inline.out.clear();
        assertTrue(inline.machine.source().lend(4, 5000, 1, 2, inline.out), "cancel processed");
    }

    /** Both write, nobody reads: both get SendSm and fall back to Data within an event. */
    @Test
    void s17() {
        assertTrue(lendSource(3, 300_000));
        rig.feedAck(Mid.SRC_AVAIL, 64, 0, 1, srcAvail(300_000));
        assertEquals(List.of(Mid.SEND_SM), rig.mids(), "at once, without a timer");
        rig.feedAck(Mid.SEND_SM, 64, 1, 0); // the peer thinks alike
        assertSourceReturned(3, 1, Outbox.COPY);
        assertTrue(rig.machine.writable());
        rig.send(16_384);
    }

    /** Our buffers are full of what nobody reads: what we have lent is copied, too. */
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
        assertEquals(Outbox.COPY, small.out.outcome(small.row(Outbox.SOURCE_RETURNED)));
    }

    /** A peer that neither reads nor answers: after a second the rest is copied (18). */
    @Test
    void srcAvailTimesOut() {
        assertTrue(lendSource(3, 100_000));
        assertEquals(SdpMachine.TIMER_SRC_AVAIL, rig.out.timer(rig.row(Outbox.ARM_TIMER)));
        rig.out.clear();
        rig.machine.onTimer(SdpMachine.TIMER_SRC_AVAIL, rig.out);
        assertEquals(Mid.SRC_AVAIL_CANCEL, rig.out.mid(rowOf(Mid.SRC_AVAIL_CANCEL)));
        rig.out.clear();
        rig.machine.onTimer(SdpMachine.TIMER_CANCEL, rig.out);
        assertEquals(AbortReason.ANSWER_TIMEOUT, rig.machine.abortReason());
        assertSourceReturned(3, 1, Outbox.CUT);
        assertTrue(
                rig.row(Outbox.ABORT) < rig.row(Outbox.SOURCE_RETURNED), "access ends before that");
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

    @Test
    void s19() {
        pipelineSource();
        rig.send(10);
        rig.send(10);
        for (int i = 0; i < 3; i++) {
            rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(200_000, 0));
            assertEquals(List.of(), rig.mids());
        }
        assertTrue(lendSource(3, 5000), "the third is used");
        assertEquals(5000, rdmaBytes(Outbox.RDMA_WRITE));
        assertEquals(0x2000, rig.out.remoteAddress(rig.row(Outbox.RDMA_WRITE)));
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(200_000, 0)); // P ended 0
        assertTrue(lendSource(4, 5000));
        assertEquals(5000, rdmaBytes(Outbox.RDMA_WRITE));
    }

    @Test
    void s20() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        assertEquals(List.of(Mid.SINK_AVAIL), rig.mids());
        rig.feedAck(Mid.DATA, 64, 0, 50);
        assertEquals(50, rig.out.bytes(rig.row(Outbox.DELIVER)));
        assertSinkReturned(5, 0);
        assertTrue(rig.row(Outbox.DELIVER) < rig.row(Outbox.SINK_RETURNED));
        rig.consumed();
        assertTrue(lendSink(6, 100_000));
        assertEquals(0, nonDiscards(rowOf(Mid.SINK_AVAIL)), "N unchanged");
    }

    private int nonDiscards(int row) {
        MemorySegment m = MemorySegment.ofArray(new byte[Bsdh.MAX_HEADER_BYTES]);
        rig.out.writeHeader(row, m, 0);
        return SnkAh.nonDiscards(m, Bsdh.BYTES);
    }

    @Test
    void s21() {
        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        rig.feed(Mid.DATA, 64, 50);
        assertSinkReturned(5, 0);
        rig.feed(Mid.DATA, 64, 60);
        rig.consumed();
        rig.consumed();
        assertTrue(lendSink(6, 100_000));
        assertEquals(1, nonDiscards(rowOf(Mid.SINK_AVAIL)));

        Rig source = new Rig(CONFIG, 64, 0, 0);
        source.machine.source().changeMode(Mch.PIPELINED, source.out);
        source.send(50);
        source.send(60);
        source.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0)); // stale: P 2 -> 1
        source.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 1)); // equal counters
        source.out.clear();
        source.machine.source().lend(3, 500, 1, 2, source.out);
        assertTrue(source.row(Outbox.RDMA_WRITE) >= 0);
    }

    @Test
    void s22() {
        pipelineSource();
        assertTrue(lendSource(3, 300_000));
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(200_000, 0));
        assertEquals(200_000, rdmaBytes(Outbox.RDMA_WRITE));
        assertEquals(List.of(Mid.RDMA_WR_COMPL, Mid.SRC_AVAIL), rig.mids());
        assertEquals(200_000, extension(rig, rowOf(Mid.RDMA_WR_COMPL)));
        assertEquals(100_000, extension(rig, rowOf(Mid.SRC_AVAIL)));

        pipelineSink();
        assertTrue(lendSink(5, 200_000));
        rig.feed(Mid.SRC_AVAIL, 64, 0, srcAvail(300_000));
        assertEquals(-1, rig.row(Outbox.RDMA_READ), "the Sink ignores it");
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 200_000);
        assertSinkReturned(5, 200_000);
    }

    @Test
    void s23() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(262_144, 0));
        assertTrue(lendSource(3, 1000));
        assertEquals(1000, rdmaBytes(Outbox.RDMA_WRITE));
        assertEquals(1000, extension(rig, rowOf(Mid.RDMA_WR_COMPL)));
        assertTrue(rig.row(Outbox.RDMA_WRITE) < rowOf(Mid.RDMA_WR_COMPL));
        assertEquals(-1, rig.row(Outbox.SOURCE_RETURNED), "the write is still running");
        writesCompleted(1);
        assertSourceReturned(3, 1000, Outbox.DONE);
    }

    /** The Source: what is partly written is completed short, the rest given up with one answer. */
    @Test
    void s24() {
        Rig few = new Rig(CONFIG.with(new Features(8, 5000, 1, 1, true, 0, 0, false)), 64, 0, 0);
        few.machine.source().changeMode(Mch.PIPELINED, few.out);
        few.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        few.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        few.out.clear();
        few.machine.source().lend(3, 8000, 1, 2, few.out); // one write at a time: 5000 of 8000
        assertEquals(List.of(), few.mids());
        few.feed(Mid.SINK_AVAIL_CANCEL, 64, 0);
        assertEquals(Mid.RDMA_WR_COMPL, few.mids().get(0));
        assertEquals(Mid.SINK_CANCEL_ACK, few.mids().get(1));
        assertEquals(5000, extension(few, few.row(Outbox.CONTROL)));
        few.feed(Mid.DATA, 64, 0);
        assertFalse(few.mids().contains(Mid.SINK_CANCEL_ACK), "exactly one");

        pipelineSink();
        assertTrue(lendSink(5, 100_000));
        assertTrue(lendSink(6, 100_000));
        rig.out.clear();
        rig.machine.sink().recall(rig.out);
        assertEquals(List.of(Mid.SINK_AVAIL_CANCEL), rig.mids());
        assertFalse(lendSink(7, 100_000));
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 5000);
        assertSinkReturned(5, 5000);
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0);
        assertSinkReturned(6, 0);
    }

    @Test
    void s25() {
        pipelineSink();
        for (boolean acknowledged : new boolean[] {true, false, true}) {
            assertTrue(lendSink(5, 100_000));
            assertEquals(List.of(Mid.SINK_AVAIL), rig.mids());
            int before = rig.machine.credits().lastSent();
            rig.machine.sink().recall(rig.out);
            rig.feedAck(Mid.RDMA_WR_COMPL, 64, before, 0, 5000);
            assertSinkReturned(5, 5000);
            assertTrue(lendSink(6, 100_000), "advertising goes on at once");
            if (acknowledged) {
                rig.feedAck(Mid.SINK_CANCEL_ACK, 64, before + 1, 0);
                rig.assertAlive();
                assertEquals(-1, rig.row(Outbox.SINK_RETURNED), "the newer one is untouched");
            }
            rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 7);
            assertSinkReturned(6, 7);
        }
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0); // the one still missing
        rig.assertAlive();
        rig.feed(Mid.SINK_CANCEL_ACK, 64, 0);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }

    @Test
    void s26() {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        lendSource(3, 100); // RdmaWrCompl is on its way
        rig.feed(Mid.SINK_AVAIL_CANCEL, 64, 0);
        rig.assertAlive();
        assertEquals(List.of(), rig.mids());
    }

    @Test
    void s27() {
        pipelineSink();
        rig.out.clear();
        assertTrue(rig.machine.sink().lend(5, 100_000, 0, 0, false, rig.out));
        assertEquals(List.of(), rig.mids(), "a read that must be full is not offered");
        rig.feed(Mid.SRC_AVAIL, 64, 0, srcAvail(100_000));
        readsCompleted(2);
        assertSinkReturned(5, 100_000);
    }

    /** The Source leaves Pipelined while a SinkAvail is on its way. */
    @Test
    void s29() {
        pipelineSource();
        for (int i = 0; i < 7; i++) {
            rig.send(1);
        }
        lendSource(3, 50_000);
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        lendSource(4, 60_000);
        rig.out.clear();
        rig.machine.source().changeMode(Mch.COMBINED, rig.out);
        assertEquals(List.of(Mid.MODE_CHANGE), rig.mids());
        int mseq = rig.machine.credits().lastSent();
        rig.feedAck(Mid.SINK_AVAIL, 64, mseq - 1, 0, sinkAvail(100_000, 7)); // crossed
        assertEquals(-1, rig.row(Outbox.RDMA_WRITE), "dropped");
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids(), "again, one at a time, with payload");
        assertEquals(1, rig.out.bytes(rig.row(Outbox.SEND_LENT)));
        rig.machine.source().changeMode(Mch.PIPELINED, rig.out);
        rig.feedAck(Mid.DATA, 64, mseq - 1, 0);
        assertFalse(rig.mids().contains(Mid.MODE_CHANGE), "not before the acknowledgement");
        rig.feedAck(Mid.DATA, 64, mseq, 0);
        assertTrue(rig.mids().contains(Mid.MODE_CHANGE));
    }

    /** As s29, but a Data sent before the ModeChange had used the SinkAvail up. */
    @Test
    void s30() {
        pipelineSource();
        for (int i = 0; i < 8; i++) {
            rig.send(1);
        }
        rig.out.clear();
        rig.machine.source().changeMode(Mch.COMBINED, rig.out);
        int mseq = rig.machine.credits().lastSent();
        rig.send(1);
        rig.feedAck(Mid.SINK_AVAIL, 64, mseq - 2, 0, sinkAvail(100_000, 7));
        rig.assertAlive();
        rig.feed(Mid.DATA, 64, 0);
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 8)); // the counters are equal again
        lendSource(3, 1000);
        assertTrue(rig.row(Outbox.RDMA_WRITE) >= 0);

        Rig sink = new Rig(CONFIG, 64, 0, 0);
        sink.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        sink.machine.sink().lend(5, 100_000, 0, 0, true, sink.out);
        sink.feed(Mid.DATA, 64, 1); // uses it up
        sink.feed(Mid.MODE_CHANGE, 64, 0, Mch.COMBINED << 28);
        sink.feed(Mid.DATA, 64, 1);
        sink.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        sink.consumed();
        sink.consumed();
        sink.machine.sink().lend(6, 100_000, 0, 0, true, sink.out);
        MemorySegment m = sink.message();
        assertEquals(1, SnkAh.nonDiscards(m, Bsdh.BYTES));
    }

    /** The four legal ways, by our own wish, and the one that only the Sink can lead. */
    @Test
    void modesAreChangedOneStepAtATime() {
        rig.out.clear();
        rig.machine.source().changeMode(Mch.PIPELINED, rig.out);
        assertEquals(0x20, extension(rig, rowOf(Mid.MODE_CHANGE)) >>> 24);
        rig.feed(Mid.DATA, 64, 0);
        rig.out.clear();
        rig.machine.source().changeMode(Mch.BUFFERED, rig.out);
        assertEquals(0x10, extension(rig, rowOf(Mid.MODE_CHANGE)) >>> 24);
        assertEquals(1, rig.mids().size(), "no other change before the acknowledgement");
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(0x00, extension(rig, rowOf(Mid.MODE_CHANGE)) >>> 24);
        assertFalse(lendSource(3, 100_000), "Buffered");
        rig.feed(Mid.SINK_AVAIL, 64, 0, sinkAvail(100_000, 0));
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);

        Rig sink = new Rig(CONFIG, 64, 0, 0);
        sink.feed(Mid.MODE_CHANGE, 64, 0, Mch.BUFFERED << 28);
        sink.out.clear();
        sink.machine.sink().leaveBuffered(sink.out);
        assertEquals(0x90, extension(sink, sink.row(Outbox.CONTROL)) >>> 24);
        assertEquals(Mch.COMBINED, sink.machine.sink().mode());
    }

    @ParameterizedTest
    @ValueSource(longs = {70_000, 65_535, 65_534, 10})
    void s31(long ahead) {
        rig.out.clear();
        rig.machine.source().announceUrgent(ahead, rig.out);
        boolean pending = false;
        for (long left = ahead; ; ) {
            for (int i = 0; i < rig.out.size(); i++) {
                if (rig.out.kind(i) <= Outbox.CONTROL
                        && (rig.out.bsdhFlags(i) & Bsdh.OOB_PEND) != 0) {
                    assertFalse(pending, "exactly once");
                    pending = true;
                    assertTrue(left + rig.out.bytes(i) + 1 <= 65_535, "left " + left);
                }
            }
            assertEquals(left < 65_535, pending);
            if (left == 0) {
                break;
            }
            int bytes = (int) Math.min(left, 10_000);
            left -= bytes;
            rig.send(bytes);
        }
        rig.machine.reserve();
        rig.out.clear();
        rig.machine.send(0, 1, true, rig.out);
        assertEquals(Bsdh.OOB_PRES, rig.out.bsdhFlags(0));
    }

    @Test
    void s32() {
        Rig poor = new Rig(CONFIG, 2, 0, 0);
        poor.out.clear();
        poor.machine.source().announceUrgent(0, poor.out);
        assertEquals(List.of(Mid.DATA), poor.mids());
        assertEquals(Bsdh.OOB_PEND, poor.out.bsdhFlags(0));
        assertFalse(poor.machine.reserve());
        poor.feed(Mid.DATA, 3, 0);
        assertTrue(poor.machine.reserve());
        poor.out.clear();
        poor.machine.send(0, 1, true, poor.out);
        assertEquals(Bsdh.OOB_PRES, poor.out.bsdhFlags(0));
    }

    /** The first word of an urgent byte wakes, on whatever message it comes. */
    @Test
    void urgentIsAnnounced() {
        rig.feed("FF 02 00 40 00 00 00 10 00 00 00 01 00 00 00 00");
        assertEquals(Outbox.URGENT, rig.out.flags(rig.row(Outbox.WAKE)));
    }

    private static Rig resizable() {
        Features f = Features.NONE.withReceiveBytes(4096, 65_552);
        return new Rig(new WireConfig(10, 16_400, Integer.MAX_VALUE, 16, 4, 4, f), 64, 0, 0);
    }

    @Test
    void s33() {
        Rig responder = resizable();
        responder.feed(Mid.CH_RCV_BUF, 64, 0, 65_552);
        int resize = responder.row(Outbox.RESIZE);
        assertEquals(65_552, responder.out.bytes(resize));
        assertTrue(resize < responder.row(Outbox.REPOST), "big ones are posted at once");
        for (int i = 0; i < 8; i++) {
            responder.feed(Mid.DATA, 64, 16_384);
            assertFalse(responder.mids().contains(Mid.CH_RCV_BUF_ACK), "old ones are in front");
            responder.consumed();
            assertFalse(responder.mids().contains(Mid.CH_RCV_BUF_ACK));
        }
        responder.feed(Mid.DATA, 64, 16_384);
        assertTrue(responder.mids().contains(Mid.CH_RCV_BUF_ACK));
        responder.consumed();
        responder.feed(Mid.DATA, 64, 65_536);
        responder.assertAlive();

        rig.out.clear();
        assertTrue(rig.machine.source().askReceiveBytes(65_552, rig.out));
        assertEquals(List.of(Mid.CH_RCV_BUF), rig.mids());
        assertEquals(16_384, rig.machine.maxPayload());
        assertFalse(rig.machine.source().askReceiveBytes(70_000, rig.out), "one at a time");
        rig.feed(Mid.CH_RCV_BUF_ACK, 64, 0, 65_552);
        assertEquals(65_536, rig.machine.maxPayload());
    }

    /** A smaller size binds the requester at once and is acknowledged at once. */
    @Test
    void s33smaller() {
        rig.out.clear();
        assertTrue(rig.machine.source().askReceiveBytes(8192, rig.out));
        assertEquals(8176, rig.machine.maxPayload());
        rig.feed(Mid.CH_RCV_BUF_ACK, 64, 0, 10_000);
        assertEquals(9984, rig.machine.maxPayload());
        Rig responder = resizable();
        responder.feed(Mid.CH_RCV_BUF, 64, 0, 2048);
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), responder.mids());
        assertEquals(4096, responder.out.bytes(responder.row(Outbox.RESIZE)));
        responder.feed(Mid.DATA, 64, 4081);
        responder.assertViolation(AbortReason.MESSAGE_TOO_LONG);
    }

    @Test
    void s34() {
        rig.out.clear(); // accepting: ours stands
        rig.machine.source().askReceiveBytes(65_552, rig.out);
        rig.feedAck(Mid.CH_RCV_BUF, 64, 0, 0, 4096);
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.CH_RCV_BUF_ACK, 64, 0, 65_552);
        assertEquals(65_536, rig.machine.maxPayload());

        Resizing connecting = new Resizing(CONFIG); // answers, and may ask again
        connecting.onPeerBytes(16_400);
        connecting.want(8192);
        connecting.onRequestSent(1);
        connecting.onRequest(65_552, true, 0, 10, rig.out);
        assertTrue(connecting.answerDue());
        assertEquals(16_400, connecting.peerBytes());
        assertTrue(connecting.want(8192));
        assertEquals(AbortReason.UNEXPECTED_ANSWER, connecting.onAnswer(8192));
    }

    @Test
    void s35() {
        rig.out.clear();
        rig.machine.source().askReceiveBytes(65_552, rig.out);
        rig.feed(Mid.CH_RCV_BUF_ACK, 64, 0, 16_400);
        assertFalse(rig.machine.source().askReceiveBytes(65_552, rig.out));
        assertTrue(rig.machine.source().askReceiveBytes(8192, rig.out), "the other way is open");
        rig.feed(Mid.CH_RCV_BUF_ACK, 64, 0, 20);
        rig.assertViolation(AbortReason.BAD_SIZE);
    }

    @Test
    void s42() {
        assertTrue(lendSource(3, 100_000));
        assertTrue(lendSink(5, 1000));
        rig.out.clear();
        rig.machine.onQpError(rig.out);
        assertSourceReturned(3, 1, Outbox.CUT);
        assertSinkReturned(5, 0);
        assertTrue(rig.row(Outbox.ABORT) < rig.row(Outbox.SOURCE_RETURNED));
        assertEquals(0, rig.machine.source().lent() + rig.machine.sink().lent());
    }

    @Test
    void s48() {
        rig.out.clear();
        rig.machine.onKeepAlive(rig.out); // takes note
        rig.out.clear();
        int lastSent = rig.machine.credits().lastSent();
        for (int i = 0; i < 3; i++) {
            rig.machine.onKeepAlive(rig.out);
            assertEquals(1, rig.out.size());
            assertEquals(Outbox.KEEP_ALIVE, rig.out.kind(0));
            rig.out.clear();
        }
        assertEquals(lastSent, rig.machine.credits().lastSent());
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
        asked.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1000));
        asked.feed(Mid.SUSP_COMM, 64, 0, 0, 0x11F90);
        assertEquals(List.of(), asked.mids(), "a read is running");
        assertFalse(asked.machine.reserve());
        asked.out.clear();
        asked.machine.sink().onReadsCompleted(1, asked.out);
        assertEquals(List.of(Mid.RDMA_RD_COMPL, Mid.SUSP_COMM_ACK), asked.mids());
        asked.complete(Mid.SUSP_COMM_ACK);
        assertEquals(8080, asked.out.port(asked.row(Outbox.SUSPENDED)));
        assertTrue(asked.row(Outbox.DISCONNECT) >= 0);
        assertEquals(State.SUSPENDED, asked.machine.state());
        assertTrue(asked.machine.closed());
        assertFalse(asked.machine.reset() || asked.machine.eof());
    }

    /** The side that asks: says nothing more, and rests when it is answered. */
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
        assertEquals(8080, asking.out.port(asking.row(Outbox.SUSPENDED)));
        int row = asking.row(Outbox.SOURCE_RETURNED);
        assertEquals(1000, asking.out.bytesDone(row));
        assertEquals(Outbox.RECALLED, asking.out.outcome(row));
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
        assertEquals(8080, accepting.out.port(accepting.row(Outbox.SUSPENDED)));
        Resting connecting = new Resting();
        connecting.want(8081);
        connecting.onRequestSent();
        assertTrue(connecting.onRequest(8080, true));
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

    /** Payload of a SinkAvail belongs to the other half and is delivered whatever becomes of it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 9})
    void transaction(int nonDiscards) {
        pipelineSource();
        rig.feed(Mid.SINK_AVAIL, 64, 3, sinkAvail(65_536, nonDiscards));
        assertEquals(3, rig.out.bytes(rig.row(Outbox.DELIVER)));
        assertEquals(36, rig.out.offset(rig.row(Outbox.DELIVER)));
        rig.assertAlive();
        lendSource(3, 100);
        assertEquals(nonDiscards == 0, rig.row(Outbox.RDMA_WRITE) >= 0);
    }

    /** Advertisements of both halves together stay within what the peer can keep track of. */
    @Test
    void maxAdverts() {
        pipelineSource();
        Rig one = new Rig(new WireConfig(32, 16_400, Integer.MAX_VALUE, 2, 4, 4, ZCOPY), 64, 0, 0);
        one.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        for (int i = 0; i < 2; i++) {
            one.feed(Mid.SRC_AVAIL, 64, 0, srcAvail(100_000));
        }
        one.assertAlive();
        one.feed(Mid.SRC_AVAIL, 64, 0, srcAvail(100_000));
        one.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
        int adverts = 0;
        for (int i = 0; i < 8; i++) {
            assertTrue(lendSource(i, 100_000));
            adverts += rig.mids().size();
        }
        assertFalse(lendSource(9, 100_000), "no more than the shell said");
        assertEquals(8, adverts);
    }

    /** A peer that wants everything as Data is known by it. */
    @Test
    void refusalsAreCounted() {
        for (int i = 1; i <= 3; i++) {
            assertTrue(lendSource(i, 1000));
            rig.feed(Mid.SEND_SM, 64, 0);
            rig.send(999);
            assertEquals(i, rig.machine.source().refusals());
        }
        rig.feed(Mid.SEND_SM, 64, 0); // stale
        rig.assertAlive();
    }

    /** Several buffers lent: the half is pipelined, unless the peer tracks one advertisement. */
    @Test
    void pipelinesByItself() {
        lendSource(3, 100_000);
        assertEquals(List.of(Mid.SRC_AVAIL), rig.mids());
        lendSource(4, 100_000);
        assertEquals(List.of(Mid.MODE_CHANGE, Mid.SRC_AVAIL), rig.mids());
        assertEquals(0, rig.out.bytes(rowOf(Mid.SRC_AVAIL)));
    }

    /** Unread offers at close are unread data (12.2). */
    @Test
    void closeWithUnreadOffer() {
        pipelineSink();
        rig.feed(Mid.SRC_AVAIL, 64, 0, srcAvail(1000));
        assertEquals(Outbox.READABLE, rig.out.flags(rig.row(Outbox.WAKE)));
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

    /** RdmaRdCompl and RdmaWrCompl for what was never advertised. */
    @Test
    void unexpectedCompletions() {
        for (int mid : new int[] {Mid.RDMA_RD_COMPL, Mid.RDMA_WR_COMPL}) {
            Rig fresh = new Rig(CONFIG, 64, 0, 0);
            fresh.feed(mid, 64, 0, 100);
            fresh.assertViolation(AbortReason.UNEXPECTED_ANSWER);
        }
        pipelineSink();
        lendSink(5, 100_000);
        rig.feed(Mid.RDMA_WR_COMPL, 64, 0, 100_001);
        rig.assertViolation(AbortReason.BAD_COMPLETION);
    }

    /** Payload past a SrcAvail that nobody asked to have as Data (7.2). */
    @Test
    void dataPastAnOffer() {
        rig.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1000));
        rig.feed(Mid.DATA, 64, 1);
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }
}
