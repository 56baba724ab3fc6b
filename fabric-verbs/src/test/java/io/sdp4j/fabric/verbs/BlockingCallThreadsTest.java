package io.sdp4j.fabric.verbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: calls never wait for each other, and one after the other share a thread. */
@Timeout(30)
class BlockingCallThreadsTest {
    private final BlockingCallThreads threads = new BlockingCallThreads();

    private Thread threadOfACall() throws Exception {
        AtomicReference<Thread> ran = new AtomicReference<>();
        int result =
                threads.run(
                                () -> {
                                    ran.set(Thread.currentThread());
                                    return 7;
                                })
                        .get(20, TimeUnit.SECONDS);
        assertEquals(7, result);
        return ran.get();
    }

    @Test
    void anIdleThreadServesTheNextCall() throws Exception {
        Thread first = threadOfACall();
        assertTrue(first.isDaemon());
        await().until(() -> threadOfACall() == first);
    }

    @Test
    void aCallThatWaitsDelaysNoOther() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Integer> waiting =
                threads.run(
                        () -> {
                            try {
                                end.await();
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                            return 1;
                        });
        threadOfACall();
        assertFalse(waiting.isDone());
        end.countDown();
        assertEquals(1, waiting.get(20, TimeUnit.SECONDS));
    }
}
