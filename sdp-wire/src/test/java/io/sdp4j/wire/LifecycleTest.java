package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From Hello to the last timer: the effects of each event in each state. */
class LifecycleTest {
    private final MemorySegment m = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);

    private final ActionList out = new ActionList();

    private static int wake(Rig rig) {
        int row = rig.row(ActionList.WAKE);
        return row < 0 ? 0 : rig.out.row(row).flags;
    }

    private static boolean armed(Rig rig, int timer, long seconds) {
        int row = rig.row(ActionList.ARM_TIMER);
        return row >= 0
                && rig.out.row(row).timer == timer
                && rig.out.row(row).nanos == seconds * 1_000_000_000L;
    }

    /** A machine in FIN_SENT after close(): our half has ended, no reader waits. */
    private static Rig orphan() {
        Rig rig = new Rig();
        rig.machine.close(false, false, rig.out);
        rig.complete(Mid.DISCONN);
        assertEquals(State.FIN_SENT, rig.machine.state());
        return rig;
    }

    /** A machine that has been told of data after its close, and says AbortConn. */
    private static Rig aborting() {
        Rig rig = orphan();
        rig.feed(Mid.DATA, 64, 1);
        assertEquals(State.ABORTING, rig.machine.state());
        return rig;
    }

    /** A machine that has sent its DisConn after the peer's, not yet completed. */
    private static Rig lastSending() {
        Rig rig = new Rig();
        rig.feed(Mid.DISCONN, 64, 0);
        rig.out.clear();
        rig.machine.shutdownOutput(rig.out);
        assertEquals(State.LAST_SENDING, rig.machine.state());
        return rig;
    }

    @Test
    void helloAtTheWrongTime() {
        SdpMachine connecting = SdpMachine.connecting(Rig.CONFIG);
        Hello.writeShort(m, 0, 32, 16, 16_400, 16_400, 4, 4);
        assertEquals(HelloFault.WRONG_TIME, connecting.onHello(m, 0, Hello.SHORT_BYTES));
        HelloAck.writeShort(m, 0, 32, 16, 16_400, 4, 4);
        assertEquals(HelloFault.WRONG_TIME, connecting.onHelloAck(m, 0, HelloAck.SHORT_BYTES));
        connecting.writeHello(m, 0);
        assertEquals(State.HELLO_SENT, connecting.state());
        HelloAck.writeShort(m, 0, 32, 0, 16_400, 4, 4);
        assertEquals(HelloFault.NO_ADVERTS, connecting.onHelloAck(m, 0, HelloAck.SHORT_BYTES));
        assertEquals(0, connecting.credit(), "a refused HelloAck grants nothing");
        HelloAck.writeShort(m, 0, 32, 16, 16_400, 4, 4);
        assertEquals(HelloFault.NONE, connecting.onHelloAck(m, 0, HelloAck.SHORT_BYTES));
        assertEquals(32, connecting.credit());
        assertEquals(HelloFault.WRONG_TIME, connecting.onHelloAck(m, 0, HelloAck.SHORT_BYTES));

        SdpMachine accepting = SdpMachine.accepting(Rig.CONFIG);
        assertEquals(HelloFault.WRONG_TIME, accepting.onHelloAck(m, 0, HelloAck.SHORT_BYTES));
        Hello.writeShort(m, 0, 32, 16, 16_400, 16_400, 4, 4);
        assertEquals(HelloFault.NONE, accepting.onHello(m, 0, Hello.SHORT_BYTES));
        assertEquals(HelloFault.WRONG_TIME, accepting.onHello(m, 0, Hello.SHORT_BYTES));
        SdpMachine closed = SdpMachine.accepting(Rig.CONFIG);
        closed.close(false, false, out);
        assertEquals(HelloFault.WRONG_TIME, closed.onHello(m, 0, Hello.SHORT_BYTES));
    }

    /** The agreement of the two halves of the hand-shake. */
    @Test
    void agreement() {
        SdpMachine machine = SdpMachine.accepting(Rig.CONFIG);
        Hello.writeShort(m, 0, 32, 7, 1, 1 << 31, 2, 3);
        assertEquals(HelloFault.NONE, machine.onHello(m, 0, Hello.SHORT_BYTES));
        assertEquals(Integer.MAX_VALUE, machine.peerReceiveBytes, "2^31 fits no int");
        assertEquals(7, machine.peerMaxAdverts);
        assertEquals(3, machine.ord);
        assertEquals(2, machine.ird);
        assertEquals(HelloAck.SHORT_BYTES, machine.writeHelloAck(m, 0));

        SdpMachine connecting = SdpMachine.connecting(Rig.CONFIG);
        connecting.writeHello(m, 0);
        HelloAck.writeShort(m, 0, 32, 9, 37, 2, 3);
        assertEquals(HelloFault.NONE, connecting.onHelloAck(m, 0, HelloAck.SHORT_BYTES));
        assertEquals(3, connecting.ord);
        assertEquals(37, connecting.peerReceiveBytes);
        assertEquals(37 - Bsdh.BYTES, connecting.maxPayload());
    }

    /** Before HelloAck a message proves nothing; after it, it proves that the connection is up. */
    @Test
    void firstMessageEstablishes() {
        SdpMachine machine = SdpMachine.accepting(Rig.CONFIG);
        Hello.writeShort(m, 0, 32, 16, 16_400, 16_400, 4, 4);
        machine.onHello(m, 0, Hello.SHORT_BYTES);
        machine.writeHelloAck(m, 0);
        assertEquals(State.HELLO_RCVD, machine.state());
        Bsdh.write(m, 0, Mid.DATA, 0, 32, 26, 1, 0);
        machine.onReceived(0, Bsdh.first(m, 0), Bsdh.second(m, 0), m.asSlice(Bsdh.BYTES), 26, out);
        assertEquals(State.ESTABLISHED, machine.state());
        assertEquals(ActionList.WAKE, out.row(0).kind);
        assertEquals(10, out.row(1).bytes);
        SdpMachine early = SdpMachine.connecting(Rig.CONFIG);
        early.writeHello(m, 0);
        out.clear();
        Bsdh.write(m, 0, Mid.DATA, 0, 32, 26, 1, 0);
        early.onReceived(0, Bsdh.first(m, 0), Bsdh.second(m, 0), m.asSlice(Bsdh.BYTES), 26, out);
        assertEquals(State.HELLO_SENT, early.state());
        assertEquals(0, out.size());
    }

    /** Stale and wrong completions change nothing. */
    @Test
    void completionsOfOthers() {
        Rig rig = new Rig();
        rig.machine.shutdownOutput(rig.out);
        assertEquals(ActionList.WRITABLE, wake(rig), "a writer must learn that it is over");
        rig.complete(Mid.ABORT_CONN);
        assertEquals(State.FIN_SENDING, rig.machine.state());
        assertFalse(rig.outputDone());
        rig.complete(Mid.DISCONN);
        assertEquals(ActionList.CLOSED, wake(rig), "a lingering close must learn that it is done");
        assertTrue(rig.outputDone());
        rig.complete(Mid.DISCONN);
        assertEquals(State.FIN_SENT, rig.machine.state());
        assertEquals(0, rig.out.size());
        rig.feed(Mid.DISCONN, 64, 0);
        assertEquals(State.LLP_CLOSING, rig.machine.state());
        rig.complete(Mid.DISCONN);
        rig.complete(Mid.ABORT_CONN);
        assertEquals(State.LLP_CLOSING, rig.machine.state());
        assertEquals(0, rig.out.size());
    }

    /** The connection below is given a minute to close; then we are done without it (12.5). */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void llpClosing(int how) {
        Rig rig = orphan();
        rig.feed(Mid.DISCONN, 64, 0);
        assertEquals(State.LLP_CLOSING, rig.machine.state());
        assertTrue(armed(rig, SdpMachine.TIMER_LLP, 60));
        assertEquals(SdpMachine.TIMER_CLOSE, rig.out.row(rig.row(ActionList.CANCEL_TIMER)).timer);
        assertTrue((wake(rig) & ActionList.CLOSED) != 0);
        assertFalse(rig.machine.closed());
        rig.machine.abort(AbortReason.LOCAL_ABORT, rig.out); // too late to cut anything
        assertFalse(rig.machine.reset());
        rig.out.clear();
        switch (how) {
            case 0 -> rig.machine.onDisconnected(rig.out);
            case 1 -> rig.machine.onQpError(rig.out);
            default -> rig.machine.onTimer(SdpMachine.TIMER_LLP, rig.out);
        }
        assertEquals(State.TIME_WAIT, rig.machine.state());
        assertTrue(rig.machine.closed() && rig.machine.eof() && !rig.machine.reset());
        assertEquals(how < 2, rig.row(ActionList.CANCEL_TIMER) >= 0);
        assertEquals(-1, rig.row(ActionList.ABORT));
    }

    /** However AbortConn ends, its cause stays the first one. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void abortingEnds(int how) {
        Rig rig = aborting();
        assertTrue(armed(rig, SdpMachine.TIMER_ABORT, 1));
        assertEquals(SdpMachine.TIMER_CLOSE, rig.out.row(rig.row(ActionList.CANCEL_TIMER)).timer);
        assertFalse(rig.machine.eof());
        assertEquals(ActionList.READABLE | ActionList.WRITABLE, wake(rig));
        rig.machine.abort(AbortReason.LOCAL_ABORT, rig.out);
        assertEquals(State.ABORTING, rig.machine.state());
        rig.out.clear();
        switch (how) {
            case 0 -> rig.machine.onDisconnected(rig.out);
            case 1 -> rig.machine.onQpError(rig.out);
            case 2 -> rig.machine.onTimer(SdpMachine.TIMER_ABORT, rig.out);
            default -> {
                rig.machine.onControlSent(Mid.ABORT_CONN, rig.out);
                assertEquals(State.LLP_CLOSING, rig.machine.state());
                assertTrue(rig.row(ActionList.DISCONNECT) >= 0);
                rig.machine.onDisconnected(rig.out);
            }
        }
        assertTrue(rig.machine.closed() && rig.outputDone());
        assertEquals(AbortReason.DATA_AFTER_CLOSE, rig.machine.abortReason());
        assertEquals(how == 1 || how == 2, rig.row(ActionList.ABORT) >= 0);
    }

    /** AbortConn waits for a credit, which only a believable message brings, and goes once. */
    @Test
    void abortConnWaitsForCredit() {
        Rig rig = new Rig(2);
        rig.machine.close(false, false, rig.out);
        rig.complete(Mid.DISCONN);
        rig.feed(Mid.DATA, 1, 1);
        assertEquals(State.ABORTING, rig.machine.state());
        assertEquals(List.of(), rig.mids());
        int before = rig.machine.credits.posted();
        rig.feed("FF 00 00 40 00 00 00 10 00 00 00 09 00 00 00 01"); // not the next one
        assertEquals(List.of(), rig.mids());
        assertEquals(before - 1, rig.machine.credits.posted());
        rig.feed("FF 00 00 40 00 00 00 10 00 00 00 02 00 00 00 01");
        assertEquals(List.of(Mid.ABORT_CONN), rig.mids());
        rig.feed("FF 00 00 40 00 00 00 10 00 00 00 03 00 00 00 02");
        assertEquals(List.of(), rig.mids(), "once");
        assertEquals(-1, rig.row(ActionList.DELIVER));
    }

    /** The connection below goes while our DisConn, sent after the peer's, is not completed. */
    @Test
    void disconnectedWhileLastSending() {
        Rig rig = lastSending();
        rig.out.clear();
        rig.machine.onDisconnected(rig.out);
        assertTrue(armed(rig, SdpMachine.TIMER_GRACE, 1));
        assertFalse(rig.machine.closed());
        rig.out.clear();
        rig.machine.onDisconnected(rig.out); // once more does no harm
        assertEquals(0, rig.out.size());
        rig.machine.abort(AbortReason.LOCAL_ABORT, rig.out);
        assertTrue(rig.machine.closed());
        assertEquals(List.of(), rig.mids(), "there is no peer to tell");
    }

    /** It goes before our DisConn could leave: our written bytes are lost. */
    @Test
    void disconnectedBeforeDisConnLeft() {
        Rig rig = new Rig(0);
        rig.feed(Mid.DISCONN, 0, 0);
        rig.machine.shutdownOutput(rig.out);
        assertEquals(List.of(), rig.mids());
        rig.machine.onDisconnected(rig.out);
        assertEquals(AbortReason.PEER_RESET, rig.machine.abortReason());
        assertTrue(rig.machine.closed() && rig.machine.eof());
    }

    /** Both halves ended, both DisConns completed: a failure then has nothing to lose. */
    @Test
    void failureAfterBothHalvesEnded() {
        Rig rig = lastSending();
        rig.complete(Mid.DISCONN);
        rig.out.clear();
        rig.machine.onQpError(rig.out);
        assertEquals(State.TIME_WAIT, rig.machine.state());
        assertFalse(rig.machine.reset());
        Rig sooner = lastSending();
        sooner.machine.onQpError(sooner.out);
        assertEquals(State.ERROR, sooner.machine.state());
        assertEquals(AbortReason.TRANSPORT_ERROR, sooner.machine.abortReason());
        Rig gone = lastSending();
        gone.complete(Mid.DISCONN);
        gone.machine.onDisconnected(gone.out);
        assertEquals(State.TIME_WAIT, gone.machine.state());
    }

    /** A close that waits for credit is disarmed when the connection below goes. */
    @Test
    void timersStopWithTheConnection() {
        Rig rig = new Rig();
        rig.feed(Mid.DISCONN, 64, 0);
        rig.machine.close(false, false, rig.out);
        rig.out.clear();
        rig.machine.onDisconnected(rig.out);
        assertEquals(SdpMachine.TIMER_CLOSE, rig.out.row(rig.row(ActionList.CANCEL_TIMER)).timer);
        rig.out.clear();
        rig.machine.onTimer(SdpMachine.TIMER_CLOSE, rig.out);
        assertEquals(0, rig.out.size());
    }

    /** A connection that the shell cuts is cut, with its reason, once. */
    @Test
    void abortCuts() {
        Rig rig = new Rig();
        rig.machine.abort(AbortReason.LOCAL_ABORT, rig.out);
        assertTrue(rig.row(ActionList.ABORT) >= 0);
        assertEquals(AbortReason.LOCAL_ABORT, rig.machine.abortReason());
        assertTrue(rig.machine.closed() && rig.outputDone());
        rig.out.clear();
        rig.machine.abort(AbortReason.CLOSE_TIMEOUT, rig.out);
        rig.machine.close(true, true, rig.out);
        rig.machine.onQpError(rig.out);
        rig.machine.onDisconnected(rig.out);
        rig.machine.shutdownOutput(rig.out);
        assertEquals(0, rig.out.size());
        assertEquals(AbortReason.LOCAL_ABORT, rig.machine.abortReason());
    }

    /** Closing twice is closing once. */
    @Test
    void closeTwice() {
        Rig rig = new Rig();
        rig.machine.close(false, false, rig.out);
        rig.out.clear();
        rig.machine.close(true, true, rig.out);
        assertEquals(0, rig.out.size());
        rig.assertAlive();
    }

    /** While the answer to a SrcAvail waits for a credit, the peer must not go on (6.2). */
    @Test
    void payloadBesideASrcAvail() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 0, 0, 0);
        rig.feed(Mid.SRC_AVAIL, 0, 1, 1000, 0x11, 0, 0x1000);
        rig.feed(Mid.DATA, 0, 1);
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
        Rig ended = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 0, 0, 0);
        ended.feed(Mid.SRC_AVAIL, 0, 1, 1000, 0x11, 0, 0x1000);
        ended.feed(Mid.DISCONN, 0, 0);
        ended.assertViolation(AbortReason.ILLEGAL_IN_STATE);
        Rig more = new Rig();
        more.feed(Mid.SRC_AVAIL, 64, 100, 99, 0x11, 0, 0x1000);
        more.assertViolation(AbortReason.BAD_ADVERTISEMENT);
    }
}
