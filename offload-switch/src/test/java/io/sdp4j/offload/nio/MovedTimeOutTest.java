package io.sdp4j.offload.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a read of a channel's socket waits no longer than its time-out where its input moves. */
@Timeout(60)
class MovedTimeOutTest extends MovedByHand {
    private static final int LONG_MILLIS = 600_000;

    @Test
    void theStreamIsWaitedForAsLongAsIsLeft() throws Exception {
        moveOutput();
        channel.configureBlocking(true);
        channel.socket().setSoTimeout(LONG_MILLIS);
        Task<Integer> reader = Task.start(() -> channel.socket().getInputStream().read());
        reader.awaitBlocked();
        long start = System.nanoTime();
        reader.awaitBlocked(); // a part of its time
        long gone = System.nanoTime() - start;
        tellLimit(0);
        assertEquals(-1, reader.get());
        long most = TimeUnit.MILLISECONDS.toNanos(LONG_MILLIS) - gone;
        assertTrue(waitedNanos > 0 && waitedNanos <= most, waitedNanos + " of " + most + " ns");
    }
}
