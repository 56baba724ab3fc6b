package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Goal: the work of a JVM's compilers is seen from outside, and a warm-up ends at its limit. */
final class CompilersTest {
    @Test
    void aWorkingCompilerIsSeen() throws IOException {
        // This JVM has compiled itself, JUnit and the build's tools by now.
        assertTrue(Compilers.cpuMs(ProcessHandle.current().pid()) > 0, "nothing compiled yet");
    }

    @Test
    void whatIsNoProcessCompilesNothing() throws IOException {
        assertEquals(0, Compilers.cpuMs(Integer.MAX_VALUE));
    }

    @Test
    void threadsThatEndMeanwhileAreNoFailure() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Thread parent =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!over.get()) {
                                        Thread.ofPlatform().start(() -> {});
                                    }
                                });
        try {
            for (int looks = 0; looks < 1000; looks++) {
                assertTrue(Compilers.cpuMs(ProcessHandle.current().pid()) > 0);
            }
        } finally {
            over.set(true);
            parent.join();
        }
    }

    @Test
    void busyCompilersPutAWarmUpOffUntilItsLimit() throws IOException, InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        Compilers.warmUp(5000, _ -> runs.incrementAndGet(), () -> 100L * runs.get());
        assertEquals(5, runs.get());
    }

    @Test
    void idleCompilersEndAWarmUpAtOnce() throws IOException, InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        Compilers.warmUp(5000, _ -> runs.incrementAndGet(), () -> 7);
        assertEquals(1, runs.get());
    }

    @Test
    void noTimeIsNoWarmUp() throws IOException, InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        Compilers.warmUp(0, _ -> runs.incrementAndGet(), () -> 7);
        assertEquals(0, runs.get());
    }
}
