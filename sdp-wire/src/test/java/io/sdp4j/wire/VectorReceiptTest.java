package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Effects of the vectors of docs/protocol.md 19.A where they are expected: the last column. */
class VectorReceiptTest {
    private static final String V11 =
            "FD 00 00 3A 00 00 00 24 00 00 00 07 00 00 00 09"
                    + "00 04 00 00 55 66 77 88 00 00 7F AA 00 00 00 00 00 00 00 03";
    private static final String V12 =
            "FD 00 00 3A 00 00 00 27 00 00 00 08 00 00 00 09"
                    + "00 01 00 00 00 00 BE EF 00 00 00 00 00 20 00 01 00 00 00 04 47 45 54";
    private static final String V14 = "05 00 00 3D 00 00 00 14 00 00 00 0B 00 00 00 07 00 04 00 00";
    private static final String V17B =
            "0C 00 00 40 00 00 00 14 00 00 00 10 00 00 00 14 00 01 00 00";
    private static final String V18 =
            "0D 00 00 40 00 00 00 18 00 00 00 15 00 00 00 10 00 00 00 00 00 01 1F 90";

    private static Rig rig(Features features, int lastSent, int lastReceived) {
        return new Rig(Rig.CONFIG.with(features), 64, lastSent, lastReceived);
    }

    /** A Source in Pipelined that has sent {@code p} messages with payload, the last 10. */
    private static Rig pipelinedSource(int p, int lastReceived) {
        Rig rig = rig(ZcopyRig.ZCOPY, 9 - p, lastReceived);
        rig.pipeline();
        for (int i = 0; i < p; i++) {
            rig.send(1);
        }
        assertEquals(p, rig.machine.send.offers.p);
        return rig;
    }

    private static void assertUsed(Rig rig, boolean used) {
        rig.out.clear();
        assertTrue(rig.machine.source().lend(3, 1000, 1, 2, rig.out));
        assertEquals(used, rig.row(ActionList.RDMA_WRITE) >= 0);
        assertEquals(!used, rig.mids().contains(Mid.SRC_AVAIL));
    }

    @ParameterizedTest
    @CsvSource({"3, true", "4, false"})
    void v11(int p, boolean used) {
        Rig rig = pipelinedSource(p, 6);
        rig.feed(V11);
        rig.assertAlive();
        assertEquals(3, rig.machine.send.offers.p);
        assertUsed(rig, used);
        if (used) {
            int row = rig.row(ActionList.RDMA_WRITE);
            assertEquals(0x5566_7788, rig.out.row(row).rkey);
            assertEquals(0x7FAA_0000_0000L, rig.out.row(row).remoteAddress);
        }
    }

    @ParameterizedTest
    @CsvSource({"4, true", "5, false"})
    void v12(int p, boolean used) {
        Rig rig = pipelinedSource(p, 7);
        rig.feed(V12);
        rig.assertAlive();
        int row = rig.row(ActionList.DELIVER);
        assertEquals(3, rig.out.row(row).bytes);
        assertEquals(36, rig.out.row(row).offset);
        assertUsed(rig, used);
    }

    /** The hint towards Pipelined is no more than that. */
    @ParameterizedTest
    @ValueSource(strings = {"04", "00"})
    void v13(String flags) {
        Rig rig = rig(ZcopyRig.ZCOPY, 8, 9);
        assertTrue(rig.machine.source().lend(3, 131_072, 1, 2, rig.out));
        assertEquals(9, rig.machine.credits.lastSent());
        rig.feed("06 " + flags + " 00 3D 00 00 00 14 00 00 00 0A 00 00 00 09 00 01 FF FF");
        rig.assertAlive();
        int row = rig.row(ActionList.SOURCE_RETURNED);
        assertEquals(3, rig.out.row(row).buffer);
        assertEquals(131_072, rig.out.row(row).bufferOffset);
        assertEquals(ActionList.DONE, rig.out.row(row).outcome);
        assertFalse(rig.machine.send.pipelined());
    }

    @Test
    void v14() {
        Rig rig = rig(ZcopyRig.ZCOPY, 6, 9);
        rig.feed(Mid.MODE_CHANGE, 61, 0, Mch.PIPELINED << 28);
        assertTrue(rig.machine.sink().lend(5, 262_144, 0x5566_7788, 7, true, rig.out));
        assertEquals(7, rig.machine.credits.lastSent());
        rig.feed(V14);
        rig.assertAlive();
        int row = rig.row(ActionList.SINK_RETURNED);
        assertEquals(5, rig.out.row(row).buffer);
        assertEquals(262_144, rig.out.row(row).bufferOffset);
    }

    @Test
    void v17b() {
        Rig rig = rig(Features.NONE, 20, 15);
        rig.feed(V17B);
        rig.assertViolation(AbortReason.UNEXPECTED_ANSWER);
    }

    @Test
    void v18() {
        Rig rig = rig(Features.NONE.withSuspending(), 16, 20);
        rig.feed(V18);
        rig.assertAlive();
        assertEquals(List.of(Mid.SUSP_COMM_ACK), rig.mids());
        rig.complete(Mid.SUSP_COMM_ACK);
        assertEquals(8080, rig.out.row(rig.row(ActionList.SUSPENDED)).port);
        Rig unable = rig(Features.NONE, 16, 20);
        unable.feed(V18);
        unable.assertViolation(AbortReason.SUSPEND_UNSUPPORTED);
    }
}
