package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.nio.SwitchedNioTest;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The contract of channels and selectors where blocking operations lend every direct buffer, and a
 * blocking transfer that really does.
 */
class SdpZcopyNioTest extends SwitchedNioTest {
    private static final TestFabric FABRIC = fabric();
    private static final OffloadProvider LENDING =
            FABRIC.provider(new StreamSettings.Zcopy(true, 2, 16, 262_144, false));

    SdpZcopyNioTest() {
        super(Policy.allowAll(), List.of(LENDING));
    }

    private static TestFabric fabric() {
        try {
            return new TestFabric();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    @Override
    public boolean offloads() {
        return true;
    }

    /** Remembers the stream of the connecting side. */
    private record Remembering(AtomicReference<OffloadStream> last) implements OffloadProvider {
        @Override
        public String name() {
            return LENDING.name();
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            OffloadStream stream = LENDING.connect(spec);
            last.set(stream);
            return stream;
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            return LENDING.listen(spec);
        }
    }

    @Test
    void blockingReadsAndWritesOfDirectBuffersAreNotCopied() throws Exception {
        int total = 8 << 20;
        byte[] sent = new byte[total];
        new Random(1).nextBytes(sent);
        AtomicReference<OffloadStream> stream = new AtomicReference<>();
        SelectorProvider channels =
                SwitchChannels.provider(
                        new OffloadSwitch(
                                Policy::allowAll,
                                List.of(new Remembering(stream)),
                                SwitchSettings.defaults()));
        try (ServerSocketChannel listener = channels.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            CompletableFuture<Void> writer =
                    CompletableFuture.runAsync(
                            () -> {
                                try (SocketChannel c = listener.accept()) {
                                    ByteBuffer all = ByteBuffer.allocateDirect(total);
                                    all.put(sent).flip();
                                    while (all.hasRemaining()) {
                                        c.write(all);
                                    }
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            },
                            task -> Thread.ofPlatform().daemon().start(task));
            try (SocketChannel c = channels.openSocketChannel()) {
                c.connect(listener.getLocalAddress());
                ByteBuffer all = ByteBuffer.allocateDirect(total);
                while (all.hasRemaining() && c.read(all) >= 0) {
                    // as much as comes
                }
                byte[] came = new byte[total];
                all.flip().get(came);
                assertArrayEquals(sent, came);
                long lent = ((SdpStream) stream.get()).bytesLent();
                assertTrue(lent > total / 2, "by RDMA only " + lent);
            }
            writer.get(20, TimeUnit.SECONDS);
        }
    }
}
