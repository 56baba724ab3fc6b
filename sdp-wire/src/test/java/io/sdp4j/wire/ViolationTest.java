package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Reports of a machine about a message with which the peer broke the protocol (13.2). */
class ViolationTest {
    private final Rig rig = new Rig();

    @Test
    void itIsToldWithItsNumbersAndTheState() {
        rig.feed(Mid.ABORT_CONN, 64, 0);
        rig.assertViolation(AbortReason.ILLEGAL_IN_STATE);
        assertEquals(
                new Violation(
                        AbortReason.ILLEGAL_IN_STATE, Mid.ABORT_CONN, 16, 16, 1, State.ESTABLISHED),
                rig.machine.violation());
        assertEquals(
                "ILLEGAL_IN_STATE: MID AbortConn, 16 bytes, Len 16, MSeq 1, state ESTABLISHED",
                rig.machine.violation().toString());
        assertTrue(rig.row(ActionList.VIOLATION) >= 0, rig::actions);
        assertTrue(rig.row(ActionList.VIOLATION) < rig.row(ActionList.ABORT), rig::actions);
    }

    /** After our DisConn the peer is told by AbortConn, and it is a violation all the same. */
    @Test
    void itIsToldAfterOurDisConnToo() {
        rig.machine.shutdownOutput(rig.out);
        rig.complete(Mid.DISCONN);
        rig.feed("FE 00 00 20 FF FF FF FF FF FF FF FF 00 00 00 00");
        assertEquals(State.ABORTING, rig.machine.state());
        assertTrue(rig.row(ActionList.VIOLATION) >= 0);
        assertEquals(
                "BAD_LENGTH: MID SrcAvail, 16 bytes, Len 4294967295, MSeq 4294967295,"
                        + " state FIN_SENT",
                rig.machine.violation().toString());
        rig.out.clear();
        rig.machine.onTimer(SdpMachine.TIMER_ABORT, rig.out);
        assertTrue(rig.row(ActionList.ABORT) >= 0);
        assertEquals(-1, rig.row(ActionList.VIOLATION), "once");
    }

    @Test
    void aMessageTooShortForNumbers() {
        rig.feed("FF 00 00");
        assertEquals(
                "SHORT_MESSAGE: MID Data, 3 bytes, state ESTABLISHED",
                rig.machine.violation().toString());
        Rig other = new Rig();
        other.feed("");
        assertEquals(
                "SHORT_MESSAGE: no MID, 0 bytes, state ESTABLISHED",
                other.machine.violation().toString());
    }

    @Test
    void aHelloIsNamedToo() {
        rig.feed("00 00 00 40 00 00 00 10 00 00 00 01 00 00 00 00");
        String text = rig.machine.violation().toString();
        assertTrue(text.contains("MID Hello, 16 bytes, Len 16, MSeq 1, state ESTABLISHED"), text);
    }

    /** Wishes of our own side, and permitted acts of the peer, are none. */
    @Test
    void otherCutsAreNone() {
        rig.feed(Mid.DISCONN, 64, 0);
        rig.feed(Mid.ABORT_CONN, 64, 0);
        assertEquals(AbortReason.PEER_ABORT, rig.machine.abortReason());
        assertEquals(-1, rig.row(ActionList.VIOLATION));
        assertNull(rig.machine.violation());
    }
}
