package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a connection that is to be kept alive asks while nothing moves, and only then, and ends
 * when there is no answer. Method: a fabric that counts the questions and answers as the test
 * wants.
 */
@Timeout(60)
final class KeepAliveTest {
    private final AtomicInteger probes = new AtomicInteger();
    private volatile WcStatus answer = WcStatus.SUCCESS;
    private final AtomicInteger unanswered = new AtomicInteger();

    private Fabric probing(Fabric fabric) {
        return Shims.connecting(fabric, this::probing);
    }

    private QueuePair probing(QueuePair qp) {
        CompletionQueue queue =
                Shims.around(
                        CompletionQueue.class,
                        qp.completions(),
                        (p, method, args) ->
                                method.getName().equals("poll")
                                        ? answer((Completion) args[0])
                                        : null);
        return Shims.around(
                QueuePair.class,
                qp,
                (p, method, args) ->
                        switch (method.getName()) {
                            case "completions" -> queue;
                            case "postProbe" -> {
                                probes.incrementAndGet();
                                unanswered.incrementAndGet();
                                yield true;
                            }
                            default -> null;
                        });
    }

    /** Null where nothing was asked. */
    private Boolean answer(Completion c) {
        if (unanswered.get() == 0) {
            return null;
        }
        unanswered.decrementAndGet();
        c.opcode = Completion.WRITE;
        c.status = answer;
        c.wrId = KeepAlive.PROBE;
        return true;
    }

    @Test
    void aQuietConnectionIsProbedUntilThePeerDoesNotAnswer() throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            long quick = TimeUnit.MILLISECONDS.toNanos(20);
            try (StreamPair pair =
                    new StreamPair(fabric.provider(), fabric.probing(this::probing, quick))) {
                byte[] one = {1};
                pair.client.tryWrite(one, 0, 1);
                StreamPair.readFully(pair.server, 1);
                assertEquals(0, probes.get(), "not switched on");
                pair.client.keepAlive(true);
                await().atMost(Duration.ofSeconds(10)).until(() -> probes.get() >= 3);
                pair.server.tryWrite(one, 0, 1);
                StreamPair.readFully(pair.client, 1);
                pair.client.keepAlive(false);
                int soFar = probes.get();
                pair.client.ready();
                await().during(Duration.ofMillis(100)).until(() -> probes.get() == soFar);

                answer = WcStatus.RETRY_EXC_ERR;
                pair.client.keepAlive(true);
                await().atMost(Duration.ofSeconds(10)).until(() -> pair.client.ready() != 2);
                Assertions.assertThrows(
                        SocketException.class, () -> pair.client.tryRead(one, 0, 1));
                pair.client.close(false);
                pair.server.close(false);
            }
        }
    }
}
