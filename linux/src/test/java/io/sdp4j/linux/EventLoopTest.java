package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a task or a timer throws, those of others go on. */
@Timeout(60)
final class EventLoopTest {
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private final CountDownLatch done = new CountDownLatch(3);

    /** A peer that cuts mapped memory off causes the first, and a bug any other. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void goesOnAfterAnyError(boolean nativeMode) throws Exception {
        List<Throwable> errors =
                List.of(new InternalError("memory"), new StackOverflowError(), new Exception());
        EventLoop loop =
                EventLoops.start(
                        "test-errors",
                        nativeMode,
                        t -> {
                            thrown.add(t);
                            throw new IllegalStateException("the sink, too");
                        });
        try {
            for (Throwable t : errors) {
                loop.execute(() -> EventLoopTest.<RuntimeException>fail(t));
                loop.schedule(() -> EventLoopTest.<RuntimeException>fail(t), SOON_NANOS);
            }
            loop.execute(done::countDown);
            loop.schedule(done::countDown, SOON_NANOS);
            loop.schedule(done::countDown, 5 * SOON_NANOS);
            assertTrue(done.await(30, TimeUnit.SECONDS), "left: " + done.getCount());
            assertEquals(2 * errors.size(), thrown.size(), thrown::toString);
        } finally {
            loop.end();
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // any kind, unchecked
    private static <T extends Throwable> void fail(Throwable t) throws T {
        throw (T) t;
    }
}
