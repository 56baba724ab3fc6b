package io.sdp4j.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.ChannelBridge;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * A provider of channels over SDP, and what tests of them do all the time. Both ends are in one JVM
 * over the shared-memory fabric.
 */
@Timeout(60)
abstract class ChannelsOverSdp {
    private TestFabric fabric;
    OffloadSwitch target;
    SelectorProvider provider;

    @BeforeEach
    void open() throws IOException {
        assertEquals(Optional.empty(), ChannelBridge.selfTest());
        fabric = new TestFabric();
        target = TestChannels.owner(fabric.provider());
        provider = SwitchChannels.provider(target);
    }

    @AfterEach
    void shut() throws IOException {
        fabric.close();
    }

    final ServerSocketChannel listen() throws IOException {
        return TestChannels.listen(provider);
    }

    final long offloaded() {
        return sum(target.report().offloaded());
    }

    static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Two ends that block, both offloaded. */
    final Pair<ServerSocketChannel, SocketChannel> pair() throws IOException {
        long before = offloaded();
        ServerSocketChannel listener = listen();
        SocketChannel a = provider.openSocketChannel();
        assertTrue(a.connect(listener.getLocalAddress()));
        SocketChannel b = listener.accept();
        assertEquals(before + 1, offloaded());
        return new Pair<>(listener, a, b);
    }

    static void send(SocketChannel c, String text) throws IOException {
        ByteBuffer b = ByteBuffer.wrap(text.getBytes(US_ASCII));
        while (b.hasRemaining()) {
            c.write(b);
        }
    }

    static String receive(SocketChannel c, int bytes) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(bytes);
        while (b.hasRemaining() && c.read(b) >= 0) {
            Thread.onSpinWait();
        }
        return new String(b.array(), 0, b.position(), US_ASCII);
    }

    /** Selects until {@code key} is ready for one of {@code ops}, and takes it off the set. */
    static int selected(Selector selector, SelectionKey key, int ops) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (System.nanoTime() < end) {
            selector.select(1000);
            int ready = key.isValid() ? key.readyOps() : 0;
            if (selector.selectedKeys().remove(key) && (ready & ops) != 0) {
                return ready;
            }
        }
        throw new AssertionError("not ready for " + ops + ": " + key);
    }
}
