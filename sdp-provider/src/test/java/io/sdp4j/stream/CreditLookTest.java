package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadStream;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a write that knows of no room asks the device before it says so: a caller that does not
 * wait would not ask again. Method: a queue that knows nothing by itself, over shared memory, where
 * credits are there once the peer has read.
 */
@Timeout(60)
class CreditLookTest {
    private CompletionQueue device;

    /** Only the test's thread takes completions. */
    private volatile boolean alone = true;

    private Fabric knowingNothing(Fabric fabric) {
        return Shims.connecting(fabric, this::knowingNothing);
    }

    private QueuePair knowingNothing(QueuePair qp) {
        device = qp.completions();
        return Shims.completing(
                qp,
                Shims.around(
                        CompletionQueue.class,
                        device,
                        (p, method, args) ->
                                switch (method.getName()) {
                                    case "ready", "known" -> false;
                                    case "arm" -> alone ? Boolean.TRUE : null;
                                    default -> null;
                                }));
    }

    private static long fill(OffloadStream s, byte[] chunk) throws Exception {
        long taken = 0;
        for (int n = -1; n != 0; taken += n) {
            n = s.tryWrite(chunk, 0, chunk.length);
        }
        return taken;
    }

    /** The peer reads all there is, and what that is worth is with the device. */
    private void makeRoom(StreamPair pair, long bytes) throws Exception {
        readFully(pair.server, (int) bytes);
        assertEquals(0, pair.server.tryRead(new byte[1], 0, 1));
        await().until(device::ready);
    }

    private void close(StreamPair pair) throws Exception {
        alone = false;
        pair.client.close(false);
        pair.server.close(false);
    }

    /** Small writes are copied under the lock, large ones without it. */
    @ParameterizedTest
    @ValueSource(ints = {1000, 65_536})
    void aWriteFindsTheRoomThereIs(int bytes) throws Exception {
        byte[] chunk = new byte[bytes];
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(this::knowingNothing))) {
            makeRoom(pair, fill(pair.client, chunk));
            assertEquals(bytes, pair.client.tryWrite(chunk, 0, bytes));
            makeRoom(pair, bytes + fill(pair.client, chunk));
            assertEquals(bytes, pair.client.tryWrite(ByteBuffer.wrap(chunk)));
            close(pair);
        }
    }

    @Test
    void anUrgentByteFindsIt() throws Exception {
        byte[] chunk = new byte[65_536];
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(this::knowingNothing))) {
            makeRoom(pair, fill(pair.client, chunk));
            assertTrue(pair.client.tryWriteUrgent(7));
            close(pair);
        }
    }
}
