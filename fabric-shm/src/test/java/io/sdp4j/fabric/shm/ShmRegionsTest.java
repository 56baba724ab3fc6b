package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.MemoryRegion;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: registered memory stays registered, whatever the garbage collector does meanwhile. */
@Timeout(60)
final class ShmRegionsTest {
    private static final long FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

    @Test
    void aSegmentThatOnlyTheCallMentionsIsRegistered() throws Exception {
        ShmRegions regions = new ShmRegions();
        AtomicBoolean over = new AtomicBoolean();
        Thread collector =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!over.get()) {
                                        System.gc();
                                    }
                                });
        int made = 0;
        try {
            long end = System.nanoTime() + FOR_NANOS;
            do {
                MemoryRegion region = regions.register(Arena.ofAuto().allocate(8), true, true);
                assertEquals(8, region.memory().byteSize());
                region.close();
                made++;
            } while (System.nanoTime() < end);
        } finally {
            over.set(true);
            collector.join();
        }
        assertTrue(made > 0);
    }
}
