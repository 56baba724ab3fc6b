package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QueuePair;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: bytes that a peer offers arrive although the reader's buffer cannot be registered. Method:
 * a fabric at its limit, and memory that may be freed.
 */
@Timeout(60)
final class UnregisteredZcopyTest {
    private static final int LEN = 256 << 10;
    private final AtomicInteger refused = new AtomicInteger();

    private Fabric atItsLimit(Fabric fabric) {
        return Shims.connecting(
                fabric,
                qp ->
                        Shims.around(
                                QueuePair.class,
                                qp,
                                (p, method, args) -> {
                                    if (method.getName().equals("register")) {
                                        refused.incrementAndGet();
                                        throw new FabricException(
                                                FabricException.Cause.RESOURCES, "a limit");
                                    }
                                    return null;
                                }));
    }

    @Test
    void aReaderAtALimitGetsItAsData() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(
                                fabric.provider(TestFabric.zcopy(true, false)),
                                fabric.provider(this::atItsLimit, TestFabric.zcopy(true, false)))) {
            exchange(pair, ByteBuffer.allocateDirect(LEN));
            assertTrue(refused.get() > 0, "was asked");
        }
    }

    @Test
    void soDoesOneWhoseMemorySomebodyMayFree() throws Exception {
        try (Arena arena = Arena.ofShared();
                TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(
                                fabric.provider(TestFabric.zcopy(true, false)),
                                fabric.provider(TestFabric.zcopy(true, false)))) {
            exchange(pair, arena.allocate(LEN).asByteBuffer());
        }
    }

    /** The server lends, the client reads into {@code into}, before and after the offer came. */
    private static void exchange(StreamPair pair, ByteBuffer into) throws Exception {
        byte[] content = new byte[LEN];
        for (int i = 0; i < 10; i++) {
            new Random(i).nextBytes(content);
            ByteBuffer from = ByteBuffer.allocateDirect(LEN).put(content).flip();
            into.clear();
            // before the peer writes nothing has come, so this read asks to lend its buffer
            Operation early = i % 2 == 0 ? Operation.read(pair.client, into) : null;
            CompletableFuture<Void> written =
                    CompletableFuture.runAsync(
                            () -> {
                                try {
                                    while (from.hasRemaining()) {
                                        Operation.write(pair.server, from).get();
                                    }
                                } catch (Exception e) {
                                    throw new AssertionError(e);
                                }
                            },
                            Thread::startVirtualThread);
            if (early != null) {
                early.get();
            }
            while (into.hasRemaining()) {
                Operation.read(pair.client, into).get();
            }
            written.get(20, TimeUnit.SECONDS);
            byte[] came = new byte[LEN];
            into.flip().get(came);
            assertArrayEquals(content, came);
        }
        pair.client.close(false);
        pair.server.close(false);
    }
}
