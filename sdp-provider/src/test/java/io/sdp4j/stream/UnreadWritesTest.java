package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a peer that does not read takes small writes as a kernel's socket does, not one for each of
 * its buffers, and gets every byte in order as soon as it reads. Method: both ends of a stream over
 * shared memory with as few buffers as there are over a device, and pauses long enough for
 * everything to leave that would leave by itself.
 */
@Timeout(60)
class UnreadWritesTest {
    /** One message is left when the others have been taken. */
    private static final int LEAST_BYTES = 16_384;

    private static final int BUFFERS = 8;

    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    private int write(OffloadStream s, int len) throws IOException {
        byte[] b = new byte[len];
        Arrays.fill(b, (byte) (sent.size() / 7));
        int n = s.tryWrite(b, 0, len);
        sent.write(b, 0, n);
        return n;
    }

    /** Time for the timer of small writes, and more. */
    private static void rest(OffloadStream s) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(12);
        while (System.nanoTime() - until < 0) {
            s.await(OffloadStream.READ, until - System.nanoTime());
        }
    }

    private void readAll(OffloadStream s) throws IOException {
        assertArrayEquals(sent.toByteArray(), readFully(s, sent.size()));
        sent.reset();
    }

    /** A select or read in between makes nothing leave that need not. */
    @ParameterizedTest
    @CsvSource({"1, 200", "15, 200", "700, 20", "3000, 5"})
    void writesWithPauses(int len, int writes) throws Exception {
        try (TestFabric fabric = new TestFabric(BUFFERS);
                StreamPair pair = new StreamPair(fabric.provider())) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < writes && sent.size() + len <= LEAST_BYTES; i++) {
                    assertEquals(len, write(pair.client, len), "after " + sent.size());
                    assertEquals(0, pair.client.tryRead(new byte[1], 0, 1));
                    pair.client.requestNotify(OffloadStream.READ);
                    pair.client.requestNotify(0);
                    if (i < BUFFERS) {
                        rest(pair.client);
                    }
                }
                readAll(pair.server);
            }
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** It may wait until enough is there, and read nothing before. */
    @Test
    void aPeerThatOnlyLooksSeesAll() throws Exception {
        try (TestFabric fabric = new TestFabric(BUFFERS);
                StreamPair pair = new StreamPair(fabric.provider())) {
            for (int i = 0; i < BUFFERS - 2; i++) {
                assertEquals(5, write(pair.client, 5));
                rest(pair.client);
            }
            await().until(() -> pair.server.available() == sent.size());
            readAll(pair.server);
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** The bytes that waited leave although no thread waits in the stream any more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWaitedLeaves(boolean watched) throws Exception {
        try (TestFabric fabric = new TestFabric(BUFFERS);
                StreamPair pair = new StreamPair(fabric.provider())) {
            if (watched) {
                pair.client.notifyFd();
                pair.client.requestNotify(OffloadStream.READ);
            }
            for (int i = 0; i < 2 * BUFFERS; i++) {
                assertEquals(15, write(pair.client, 15));
                rest(pair.server);
            }
            readAll(pair.server);
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** Both ends have all their credits in what the other one did not read. */
    @Test
    void bothWriteAndThenRead() throws Exception {
        try (TestFabric fabric = new TestFabric(BUFFERS);
                StreamPair pair = new StreamPair(fabric.provider())) {
            for (int round = 0; round < 20; round++) {
                byte[] b = new byte[100 + round];
                for (int i = 0; i < 2 * BUFFERS; i++) {
                    assertEquals(b.length, pair.client.tryWrite(b, 0, b.length));
                    assertEquals(b.length, pair.server.tryWrite(b, 0, b.length));
                    if (round % 5 == 0) {
                        rest(pair.client);
                    }
                }
                readFully(pair.server, 2 * BUFFERS * b.length);
                readFully(pair.client, 2 * BUFFERS * b.length);
            }
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** A large write fills what small ones have left of the last message, and no byte more. */
    @Test
    void alsoLargeWritesFindRoom() throws Exception {
        try (TestFabric fabric = new TestFabric(BUFFERS);
                StreamPair pair = new StreamPair(fabric.provider())) {
            for (int i = 0; i < BUFFERS; i++) {
                assertEquals(5, write(pair.client, 5));
                rest(pair.client);
            }
            int n = write(pair.client, 100_000);
            assertTrue(n > LEAST_BYTES / 2 && n <= LEAST_BYTES, () -> n + " bytes taken");
            assertEquals(0, write(pair.client, 5), "the peer is full");
            assertEquals(0, pair.client.ready() & OffloadStream.WRITE);
            readAll(pair.server);
            await().until(() -> (pair.client.ready() & OffloadStream.WRITE) != 0);
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** The end comes after what waits, and at once. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEndComesAfterIt(boolean close) throws Exception {
        try (TestFabric fabric = new TestFabric(BUFFERS);
                StreamPair pair = new StreamPair(fabric.provider())) {
            for (int i = 0; i < 2 * BUFFERS; i++) {
                assertEquals(15, write(pair.client, 15));
                rest(pair.client);
            }
            if (close) {
                pair.client.close(false);
            } else {
                pair.client.shutdownOutput();
            }
            await().until(() -> pair.server.available() == sent.size());
            readAll(pair.server);
            assertEquals(0, readFully(pair.server, 1).length);
            pair.client.close(false);
            pair.server.close(false);
        }
    }
}
