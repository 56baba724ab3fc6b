package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The list of actions: order, growth, taking, and one wake. */
class ActionListTest {
    /** More rows than there were at first: nothing is lost or moved. */
    @Test
    void grows() {
        ActionList out = new ActionList();
        int rows = 1000;
        for (int i = 0; i < rows; i++) {
            switch (i % 4) {
                case 0 -> out.send(i, i + 1, ActionList.SOLICITED, i, ~i);
                case 1 -> out.control(20, ActionList.SIGNALLED, i, ~i, -i);
                case 2 -> out.deliver(i, 16, i, Bsdh.OOB_PRES);
                default -> out.abort();
            }
        }
        assertEquals(rows, out.size());
        MemorySegment header = MemorySegment.ofArray(new byte[20]);
        for (int i = 0; i < rows; i++) {
            switch (i % 4) {
                case 0 -> {
                    assertEquals(ActionList.SEND, out.row(i).kind);
                    assertEquals(i, out.row(i).slot);
                    assertEquals(ActionList.SOLICITED, out.row(i).flags);
                    assertEquals(16, out.row(i).offset);
                    assertEquals(16 + i + 1, out.row(i).messageBytes());
                    header.set(Wire.INT, 16, 42);
                    out.row(i).writeHeader(header, 0);
                    assertEquals(i, header.get(Wire.LONG, 0));
                    assertEquals(~i, header.get(Wire.LONG, 8));
                    assertEquals(42, header.get(Wire.INT, 16), "writes behind its header");
                }
                case 1 -> {
                    assertEquals(ActionList.CONTROL, out.row(i).kind);
                    assertEquals(i, out.row(i).first);
                    assertEquals(20, out.row(i).offset);
                    assertEquals(20, out.row(i).messageBytes());
                    out.row(i).writeHeader(header, 0);
                    assertEquals(-i, header.get(Wire.INT, 16));
                }
                case 2 -> {
                    assertEquals(ActionList.DELIVER, out.row(i).kind);
                    assertEquals(i, out.row(i).bytes);
                    assertEquals(16, out.row(i).offset);
                }
                default -> assertEquals(ActionList.ABORT, out.row(i).kind);
            }
        }
    }

    /** However many conditions come true, there is one wake, at the place of the first. */
    @Test
    void wakesAreOne() {
        ActionList out = new ActionList();
        out.wake(ActionList.READABLE);
        out.repost(1);
        out.wake(ActionList.CLOSED);
        assertEquals(2, out.size());
        assertEquals(ActionList.READABLE | ActionList.CLOSED, out.row(0).flags);
        out.clear();
        out.repost(1);
        out.wake(ActionList.WRITABLE);
        out.wake(ActionList.CLOSED);
        assertEquals(2, out.size());
        assertEquals(ActionList.WRITABLE | ActionList.CLOSED, out.row(1).flags);
    }

    /** Rows that are added while others are carried out follow them; the last one clears. */
    @Test
    void takesInOrder() {
        ActionList out = new ActionList();
        for (int round = 0; round < 2; round++) {
            out.repost(1);
            out.repost(2);
            assertEquals(1, out.take().slot);
            for (int i = 3; i < 100; i++) {
                out.repost(i);
            }
            for (int i = 2; i < 100; i++) {
                assertEquals(i, out.take().slot);
            }
            assertNull(out.take());
            assertEquals(0, out.size());
        }
    }

    /** A wake that arises when the earlier one was taken is not lost in that one. */
    @Test
    void aWakeFollowsOneThatWasTaken() {
        ActionList out = new ActionList();
        out.wake(ActionList.READABLE);
        out.repost(1);
        assertEquals(ActionList.READABLE, out.take().flags);
        out.wake(ActionList.WRITABLE);
        assertEquals(ActionList.REPOST, out.take().kind);
        out.wake(ActionList.CLOSED);
        assertEquals(ActionList.WRITABLE | ActionList.CLOSED, out.take().flags);
        assertNull(out.take());
    }

    /** Nothing of a list that was cleared half-way comes back. */
    @Test
    void isClearedHalfWay() {
        ActionList out = new ActionList();
        out.repost(1);
        out.wake(ActionList.READABLE);
        assertEquals(1, out.take().slot);
        out.clear();
        assertNull(out.take());
        out.repost(2);
        out.wake(ActionList.CLOSED);
        assertEquals(2, out.take().slot);
        assertEquals(ActionList.CLOSED, out.take().flags);
        assertNull(out.take());
    }
}
