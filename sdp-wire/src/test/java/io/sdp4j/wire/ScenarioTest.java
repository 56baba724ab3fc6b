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
 * The behaviour of docs/protocol.md 19.B, one test per number, as far as it does not need zero
 * copy.
 */
class ScenarioTest {
    /** A machine with {@code slots} buffers and one credit, which the peer's buffers leave it. */
    private static Rig oneCredit(int slots) {
        return new Rig(new WireConfig(slots, 16_400, Integer.MAX_VALUE, 16, 4, 4), 1, 0, 0);
    }

    /** Two sides with as many buffers, whose programs do what they are told, one byte at a time. */
    private static MachinePair pair(int slots) {
        return new MachinePair(Choices.of(List.of()), Faults.NONE, Bounds.of(slots), false);
    }

    @Test
    void s01() {
        Rig rig = new Rig(Rig.CONFIG, 64, 7, 0);
        for (int i = 0; i < 3; i++) {
            rig.send(1);
        }
        assertEquals(10, rig.machine.credits.lastSent());
        rig.feedAck(Mid.DATA, 8, 7, 0);
        assertEquals(5, rig.machine.credit());
    }

    @Test
    void s02() {
        Rig rig = new Rig(Rig.CONFIG, 64, -2, 0);
        for (int i = 0; i < 4; i++) {
            rig.send(1);
        }
        assertEquals(2, rig.machine.credits.lastSent());
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
        assertEquals(ActionList.WRITABLE, rig.out.row(rig.row(ActionList.WAKE)).flags);
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
        assertEquals(rig.machine.credits.posted(), rig.machine.credits.known());
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
        rig.feed(Mid.SRC_AVAIL, 1, 1, Rig.srcAvail(1000));
        assertEquals(rig.machine.credits.posted(), rig.machine.credits.known());
        assertEquals(List.of(), rig.mids(), "the answer must wait");
        rig.consumed();
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
        assertEquals(0, rig.machine.credit());
    }

    @Test
    void s06() {
        for (int slots = 4; slots < 9; slots++) {
            MachinePair pair = pair(slots);
            for (int round = 0; round < 100; round++) {
                for (Side side : List.of(pair.a, pair.b)) {
                    side.app.write();
                    side.app.fill();
                    side.land(1);
                    side.poll(1);
                    side.completeSends(1);
                }
            }
            assertFalse(pair.a.machine.writable() || pair.b.machine.writable());
            pair.settle();
            assertTrue(pair.a.peerSees() && pair.b.peerSees());
            assertTrue(pair.a.machine.writable() && pair.b.machine.writable());
            assertEquals(0, pair.a.timers | pair.b.timers);
        }
    }

    @Test
    void s07() {
        Rig rig = new Rig();
        rig.feed(Mid.DATA, 64, 0);
        assertEquals(List.of(), rig.mids());
        assertEquals(-1, rig.row(ActionList.ARM_TIMER));
    }

    /**
     * Both windows full, neither side reads: one control message must not start an endless
     * exchange.
     */
    @ParameterizedTest
    @ValueSource(ints = {4, 5, 8})
    void s07unread(int slots) {
        MachinePair pair = pair(slots);
        for (int i = 0; i < 50; i++) {
            for (Side side : List.of(pair.a, pair.b)) {
                side.app.write();
                side.app.fill();
                side.land(1);
                side.poll(1);
            }
        }
        pair.a.app.read(1);
        pair.a.app.shutOutput();
        long before = pair.a.machine.messagesSent() + pair.b.machine.messagesSent();
        for (int i = 0; i < 100; i++) {
            pair.a.progress(false);
            pair.b.progress(false);
        }
        long after = pair.a.machine.messagesSent() + pair.b.machine.messagesSent();
        assertTrue(after - before < 10, () -> "messages: " + (after - before));
        pair.finish();
    }

    @Test
    void s08() {
        MachinePair pair = pair(32);
        assertEquals(32, pair.b.config.receiveSlots());
        int messages = 0;
        while (messages < 10_000) {
            if (pair.a.machine.writable()) {
                pair.a.app.write();
                pair.a.app.fill();
                messages++;
            }
            pair.b.progress(true);
            pair.a.progress(true);
        }
        pair.settle();
        assertEquals(10_000, pair.b.machine.messagesReceived());
        long updates = pair.b.machine.messagesSent(); // its program says nothing
        assertTrue(updates >= 10_000 / 32 && updates <= 10_000 / 8, () -> "updates: " + updates);
    }

    @Test
    void s12() {
        Rig rig = new Rig();
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
        int before = rig.machine.credits.lastSent() - 1;
        rig.feedAck(Mid.SRC_AVAIL, 64, before, 1, Rig.srcAvail(1000)); // SendSm not seen yet
        rig.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
    }

    @Test
    void s12later() {
        Rig rig = new Rig();
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000));
        rig.feed(Mid.DATA, 64, 999);
        rig.assertAlive();
        rig.feed(Mid.SRC_AVAIL, 64, 1, Rig.srcAvail(1000)); // the first is processed
        rig.assertAlive();
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
    }

    @Test
    void s13() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 1, 0, 39);
        rig.feed(Mid.SRC_AVAIL, 1, 1, Rig.srcAvail(1000));
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.SRC_AVAIL_CANCEL, 1, 0);
        MemorySegment answer = rig.message();
        assertEquals(Mid.SEND_SM, Bsdh.mid(answer, 0));
        assertEquals(41, Bsdh.mseqAck(Bsdh.second(answer, 0)));
        rig.feed(Mid.SRC_AVAIL, 5, 1, Rig.srcAvail(500));
        rig.assertAlive();
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
    }

    /** Several advertisements, one cancel: one SendSm for all that were dropped. */
    @Test
    void s13pipelined() {
        Rig rig = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 0, 0, 0);
        rig.feed(Mid.MODE_CHANGE, 0, 0, Mch.PIPELINED << 28);
        rig.feed(Mid.SRC_AVAIL, 0, 0, Rig.srcAvail(1000));
        rig.feed(Mid.SRC_AVAIL, 0, 0, Rig.srcAvail(2000));
        rig.feed(Mid.SRC_AVAIL_CANCEL, 0, 0);
        assertEquals(List.of(), rig.mids());
        rig.feed(Mid.DATA, 10, 0);
        assertEquals(List.of(Mid.SEND_SM), rig.mids());
    }

    /** No new SrcAvail before the cancel is processed: nothing is read, or something is (6.6). */
    @Test
    void s13again() {
        Rig dropped = new Rig(new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4), 0, 0, 0);
        dropped.feed(Mid.MODE_CHANGE, 0, 0, Mch.PIPELINED << 28);
        dropped.feed(Mid.SRC_AVAIL, 0, 0, Rig.srcAvail(1000));
        dropped.feed(Mid.SRC_AVAIL_CANCEL, 0, 0);
        dropped.feed(Mid.SRC_AVAIL, 0, 0, Rig.srcAvail(1000));
        dropped.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
        Rig reading = new Rig(ZcopyRig.CONFIG, 64, 0, 0);
        reading.feed(Mid.MODE_CHANGE, 64, 0, Mch.PIPELINED << 28);
        reading.machine.sink().lend(5, 1000, 1, 2, false, reading.out);
        reading.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        reading.feed(Mid.SRC_AVAIL_CANCEL, 64, 0);
        reading.feed(Mid.SRC_AVAIL, 64, 0, Rig.srcAvail(1000));
        reading.assertViolation(AbortReason.TOO_MANY_ADVERTISEMENTS);
    }

    /** A SrcAvail whose payload is all of it is processed at once (6.2). */
    @Test
    void srcAvailWithNothingLeft() {
        Rig rig = new Rig();
        rig.feed(Mid.SRC_AVAIL, 64, 100, Rig.srcAvail(100));
        MemorySegment answer = rig.message();
        assertEquals(Mid.RDMA_RD_COMPL, Bsdh.mid(answer, 0));
        assertEquals(0, answer.get(Wire.INT, 16));
        assertEquals(100, rig.out.row(rig.row(ActionList.DELIVER)).bytes);
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
        for (int illegal : new int[] {Mch.BUFFERED << 28, Mch.PIPELINED << 28}) {
            Rig pipelined = new Rig();
            pipelined.feed(Mid.MODE_CHANGE, 64, 0, Mch.PIPELINED << 28);
            pipelined.feed(Mid.MODE_CHANGE, 64, 0, illegal);
            pipelined.assertViolation(AbortReason.BAD_MODE_CHANGE);
        }
        Rig unprocessed = oneCredit(8);
        unprocessed.feed(Mid.SRC_AVAIL, 1, 1, Rig.srcAvail(1000));
        unprocessed.feed(Mid.MODE_CHANGE, 1, 0, Mch.BUFFERED << 28);
        unprocessed.assertViolation(AbortReason.BAD_MODE_CHANGE);
    }

    /** In Buffered mode nothing is advertised (7.2). */
    @Test
    void srcAvailInBuffered() {
        for (int payload : new int[] {0, 1}) {
            Rig rig = new Rig();
            rig.feed(Mid.MODE_CHANGE, 64, 0, Mch.BUFFERED << 28);
            rig.feed(Mid.SRC_AVAIL, 64, payload, Rig.srcAvail(1000));
            rig.assertViolation(AbortReason.ILLEGAL_IN_MODE);
        }
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
        assertTrue(rig.row(ActionList.WAKE) >= 0);
    }
}
