package io.sdp4j.fabric.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.WcStatus;
import org.junit.jupiter.api.Test;

/** How a connection ends, by either side. */
@SuppressWarnings("try") // listeners that are only closed
public abstract class EndContract extends MessageContract {
    protected EndContract() {}

    @Test
    void whatWasPostedBeforeDisconnectArrivesFirst() throws Exception {
        QpPair p = connect();
        for (int i = 0; i < 5; i++) {
            send(p.a(), bytes(i, 50));
        }
        p.a().disconnect();
        p.a().disconnect();
        for (int i = 0; i < 5; i++) {
            assertArrayEquals(bytes(i, 50), receive(p.b()));
        }
        Completion c = next(p.b());
        assertEquals(Completion.DISCONNECTED, c.opcode);
        assertEquals(WcStatus.SUCCESS, c.status);
        assertNothing(p.b());
        assertEquals(Completion.DISCONNECTED, next(p.a()).opcode);
        assertNothing(p.a());
    }

    @Test
    void closeDisconnectsAndWhatWasPostedArrives() throws Exception {
        QpPair p = connect();
        send(p.a(), bytes(3, 50));
        closeNow(p.a());
        assertArrayEquals(bytes(3, 50), receive(p.b()));
        Completion c = next(p.b());
        assertEquals(Completion.DISCONNECTED, c.opcode);
        assertEquals(WcStatus.SUCCESS, c.status);
        int slot = p.b().takeSendSlot();
        p.b().postSend(slot, 10, 0); // no peer is there, and that is no harm
        assertNothing(p.b());
    }

    @Test
    void bothMayDisconnectAtOnce() throws Exception {
        QpPair p = connect();
        p.a().disconnect();
        p.b().disconnect();
        assertEquals(Completion.DISCONNECTED, next(p.a()).opcode);
        assertEquals(Completion.DISCONNECTED, next(p.b()).opcode);
    }

    @Test
    void abortIsSeen() throws Exception {
        QpPair p = connect();
        send(p.a(), bytes(3, 50));
        p.a().abort();
        p.a().abort();
        assertArrayEquals(bytes(3, 50), receive(p.b()));
        assertEquals(Completion.DISCONNECTED, next(p.b()).opcode);
        assertEquals(Completion.DISCONNECTED, next(p.a()).opcode);
    }

    @Test
    void closeOfTheFabricEndsItsQueuePairs() throws Exception {
        QpPair p = connect();
        passive.close();
        assertEquals(Completion.DISCONNECTED, next(p.a()).opcode);
        Completion c = next(p.b());
        assertTrue(c.opcode == Completion.ERROR || c.opcode == Completion.DISCONNECTED);
    }

    @Test
    void closeInEveryState() throws Exception {
        for (int state = 0; state < 6; state++) {
            QpPair p = connect();
            switch (state) {
                case 0 -> send(p.a(), bytes(1, 5));
                case 1 -> p.a().takeSendSlot();
                case 2 -> p.a().disconnect();
                case 3 -> p.b().disconnect();
                case 4 -> p.b().abort();
                default -> p.a().completions().arm();
            }
            closeNow(state % 2 == 0 ? p.a() : p.b());
            closeNow(state % 2 == 0 ? p.b() : p.a());
        }
    }
}
