package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The list of actions: order, growth, and one wake. */
class ActionListTest {
    /** More rows than there were at first: nothing is lost or moved. */
    @Test
    void grows() {
        ActionList out = new ActionList();
        int rows = 1000;
        for (int i = 0; i < rows; i++) {
            switch (i % 4) {
                case 0 -> out.send(i, i + 1, ActionList.SOLICITED, i, ~i);
                case 1 -> out.control(i, 20, ActionList.SIGNALLED, i, ~i, -i);
                case 2 -> out.deliver(i, 16, i, Bsdh.OOB_PRES);
                default -> out.abort();
            }
        }
        assertEquals(rows, out.size());
        MemorySegment header = MemorySegment.ofArray(new byte[20]);
        for (int i = 0; i < rows; i++) {
            switch (i % 4) {
                case 0 -> {
                    assertEquals(ActionList.SEND, out.kind(i));
                    assertEquals(i, out.slot(i));
                    assertEquals(ActionList.SOLICITED, out.flags(i));
                    assertEquals(16, out.headerBytes(i));
                    assertEquals(16 + i + 1, out.messageBytes(i));
                    header.set(Wire.INT, 16, 42);
                    out.writeHeader(i, header, 0);
                    assertEquals(i, header.get(Wire.LONG, 0));
                    assertEquals(~i, header.get(Wire.LONG, 8));
                    assertEquals(42, header.get(Wire.INT, 16), "writes behind its header");
                }
                case 1 -> {
                    assertEquals(ActionList.CONTROL, out.kind(i));
                    assertEquals(i, out.tag(i));
                    assertEquals(20, out.headerBytes(i));
                    assertEquals(20, out.messageBytes(i));
                    out.writeHeader(i, header, 0);
                    assertEquals(-i, header.get(Wire.INT, 16));
                }
                case 2 -> {
                    assertEquals(ActionList.DELIVER, out.kind(i));
                    assertEquals(i, out.bytes(i));
                    assertEquals(16, out.offset(i));
                }
                default -> assertEquals(ActionList.ABORT, out.kind(i));
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
        assertEquals(ActionList.READABLE | ActionList.CLOSED, out.flags(0));
        out.clear();
        out.repost(1);
        out.wake(ActionList.WRITABLE);
        out.wake(ActionList.CLOSED);
        assertEquals(2, out.size());
        assertEquals(ActionList.WRITABLE | ActionList.CLOSED, out.flags(1));
    }
}
