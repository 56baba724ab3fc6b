package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Goal: the end of a connection costs no look at the devices once a removal is over. */
class RemovedContextsTest {
    private final RemovedContexts removed = new RemovedContexts();

    @Test
    void theLibraryLooksUntilItHasNoticed() {
        assertFalse(removed.any());
        removed.add(1);
        removed.add(2);
        removed.onLooked(Set.of(1L, 2L, 3L));
        assertTrue(removed.any());
        removed.onLooked(Set.of(2L, 3L));
        assertTrue(removed.any());
        removed.onLooked(Set.of(3L));
        assertFalse(removed.any());
    }

    /** It cannot where the device was the only one, and then keeps it. */
    @Test
    void aLookThatFailedSaysNothing() {
        removed.add(1);
        removed.onLooked(null);
        assertTrue(removed.any());
    }

    @Test
    void anAddressThatIsInUseAgainIsNoRemovedDevice() {
        removed.add(1);
        removed.isBack(1);
        assertFalse(removed.any());
    }

    @Test
    void theLibrarysListIsRead() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocateFrom(JAVA_LONG, 7, 9, 0);
            assertEquals(Set.of(7L, 9L), RdmaCm.pointers(list.address(), 2));
            assertEquals(Set.of(), RdmaCm.pointers(list.address(), 0));
        }
    }
}
