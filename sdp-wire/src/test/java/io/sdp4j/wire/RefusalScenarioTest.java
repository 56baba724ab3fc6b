package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The scenarios of docs/protocol.md 19.B that concern what is refused, at set-up and later, one
 * test per number.
 */
class RefusalScenarioTest {
    @Test
    void s43() {
        Rig rig = new Rig(0);
        assertEquals(State.ESTABLISHED, rig.machine.state());
        assertFalse(rig.machine.reserve());
        rig.feed(Mid.CH_RCV_BUF, 0, 0, 4096);
        assertEquals(List.of(), rig.mids(), "nothing at credit 0, not even an answer");
        rig.feed(Mid.DATA, 16, 0);
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), rig.mids());
        assertTrue(rig.machine.reserve());
    }

    @Test
    void s44() {
        MemorySegment m = MemorySegment.ofArray(new byte[Hello.SHORT_BYTES]);
        Hello.writeShort(m, 0, 64, 16, 16_400, 16_400, 4, 4);
        m.set(Wire.BYTE, 16, (byte) 0x17);
        SdpMachine machine = SdpMachine.accepting(Rig.CONFIG);
        assertEquals(HelloFault.NONE, machine.onHello(m, 0, Hello.SHORT_BYTES));
        machine.writeHelloAck(m, 0);
        assertEquals(1, Hello.majorVersion(m, 0));
        assertEquals(1, Hello.minorVersion(m, 0));
    }

    /**
     * The refusal itself is the shell's, as {@code RefusedHelloTest} tries it: a Hello refused
     * leaves nothing behind in the machine.
     */
    @Test
    void s45() {
        MemorySegment m = MemorySegment.ofArray(new byte[Hello.IB_BYTES]);
        SdpMachine machine = SdpMachine.accepting(Rig.CONFIG);
        Hello.writeShort(m, 0, 32, 0, 16_400, 16_400, 4, 4);
        assertEquals(HelloFault.NO_ADVERTS, machine.onHello(m, 0, Hello.SHORT_BYTES));
        assertEquals(State.CLOSED, machine.state());
        assertEquals(0, machine.credit());
        ActionList out = new ActionList();
        machine.close(false, false, out);
        assertTrue(machine.closed());
        assertEquals(-1, Rig.indexOf(out, ActionList.ABORT));
    }

    /** The machine of a connect that is refused: nothing to release, and nothing more to do. */
    @Test
    void s46() {
        MemorySegment m = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
        ActionList out = new ActionList();
        SdpMachine machine = SdpMachine.connecting(Rig.CONFIG);
        machine.writeHello(m, 0);
        machine.onDisconnected(out);
        assertTrue(machine.closed() && machine.reset());
        assertEquals(1, out.size(), () -> ActionText.of(out));
        assertEquals(ActionList.WAKE, out.row(0).kind);
        HelloAck.writeShort(m, 0, 32, 16, 16_400, 4, 4);
        assertEquals(HelloFault.WRONG_TIME, machine.onHelloAck(m, 0, HelloAck.SHORT_BYTES));
        assertFalse(machine.reserve());
    }

    @Test
    void s49() {
        Rig rig = new Rig();
        rig.feed(Mid.SUSP_COMM, 64, 0, 1, 0x1F90);
        rig.assertViolation(AbortReason.SUSPEND_UNSUPPORTED);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x0F, 0x22, 0x3F, 0x80, 0xFC})
    void s50(int reserved) {
        Rig rig = new Rig();
        rig.feed(reserved, 64, 0);
        rig.assertViolation(AbortReason.RESERVED_MID);
        assertFalse(rig.machine.eof());
    }

    /** Experimental messages cost a buffer and nothing else (2.13). */
    @Test
    void experimentalMessagesAreDropped() {
        Rig rig = new Rig();
        rig.feed(0x40, 64, 5);
        rig.assertAlive();
        assertTrue(rig.row(ActionList.REPOST) >= 0);
        assertEquals(-1, rig.row(ActionList.DELIVER));
    }

    /** Checks of 2.13 before a message means anything. */
    @Test
    void receiveValidation() {
        assertFault("FF 00 00 40 00 00 00 10 00 00 00 01 00 00 00", AbortReason.SHORT_MESSAGE);
        assertFault("FF 00 00 40 00 00 00 11 00 00 00 01 00 00 00 00", AbortReason.BAD_LENGTH);
        assertFault("FF 00 00 40 00 00 00 10 00 00 00 02 00 00 00 00", AbortReason.MSEQ_GAP);
        assertFault("FF 00 00 40 00 00 00 10 00 00 00 00 00 00 00 00", AbortReason.MSEQ_GAP);
        assertFault("FF 00 00 40 00 00 00 10 00 00 00 01 00 00 00 01", AbortReason.BAD_ACK);
        assertFault("FF 00 00 40 00 00 00 10 00 00 00 01 FF FF FF FF", AbortReason.BAD_ACK);
        assertFault(
                "06 00 00 40 00 00 00 10 00 00 00 01 00 00 00 00", AbortReason.TRUNCATED_HEADER);
        assertFault(
                "02 00 00 40 00 00 00 11 00 00 00 01 00 00 00 00 00",
                AbortReason.UNEXPECTED_PAYLOAD);
        assertFault("FF 01 00 40 00 00 00 10 00 00 00 01 00 00 00 00", AbortReason.BAD_URGENT_FLAG);
        assertFault("04 01 00 40 00 00 00 10 00 00 00 01 00 00 00 00", AbortReason.BAD_URGENT_FLAG);
        assertFault(
                "00 00 00 40 00 00 00 10 00 00 00 01 00 00 00 00", AbortReason.ILLEGAL_IN_STATE);
        assertFault(
                "01 00 00 40 00 00 00 10 00 00 00 01 00 00 00 00", AbortReason.ILLEGAL_IN_STATE);
        Rig rig = new Rig();
        rig.feed(Mid.DATA, 64, 16_400 - Bsdh.BYTES + 1);
        rig.assertViolation(AbortReason.MESSAGE_TOO_LONG);
        Rig empty = new Rig();
        empty.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(0));
        empty.assertViolation(AbortReason.BAD_ADVERTISEMENT);
        Rig huge = new Rig();
        huge.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail((1 << 31) + 1));
        huge.assertViolation(AbortReason.BAD_ADVERTISEMENT);
        Rig largest = new Rig();
        largest.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1 << 31));
        largest.assertAlive();
    }

    private static void assertFault(String hex, AbortReason reason) {
        Rig rig = new Rig();
        rig.feed(hex);
        rig.assertViolation(reason);
    }

    @Test
    void helloFaults() {
        assertHelloFault(HelloFault.SHORT, 4, 33); // Len beyond the data
        assertHelloFault(HelloFault.BAD_LENGTH, 4, 31);
        assertHelloFault(HelloFault.WRONG_MID, 0, 0x0100_0020);
        assertHelloFault(HelloFault.BAD_VERSION, 16, 0x2200_0010);
        assertHelloFault(HelloFault.NO_ADVERTS, 16, 0x1100_0000);
        assertHelloFault(HelloFault.BAD_RECEIVE_SIZE, 24, 36);
        assertHelloFault(HelloFault.BAD_RECEIVE_SIZE, 24, (1 << 31) + 1);
        assertHelloFault(HelloFault.NO_READ_DEPTH, 28, 0x0004_0000);
        assertHelloFault(HelloFault.NO_READ_DEPTH, 28, 0x0000_0004);
        assertHelloFault(HelloFault.NONE, 24, 37);
        assertHelloFault(HelloFault.NONE, 24, 1 << 31);
        MemorySegment m = MemorySegment.ofArray(new byte[Hello.IB_BYTES]);
        Hello.writeIb(m, 0, 4, 64, 16, 16_400, 16_400, 5001, 0, 1, 0, 2);
        assertEquals(HelloFault.BAD_LENGTH, Hello.check(m, 0, Hello.IB_BYTES));
        assertEquals(HelloFault.SHORT, Hello.check(m, 0, 15));
    }

    private static void assertHelloFault(HelloFault fault, int at, int word) {
        MemorySegment m = MemorySegment.ofArray(new byte[Hello.SHORT_BYTES]);
        Hello.writeShort(m, 0, 32, 16, 16_400, 16_400, 4, 4);
        m.set(Wire.INT, at, word);
        assertEquals(fault, Hello.check(m, 0, Hello.SHORT_BYTES));
    }
}
