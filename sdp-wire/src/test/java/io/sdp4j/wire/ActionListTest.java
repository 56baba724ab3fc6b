package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The list of actions: order, growth, one wake, and its words for traces. */
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
                default -> out.abort(AbortReason.LOCAL_ABORT);
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
                default -> assertEquals(AbortReason.LOCAL_ABORT, out.reason(i));
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

    @Test
    void tracesInWords() {
        ActionList out = new ActionList();
        assertEquals("[]", out.toString());
        long first = Bsdh.first(Mid.DATA, 0, 0xFFFF, 20);
        out.send(3, 4, 0, first, Bsdh.second(-1, 7));
        out.repost(9);
        out.wake(ActionList.READABLE);
        out.armTimer(1, 50);
        out.cancelTimer(1);
        out.disconnect();
        out.abort(AbortReason.BAD_ACK);
        out.deliver(2, 16, 5, 0);
        assertEquals(
                "[SEND slot 3, 4 B: Data Bufs 65535 MSeq 4294967295 MSeqAck 7, REPOST slot 9, WAKE"
                        + " 1, ARM_TIMER 1, 50 ns, CANCEL_TIMER 1, DISCONNECT, ABORT BAD_ACK,"
                        + " DELIVER slot 2, 5 B]",
                out.toString());
        out.clear();
        out.control(2, 16, 0, Bsdh.first(Mid.DISCONN, 0, 5, 16), Bsdh.second(1, 2), 0);
        assertEquals("[CONTROL: DisConn Bufs 5 MSeq 1 MSeqAck 2]", out.toString());
    }

    @Test
    void tracesTransfersInWords() {
        ActionList out = new ActionList();
        out.rdma(ActionList.RDMA_READ, 3, 10, 20, 0xABCDL, 0x11);
        out.rdma(ActionList.RDMA_WRITE, 4, 0, 5, 1, 2);
        out.place(6, 36, 7, 8, 9);
        out.returned(ActionList.SINK_RETURNED, 5, 30, 0);
        assertEquals(
                "[RDMA_READ into buffer 3 at 10, 20 B, peer's abcd key 11,"
                        + " RDMA_WRITE from buffer 4 at 0, 5 B, peer's 1 key 2,"
                        + " PLACE slot 6 into buffer 8 at 9, 7 B, SINK_RETURNED buffer 5, got 30 B]",
                out.toString());
        out.clear();
        for (int outcome :
                new int[] {ActionList.DONE, ActionList.COPY, ActionList.RECALLED, ActionList.CUT}) {
            out.returned(ActionList.SOURCE_RETURNED, outcome, 40, outcome);
        }
        String start = "SOURCE_RETURNED buffer ";
        assertEquals(
                "["
                        + (start + ActionList.DONE + ", took 40 B, done, ")
                        + (start + ActionList.COPY + ", took 40 B, copy the rest, ")
                        + (start + ActionList.RECALLED + ", took 40 B, recalled, ")
                        + (start + ActionList.CUT + ", took 40 B, cut]"),
                out.toString());
    }
}
