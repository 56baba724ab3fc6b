package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static io.sdp4j.stream.StreamPair.writeFully;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadStream;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: where a peer's thread sleeps through some messages of a long stream, it is woken by the
 * last one, or by one for it before anybody waits for its answer. Method: queue pairs that note the
 * flags of what is posted.
 */
@Timeout(60)
final class BurstTest {
    /** After which a stream counts as bulk, in {@link TestFabric#settings}. */
    private static final int BULK = 262_144;

    private boolean sleeps = true;
    private final CountedCalls calls =
            new CountedCalls((call, _) -> call.equals("peerSleepsThroughMore") ? sleeps : null);

    /** Whether each message posted was marked. */
    private List<Boolean> marked() {
        return calls.sendFlags().stream().map(f -> (f & QueuePair.MORE) == 0).toList();
    }

    private StreamPair pair(TestFabric fabric) throws Exception {
        return new StreamPair(fabric.provider(), fabric.provider(calls::connecting));
    }

    /** Payload of a message of {@link TestFabric}'s buffers. */
    private static final int FULL = 16_384;

    /**
     * Sends what may be sent before a stream is bulk, each message read before the next is written.
     */
    private static void makeBulk(StreamPair pair, byte[] message) throws Exception {
        for (int sent = 0; sent < BULK; sent += message.length) {
            writeFully(pair.client, message);
            readFully(pair.server, message.length);
        }
    }

    private static void close(StreamPair pair) throws Exception {
        pair.client.close(false);
        pair.server.close(false);
    }

    @Test
    void fewFullMessagesOfABulkStreamAreMarkedAndEachThatIsNotFull() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = pair(fabric)) {
            byte[] message = new byte[FULL];
            makeBulk(pair, message);
            assertFalse(marked().contains(false), "before it is bulk");
            calls.clear();
            for (int i = 0; i < 40; i++) {
                writeFully(pair.client, message);
                readFully(pair.server, message.length);
            }
            assertEquals(10, Collections.frequency(marked(), true), () -> marked().toString());
            calls.clear();
            writeFully(pair.client, message);
            writeFully(pair.client, new byte[message.length - 1]);
            readFully(pair.server, 2 * message.length - 1);
            assertEquals(List.of(false, true), marked());
            close(pair);
        }
    }

    @Test
    void whoWaitsForAnAnswerWakesThePeerFirst() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = pair(fabric)) {
            byte[] message = new byte[FULL];
            makeBulk(pair, message);
            writeFully(pair.client, message);
            calls.clear();
            writeFully(pair.client, message);
            assertEquals(List.of(false), marked());
            assertEquals(0, pair.client.requestNotify(OffloadStream.READ));
            assertEquals(List.of(false, true), marked());
            pair.client.requestNotify(0);
            assertTrue(pair.client.requestNotify(OffloadStream.READ) == 0 && marked().size() == 2);
            pair.client.requestNotify(0);
            readFully(pair.server, 2 * message.length);
            close(pair);
        }
    }

    @Test
    void wherePeersDoNotSleepThroughMessagesAllAreMarked() throws Exception {
        sleeps = false;
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = pair(fabric)) {
            byte[] message = new byte[FULL];
            makeBulk(pair, message);
            for (int i = 0; i < 20; i++) {
                writeFully(pair.client, message);
                readFully(pair.server, message.length);
            }
            assertFalse(marked().contains(false));
            close(pair);
        }
    }
}
