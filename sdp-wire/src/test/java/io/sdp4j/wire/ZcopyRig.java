package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** A {@link Rig} whose shell lends buffers, for the scenarios that need zero copy or modes. */
abstract class ZcopyRig {
    static final Features ZCOPY = Features.NONE.withZcopy(8, 65_536);

    static final WireConfig CONFIG = Rig.CONFIG.with(ZCOPY);

    static final int[] TO_PIPELINED = {Mch.PIPELINED << 28};

    final Rig rig = new Rig(CONFIG, 64, 0, 0);

    static int[] sinkAvail(int len, int nonDiscards) {
        return new int[] {len, 0x22, 0, 0x2000, nonDiscards};
    }

    boolean lendSource(int buffer, long lenBytes) {
        rig.out.clear();
        return rig.machine.source().lend(buffer, lenBytes, 0x33, 0x7000, rig.out);
    }

    boolean lendSink(int buffer, long lenBytes) {
        rig.out.clear();
        return rig.machine.sink().lend(buffer, lenBytes, 0x44, 0x9000, true, rig.out);
    }

    void readsCompleted(int count) {
        rig.out.clear();
        rig.machine.sink().onReadsCompleted(count, rig.out);
    }

    void writesCompleted(int count) {
        rig.out.clear();
        rig.machine.source().onWritesCompleted(count, rig.out);
    }

    /** Our send half in Pipelined, as asked by us and seen by the peer. */
    void pipelineSource() {
        rig.out.clear();
        rig.pipeline();
        assertEquals(List.of(Mid.MODE_CHANGE), rig.mids());
        rig.feed(Mid.DATA, 64, 0);
    }

    void pipelineSink() {
        rig.feed(Mid.MODE_CHANGE, 64, 0, TO_PIPELINED);
        assertEquals(Mch.PIPELINED, rig.machine.receive.mode());
    }

    void assertSourceReturned(int buffer, long done, int outcome) {
        int row = rig.row(ActionList.SOURCE_RETURNED);
        assertTrue(row >= 0, rig::actions);
        assertEquals(buffer, rig.out.row(row).buffer);
        assertEquals(done, rig.out.row(row).bufferOffset);
        assertEquals(outcome, rig.out.row(row).outcome);
    }

    void assertSinkReturned(int buffer, long done) {
        int row = rig.row(ActionList.SINK_RETURNED);
        assertTrue(row >= 0, rig::actions);
        assertEquals(buffer, rig.out.row(row).buffer);
        assertEquals(done, rig.out.row(row).bufferOffset);
    }

    int rowOf(int mid) {
        for (int i = 0; i < rig.out.size(); i++) {
            int kind = rig.out.row(i).kind;
            boolean message =
                    kind == ActionList.SEND
                            || kind == ActionList.CONTROL
                            || kind == ActionList.SEND_LENT;
            if (message && Bsdh.mid(rig.out.row(i).first) == mid) {
                return i;
            }
        }
        throw new AssertionError(Mid.name(mid) + " is not in " + rig.actions());
    }

    /** Bytes of the RDMA rows of a kind. */
    long rdmaBytes(int kind) {
        long bytes = 0;
        for (int i = 0; i < rig.out.size(); i++) {
            bytes += rig.out.row(i).kind == kind ? rig.out.row(i).bytes : 0;
        }
        return bytes;
    }

    static int extension(Rig rig, int row) {
        MemorySegment m = MemorySegment.ofArray(new byte[Bsdh.MAX_HEADER_BYTES]);
        rig.out.row(row).writeHeader(m, 0);
        return m.get(Wire.INT, Bsdh.BYTES);
    }

    int nonDiscards(int row) {
        MemorySegment m = MemorySegment.ofArray(new byte[Bsdh.MAX_HEADER_BYTES]);
        rig.out.row(row).writeHeader(m, 0);
        return SnkAh.nonDiscards(m, Bsdh.BYTES);
    }
}
