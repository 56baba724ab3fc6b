package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The encodings of docs/protocol.md 19.A, in both directions, and what their receipt causes. */
class VectorTest extends VectorRig {
    @Test
    void v01() {
        String hex = "FF 00 00 40 00 00 00 15 00 00 00 01 00 00 00 00 68 65 6C 6C 6F";
        plain(hex, Mid.DATA, 0, 64, 21, 1, 0);
        payload("hello");
        assertWritten(hex);
        Rig rig = rig(0, 0);
        rig.feed(hex);
        int row = rig.row(ActionList.DELIVER);
        assertEquals(5, rig.out.row(row).bytes);
        assertEquals(16, rig.out.row(row).offset);
        assertEquals(7, rig.out.row(row).slot);
        assertEquals(64, rig.machine.credit());
    }

    @Test
    void v02() {
        String hex = "FF 00 00 30 00 00 00 10 00 00 10 02 00 00 0A 00";
        plain(hex, Mid.DATA, 0, 48, 16, 0x1002, 0xA00);
        assertWritten(hex);
        Rig rig = rig(0xA00, 0x1001);
        rig.feed(hex);
        assertEquals(-1, rig.row(ActionList.DELIVER));
        assertEquals(48, rig.machine.credit());
    }

    private static final String V09 =
            "FE 00 00 3C 00 00 00 21 00 00 00 05 00 00 00 02"
                    + "00 02 00 00 11 22 33 44 00 00 7F 00 12 34 56 78 41";

    @Test
    void v09() {
        MemorySegment m = read(V09, Mid.SRC_AVAIL, 0, 60, 33, 5, 2);
        assertEquals(131_072, SrcAh.len(m, 16));
        assertEquals(0x1122_3344, SrcAh.rkey(m, 16));
        assertEquals(0x7F00_1234_5678L, SrcAh.va(m, 16));
        bsdh(Mid.SRC_AVAIL, 0, 60, 33, 5, 2);
        SrcAh.write(to, AT + 16, 131_072, 0x1122_3344, 0x7F00_1234_5678L);
        payload("A");
        assertWritten(V09);
        Rig combined = rig(2, 4);
        combined.feed(V09);
        combined.assertAlive();
        int row = combined.row(ActionList.DELIVER);
        assertEquals(1, combined.out.row(row).bytes);
        assertEquals(32, combined.out.row(row).offset);
        assertEquals(List.of(Mid.SEND_SM), combined.mids());
        Rig pipelined = pipelined(2, 5);
        pipelined.feed(V09);
        pipelined.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    @Test
    void v10() {
        String hex =
                "FE 00 00 3C 00 00 00 20 00 00 00 09 00 00 00 04"
                        + "00 10 00 00 A1 B2 C3 D4 00 00 00 00 00 00 10 00";
        MemorySegment m = read(hex, Mid.SRC_AVAIL, 0, 60, 32, 9, 4);
        assertEquals(1_048_576, SrcAh.len(m, 16));
        assertEquals(0xA1B2_C3D4, SrcAh.rkey(m, 16));
        assertEquals(0x1000, SrcAh.va(m, 16));
        bsdh(Mid.SRC_AVAIL, 0, 60, 32, 9, 4);
        SrcAh.write(to, AT + 16, 1_048_576, 0xA1B2_C3D4, 0x1000);
        assertWritten(hex);
        Rig pipelined = pipelined(4, 9);
        pipelined.feed(hex);
        pipelined.assertAlive();
        assertEquals(List.of(Mid.SEND_SM), pipelined.mids());
        Rig combined = rig(4, 8);
        combined.feed(hex);
        combined.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    @Test
    void v11() {
        String hex =
                "FD 00 00 3A 00 00 00 24 00 00 00 07 00 00 00 09"
                        + "00 04 00 00 55 66 77 88 00 00 7F AA 00 00 00 00 00 00 00 03";
        MemorySegment m = read(hex, Mid.SINK_AVAIL, 0, 58, 36, 7, 9);
        assertEquals(262_144, SrcAh.len(m, 16));
        assertEquals(0x5566_7788, SrcAh.rkey(m, 16));
        assertEquals(0x7FAA_0000_0000L, SrcAh.va(m, 16));
        assertEquals(3, SnkAh.nonDiscards(m, 16));
        bsdh(Mid.SINK_AVAIL, 0, 58, 36, 7, 9);
        SnkAh.write(to, AT + 16, 262_144, 0x5566_7788, 0x7FAA_0000_0000L, 3);
        assertWritten(hex);
        Rig combined = rig(9, 6); // we never change our send half to Pipelined
        combined.feed(hex);
        combined.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    @Test
    void v12() {
        String hex =
                "FD 00 00 3A 00 00 00 27 00 00 00 08 00 00 00 09"
                        + "00 01 00 00 00 00 BE EF 00 00 00 00 00 20 00 01 00 00 00 04 47 45 54";
        MemorySegment m = read(hex, Mid.SINK_AVAIL, 0, 58, 39, 8, 9);
        assertEquals(65_536, SrcAh.len(m, 16));
        assertEquals(0xBEEF, SrcAh.rkey(m, 16));
        assertEquals(0x200001, SrcAh.va(m, 16));
        assertEquals(4, SnkAh.nonDiscards(m, 16));
        bsdh(Mid.SINK_AVAIL, 0, 58, 39, 8, 9);
        SnkAh.write(to, AT + 16, 65_536, 0xBEEF, 0x200001, 4);
        payload("GET");
        assertWritten(hex);
    }

    @Test
    void v13a() {
        String hex = "06 04 00 3D 00 00 00 14 00 00 00 0A 00 00 00 09 00 01 FF FF";
        plain(hex, Mid.RDMA_RD_COMPL, Bsdh.REQ_PIPE, 61, 20, 10, 9);
        assertEquals(131_071, MemorySegment.ofArray(Rig.bytes(hex)).get(Wire.INT, 16));
        to.set(Wire.INT, AT + 16, 131_071);
        assertWritten(hex);
        Rig rig = rig(9, 9);
        rig.feed(hex);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER); // nothing of ours is advertised
    }

    @Test
    void v13b() {
        String hex = "06 00 00 3D 00 00 00 14 00 00 00 0A 00 00 00 09 00 01 FF FF";
        plain(hex, Mid.RDMA_RD_COMPL, 0, 61, 20, 10, 9);
        to.set(Wire.INT, AT + 16, 131_071);
        assertWritten(hex);
    }

    @Test
    void v14() {
        String hex = "05 00 00 3D 00 00 00 14 00 00 00 0B 00 00 00 07 00 04 00 00";
        plain(hex, Mid.RDMA_WR_COMPL, 0, 61, 20, 11, 7);
        assertEquals(262_144, MemorySegment.ofArray(Rig.bytes(hex)).get(Wire.INT, 16));
        to.set(Wire.INT, AT + 16, 262_144);
        assertWritten(hex);
        Rig rig = rig(7, 10);
        rig.feed(hex);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }

    private void modeChange(String firstByte, boolean sendHalf, int mode) {
        String hex = "07 00 00 3C 00 00 00 14 00 00 00 0C 00 00 00 09 " + firstByte + " 00 00 00";
        MemorySegment m = read(hex, Mid.MODE_CHANGE, 0, 60, 20, 12, 9);
        assertEquals(sendHalf, Mch.sendHalf(m, 16));
        assertEquals(mode, Mch.mode(m, 16));
        bsdh(Mid.MODE_CHANGE, 0, 60, 20, 12, 9);
        to.set(Wire.INT, AT + 16, (sendHalf ? 1 << 31 : 0) | (mode << 28));
        assertWritten(hex);
        Rig rig = rig(9, 11);
        rig.feed(hex);
        if (sendHalf || mode == Mch.COMBINED) {
            rig.assertViolation(AbortReason.BAD_MODE_CHANGE);
        } else {
            rig.assertAlive();
        }
    }

    @Test
    void v15a() {
        modeChange("20", false, Mch.PIPELINED);
    }

    @Test
    void v15b() {
        modeChange("10", false, Mch.COMBINED);
        Rig rig = pipelined(9, 12);
        rig.feed("07 00 00 3C 00 00 00 14 00 00 00 0C 00 00 00 09 10 00 00 00");
        rig.assertAlive();
    }

    @Test
    void v15c() {
        modeChange("00", false, Mch.BUFFERED);
    }

    @Test
    void v15d() {
        modeChange("90", true, Mch.COMBINED);
    }

    private Rig bare(String hex, int mid, int mseq) {
        plain(hex, mid, 0, 62, 16, mseq, 12);
        assertWritten(hex);
        Rig rig = rig(12, mseq - 1);
        rig.feed(hex);
        return rig;
    }

    @Test
    void v16a() {
        bare("04 00 00 3E 00 00 00 10 00 00 00 0D 00 00 00 0C", Mid.SEND_SM, 13).assertAlive();
    }

    @Test
    void v16b() {
        Rig rig = bare("02 00 00 3E 00 00 00 10 00 00 00 0E 00 00 00 0C", Mid.DISCONN, 14);
        assertTrue(rig.machine.eof());
        assertEquals(State.PEER_FIN, rig.machine.state());
    }

    @Test
    void v16c() {
        String hex = "03 00 00 3E 00 00 00 10 00 00 00 0F 00 00 00 0C";
        bare(hex, Mid.ABORT_CONN, 15).assertViolation(AbortReason.ILLEGAL_IN_STATE);
        Rig rig = rig(12, 13);
        rig.feed(Mid.DISCONN, 62, 0);
        assertTrue(rig.machine.eof());
        rig.feed(hex);
        assertTrue(rig.machine.reset());
        assertFalse(rig.machine.eof());
        assertEquals(AbortReason.PEER_ABORT, rig.machine.abortReason());
    }

    @Test
    void v16d() {
        Rig rig = bare("08 00 00 3E 00 00 00 10 00 00 00 10 00 00 00 0C", Mid.SRC_AVAIL_CANCEL, 16);
        rig.assertAlive();
        assertEquals(List.of(), rig.mids());
    }

    @Test
    void v16e() {
        Rig rig =
                bare("09 00 00 3E 00 00 00 10 00 00 00 11 00 00 00 0C", Mid.SINK_AVAIL_CANCEL, 17);
        rig.assertAlive();
        assertEquals(List.of(), rig.mids());
    }

    @Test
    void v16f() {
        bare("0A 00 00 3E 00 00 00 10 00 00 00 12 00 00 00 0C", Mid.SINK_CANCEL_ACK, 18)
                .assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }

    @Test
    void v16g() {
        bare("0E 00 00 3E 00 00 00 10 00 00 00 13 00 00 00 0C", Mid.SUSP_COMM_ACK, 19)
                .assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }

    @Test
    void v17a() {
        String hex = "0B 00 00 40 00 00 00 14 00 00 00 14 00 00 00 0F 00 01 00 00";
        MemorySegment m = read(hex, Mid.CH_RCV_BUF, 0, 64, 20, 20, 15);
        assertEquals(65_536, m.get(Wire.INT, 16));
        bsdh(Mid.CH_RCV_BUF, 0, 64, 20, 20, 15);
        to.set(Wire.INT, AT + 16, 65_536);
        assertWritten(hex);
        Rig rig = rig(15, 19);
        rig.feed(hex);
        MemorySegment answer = rig.message();
        assertEquals(Mid.CH_RCV_BUF_ACK, Bsdh.mid(answer, 0));
        assertEquals(16_400, answer.get(Wire.INT, 16));
        assertEquals(20, Bsdh.mseqAck(Bsdh.second(answer, 0)));
        assertEquals(20, Bsdh.len(answer, 0));
    }

    @Test
    void v17b() {
        String hex = "0C 00 00 40 00 00 00 14 00 00 00 10 00 00 00 14 00 01 00 00";
        MemorySegment m = read(hex, Mid.CH_RCV_BUF_ACK, 0, 64, 20, 16, 20);
        assertEquals(65_536, m.get(Wire.INT, 16));
        bsdh(Mid.CH_RCV_BUF_ACK, 0, 64, 20, 16, 20);
        to.set(Wire.INT, AT + 16, 65_536);
        assertWritten(hex);
        Rig rig = rig(20, 15);
        rig.feed(hex);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER); // we never ask
    }

    @Test
    void v18() {
        String hex = "0D 00 00 40 00 00 00 18 00 00 00 15 00 00 00 10 00 00 00 00 00 01 1F 90";
        MemorySegment m = read(hex, Mid.SUSP_COMM, 0, 64, 24, 21, 16);
        assertTrue(SuspCh.legal(m, 16));
        assertEquals(8080, SuspCh.port(m, 16));
        bsdh(Mid.SUSP_COMM, 0, 64, 24, 21, 16);
        SuspCh.write(to, AT + 16, 8080);
        assertWritten(hex);
    }

    @Test
    void v19() {
        String hex = "FF 03 00 28 00 00 00 14 00 00 00 16 00 00 00 10 61 62 63 21";
        plain(hex, Mid.DATA, Bsdh.OOB_PRES | Bsdh.OOB_PEND, 40, 20, 22, 16);
        payload("abc!");
        assertWritten(hex);
        Rig rig = rig(16, 21);
        rig.feed(hex);
        int row = rig.row(ActionList.DELIVER);
        assertEquals(4, rig.out.row(row).bytes);
        assertEquals(Bsdh.OOB_PRES | Bsdh.OOB_PEND, rig.out.row(row).flags);
    }

    /** The urgent byte in the other direction: our message has both flags. */
    @Test
    void v19sent() {
        Rig rig = new Rig();
        assertTrue(rig.machine.reserve());
        rig.machine.send(2, 4, true, rig.out);
        assertEquals(Bsdh.OOB_PRES | Bsdh.OOB_PEND, Bsdh.flags(Bsdh.first(rig.message(), 0)));
        assertEquals(ActionList.SOLICITED, rig.out.row(rig.row(ActionList.SEND)).flags);
    }

    @Test
    void v20() {
        String hex = "FF 00 FF FF 00 00 00 10 00 00 00 00 FF FF FF FF";
        plain(hex, Mid.DATA, 0, 65_535, 16, 0, -1);
        assertWritten(hex);
        Rig rig = rig(-1, -1);
        rig.feed(hex);
        rig.assertAlive();
        assertEquals(65_535, rig.machine.credit());
    }
}
