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
 * The scenarios of docs/protocol.md 19.B that concern the end of a connection, one test per number.
 */
class EndScenarioTest {
    @Test
    void s36() {
        Rig rig = new Rig();
        rig.out.clear();
        rig.machine.shutdownOutput(rig.out);
        assertEquals(List.of(Mid.DISCONN), rig.mids());
        assertEquals(-1, rig.row(ActionList.ARM_TIMER), "a half-close has no time limit");
        assertTrue(rig.machine.outputShut());
        rig.complete(Mid.DISCONN);
        assertEquals(State.FIN_SENT, rig.machine.state());
        assertEquals(-1, rig.row(ActionList.ARM_TIMER));
        int updates = 0;
        for (int i = 0; i < 200; i++) {
            rig.feed(Mid.DATA, 64, 100);
            assertEquals(100, rig.out.row(rig.row(ActionList.DELIVER)).bytes);
            rig.consumed();
            updates += rig.mids().size();
        }
        assertTrue(updates >= 200 / 32, "credit updates go on after our DisConn");
        rig.feed(Mid.DISCONN, 64, 0);
        assertTrue(rig.machine.eof());
        assertTrue(rig.row(ActionList.DISCONNECT) >= 0);
    }

    @Test
    void s37() {
        MachinePair pair = new MachinePair(Choices.of(List.of()), Faults.NONE, Bounds.of(4), false);
        pair.a.app.close(false);
        pair.b.app.close(false);
        pair.settle();
        assertEquals(State.TIME_WAIT, pair.a.machine.state());
        assertEquals(State.TIME_WAIT, pair.b.machine.state());
        assertFalse(pair.a.machine.reset() || pair.b.machine.reset());
        for (Side side : List.of(pair.a, pair.b)) { // once more does no harm
            side.event(() -> side.machine.onDisconnected(side.out));
            assertEquals(State.TIME_WAIT, side.machine.state());
        }
    }

    @Test
    void s38() {
        Rig open = new Rig();
        open.feed(Mid.DISCONN, 64, 0); // drained from the receive queue before the DREQ is judged
        open.machine.onDisconnected(open.out);
        assertTrue(open.machine.eof());
        Rig closing = new Rig();
        closing.machine.close(false, false, closing.out);
        closing.complete(Mid.DISCONN);
        closing.feed(Mid.DISCONN, 64, 0);
        closing.machine.onDisconnected(closing.out);
        assertEquals(State.TIME_WAIT, closing.machine.state());
        assertFalse(closing.machine.reset());
    }

    @Test
    void s39() {
        Rig rig = new Rig();
        rig.feed(Mid.DATA, 64, 100);
        int kept = rig.out.row(rig.row(ActionList.DELIVER)).slot;
        rig.out.clear();
        rig.machine.onDisconnected(rig.out);
        assertTrue(rig.machine.reset() && rig.machine.closed());
        assertFalse(rig.machine.eof() || rig.machine.writable() || rig.machine.reserve());
        assertEquals(AbortReason.PEER_RESET, rig.machine.abortReason());
        int all = ActionList.READABLE | ActionList.WRITABLE | ActionList.CLOSED;
        assertEquals(all, rig.out.row(rig.row(ActionList.WAKE)).flags);
        rig.out.clear();
        rig.machine.consumed(kept, rig.out); // the slot is read afterwards
        assertEquals(0, rig.out.size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void s40(boolean unread) {
        Rig rig = new Rig();
        rig.feed(Mid.DATA, 64, 100);
        rig.out.clear();
        rig.machine.close(unread, !unread, rig.out);
        assertEquals(List.of(), rig.mids(), "no DisConn");
        AbortReason reason = unread ? AbortReason.UNREAD_DATA : AbortReason.LINGER_ZERO;
        assertTrue(rig.row(ActionList.ABORT) >= 0);
        assertEquals(reason, rig.machine.abortReason());
        assertTrue(rig.machine.closed());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void s41(boolean shutdownFirst) {
        Rig rig = new Rig();
        if (shutdownFirst) {
            rig.machine.shutdownOutput(rig.out);
        }
        rig.machine.close(false, false, rig.out);
        assertEquals(List.of(Mid.DISCONN), rig.mids());
        assertEquals(SdpMachine.TIMER_CLOSE, rig.out.row(rig.row(ActionList.ARM_TIMER)).timer);
        assertEquals(60_000_000_000L, rig.out.row(rig.row(ActionList.ARM_TIMER)).nanos);
        rig.complete(Mid.DISCONN);
        assertTrue(rig.outputDone());
        rig.feed(Mid.DATA, 64, 100);
        assertEquals(List.of(Mid.ABORT_CONN), rig.mids());
        assertEquals(
                ActionList.SIGNALLED,
                rig.out.row(rig.row(ActionList.CONTROL)).flags & ActionList.SIGNALLED);
        assertEquals(-1, rig.row(ActionList.DISCONNECT), "not before AbortConn has completed");
        assertEquals(State.ABORTING, rig.machine.state());
        rig.complete(Mid.ABORT_CONN);
        assertTrue(rig.row(ActionList.DISCONNECT) >= 0);
        rig.machine.onDisconnected(rig.out);
        assertTrue(rig.machine.closed());

        Rig peer = new Rig();
        peer.feed(Mid.DISCONN, 64, 0);
        assertTrue(peer.machine.eof());
        peer.send(100);
        peer.feed(Mid.ABORT_CONN, 64, 0);
        assertTrue(peer.machine.reset());
        assertFalse(peer.machine.eof());
        assertEquals(AbortReason.PEER_ABORT, peer.machine.abortReason());
    }

    @Test
    void s42() {
        Rig rig = new Rig();
        rig.out.clear();
        rig.machine.onQpError(rig.out);
        assertTrue(rig.row(ActionList.ABORT) >= 0);
        assertEquals(AbortReason.TRANSPORT_ERROR, rig.machine.abortReason());
        assertTrue(rig.machine.reset() && rig.machine.closed());
        assertFalse(rig.machine.reserve());
    }

    /** After DisConn there is no payload, no advertisement and no second DisConn (12.3). */
    @Test
    void nothingButControlAfterDisConn() {
        for (int mid : new int[] {Mid.DATA, Mid.SRC_AVAIL, Mid.DISCONN}) {
            Rig rig = new Rig();
            rig.feed(Mid.DISCONN, 64, 0);
            int[] extension = mid == Mid.SRC_AVAIL ? Rig.srcAvail(100) : new int[0];
            rig.feed(mid, 64, mid == Mid.DISCONN ? 0 : 1, extension);
            rig.assertViolation(AbortReason.ILLEGAL_IN_STATE);
        }
        Rig rig = new Rig();
        rig.feed(Mid.DISCONN, 64, 0);
        rig.feed(Mid.DATA, 64, 0);
        rig.feed(Mid.SEND_SM, 64, 0);
        rig.assertAlive();
        rig.send(1);
    }

    /** DisConn waits for the payload that the application had already begun to copy (12.4). */
    @Test
    void disConnFollowsWhatIsReserved() {
        Rig rig = new Rig();
        assertTrue(rig.machine.reserve());
        rig.machine.close(false, false, rig.out);
        assertEquals(List.of(), rig.mids());
        rig.machine.send(0, 10, false, rig.out);
        assertEquals(List.of(Mid.DATA, Mid.DISCONN), rig.mids());
    }

    /** The second closer leaves the connection below to the first for a second (12.4). */
    @Test
    void secondCloserWaits() {
        Rig rig = new Rig();
        rig.feed(Mid.DISCONN, 64, 0);
        rig.machine.close(false, false, rig.out);
        assertEquals(State.LAST_SENDING, rig.machine.state());
        rig.complete(Mid.DISCONN);
        int row = rig.row(ActionList.ARM_TIMER);
        assertEquals(SdpMachine.TIMER_GRACE, rig.out.row(row).timer);
        assertEquals(1_000_000_000L, rig.out.row(row).nanos);
        rig.out.clear();
        rig.machine.onTimer(SdpMachine.TIMER_GRACE, rig.out);
        assertTrue(rig.row(ActionList.DISCONNECT) >= 0);
        rig.out.clear();
        rig.machine.onTimer(SdpMachine.TIMER_GRACE, rig.out); // stale
        assertEquals(0, rig.out.size());
        rig.machine.onDisconnected(rig.out);
        assertEquals(State.TIME_WAIT, rig.machine.state());
    }

    /** A close that the peer never answers ends by itself (12.5). */
    @Test
    void closeTimesOut() {
        Rig rig = new Rig();
        rig.machine.close(false, false, rig.out);
        rig.complete(Mid.DISCONN);
        rig.machine.onTimer(SdpMachine.TIMER_CLOSE, rig.out);
        assertEquals(List.of(Mid.ABORT_CONN), rig.mids());
        assertEquals(AbortReason.CLOSE_TIMEOUT, rig.machine.abortReason());
        rig.machine.onTimer(SdpMachine.TIMER_ABORT, rig.out);
        assertTrue(rig.machine.closed());
        assertTrue(rig.row(ActionList.ABORT) >= 0);
    }

    /** A close without credit for DisConn is cut in the end, too. */
    @Test
    void closeWithoutCreditTimesOut() {
        Rig rig = new Rig(0);
        rig.machine.close(false, false, rig.out);
        assertEquals(List.of(), rig.mids());
        rig.machine.onTimer(SdpMachine.TIMER_CLOSE, rig.out);
        assertTrue(rig.machine.closed());
        assertTrue(rig.row(ActionList.ABORT) >= 0);
    }

    /** The connection below may go before our DisConn completes: what completes decides (12.2). */
    @Test
    void disconnectedBeforeDisConnCompleted() {
        for (int how = 0; how < 3; how++) {
            Rig rig = new Rig();
            rig.feed(Mid.DISCONN, 64, 0);
            rig.machine.shutdownOutput(rig.out);
            rig.machine.onDisconnected(rig.out);
            assertFalse(rig.machine.closed());
            switch (how) {
                case 0 -> rig.complete(Mid.DISCONN);
                case 1 -> rig.machine.onQpError(rig.out);
                default -> rig.machine.onTimer(SdpMachine.TIMER_GRACE, rig.out);
            }
            assertTrue(rig.machine.closed());
            assertTrue(rig.machine.eof(), "what the peer ended stays readable");
            assertEquals(how > 0, rig.machine.reset());
        }
    }

    /** shutdownInput throws payload away and keeps the peer going. */
    @Test
    void shutdownInputDiscards() {
        Rig rig = new Rig();
        rig.machine.shutdownInput(rig.out);
        int updates = 0;
        for (int i = 0; i < 100; i++) {
            rig.feed(Mid.DATA, 64, 100);
            assertEquals(-1, rig.row(ActionList.DELIVER));
            assertTrue(rig.row(ActionList.REPOST) >= 0);
            updates += rig.mids().size();
        }
        rig.assertAlive();
        assertTrue(updates >= 100 / 32);
    }

    @Test
    void closedBeforeEstablished() {
        MemorySegment m = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
        SdpMachine machine = SdpMachine.connecting(Rig.CONFIG);
        machine.writeHello(m, 0);
        ActionList out = new ActionList();
        machine.close(false, false, out);
        assertEquals(State.CLOSED, machine.state());
        assertTrue(machine.closed());
        assertTrue(Rig.indexOf(out, ActionList.ABORT) >= 0);
        assertEquals(AbortReason.CLOSED_EARLY, machine.abortReason());
        HelloAck.writeShort(m, 0, 32, 16, 16_400, 4, 4);
        assertEquals(HelloFault.WRONG_TIME, machine.onHelloAck(m, 0, HelloAck.SHORT_BYTES));
    }

    /** The late completion of DisConn is not that of AbortConn. */
    @Test
    void disConnCompletesWhileAborting() {
        Rig rig = new Rig();
        rig.machine.close(false, false, rig.out);
        rig.feed(Mid.DATA, 64, 1);
        assertEquals(List.of(Mid.ABORT_CONN), rig.mids());
        rig.complete(Mid.DISCONN);
        assertEquals(State.ABORTING, rig.machine.state());
        assertEquals(0, rig.out.size());
        rig.complete(Mid.ABORT_CONN);
        assertEquals(State.LLP_CLOSING, rig.machine.state());
        rig.out.clear();
        rig.pipeline();
        rig.machine.shutdownInput(rig.out);
        assertEquals(List.of(), rig.mids());
    }

    /** AbortConn is not answered by AbortConn. */
    @Test
    void abortConnIsNotAnswered() {
        Rig rig = new Rig();
        rig.machine.shutdownOutput(rig.out);
        rig.feed(Mid.DISCONN, 64, 0);
        assertEquals(State.FIN_CROSS, rig.machine.state());
        rig.feed(Mid.ABORT_CONN, 64, 0);
        assertEquals(List.of(), rig.mids());
        assertTrue(rig.machine.closed());
        assertEquals(AbortReason.PEER_ABORT, rig.machine.abortReason());
    }

    /** Before the connection is up nothing is said, whatever is wished for. */
    @Test
    void silenceBeforeItIsUp() {
        MemorySegment m = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
        ActionList out = new ActionList();
        SdpMachine machine = SdpMachine.accepting(ZcopyRig.CONFIG);
        Hello.writeShort(m, 0, 32, 16, 16_400, 16_400, 4, 4);
        machine.onHello(m, 0, Hello.SHORT_BYTES);
        machine.writeHelloAck(m, 0);
        Rig.pipeline(machine, out);
        assertFalse(machine.writable());
        assertEquals(0, out.size());
        machine.onEstablished(out);
        machine.shutdownInput(out);
        assertTrue(Rig.indexOf(out, ActionList.CONTROL) >= 0, "now it is");
    }
}
