package io.sdp4j.stream;

import static io.sdp4j.offload.spi.OffloadStream.READ;
import static io.sdp4j.stream.StreamPair.readFully;
import static io.sdp4j.stream.StreamPair.writeFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.fabric.shm.ShmConfig;
import io.sdp4j.offload.spi.OffloadStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a thread that is about to wait for a notification does not poll where that cannot pay off.
 * Method: streams that may spin for long; a machine that is busy does not spin anyway.
 */
@Timeout(60)
class BusyPollTest {
    private static final long SPIN_NANOS = 1_000_000;

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

    /** How often a poll of the client asks whether it is wanted elsewhere. */
    private static int poll(StreamPair pair) {
        AtomicInteger asked = new AtomicInteger();
        pair.client.busyPoll(READ, () -> asked.incrementAndGet() < 0);
        return asked.get();
    }

    @Test
    void looksOnlyWhereSomethingMovedAndNothingIsThere() throws Exception {
        TestFabric fabric = new TestFabric(ShmConfig.defaults().withSpin(SPIN_NANOS, 8), 32);
        try (StreamPair pair = new StreamPair(fabric.provider())) {
            for (int i = 0; i < 20; i++) {
                assertEquals(0, poll(pair), "nothing has moved");
                talk(pair);
                writeFully(pair.server, new byte[1]);
                assertEquals(0, poll(pair), "something is there");
                assertEquals(1, pair.client.tryRead(ByteBuffer.allocate(1)));
                poll(pair);
            }
            pair.client.close(false);
            pair.server.close(false);
        }
        fabric.close();
    }

    /** A queue that a session has moved to may be closed at the next move, during a look. */
    @Test
    void aSessionThatHasMovedIsNotLookedAt() throws Exception {
        TestFabric fabric = new TestFabric(ShmConfig.defaults().withSpin(SPIN_NANOS, 8), 32).suspending();
        for (int i = 0; i < 10; i++) {
            try (StreamPair pair = new StreamPair(fabric.provider())) {
                talk(pair);
                await().atMost(Duration.ofSeconds(20)).until(pair.server::migrate);
                await().atMost(Duration.ofSeconds(20)).until(() -> moved(pair.client));
                talk(pair);
                assertEquals(0, poll(pair)); // the first poll is the most likely to be long
                pair.client.close(false);
                pair.server.close(false);
            }
        }
        fabric.close();
    }

    private static boolean moved(OffloadStream stream) {
        StreamCore core = ((SdpStream) stream).life().core;
        synchronized (core) {
            return core.suspension.ever() && !core.suspension.suspended();
        }
    }
}
