package io.sdp4j.rdma.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.sdp4j.rdma.QpSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The word that says what a process has written and not sent. */
class UnsentTest {
    private static final QpSpec SPEC = new QpSpec(4, 1024, 4);

    private final ShmLayout layout = ShmFabric.layout(Handshake.MODE_NATIVE, SPEC, SPEC);
    private final MemorySegment mem = Arena.ofAuto().allocate(layout.totalBytes, 4096);
    private final Unsent unsent = new Unsent(mem, layout, 0);

    private long word() {
        return (long) Words.LONG.getAcquire(mem, ShmLayout.control(0) + ShmLayout.UNSENT_WORD);
    }

    /** The turn of a slot comes round, so a word that stayed would be believed again. */
    @Test
    void aSlotThatWasSentIsNotShownAnyMore() {
        unsent.show(2, 7, 100, 0);
        long shown = word();
        assertNotEquals(0, shown);
        unsent.sent(1); // another one, as a control message
        assertEquals(shown, word());
        unsent.sent(2);
        assertEquals(0, word());
    }
}
