package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: where connections end with their process, one that ends in order has its streams say all
 * that they were given, and the end, and waits until it has arrived. Method: a fabric of shared
 * memory that says of itself that it is such a one; what devices do is tried by {@code
 * lab/checks/last-words}.
 */
@Timeout(60)
class StreamsAtExitTest {
    private static final int BUFFERS = 8;

    private final TestFabric fabric;
    private final SdpOffloadProvider provider;
    private final StreamPair pair;

    /** Looks at what has not arrived yet. */
    private final AtomicInteger looksLeft = new AtomicInteger();

    StreamsAtExitTest() throws Exception {
        fabric = new TestFabric(BUFFERS);
        provider = (SdpOffloadProvider) fabric.provider(this::endingWithProcess);
        pair = new StreamPair(fabric.provider(), provider);
    }

    private Fabric endingWithProcess(Fabric of) {
        return Shims.around(
                Fabric.class,
                of,
                (p, method, args) ->
                        switch (method.getName()) {
                            case "endsWithProcess" -> true;
                            case "arrived" -> looksLeft.decrementAndGet() < 0;
                            default -> null;
                        });
    }

    private void close() throws Exception {
        pair.client.close(true);
        pair.server.close(false);
        pair.close();
        fabric.close();
    }

    /** Writes for a peer that reads nothing, so that the last ones are gathered. */
    private byte[] write() throws IOException {
        byte[] all = new byte[3 * BUFFERS];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
            assertEquals(1, pair.client.tryWrite(all, i, 1));
        }
        return all;
    }

    @Test
    void whatWasGatheredArrivesAndThenTheEnd() throws Exception {
        byte[] all = write();
        looksLeft.set(5);
        provider.atExit().end();
        assertEquals(-1, looksLeft.get());
        assertArrayEquals(all, readFully(pair.server, all.length));
        await().until(() -> pair.server.tryRead(new byte[1], 0, 1) == -1);
        close();
    }

    /**
     * Its threads may run for a moment yet, and a kernel would end them in the middle of a call.
     */
    @Test
    void theApplicationIsToldNothingAnyMore() throws Exception {
        provider.atExit().end();
        pair.server.close(false);
        await().until(() -> StreamPair.ask((SdpStream) pair.client, core -> core.machine.eof()));
        assertEquals(0, pair.client.tryRead(new byte[1], 0, 1));
        assertEquals(0, pair.client.tryWrite(new byte[1], 0, 1));
        assertEquals(0, pair.client.ready());
        close();
    }

    @Test
    void anEndOverUnreadInputIsNotSaid() throws Exception {
        assertEquals(1, pair.server.tryWrite(new byte[1], 0, 1));
        await().until(() -> pair.client.available() == 1);
        byte[] all = write();
        provider.atExit().end();
        assertArrayEquals(all, readFully(pair.server, all.length));
        assertEquals(0, pair.server.tryRead(new byte[1], 0, 1));
        assertEquals(OffloadStream.WRITE, pair.server.ready());
        close();
    }
}
