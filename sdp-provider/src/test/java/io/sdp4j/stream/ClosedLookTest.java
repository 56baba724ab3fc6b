package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadProvider;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a closed stream is released, whichever thread is the first to see that it is over. Method:
 * a queue that notifies, as a device's does, of completions that are there when the event thread
 * looks, not of those that another thread has taken meanwhile; the test takes all while the event
 * thread is held.
 */
@Timeout(60)
class ClosedLookTest {
    private static QueuePair silent(QueuePair qp) {
        CompletionQueue queue = qp.completions();
        CompletionQueue shim =
                Shims.proxy(
                        CompletionQueue.class,
                        (p, method, args) -> {
                            if (!method.getName().equals("onNotify")) {
                                return Shims.invoke(method, queue, args);
                            }
                            Runnable handler = (Runnable) args[0];
                            queue.onNotify(
                                    () -> {
                                        if (queue.ready()) {
                                            handler.run();
                                        }
                                    });
                            return null;
                        });
        return Shims.proxy(
                QueuePair.class,
                (p, method, args) ->
                        method.getName().equals("completions")
                                ? shim
                                : Shims.invoke(method, qp, args));
    }

    @Test
    void whoLooksAtAClosedStreamDoesNotKeepIt() throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            OffloadProvider silent =
                    fabric.provider(f -> Shims.connecting(f, ClosedLookTest::silent));
            try (StreamPair pair = new StreamPair(fabric.provider(), silent)) {
                SdpStream client = (SdpStream) pair.client;
                CountDownLatch held = new CountDownLatch(1);
                CountDownLatch go = new CountDownLatch(1);
                fabric.loop().execute(() -> hold(held, go));
                try {
                    assertTrue(held.await(20, TimeUnit.SECONDS));
                    client.close(false);
                    pair.server.close(false);
                    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                    while (!over(client)) {
                        assertTrue(System.nanoTime() < end, "there is no end");
                        client.ready();
                        pair.server.ready();
                    }
                    assertFalse(client.life().released(), "the event thread is held");
                } finally {
                    go.countDown();
                }
                await().atMost(Duration.ofSeconds(20)).until(() -> client.life().released());
            }
        }
    }

    private static void hold(CountDownLatch held, CountDownLatch go) {
        held.countDown();
        try {
            assertTrue(go.await(40, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean over(SdpStream stream) {
        synchronized (stream.life().core) {
            return stream.life().core.end.over();
        }
    }
}
