package io.sdp4j.offload.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: the JDK knows of switched channels before one is handed out, and a listener does not wait
 * for that.
 */
@Timeout(30)
class TeachTest {
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger taught = new AtomicInteger();
    private final SelectorProvider provider =
            SwitchChannels.provider(
                    new OffloadSwitch(
                            Policy::allowAll,
                            List.of(new FailingProvider()),
                            SwitchSettings.defaults()),
                    this::teach);

    private void teach() {
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        taught.incrementAndGet();
    }

    @AfterEach
    void end() {
        go.countDown();
    }

    @Test
    void aListenerDoesNotWait() throws IOException {
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            assertTrue(listener.getClass().getName().endsWith("ListeningChannel"));
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertEquals(0, taught.get());
        }
    }

    @Test
    void aChannelOfAConnectionWaits() throws Exception {
        FutureTask<SocketChannel> opened = new FutureTask<>(provider::openSocketChannel);
        Thread opener = Thread.ofPlatform().start(opened);
        assertFalse(opener.join(java.time.Duration.ofMillis(100)), "it has not waited");
        go.countDown();
        opened.get().close();
        assertEquals(1, taught.get());
        provider.openSocketChannel().close();
        assertEquals(1, taught.get(), "once is enough");
        assertTrue(opened.isDone());
    }
}
