package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a stream learns from what its fabric takes for a registration whether lending pays. Method:
 * a fabric that registers very slowly; every byte arrives whatever way it goes.
 */
@Timeout(60)
final class AdaptingZcopyTest {
    private static final int LEN = 256 << 10;
    private final AtomicInteger registrations = new AtomicInteger();

    private Fabric slow(Fabric fabric) {
        return Shims.connecting(fabric, this::slow);
    }

    private QueuePair slow(QueuePair qp) {
        return Shims.around(
                QueuePair.class,
                qp,
                (p, method, args) -> {
                    if (method.getName().equals("register")) {
                        registrations.incrementAndGet();
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                    }
                    return null;
                });
    }

    @Test
    void whereRegisteringIsDearBuffersAreCopied() throws Exception {
        StreamSettings.Zcopy adapting = TestFabric.adaptingZcopy();
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(
                                fabric.provider(TestFabric.zcopy(true, false)),
                                fabric.provider(this::slow, adapting))) {
            byte[] content = new byte[LEN];
            int lentBefore = 0;
            for (int i = 0; i < 60; i++) {
                new Random(i).nextBytes(content);
                ByteBuffer from = ByteBuffer.allocateDirect(LEN).put(content).flip();
                CompletableFuture<byte[]> came =
                        CompletableFuture.supplyAsync(
                                () -> {
                                    try {
                                        return read(pair);
                                    } catch (IOException e) {
                                        throw new AssertionError(e);
                                    }
                                },
                                Thread::startVirtualThread);
                while (from.hasRemaining()) {
                    Operation.write(pair.client, from).get();
                }
                // what was not lent is timed
                StreamPair.writeFully(pair.client, new byte[16_384]);
                byte[] all = came.get(20, TimeUnit.SECONDS);
                assertArrayEquals(content, Arrays.copyOf(all, LEN));
                if (i == 30) {
                    lentBefore = registrations.get();
                }
            }
            assertTrue(lentBefore >= 4, "lent at first: " + lentBefore);
            int later = registrations.get() - lentBefore;
            assertTrue(later <= 2, "lent later: " + later); // to see what it costs now
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    private static byte[] read(StreamPair pair) throws IOException {
        ByteBuffer all = ByteBuffer.allocateDirect(LEN + 16_384);
        while (all.hasRemaining()) {
            Operation.read(pair.server, all).get();
        }
        byte[] b = new byte[all.capacity()];
        all.flip().get(b);
        return b;
    }
}
