package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: tasks of ours do not disturb the application. */
@Timeout(60)
final class ConnectThreadsTest {
    /** The default handler of some servers ends the JVM at any Error. */
    @Test
    void aTaskThatFailsDoesNotReachTheDefaultHandler() throws Exception {
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((_, e) -> uncaught.add(e));
        try {
            CompletableFuture<Thread> ran = new CompletableFuture<>();
            assertTrue(
                    ConnectThreads.start(
                            () -> {
                                ran.complete(Thread.currentThread());
                                throw new NoClassDefFoundError("of the test");
                            }));
            ran.get().join();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(usual);
        }
        assertEquals(List.of(), uncaught);
    }
}
