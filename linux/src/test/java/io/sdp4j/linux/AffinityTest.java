package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: a thread is confined to a processor and is as free as before afterwards; a choice of others
 * is left alone. Method: the kernel's own account of each thread.
 */
@Timeout(60)
class AffinityTest {
    @Test
    void confinesAndReleases() throws Exception {
        assumeFree();
        String before = allowed();
        Affinity affinity = new Affinity();
        for (int cpu = 0; cpu < 2; cpu++) {
            assertTrue(affinity.confine(cpu));
            assertEquals(Integer.toString(cpu), allowed());
            assertEquals(cpu, Linux.cpu());
            affinity.release();
            assertEquals(before, allowed());
        }
    }

    @Test
    void leavesAThreadAloneWhoseProcessorsWereChosen() throws Exception {
        assumeFree();
        inAThread(
                () -> {
                    assertTrue(new Affinity().confine(1));
                    Affinity other = new Affinity();
                    assertFalse(other.confine(0));
                    assertFalse(other.confine(1));
                    assertEquals("1", allowed());
                });
    }

    @Test
    void keepsWhatWasChosenMeanwhile() throws Exception {
        assumeFree();
        inAThread(
                () -> {
                    Affinity affinity = new Affinity();
                    assertTrue(affinity.confine(1));
                    affinity.release();
                    assertTrue(new Affinity().confine(0));
                    affinity.release();
                    assertEquals("0", allowed());
                });
    }

    @Test
    void refusesWhatIsNoProcessor() throws Exception {
        assumeFree();
        String before = allowed();
        Affinity affinity = new Affinity();
        for (int cpu : new int[] {-1, Integer.MIN_VALUE, 8191, 8192, Integer.MAX_VALUE}) {
            assertFalse(affinity.confine(cpu));
        }
        assertEquals(before, allowed());
    }

    @Test
    void readsTheKernelsLists() {
        assertArrayEquals(new long[] {0b11}, Affinity.parse("0-1"));
        assertArrayEquals(new long[] {0b1_0000_1111, 1}, Affinity.parse("0-3,8,64"));
        assertArrayEquals(new long[] {}, Affinity.parse(""));
        assertArrayEquals(new long[] {}, Affinity.parse("0-8192"));
    }

    /** Its choice lasts as long as the thread. */
    private static void inAThread(Executable test) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread =
                Thread.ofPlatform()
                        .uncaughtExceptionHandler((t, e) -> failure.set(e))
                        .start(() -> assertDoesNotThrow(test));
        thread.join();
        assertNull(failure.get());
    }

    /** Else this JVM's processors were chosen, and there is nothing to confine. */
    private static void assumeFree() throws IOException {
        assumeTrue(Affinity.available());
        String online = Files.readString(Path.of("/sys/devices/system/cpu/online")).strip();
        assumeTrue(online.startsWith("0-") && online.equals(allowed()));
    }

    private static String allowed() throws IOException {
        return Proc.status(Path.of("/proc/thread-self"), "Cpus_allowed_list");
    }
}
