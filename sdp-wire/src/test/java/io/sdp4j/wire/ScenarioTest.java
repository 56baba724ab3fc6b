package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The behaviour of sdp-wire.md 19.B, one test per number, as far as it does not need zero copy. */
class ScenarioTest {
    /** SrcAvail of {@code len} bytes: its extended header. */
    private static int[] srcAvail(int len) {
        return new int[] {len, 0x11, 0, 0x1000};
    }

    /** A machine with {@code slots} buffers and one credit, which the peer's buffers leave it. */
    private static Rig oneCredit(int slots) {
        return new Rig(new WireConfig(slots, 16_400, Integer.MAX_VALUE, 16, 4, 4), 1, 0, 0);
    }

    /** Two sides with as many buffers, whose programs do what they are told, one byte at a time. */
    private static Twins twins(int slots) {
        return new Twins(Choices.of(List.of()), Faults.NONE, Bounds.of(slots), false);
    }

    @Test
    void s01() {
        Rig rig = new Rig(Rig.CONFIG, 64, 7, 0);
        for (int i = 0; i < 3; i++) {
            rig.send(1);
        }
        assertEquals(10, rig.machine.credits().lastSent());
        rig.feedAck(Mid.DATA, 8, 7, 0);
        assertEquals(5, rig.machine.credit());
    }

    @Test
    void s02() {
        Rig rig = new Rig(Rig.CONFIG, 64, -2, 0);
        for (int i = 0; i < 4; i++) {
            rig.send(1);
        }
        assertEquals(2, rig.machine.credits().lastSent());
        rig.feedAck(Mid.DATA, 16, -2, 0);
        assertEquals(12, rig.machine.credit());
    }

    @Test
    void s03() {
        Rig rig = new Rig(2);
        assertFalse(rig.machine.writable());
        assertFalse(rig.machine.reserve());
        rig.feed(Mid.CH_RCV_BUF, 2, 0, 4096);
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), rig.mids(), "control is allowed at 2");
        assertFalse(rig.machine.reserve());
        rig.feed(Mid.DATA, 3, 0);
        assertEquals(Outbox.WRITABLE, rig.out.flags(rig.row(Outbox.WAKE)));
        rig.send(10);
        assertEquals(List.of(Mid.DATA), rig.mids());
        assertEquals(2, rig.machine.credit());
    }

    @Test
    void s04() {
        Rig rig = oneCredit(5);
        for (int i = 0; i < 3; i++) {
            rig.feed(Mid.DATA, 1, 10);
            assertEquals(List.of(), rig.mids());
        }
        assertEquals(rig.machine.posted(), rig.machine.credits().known());
        rig.consumed();
        MemorySegment update = rig.message();
        assertEquals(Mid.DATA, Bsdh.mid(update, 0));
        assertEquals(16, Bsdh.len(update, 0));
        assertEquals(3, Bsdh.bufs(update, 0));
        assertEquals(0, rig.machine.credit());
        rig.consumed();
        assertEquals(List.of(), rig.mids(), "nothing at credit 0");
    }

    @Test
    void s05() {
        Rig rig = oneCredit(8);
        rig.feed(Mid.SRC_AVAIL, 1, 1, srcAvail(1000));
        assertEquals(rig.machine.posted(), rig.machine.credits().known());
        assertEquals(List.of(), rig.mids(), "the answer must wait");
        rig.consumed();
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
        assertEquals(0, rig.machine.credit());
    }

    @Test
    void s06() {
        for (int slots = 4; slots < 9; slots++) {
            Twins twins = twins(slots);
            for (int round = 0; round < 100; round++) {
                for (Side side : List.of(twins.a, twins.b)) {
                    side.app.write();
                    side.app.fill();
                    side.land(1);
                    side.poll(1);
                    side.completeSends(1);
                }
            }
            assertFalse(twins.a.machine.writable() || twins.b.machine.writable());
            twins.settle();
            assertTrue(twins.a.peerSees() && twins.b.peerSees());
            assertTrue(twins.a.machine.writable() && twins.b.machine.writable());
            assertEquals(0, twins.a.timers | twins.b.timers);
        }
    }

    @Test
    void s07() {
        Rig rig = new Rig();
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(), rig.mids());
        assertEquals(-1, rig.row(Outbox.ARM_TIMER));
    }

    /** Both windows full, nobody reads: one control message must not start an endless exchange. */
    @ParameterizedTest
    @ValueSource(ints = {4, 5, 8})
    void s07unread(int slots) {
        Twins twins = twins(slots);
        for (int i = 0; i < 50; i++) {
            for (Side side : List.of(twins.a, twins.b)) {
                side.app.write();
                side.app.fill();
                side.land(1);
                side.poll(1);
            }
        }
        twins.a.app.read(1);
        twins.a.app.shutOutput();
        long before = twins.a.machine.messagesSent() + twins.b.machine.messagesSent();
        for (int i = 0; i < 100; i++) {
            twins.a.progress(false);
            twins.b.progress(false);
        }
        long after = twins.a.machine.messagesSent() + twins.b.machine.messagesSent();
        assertTrue(after - before < 10, () -> "messages: " + (after - before));
        twins.finish();
    }

    @Test
    void s08() {
        Twins twins = twins(32);
        assertEquals(32, twins.b.config.receiveSlots());
        int messages = 0;
        while (messages < 10_000) {
            if (twins.a.machine.writable()) {
                twins.a.app.write();
                twins.a.app.fill();
                messages++;
            }
            twins.b.progress(true);
            twins.a.progress(true);
        }
        twins.settle();
        assertEquals(10_000, twins.b.machine.messagesReceived());
        assertTrue(twins.b.machine.creditUpdatesSent() >= 10_000 / 32);
        assertTrue(
                twins.b.machine.creditUpdatesSent() <= 10_000 / 8,
                () -> "updates: " + twins.b.machine.creditUpdatesSent());
    }

    @Test
    void s12() {
        Rig rig = new Rig();
        rig.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1000));
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
        int before = rig.machine.credits().lastSent() - 1;
        rig.feedAck(Mid.SRC_AVAIL, 64, before, 1, srcAvail(1000)); // SendSm not seen yet
        rig.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
    }

    @Test
    void s12later() {
        Rig rig = new Rig();
        rig.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1000));
        rig.feed(Mid.DATA, 64, 999);
        rig.assertAlive();
        rig.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1000)); // the first is processed
        rig.assertAlive();
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
    }

    @Test
    void s13() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 1, 0, 39);
        rig.feed(Mid.SRC_AVAIL, 1, 1, srcAvail(1000));
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.SRC_AVAIL_CANCEL, 1, 0);
        MemorySegment answer = rig.message();
        assertEquals(Mid.SEND_SM, Bsdh.mid(answer, 0));
        assertEquals(41, Bsdh.mseqAck(answer, 0));
        rig.feed(Mid.SRC_AVAIL, 5, 1, srcAvail(500));
        rig.assertAlive();
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
    }

    /** Several advertisements, one cancel: one SendSm for all that were dropped. */
    @Test
    void s13pipelined() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 0, 0, 0);
        rig.feed(Mid.MODE_CHANGE, 0, 0, Mch.PIPELINED << 28);
        rig.feed(Mid.SRC_AVAIL, 0, 0, srcAvail(1000));
        rig.feed(Mid.SRC_AVAIL, 0, 0, srcAvail(2000));
        rig.feed(Mid.SRC_AVAIL_CANCEL, 0, 0);
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.DATA, 10, 0);
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
    }

    /** A SrcAvail whose payload is all of it is processed at once (6.2). */
    @Test
    void srcAvailWithNothingLeft() {
        Rig rig = new Rig();
        rig.feed(Mid.SRC_AVAIL, 64, 100, srcAvail(100));
        MemorySegment answer = rig.message();
        assertEquals(Mid.RDMA_RD_COMPL, Bsdh.mid(answer, 0));
        assertEquals(0, RrCh.len(answer, 16));
        assertEquals(100, rig.out.bytes(rig.row(Outbox.DELIVER)));
    }

    @Test
    void s26() {
        Rig rig = new Rig();
        rig.feed(Mid.SINK_AVAIL_CANCEL, 64, 0);
        rig.assertAlive();
        assertEquals(List.of(), rig.mids());
    }

    @Test
    void s28() {
        int[] fromCombined = {Mch.COMBINED << 28, 3 << 28, 1 << 31, 0x9000_0000, 0xA000_0000};
        for (int illegal : fromCombined) {
            Rig rig = new Rig();
            rig.feed(Mid.MODE_CHANGE, 64, 0, illegal);
            rig.assertViolation(AbortReason.BAD_MODE_CHANGE);
        }
        Rig buffered = new Rig();
        buffered.feed(Mid.MODE_CHANGE, 64, 0, Mch.BUFFERED << 28);
        buffered.assertAlive();
        buffered.feed(Mid.MODE_CHANGE, 64, 0, Mch.PIPELINED << 28);
        buffered.assertViolation(AbortReason.BAD_MODE_CHANGE);
        Rig unprocessed = oneCredit(8);
        unprocessed.feed(Mid.SRC_AVAIL, 1, 1, srcAvail(1000));
        unprocessed.feed(Mid.MODE_CHANGE, 1, 0, Mch.BUFFERED << 28);
        unprocessed.assertViolation(AbortReason.BAD_MODE_CHANGE);
    }

    /** In Buffered mode nothing is advertised (7.2). */
    @Test
    void srcAvailInBuffered() {
        Rig rig = new Rig();
        rig.feed(Mid.MODE_CHANGE, 64, 0, Mch.BUFFERED << 28);
        rig.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1000));
        rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
    }

    @Test
    void s33to35() {
        Rig rig = new Rig();
        for (int wanted : new int[] {4096, 65_552}) { // both refused: the old size comes back
            rig.feed(Mid.CH_RCV_BUF, 64, 0, wanted);
            assertEquals(16_400, CrbAh.actualBytes(rig.message(), 16));
            assertEquals(Mid.CH_RCV_BUF_ACK, Bsdh.mid(rig.message(), 0));
        }
        rig.assertAlive();
    }

    @Test
    void s36() {
        Rig rig = new Rig();
        rig.out.clear();
        rig.machine.shutdownOutput(rig.out);
        assertEquals(List.of(Mid.DISCONN), rig.mids());
        assertEquals(-1, rig.row(Outbox.ARM_TIMER), "a half-close has no time limit");
        assertTrue(rig.machine.outputShut());
        rig.complete(Mid.DISCONN);
        assertEquals(State.FIN_SENT, rig.machine.state());
        assertEquals(-1, rig.row(Outbox.ARM_TIMER));
        int updates = 0;
        for (int i = 0; i < 200; i++) {
            rig.feed(Mid.DATA, 64, 100);
            assertEquals(100, rig.out.bytes(rig.row(Outbox.DELIVER)));
            rig.consumed();
            updates += rig.mids().size();
        }
        assertTrue(updates >= 200 / 32, "credit updates go on after our DisConn");
        rig.feed(Mid.DISCONN, 64, 0);
        assertTrue(rig.machine.eof());
        assertTrue(rig.row(Outbox.DISCONNECT) >= 0);
    }

    @Test
    void s37() {
        Twins twins = twins(4);
        twins.a.app.close(false);
        twins.b.app.close(false);
        twins.settle();
        assertEquals(State.TIME_WAIT, twins.a.machine.state());
        assertEquals(State.TIME_WAIT, twins.b.machine.state());
        assertFalse(twins.a.machine.reset() || twins.b.machine.reset());
        for (Side side : List.of(twins.a, twins.b)) { // once more does no harm
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
        int kept = rig.out.slot(rig.row(Outbox.DELIVER));
        rig.out.clear();
        rig.machine.onDisconnected(rig.out);
        assertTrue(rig.machine.reset() && rig.machine.closed());
        assertFalse(rig.machine.eof() || rig.machine.writable() || rig.machine.reserve());
        assertEquals(AbortReason.PEER_RESET, rig.machine.abortReason());
        int all = Outbox.READABLE | Outbox.WRITABLE | Outbox.CLOSED;
        assertEquals(all, rig.out.flags(rig.row(Outbox.WAKE)));
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
        assertEquals(reason, rig.out.reason(rig.row(Outbox.ABORT)));
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
        assertEquals(SdpMachine.TIMER_CLOSE, rig.out.timer(rig.row(Outbox.ARM_TIMER)));
        rig.complete(Mid.DISCONN);
        assertTrue(rig.machine.outputDone());
        rig.feed(Mid.DATA, 64, 100);
        assertEquals(List.of(Mid.ABORT_CONN), rig.mids());
        assertEquals(Outbox.SIGNALLED, rig.out.flags(rig.row(Outbox.CONTROL)) & Outbox.SIGNALLED);
        assertEquals(-1, rig.row(Outbox.DISCONNECT), "not before AbortConn has completed");
        assertEquals(State.ABORTING, rig.machine.state());
        rig.complete(Mid.ABORT_CONN);
        assertTrue(rig.row(Outbox.DISCONNECT) >= 0);
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
        assertEquals(AbortReason.TRANSPORT_ERROR, rig.out.reason(rig.row(Outbox.ABORT)));
        assertTrue(rig.machine.reset() && rig.machine.closed());
        assertFalse(rig.machine.reserve());
    }

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
        MemorySegment m = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
        Hello.writeIb(m, 0, 0x27, 4, 0, 64, 16, 16_400, 16_400, 5001, 0, 1, 0, 2);
        SdpMachine machine = SdpMachine.accepting(Rig.CONFIG);
        assertEquals(HelloFault.NONE, machine.onHello(m, 0, Hello.IB_BYTES));
        machine.writeHelloAck(m, 0);
        assertEquals(2, HelloAck.majorVersion(m, 0));
        assertEquals(2, HelloAck.minorVersion(m, 0));
    }

    /** The refusal itself is the shell's: a Hello refused leaves nothing behind in the machine. */
    @Test
    void s45() {
        MemorySegment m = MemorySegment.ofArray(new byte[Hello.IB_BYTES]);
        SdpMachine machine = SdpMachine.accepting(Rig.CONFIG);
        Hello.writeShort(m, 0, 32, 0, 16_400, 16_400, 4, 4);
        assertEquals(HelloFault.NO_ADVERTS, machine.onHello(m, 0, Hello.SHORT_BYTES));
        assertEquals(State.CLOSED, machine.state());
        assertEquals(0, machine.credit());
        Outbox out = new Outbox();
        machine.close(false, false, out);
        assertTrue(machine.closed());
        assertEquals(-1, indexOf(out, Outbox.ABORT));
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
        assertTrue(rig.row(Outbox.REPOST) >= 0);
        assertEquals(-1, rig.row(Outbox.DELIVER));
    }

    /** What 2.13 checks before a message means anything. */
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
        empty.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(0));
        empty.assertViolation(AbortReason.BAD_ADVERTISEMENT);
        Rig huge = new Rig();
        huge.feed(Mid.SRC_AVAIL, 64, 1, srcAvail((1 << 31) + 1));
        huge.assertViolation(AbortReason.BAD_ADVERTISEMENT);
        Rig largest = new Rig();
        largest.feed(Mid.SRC_AVAIL, 64, 1, srcAvail(1 << 31));
        largest.assertAlive();
    }

    private static void assertFault(String hex, AbortReason reason) {
        Rig rig = new Rig();
        rig.feed(hex);
        rig.assertViolation(reason);
    }

    /** After DisConn there is no payload, no advertisement and no second DisConn (12.3). */
    @Test
    void nothingButControlAfterDisConn() {
        for (int mid : new int[] {Mid.DATA, Mid.SRC_AVAIL, Mid.DISCONN}) {
            Rig rig = new Rig();
            rig.feed(Mid.DISCONN, 64, 0);
            int[] extension = mid == Mid.SRC_AVAIL ? srcAvail(100) : new int[0];
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

    /** Control leaves a reserved payload the credits it needs, and follows it (4.3). */
    @Test
    void controlDoesNotSpendWhatIsReserved() {
        Rig rig = new Rig(3);
        assertTrue(rig.machine.reserve());
        rig.feed(Mid.CH_RCV_BUF, 3, 0, 4096);
        assertEquals(List.of(), rig.mids());
        rig.out.clear();
        rig.machine.send(0, 10, false, rig.out);
        assertEquals(List.of(Mid.DATA, Mid.CH_RCV_BUF_ACK), rig.mids());
    }

    /** Control waits for send depth, too. */
    @Test
    void controlWaitsForCompletions() {
        Rig rig = new Rig(new WireConfig(8, 16_400, 3, 16, 4, 4), 64, 0, 0);
        rig.send(1);
        rig.send(1);
        assertFalse(rig.machine.reserve(), "one send is left to control");
        rig.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), rig.mids());
        rig.feed(Mid.CH_RCV_BUF, 64, 0, 4096);
        assertEquals(List.of(), rig.mids());
        rig.out.clear();
        rig.machine.onSendsCompleted(3, rig.out);
        assertEquals(List.of(Mid.CH_RCV_BUF_ACK), rig.mids());
        assertTrue(rig.machine.writable());
        assertTrue(rig.row(Outbox.WAKE) >= 0);
    }

    /** The second closer leaves the connection below to the first for a second (12.4). */
    @Test
    void secondCloserWaits() {
        Rig rig = new Rig();
        rig.feed(Mid.DISCONN, 64, 0);
        rig.machine.close(false, false, rig.out);
        assertEquals(State.LAST_SENDING, rig.machine.state());
        rig.complete(Mid.DISCONN);
        int row = rig.row(Outbox.ARM_TIMER);
        assertEquals(SdpMachine.TIMER_GRACE, rig.out.timer(row));
        assertEquals(1_000_000_000L, rig.out.nanos(row));
        rig.out.clear();
        rig.machine.onTimer(SdpMachine.TIMER_GRACE, rig.out);
        assertTrue(rig.row(Outbox.DISCONNECT) >= 0);
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
        assertTrue(rig.row(Outbox.ABORT) >= 0);
    }

    /** A close without credit for DisConn is cut in the end, too. */
    @Test
    void closeWithoutCreditTimesOut() {
        Rig rig = new Rig(0);
        rig.machine.close(false, false, rig.out);
        assertEquals(List.of(), rig.mids());
        rig.machine.onTimer(SdpMachine.TIMER_CLOSE, rig.out);
        assertTrue(rig.machine.closed());
        assertTrue(rig.row(Outbox.ABORT) >= 0);
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
        for (int i = 0; i < 100; i++) {
            rig.feed(Mid.DATA, 64, 100);
            assertEquals(-1, rig.row(Outbox.DELIVER));
            assertTrue(rig.row(Outbox.REPOST) >= 0);
        }
        rig.assertAlive();
        assertTrue(rig.machine.creditUpdatesSent() >= 100 / 32);
    }

    @Test
    void closedBeforeEstablished() {
        MemorySegment m = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
        SdpMachine machine = SdpMachine.connecting(Rig.CONFIG);
        machine.writeHello(m, 0);
        Outbox out = new Outbox();
        machine.close(false, false, out);
        assertEquals(State.CLOSED, machine.state());
        assertTrue(machine.closed());
        assertEquals(AbortReason.CLOSED_EARLY, out.reason(indexOf(out, Outbox.ABORT)));
        HelloAck.writeShort(m, 0, 32, 16, 16_400, 4, 4);
        assertEquals(HelloFault.WRONG_TIME, machine.onHelloAck(m, 0, HelloAck.SHORT_BYTES));
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
        Hello.writeIb(m, 0, 0x22, 5, 0, 64, 16, 16_400, 16_400, 5001, 0, 1, 0, 2);
        assertEquals(HelloFault.BAD_IP_VERSION, Hello.check(m, 0, Hello.IB_BYTES));
        assertEquals(HelloFault.SHORT, Hello.check(m, 0, 15));
    }

    private static void assertHelloFault(HelloFault fault, int at, int word) {
        MemorySegment m = MemorySegment.ofArray(new byte[Hello.SHORT_BYTES]);
        Hello.writeShort(m, 0, 32, 16, 16_400, 16_400, 4, 4);
        m.set(Wire.INT, at, word);
        assertEquals(fault, Hello.check(m, 0, Hello.SHORT_BYTES));
    }

    private static int indexOf(Outbox out, int kind) {
        for (int i = 0; i < out.size(); i++) {
            if (out.kind(i) == kind) {
                return i;
            }
        }
        return -1;
    }
}
