package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.QueuePair;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a peer that never stops sending to a stream which looks after itself holds up no timer.
 * Method: a queue in which there is always something, and one timer of the same event loop.
 */
@Timeout(60)
final class BusyPeerTest {
    private volatile boolean busy;

    private QueuePair neverEmpty(QueuePair qp) {
        return Shims.completing(
                qp,
                Shims.around(
                        CompletionQueue.class,
                        qp.completions(),
                        (p, method, args) ->
                                (busy && method.getName().equals("arm")) ? false : null));
    }

    @Test
    void timersGoOn() throws Exception {
        CountDownLatch fired = new CountDownLatch(1);
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(
                                fabric.provider(),
                                fabric.provider(f -> Shims.connecting(f, this::neverEmpty)))) {
            try {
                busy = true;
                pair.client.shutdownInput(); // input is thrown away in the background from here on
                fabric.loop().schedule(fired::countDown, TimeUnit.MILLISECONDS.toNanos(1));
                assertTrue(fired.await(20, TimeUnit.SECONDS));
            } finally {
                busy = false;
                pair.client.close(false);
                pair.server.close(false);
            }
        }
    }
}
