package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.spi.OffloadStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: no thread waits for one that moves a stream, and the stream is in its hands until it is
 * back. Method: a stream whose move lasts until the test lets it end.
 */
@Timeout(60)
class StreamHandleTest {
    private static final int LIMIT_SECONDS = 20;

    private final CountDownLatch moving = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger givenBack = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final StreamHandle stream =
            new StreamHandle(
                    slowlyMoved(), new SwitchCounters(), new ReentrantLock(), new ReentrantLock());

    private OffloadStream slowlyMoved() {
        return Streams.of(
                (method, _) ->
                        switch (method) {
                            case "migrate" -> {
                                moving.countDown();
                                yield go.await(LIMIT_SECONDS, TimeUnit.SECONDS);
                            }
                            case "close" -> {
                                if (failures.getAndDecrement() > 0) {
                                    throw new StackOverflowError();
                                }
                                givenBack.incrementAndGet();
                                yield null;
                            }
                            case "available" -> 7;
                            default -> null;
                        });
    }

    @Test
    void aMoveDelaysNoOtherThread() throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<Boolean> mover = threads.submit(stream::migrate);
            moving.await();
            Future<Integer> other =
                    threads.submit(
                            () -> {
                                assertFalse(stream.migrate());
                                int available = stream.availableBytes();
                                stream.close(-1);
                                return available;
                            });
            assertEquals(7, other.get(LIMIT_SECONDS / 2, TimeUnit.SECONDS));
            assertFalse(mover.isDone());
            assertEquals(0, givenBack.get());
            go.countDown();
            assertTrue(mover.get());
            assertEquals(1, givenBack.get());
            assertFalse(stream.migrate());
        }
    }

    @Test
    void aCloseThatHasThrownIsMadeByTheNextOne() {
        failures.set(1);
        assertThrows(StackOverflowError.class, () -> stream.close(-1));
        assertEquals(0, givenBack.get());
        stream.close(-1);
        assertEquals(1, givenBack.get());
        stream.close(-1);
        assertEquals(1, givenBack.get());
    }
}
