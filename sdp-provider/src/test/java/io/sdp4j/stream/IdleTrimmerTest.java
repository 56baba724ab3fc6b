package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: where every stream is idle and has given back its memory nothing is timed, and what is used
 * again is looked at again. Method: both ends in one JVM, one thread, timers that the test lets
 * run; the kernel shows which pages the connection has.
 */
@Timeout(60)
final class IdleTrimmerTest {
    private static final int BUFFER_BYTES = 16_400;
    private static final int LOAD_BYTES = 256 << 10;

    /** More looks than it takes until there is nothing left to do. */
    private static final int LOOKS = 20;

    private final TestFabric fabric = TestFabric.opened().suspending();
    private final HeldTimers timers = new HeldTimers(fabric.loop());
    private StreamPair pair;

    @BeforeEach
    void connect() throws Exception {
        pair = new StreamPair(fabric.timed(timers));
    }

    @AfterEach
    void close() throws Exception {
        pair.client.close(true);
        pair.server.close(true);
        pair.close();
        fabric.close();
    }

    /** Lets the timers run until there are none. */
    private void rest() throws Exception {
        await().alias("idle streams have no timer")
                .atMost(Duration.ofSeconds(10))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(
                        () -> {
                            timers.run();
                            return timers.pending() == 0;
                        });
    }

    /** Reads as many bytes as were sent and does not come back for more. */
    private static void pass(OffloadStream from, OffloadStream to, int lenBytes)
            throws IOException {
        byte[] bytes = new byte[lenBytes];
        new Random(lenBytes).nextBytes(bytes);
        byte[] came = new byte[lenBytes];
        int sent = 0;
        for (int received = 0; received < lenBytes; ) {
            sent += from.tryWrite(bytes, sent, lenBytes - sent);
            received += to.tryRead(came, received, lenBytes - received);
        }
        assertArrayEquals(bytes, came);
    }

    @Test
    void whatWasNeverUsedIsLookedAtNoMore() throws Exception {
        rest();
    }

    @Test
    void whatHasGivenBackAllIsLookedAtAgainWhenUsed() throws Exception {
        rest();
        long atFirst = IdleMemoryTest.residentBytes();
        for (int round = 0; round < 3; round++) {
            pass(pair.client, pair.server, LOAD_BYTES);
            pass(pair.server, pair.client, LOAD_BYTES);
            assertTrue(IdleMemoryTest.residentBytes() > atFirst + BUFFER_BYTES, "took nothing");
            assertTrue(timers.pending() > 0, "no look is due");
            rest();
            long kept = IdleMemoryTest.residentBytes() - atFirst;
            assertTrue(kept < BUFFER_BYTES, "bytes kept: " + kept);
        }
    }

    @Test
    void oneMessageEitherWayIsEnough() throws Exception {
        rest();
        long atFirst = IdleMemoryTest.residentBytes();
        for (int round = 0; round < 3; round++) {
            OffloadStream from = round == 1 ? pair.server : pair.client;
            pass(from, from == pair.client ? pair.server : pair.client, BUFFER_BYTES / 2);
            assertTrue(timers.pending() > 0, "no look is due");
            rest();
            long kept = IdleMemoryTest.residentBytes() - atFirst;
            assertTrue(kept <= 0, "bytes kept: " + kept);
        }
    }

    @Test
    void whatIsReadMuchLaterIsGivenBack() throws Exception {
        rest();
        long atFirst = IdleMemoryTest.residentBytes();
        byte[] bytes = new byte[BUFFER_BYTES / 2];
        assertEquals(bytes.length, pair.client.tryWrite(bytes, 0, bytes.length));
        for (int n = 0; n < LOOKS; n++) {
            timers.run();
        }
        assertEquals(1, timers.pending(), "the sender waits for the receiver to let go");
        assertEquals(bytes.length, pair.server.tryRead(bytes, 0, bytes.length));
        rest();
        long kept = IdleMemoryTest.residentBytes() - atFirst;
        assertTrue(kept <= 0, "bytes kept: " + kept);
    }

    /** Else a peer could wait in vain for a buffer that it has lent. */
    @Test
    void looksAreNotMoreThanHalfAMinuteApart() throws Exception {
        HeldTimers rare = new HeldTimers(fabric.loop());
        fabric.quietAfter(TimeUnit.SECONDS.toNanos(10));
        try (StreamPair unread = new StreamPair(fabric.timed(rare))) {
            byte[] bytes = new byte[BUFFER_BYTES / 2];
            assertEquals(bytes.length, unread.client.tryWrite(bytes, 0, bytes.length));
            for (int n = 0; n < LOOKS; n++) {
                rare.run();
            }
            assertEquals(TimeUnit.SECONDS.toNanos(30), rare.longestNanos());
            unread.client.close(true);
            unread.server.close(true);
        }
    }

    /** No thread waits in the stream, or it has left only since the last look. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPeerThatAsksIsAnsweredAllTheSame(boolean waits) throws Exception {
        StreamLife asked = ((SdpStream) pair.server).life();
        QueuePair before = asked.core.qp;
        Thread waiting =
                Thread.ofPlatform()
                        .unstarted(() -> pair.server.await(OffloadStream.READ, Long.MAX_VALUE));
        if (waits) {
            waiting.start();
            await().until(() -> asked.blocked.sleeps(() -> {}));
        }
        rest();
        asked.blocked.wakeAll();
        waiting.join();
        assertTrue(pair.client.migrate());
        await().atMost(Duration.ofSeconds(10))
                .until(
                        () -> {
                            synchronized (asked.core) {
                                return asked.core.qp != before;
                            }
                        });
    }

    @Test
    void whatWasReleasedIsLookedAtNoMore() throws Exception {
        pass(pair.client, pair.server, LOAD_BYTES);
        pair.client.close(true);
        pair.server.close(true);
        rest();
    }
}
