package io.sdp4j.stream;

import static io.sdp4j.offload.spi.OffloadStream.READ;
import static io.sdp4j.stream.StreamPair.readFully;
import static io.sdp4j.stream.StreamPair.writeFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.spi.OffloadStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a thread that is about to wait for a notification does not poll where that cannot pay off.
 * Method: the polls of the queue are counted.
 */
@Timeout(60)
class BusyPollTest {
    private final CountedCalls calls = new CountedCalls();

    /** A round trip, after which an answer may be expected. */
    private static void talk(StreamPair pair) throws Exception {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        writeFully(pair.server, new byte[1]);
        while (pair.client.tryRead(one.clear()) == 0) {
            Thread.onSpinWait();
        }
        assertEquals(1, pair.client.tryWrite(one.flip()));
        readFully(pair.server, 1);
    }

    private StreamPair pair(TestFabric fabric) throws Exception {
        return new StreamPair(fabric.provider(), fabric.provider(calls::connecting));
    }

    /** How often the client polls its queue. */
    private int polls(StreamPair pair) {
        int before = calls.count("busyPoll");
        pair.client.busyPoll(READ, () -> false);
        return calls.count("busyPoll") - before;
    }

    @Test
    void looksOnlyWhereSomethingMovedAndNothingIsThere() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = pair(fabric)) {
            for (int i = 0; i < 3; i++) {
                assertEquals(0, polls(pair), "nothing has moved");
                talk(pair);
                writeFully(pair.server, new byte[1]);
                assertEquals(0, polls(pair), "something is there");
                assertEquals(1, pair.client.tryRead(ByteBuffer.allocate(1)));
                assertEquals(1, polls(pair));
            }
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** A queue that a session has moved to may be closed at the next move, during a look. */
    @Test
    void aSessionThatHasMovedIsNotLookedAt() throws Exception {
        try (TestFabric fabric = new TestFabric().suspending();
                StreamPair pair = pair(fabric)) {
            talk(pair);
            await().atMost(Duration.ofSeconds(20)).until(pair.server::migrate);
            await().atMost(Duration.ofSeconds(20)).until(() -> moved(pair.client));
            talk(pair);
            assertEquals(0, polls(pair));
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    private static boolean moved(OffloadStream stream) {
        StreamCore core = ((SdpStream) stream).life().core;
        synchronized (core) {
            return core.suspension.ever() && !core.suspension.suspended();
        }
    }
}
