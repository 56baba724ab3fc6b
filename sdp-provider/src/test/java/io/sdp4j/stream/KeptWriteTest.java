package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: the end of a long write, which is kept while the peer is behind, leaves when the peer has
 * read, although the writing side only waits in a selector to read an answer. Method: timers that
 * stand still, so that nothing but the selector can send it.
 */
@Timeout(60)
final class KeptWriteTest {
    /** Most of the peer's 32 buffers, and a small rest. */
    private static final int WRITE_BYTES = 24 * 16_384 + 100;

    @Test
    void leavesWhenThePeerHasRead() throws Exception {
        try (TestFabric fabric = TestFabric.opened()) {
            HeldTimers timers = new HeldTimers(fabric.loop());
            SelectorProvider provider = TestChannels.provider(fabric.timed(timers));
            try (ServerSocketChannel listener = TestChannels.listen(provider);
                    SocketChannel writer = provider.openSocketChannel();
                    Selector selector = provider.openSelector()) {
                writer.connect(listener.getLocalAddress());
                try (SocketChannel reader = listener.accept()) {
                    goesOn(writer, reader, selector);
                }
            }
        }
    }

    private static void goesOn(SocketChannel writer, SocketChannel reader, Selector selector)
            throws Exception {
        writer.configureBlocking(false);
        writer.register(selector, SelectionKey.OP_READ);
        AtomicBoolean ended = new AtomicBoolean();
        // The selector is armed before another thread writes, as in the JDK's HttpClient.
        assertEquals(0, selector.selectNow());
        Thread waiting =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    while (!ended.get()) {
                                        select(selector);
                                    }
                                });
        try {
            byte[] sent = new byte[WRITE_BYTES];
            new Random(1).nextBytes(sent);
            assertEquals(sent.length, writer.write(ByteBuffer.wrap(sent)));
            reader.configureBlocking(false);
            ByteBuffer came = ByteBuffer.allocate(sent.length);
            await("what was kept")
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> reader.read(came) < 0 || !came.hasRemaining());
            assertArrayEquals(sent, came.array());
        } finally {
            ended.set(true);
            selector.wakeup();
            waiting.join();
        }
    }

    private static void select(Selector selector) {
        try {
            selector.select(_ -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
