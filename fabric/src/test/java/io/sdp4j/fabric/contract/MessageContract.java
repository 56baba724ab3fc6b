package io.sdp4j.fabric.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** How messages go from one queue pair to the other. */
@SuppressWarnings("try") // listeners that are only closed
public abstract class MessageContract extends SetUpContract {
    protected MessageContract() {}

    @Test
    void messagesArriveInOrderWithTheirContent() throws Exception {
        QpPair p = connect();
        for (int i = 0; i < 1000; i++) {
            byte[] there = bytes(i, 1 + i * 37 % 1024);
            send(p.a(), there);
            assertArrayEquals(there, receive(p.b()));
            byte[] back = bytes(-i, 1 + i * 91 % 1024);
            send(p.b(), back);
            assertArrayEquals(back, receive(p.a()));
        }
    }

    /** Longer than any ring, so that positions and turns wrap. */
    @Test
    void headerAndMessageArePostedInOne() throws Exception {
        QpPair p = connect();
        byte[] text = bytes(1, 40);
        for (int i = 0; i < 1000; i++) {
            int slot = slotNow(p.a());
            p.a().copyIn(text, 0, p.a().sendOffset(slot) + 16, 40);
            p.a().send(slot, i, ~i, 56);
            Completion c = next(p.b());
            p.b().readHeader(c);
            assertEquals(i, c.first);
            assertEquals(~i, c.second);
            assertEquals(56, c.byteLen);
            assertArrayEquals(text, Arrays.copyOfRange(content(p.b(), c), 16, 56));
            p.b().postReceive(c.slot);
        }
    }

    private static int slotNow(QueuePair qp) {
        long end = System.nanoTime() + LONG;
        int slot = qp.takeSlotNow();
        while (slot < 0) { // sends have to end first
            assertTrue(System.nanoTime() < end, "no send slot");
            assertFalse(poll(qp, new Completion()));
            slot = qp.takeSlotNow();
        }
        return slot;
    }

    @Test
    void noSlotIsTakenWhileAMessageWaits() throws Exception {
        QpPair p = connect();
        byte[] text = bytes(1, 40);
        send(p.b(), text);
        p.a().completions().await(LONG);
        boolean known = p.a().completions().known(); // a device may have to be asked
        int slot = p.a().takeSlotNow();
        assertTrue(!known || slot < 0);
        if (slot >= 0) {
            p.a().returnSendSlot(slot);
        }
        assertArrayEquals(text, receive(p.a()));
        p.a().returnSendSlot(slotNow(p.a()));
    }

    @Test
    void numbersAndArraysAreBytesOfASlot() throws Exception {
        QpPair p = connect();
        byte[] text = bytes(1, 40);
        int slot = p.a().takeSendSlot();
        p.a().putHeader(slot, 0x8102_0304_0506_0708L, 9);
        p.a().copyIn(text, 3, p.a().sendOffset(slot) + 16, 30);
        p.a().postSend(slot, 46, 0);
        Completion c = next(p.b());
        p.b().readHeader(c);
        assertEquals(0x8102_0304_0506_0708L, c.first);
        assertEquals(9, c.second);
        byte[] all = content(p.b(), c);
        assertArrayEquals(new byte[] {(byte) 0x81, 2, 3, 4, 5, 6, 7, 8}, Arrays.copyOf(all, 8));
        assertArrayEquals(Arrays.copyOfRange(text, 3, 33), Arrays.copyOfRange(all, 16, 46));
        byte[] part = new byte[20];
        p.b().copyOut(p.b().receiveOffset(c.slot) + 16, part, 5, 10);
        assertArrayEquals(Arrays.copyOfRange(text, 3, 13), Arrays.copyOfRange(part, 5, 15));
        assertEquals(0, part[4] | part[15]);
    }

    @Test
    void everyReceiveCanBeInFlightAndNoneMore() throws Exception {
        QpPair p = connect();
        boolean slotsAreReceives = active.capabilities().sendsCompleteAtPost();
        for (int lap = 0; lap < 10; lap++) {
            for (int i = 0; i < SPEC.receiveSlots(); i++) {
                send(p.a(), bytes(i, 100 + i));
            }
            if (slotsAreReceives) {
                assertEquals(-1, p.a().takeSendSlot());
            }
            ArrayDeque<Integer> slots = new ArrayDeque<>();
            for (int i = 0; i < SPEC.receiveSlots(); i++) {
                Completion c = next(p.b());
                assertArrayEquals(bytes(i, 100 + i), content(p.b(), c));
                slots.add(c.slot);
            }
            assertNothing(p.b());
            if (slotsAreReceives) {
                assertEquals(-1, p.a().takeSendSlot());
            }
            while (!slots.isEmpty()) {
                p.b().postReceive(lap % 2 == 0 ? slots.removeFirst() : slots.removeLast());
            }
        }
    }

    @Test
    void unevenSpecsAreKept() throws Exception {
        QpPair p = connect(new QpSpec(1, 64, 1), new QpSpec(100, 5000, 3));
        assertTrue(p.a().sendBytes() >= 5000);
        assertTrue(p.b().sendBytes() >= 64);
        for (int i = 0; i < 300; i++) {
            send(p.a(), bytes(i, 5000));
            assertArrayEquals(bytes(i, 5000), receive(p.b()));
            send(p.b(), bytes(i, 64));
            assertArrayEquals(bytes(i, 64), receive(p.a()));
        }
    }

    @Test
    void aReturnedSlotIsFreeAgain() throws Exception {
        QpPair p = connect();
        for (int i = 0; i < 100; i++) {
            int slot = p.a().takeSendSlot();
            assertTrue(slot >= 0);
            p.a().returnSendSlot(slot);
        }
        send(p.a(), bytes(1, 10));
        assertArrayEquals(bytes(1, 10), receive(p.b()));
    }

    @Test
    void aSignalledSendCompletes() throws Exception {
        QpPair p = connect();
        int slot = p.a().takeSendSlot();
        p.a().postSend(slot, 5, QueuePair.SIGNALLED);
        Completion c = next(p.a());
        assertEquals(Completion.SEND, c.opcode);
        assertTrue(c.signalled);
        assertEquals(slot, c.slot);
    }

    @Test
    void aMessageLongerThanTheSlotIsAnError() throws Exception {
        QpPair p = connect();
        int slot = p.a().takeSendSlot();
        p.a().postSend(slot, p.a().sendBytes() + 1, 0);
        Completion c = next(p.a());
        assertEquals(Completion.ERROR, c.opcode);
        assertEquals(WcStatus.LOC_LEN_ERR, c.status);
        assertEquals(Completion.DISCONNECTED, next(p.b()).opcode);
    }
}
