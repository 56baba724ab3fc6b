package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.spi.OffloadProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: private buffers grow while a writer has more to say than they hold, shrink when the stream
 * is quiet, keep their size where that is wanted, and no byte is lost meanwhile. Method: both ends
 * in one JVM, a reader on a thread of its own.
 */
@Timeout(60)
final class BufferSizesTest {
    private static final int FIRST_BYTES = 16_400;
    private static final int MAX_BYTES = 65_552;
    private static final int MOVED_BYTES = 8 << 20;

    private static int peerBytes(StreamPair pair) {
        return ((SdpStream) pair.client).peerReceiveBytes();
    }

    private static void move(StreamPair pair, long seed) throws Exception {
        byte[] sent = new byte[MOVED_BYTES];
        new Random(seed).nextBytes(sent);
        CompletableFuture<byte[]> received =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return StreamPair.readFully(pair.server, MOVED_BYTES);
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
        StreamPair.writeFully(pair.client, sent);
        assertArrayEquals(sent, received.get(30, TimeUnit.SECONDS));
    }

    @Test
    void theyGrowUnderLoadAndShrinkWhenQuietAgainAndAgain() throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            OffloadProvider provider = fabric.growing(MAX_BYTES);
            try (StreamPair pair = new StreamPair(provider)) {
                assertEquals(FIRST_BYTES, peerBytes(pair));
                for (int round = 0; round < 2; round++) {
                    for (int n = 0; peerBytes(pair) < MAX_BYTES && n < 50; n++) {
                        move(pair, n);
                    }
                    assertEquals(MAX_BYTES, peerBytes(pair));
                    move(pair, 99);
                    await().atMost(Duration.ofSeconds(20))
                            .until(
                                    () -> {
                                        // both ends answer only when a thread looks
                                        pair.client.ready();
                                        pair.server.ready();
                                        return peerBytes(pair) == FIRST_BYTES;
                                    });
                }
                move(pair, 100);
                pair.client.close(false);
                pair.server.close(false);
            }
        }
    }

    @Test
    void aPeerThatKeepsItsSizeIsLeftAlone() throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            OffloadProvider growing = fabric.growing(MAX_BYTES);
            try (StreamPair pair = new StreamPair(fabric.provider(), growing)) {
                for (int n = 0; n < 5; n++) {
                    move(pair, n);
                }
                assertEquals(FIRST_BYTES, peerBytes(pair));
                pair.client.close(false);
                pair.server.close(false);
            }
        }
    }

    /** Goal: a feature that the peer lacks is asked for once, and costs nothing afterwards. */
    @Test
    void theyGrowToWhatThePeerHasAgainAndAgain() throws Exception {
        int least = 2 * FIRST_BYTES + 1000;
        try (TestFabric fabric = new TestFabric()) {
            OffloadProvider wants = fabric.growing(MAX_BYTES);
            try (StreamPair pair = new StreamPair(fabric.growing(least), wants)) {
                for (int round = 0; round < 2; round++) {
                    int largest = 0;
                    for (int n = 0; n < 50 && largest < least; n++) {
                        move(pair, n);
                        largest = Math.max(largest, peerBytes(pair));
                    }
                    assertEquals(least, largest);
                    move(pair, 99); // perhaps more would be asked for
                    await().atMost(Duration.ofSeconds(20))
                            .until(
                                    () -> {
                                        pair.client.ready();
                                        pair.server.ready();
                                        return peerBytes(pair) == FIRST_BYTES;
                                    });
                }
                pair.client.close(false);
                pair.server.close(false);
            }
        }
    }
}
