package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static io.sdp4j.stream.StreamPair.writeFully;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a long one-way stream is written past the processor's cache, one with answers never, and
 * the bytes are the same. Method: queue pairs that count.
 */
@Timeout(60)
final class BulkTest {
    private static final int MIB = 1 << 20;
    private static final int PART = 64 << 10;

    /** After which a stream counts as bulk, in {@link TestFabric#settings}. */
    private static final int BULK = 262_144;

    private final AtomicLong past = new AtomicLong();

    /** Capabilities that the queue pairs report. */
    private boolean writesPast = true;

    private final CountedCalls calls =
            new CountedCalls(
                    (call, args) -> {
                        if (call.equals("writePast")) {
                            past.addAndGet((int) args[4]);
                        }
                        return call.equals("writesPast") ? writesPast : null;
                    });

    private static byte[] bytes(int len, long seed) {
        byte[] b = new byte[len];
        new Random(seed).nextBytes(b);
        return b;
    }

    @Test
    void aLongOneWayStreamIsWrittenPastTheCacheUntilItIsAnswered() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(calls::connecting))) {
            byte[] much = bytes(2 * MIB, 1);
            CompletableFuture<byte[]> came =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return readFully(pair.server, much.length);
                                } catch (IOException e) {
                                    throw new AssertionError(e);
                                }
                            });
            byte[] first = Arrays.copyOf(much, MIB);
            writeFully(pair.client, first);
            ByteBuffer second = ByteBuffer.wrap(much, MIB, MIB); // not at its array's start
            while (second.hasRemaining()) {
                if (pair.client.tryWrite(second) == 0) {
                    pair.client.await(OffloadStream.WRITE, TimeUnit.SECONDS.toNanos(10));
                }
            }
            assertArrayEquals(much, came.get(30, TimeUnit.SECONDS));
            long bulk = past.get();
            assertTrue(bulk > much.length - BULK - PART, "past the cache: " + bulk);
            assertTrue(bulk <= much.length - BULK + PART, "past the cache: " + bulk);

            writeFully(pair.server, new byte[1]);
            readFully(pair.client, 1);
            writeFully(pair.client, bytes(PART, 2));
            assertEquals(bulk, past.get(), "it was answered");
            readFully(pair.server, PART);
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** Goal: no object is made for a copy that would be like any other. */
    @Test
    void whereThatIsACopyLikeAnyOtherItNeverIs() throws Exception {
        writesPast = false;
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(calls::connecting))) {
            byte[] much = bytes(2 * MIB, 3);
            CompletableFuture<byte[]> came =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return readFully(pair.server, much.length);
                                } catch (IOException e) {
                                    throw new AssertionError(e);
                                }
                            });
            writeFully(pair.client, much);
            assertArrayEquals(much, came.get(30, TimeUnit.SECONDS));
            assertEquals(0, past.get());
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    @Test
    void aStreamWithAnswersNeverIs() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(calls::connecting))) {
            for (int i = 0; i < 3 * MIB / PART; i++) {
                byte[] part = bytes(PART, i);
                writeFully(pair.client, part);
                assertArrayEquals(part, readFully(pair.server, PART));
                writeFully(pair.server, part);
                assertArrayEquals(part, readFully(pair.client, PART));
            }
            assertEquals(0, past.get());
            pair.client.close(false);
            pair.server.close(false);
        }
    }
}
