package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When a reservation keeps something from being said, and when nothing is said on demand. */
class HeldUpTest extends ZcopyRig {
    /** A peer with three buffers: a reservation leaves none to a message without payload. */
    private static Rig few() {
        Rig few = new Rig(SuspensionTest.SUSPENDING, 3, 0, 0);
        assertTrue(few.machine.reserve());
        assertFalse(few.machine.heldUp(), "nothing is to be said");
        return few;
    }

    private static void assertHeldUp(Consumer<Rig> cause) {
        Rig few = few();
        cause.accept(few);
        assertEquals(List.of(), few.mids());
        assertTrue(few.machine.heldUp());
        few.assertAlive();
    }

    @Test
    void whatAReservationHoldsUp() {
        assertHeldUp(r -> assertTrue(r.machine.source().lend(3, 100_000, 1, 2, r.out)));
        assertHeldUp(r -> r.feed(Mid.SRC_AVAIL, 3, 1, Rig.srcAvail(100_000)));
        assertHeldUp(r -> r.feed(Mid.CH_RCV_BUF, 3, 0, 8192));
        assertHeldUp(r -> assertTrue(r.machine.suspend(1, r.out)));
    }

    @Test
    void onlyAReservationHoldsUp() {
        Rig none = new Rig(SuspensionTest.SUSPENDING, 1, 0, 0);
        assertTrue(none.machine.source().lend(3, 100_000, 1, 2, none.out));
        assertEquals(List.of(), none.mids(), "one credit is left to the peer's needs");
        assertFalse(none.machine.heldUp(), "nothing that could be given back");
    }

    @Test
    void nothingIsHeldUpWhereThereAreCredits() {
        assertTrue(rig.machine.reserve());
        assertTrue(lendSource(3, 100_000));
        assertEquals(List.of(), rig.mids(), "it waits for what is reserved");
        assertFalse(rig.machine.heldUp());
    }

    private static void assertSaysNothing(Rig rig) {
        rig.out.clear();
        assertFalse(rig.machine.sendEmpty(rig.out));
        assertEquals(List.of(), rig.mids());
    }

    private static void assertSaysSo(Rig rig) {
        rig.out.clear();
        assertTrue(rig.machine.sendEmpty(rig.out));
        assertEquals(List.of(Mid.DATA), rig.mids());
    }

    @Test
    void anEmptyMessageWhileSomebodyMayWaitForIt() {
        Rig theirs = new Rig(CONFIG, 64, 0, 0);
        theirs.feed(Mid.DISCONN, 64, 0);
        assertSaysSo(theirs);
        Rig ours = new Rig(CONFIG, 64, 0, 0);
        ours.machine.shutdownOutput(ours.out);
        assertSaysSo(ours);
        ours.feed(Mid.DISCONN, 64, 0);
        assertSaysNothing(ours);
        Rig cut = new Rig(CONFIG, 64, 0, 0);
        cut.feed(Mid.HELLO, 64, 0);
        assertEquals(State.ERROR, cut.machine.state());
        assertSaysNothing(cut);
        Rig suspended = new Rig(SuspensionTest.SUSPENDING, 64, 0, 0);
        assertTrue(suspended.machine.suspend(1, suspended.out));
        assertEquals(List.of(Mid.SUSP_COMM), suspended.mids());
        assertSaysNothing(suspended);
        Rig without = new Rig(CONFIG, 1, 0, 0);
        assertSaysNothing(without);
    }
}
