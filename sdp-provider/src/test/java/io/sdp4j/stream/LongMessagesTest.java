package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.shm.ShmConfig;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a peer that does not read takes megabytes however they are written, as far as this process
 * has memory for it, and gets every byte in order. Method: both ends of streams over shared memory
 * with the buffers that programs have.
 */
@Timeout(60)
class LongMessagesTest {
    private static final int MUCH = 1_500_000;

    /** As much as all buffers take whose memory is booked from the beginning. */
    private static final int LITTLE = 32 * 16_384;

    /** Enough for two connections, and for the long messages of one side of one of them. */
    private static final long MEMORY_BYTES = 16 << 20;

    private static final byte[] BYTES = new byte[8 << 20];

    static {
        new Random(7).nextBytes(BYTES);
    }

    /**
     * Writes until nothing fits any more; 0 = of every length. Quickly: what is kept for more is
     * sent after a while.
     */
    private static byte[] fill(OffloadStream s, int len) throws IOException {
        Random random = new Random(len);
        for (int at = 0; ; ) {
            int next = len == 0 ? 1 + random.nextInt(random.nextBoolean() ? 999 : 99_999) : len;
            int n =
                    next % 2 == 0
                            ? s.tryWrite(BYTES, at, next)
                            : s.tryWrite(ByteBuffer.wrap(BYTES, at, next));
            at += n;
            if (n < next && (s.ready() & OffloadStream.WRITE) == 0) {
                return Arrays.copyOf(BYTES, at);
            }
        }
    }

    private static int take(StreamPair pair, int len) throws IOException {
        byte[] taken = fill(pair.client, len);
        assertArrayEquals(taken, readFully(pair.server, taken.length));
        return taken.length;
    }

    private static void close(StreamPair pair) throws IOException {
        pair.client.close(false);
        pair.server.close(false);
        pair.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2_049, 5_000, 64_000, 1 << 20})
    void howeverTheyAreWritten(int len) throws Exception {
        try (TestFabric fabric = new TestFabric().buffersAsShipped()) {
            StreamPair pair = new StreamPair(fabric.provider());
            for (int round = 0; round < 3; round++) {
                int taken = take(pair, len);
                assertTrue(taken > MUCH, () -> taken + " bytes taken");
            }
            close(pair);
        }
    }

    /** Each of them takes long, and what was kept for more leaves now and then; not the last. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void inSmallWrites(int len) throws Exception {
        try (TestFabric fabric = new TestFabric().buffersAsShipped()) {
            StreamPair pair = new StreamPair(fabric.provider());
            for (int round = 0; round < 3; round++) {
                int taken = take(pair, len);
                assertTrue(taken >= 262_144, () -> taken + " bytes taken");
            }
            close(pair);
        }
    }

    /** There is room again as soon as the peer has read one message. */
    @Test
    void roomIsToldOfAtOnce() throws Exception {
        try (TestFabric fabric = new TestFabric().buffersAsShipped()) {
            StreamPair pair = new StreamPair(fabric.provider());
            byte[] taken = fill(pair.client, 5_000);
            assertEquals(0, pair.client.ready() & OffloadStream.WRITE);
            readFully(pair.server, 16_384 + 1);
            pair.server.ready();
            assertTrue((pair.client.ready() & OffloadStream.WRITE) != 0);
            readFully(pair.server, taken.length - 16_384 - 1);
            close(pair);
        }
    }

    /** Bytes that wait for the peer to read leave when the writer closes, all of them. */
    @Test
    void theEndComesAfterIt() throws Exception {
        try (TestFabric fabric = new TestFabric().buffersAsShipped()) {
            StreamPair pair = new StreamPair(fabric.provider());
            byte[] taken = fill(pair.client, 0);
            pair.client.close(false);
            assertArrayEquals(taken, readFully(pair.server, taken.length + 1));
            close(pair);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whereMemoryIsShortOneAfterTheOther(boolean close) throws Exception {
        ShmConfig usual = ShmConfig.defaults();
        ShmConfig config =
                new ShmConfig(null, usual.spinMaxNanos(), usual.spinnersMax(), MEMORY_BYTES, true);
        try (TestFabric fabric = new TestFabric(config, 32).buffersAsShipped()) {
            OffloadProvider provider = fabric.provider();
            StreamPair first = new StreamPair(provider);
            StreamPair second = new StreamPair(provider);
            assertTrue(take(first, 64_000) > MUCH);
            int little = take(second, 64_000);
            assertTrue(little <= LITTLE, () -> little + " bytes taken");
            if (close) {
                close(first);
            }
            // or it is quiet, and gives back what it had
            await().atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> take(second, 64_000) > MUCH);
            if (!close) {
                close(first);
            }
            close(second);
        }
    }

    /** No write waits for a timer while the peer keeps up. */
    @Test
    void aPeerThatKeepsUpGetsEveryWriteAtOnce() throws Exception {
        try (TestFabric fabric = new TestFabric().buffersAsShipped()) {
            StreamPair pair = new StreamPair(fabric.provider());
            byte[] b = new byte[5_000];
            for (int i = 0; i < 200; i++) {
                assertEquals(b.length, pair.client.tryWrite(b, 0, b.length));
                assertEquals(b.length, pair.server.available());
                readFully(pair.server, b.length);
            }
            close(pair);
        }
    }

    /** A writer that has no more to say has it sent all the same, and soon. */
    @Test
    void whatIsKeptLeavesByItself() throws Exception {
        try (TestFabric fabric = new TestFabric().buffersAsShipped()) {
            StreamPair pair = new StreamPair(fabric.provider());
            byte[] b = new byte[5_000];
            for (int i = 0; i < 20; i++) {
                assertEquals(b.length, pair.client.tryWrite(b, 0, b.length));
            }
            long start = System.nanoTime();
            assertEquals(20 * b.length, readFully(pair.server, 20 * b.length).length);
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(5));
            close(pair);
        }
    }
}
