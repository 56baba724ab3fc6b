package io.sdp4j.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: urgent bytes that have come before a read stay in line but for the last, as the kernel's
 * do. Method: the stream has been looked at before them or after the first, and not since.
 */
@Timeout(60)
class UrgentByteTest {
    private static final int ROUNDS = 100_000;

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void theReadThatTakesTheByteBeforeThemTakesThem(boolean buffer, boolean looked)
            throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.provider())) {
            assertEquals(1, pair.client.tryWrite(new byte[] {'a'}, 0, 1));
            await().until(() -> pair.server.available() == 1);
            for (int i = 0; i < 3; i++) {
                assertTrue(pair.client.tryWriteUrgent('!'));
                if (i == 0 && looked) {
                    assertEquals(1, pair.server.available());
                }
            }
            byte[] came = new byte[9];
            int n = read(pair, buffer, came);
            assertEquals("a!!", new String(came, 0, n, US_ASCII));
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** It looks at any moment of the read, as the event loop may. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anotherThreadThatLooksChangesNothing(boolean buffer) throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.provider());
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            AtomicInteger round = new AtomicInteger();
            Future<Integer> looks =
                    executor.submit(
                            () -> {
                                int n = 0;
                                for (int last = 0; last < ROUNDS; ) {
                                    int now = round.get();
                                    for (int i = now % 128; now != last && i > 0; i--) {
                                        Thread.onSpinWait();
                                    }
                                    n += now == last ? 0 : pair.server.available();
                                    last = now;
                                }
                                return n;
                            });
            byte[] came = new byte[9];
            try {
                while (round.get() < ROUNDS) {
                    assertEquals(1, pair.client.tryWrite(new byte[] {'a'}, 0, 1));
                    assertEquals(1, pair.server.available());
                    for (int i = 0; i < 3; i++) {
                        assertTrue(pair.client.tryWriteUrgent('!'));
                    }
                    int n = round.incrementAndGet();
                    int read = read(pair, buffer, came);
                    assertEquals("a!!", new String(came, 0, read, US_ASCII), "round " + n);
                    assertEquals(1, pair.client.tryWrite(new byte[] {'b'}, 0, 1));
                    assertEquals(1, read(pair, buffer, came));
                }
            } finally {
                round.set(ROUNDS);
            }
            looks.get();
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    private static int read(StreamPair pair, boolean buffer, byte[] into) throws IOException {
        return buffer
                ? pair.server.tryRead(ByteBuffer.wrap(into))
                : pair.server.tryRead(into, 0, into.length);
    }
}
