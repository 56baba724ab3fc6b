package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Goal: blocking reads and writes of large direct buffers meet without a copy. */
class ZcopyChannelTest {
    private static final int TOTAL = 8 << 20;

    /**
     * A writer without a waiting reader is refused and copies for a while, as it should: no single
     * transfer is sure to be lent.
     */
    private static final int ATTEMPTS = 20;

    /** Remembers the stream of the connecting side. */
    private record Remembering(OffloadProvider provider, AtomicReference<OffloadStream> last)
            implements OffloadProvider {
        @Override
        public String name() {
            return provider.name();
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            OffloadStream stream = provider.connect(spec);
            last.set(stream);
            return stream;
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            return provider.listen(spec);
        }
    }

    @Test
    void blockingReadsAndWritesOfDirectBuffersAreNotCopied() throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            AtomicReference<OffloadStream> last = new AtomicReference<>();
            OffloadProvider lending = fabric.provider(TestFabric.tinyZcopy(true, 262_144));
            SelectorProvider channels = TestChannels.provider(new Remembering(lending, last));
            byte[] sent = new byte[TOTAL];
            new Random(1).nextBytes(sent);
            for (int i = 0; i < ATTEMPTS; i++) {
                transfer(channels, sent);
                if (StreamPair.lentBytes(last.get()) > TOTAL / 2) {
                    return;
                }
            }
            fail("copied " + ATTEMPTS + " times");
        }
    }

    private static void transfer(SelectorProvider channels, byte[] sent) throws Exception {
        try (ServerSocketChannel listener = TestChannels.listen(channels)) {
            CompletableFuture<Void> writer =
                    CompletableFuture.runAsync(
                            () -> write(listener, sent),
                            task -> Thread.ofPlatform().daemon().start(task));
            try (SocketChannel c = channels.openSocketChannel()) {
                c.connect(listener.getLocalAddress());
                ByteBuffer all = ByteBuffer.allocateDirect(TOTAL);
                while (all.hasRemaining() && c.read(all) >= 0) {
                    // as much as comes
                }
                byte[] came = new byte[TOTAL];
                all.flip().get(came);
                assertArrayEquals(sent, came);
            }
            writer.get(20, TimeUnit.SECONDS);
        }
    }

    private static void write(ServerSocketChannel listener, byte[] sent) {
        try (SocketChannel c = listener.accept()) {
            ByteBuffer all = ByteBuffer.allocateDirect(TOTAL);
            all.put(sent).flip();
            while (all.hasRemaining()) {
                c.write(all);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
