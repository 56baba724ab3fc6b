package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.spi.OffloadStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a caller that waits for a stream without a thread is told, also if memory runs out
 * meanwhile. Method: an event loop that has none once.
 */
final class TaskWithoutMemoryTest {
    private final List<Runnable> handed = new ArrayList<>();
    private boolean scarce;
    private boolean here;
    private int told;

    private final EventLoop loop =
            Shims.proxy(
                    EventLoop.class,
                    (_, method, args) -> {
                        if (method.getName().equals("inLoop")) {
                            return here;
                        }
                        memory();
                        handed.add((Runnable) args[0]);
                        return null;
                    });

    private final BlockedThreads blocked =
            new BlockedThreads(
                    null,
                    Shims.proxy(BlockedThreads.Stream.class, (_, _, _) -> true), // it is not ready
                    loop);

    private void memory() {
        if (scarce) {
            scarce = false;
            throw new OutOfMemoryError();
        }
    }

    private void onReady() {
        memory();
        told++;
    }

    private void arm() {
        assertTrue(blocked.arm(OffloadStream.READ, this::onReady));
        scarce = true;
    }

    @Test
    void aTaskThatCouldNotBeHandedOverIsWithTheNextSignal() {
        arm();
        assertThrows(OutOfMemoryError.class, () -> blocked.signal(OffloadStream.READ));
        blocked.signal(OffloadStream.READ);
        assertEquals(1, handed.size());
        handed.getFirst().run();
        assertEquals(1, told);
    }

    @Test
    void oneThatTheLoopHasBegunRunsAgain() {
        arm();
        scarce = false;
        blocked.signal(OffloadStream.READ);
        assertInstanceOf(EventLoop.Repeatable.class, handed.getFirst());
    }

    @Test
    void oneThatRunsHereIsRunAgain() {
        here = true;
        arm();
        assertThrows(OutOfMemoryError.class, () -> blocked.signalHere(OffloadStream.READ));
        blocked.signalHere(OffloadStream.READ);
        assertEquals(1, told);
    }
}
