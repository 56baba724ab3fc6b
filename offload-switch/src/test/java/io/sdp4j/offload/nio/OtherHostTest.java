package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.contract.UnaskedProvider;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a connection to where no provider leads is the kernel's from the beginning, on the calling
 * thread, and one that the kernel refuses at once is told of, whether a provider was asked or not.
 */
@Timeout(60)
class OtherHostTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    /** Leads to no address; must not be asked. */
    private static final class HereOnly extends UnaskedProvider {
        @Override
        public boolean listensLater(List<String> fabrics) {
            return true; // and moves nothing
        }
    }

    private static SocketChannel open(OffloadProvider provider) throws IOException {
        SocketChannel c =
                SwitchChannels.provider(
                                new OffloadSwitch(
                                        Policy::allowAll,
                                        List.of(provider),
                                        SwitchSettings.defaults()))
                        .openSocketChannel();
        c.configureBlocking(false);
        return c;
    }

    @Test
    void noProviderIsAsked() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                Selector selector = Selector.open();
                SocketChannel c = open(new HereOnly())) {
            listener.bind(new InetSocketAddress(LOOPBACK, 0));
            SelectionKey key = c.register(selector, SelectionKey.OP_CONNECT);
            if (!c.connect(listener.getLocalAddress())) {
                assertEquals(1, selector.select(20_000));
                assertTrue(key.isConnectable());
                assertTrue(c.finishConnect());
            }
            assertEquals(ReasonCode.NOT_LOCAL, SwitchChannels.explain(c).orElseThrow().reason());
        }
    }

    /** Programs may have many of them, and each keeps the reason. */
    @Test
    void allHaveOneReason() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                SocketChannel a = open(new HereOnly());
                SocketChannel b = open(new HereOnly())) {
            listener.bind(new InetSocketAddress(LOOPBACK, 0));
            assertSame(why(a, listener), why(b, listener));
        }
    }

    private static String why(SocketChannel c, ServerSocketChannel listener) throws IOException {
        c.configureBlocking(true);
        c.connect(listener.getLocalAddress());
        return SwitchChannels.explain(c).orElseThrow().detail();
    }

    @Test
    void theKernelsRefusalIsThrown() throws IOException {
        for (OffloadProvider provider : List.of(new HereOnly(), new FailingProvider())) {
            SocketChannel c = open(provider);
            InetSocketAddress multicast = new InetSocketAddress("224.0.0.1", 9);
            assertThrows(IOException.class, () -> c.connect(multicast));
            assertFalse(c.isOpen());
        }
    }

    /** From the loopback address no route leads to another host. */
    @Test
    void theKernelsRefusalAfterAnAttemptIsTold() throws IOException {
        try (Selector selector = Selector.open();
                SocketChannel c = open(new FailingProvider())) {
            SelectionKey key = c.register(selector, SelectionKey.OP_CONNECT);
            c.bind(new InetSocketAddress(LOOPBACK, 0));
            assertFalse(c.connect(new InetSocketAddress("192.0.2.1", 9))); // RFC 5737
            await().until(() -> selector.select(20_000) == 1); // the attempt's end wakes it, too
            assertTrue(key.isConnectable());
            assertThrows(IOException.class, c::finishConnect);
            assertFalse(c.isOpen());
        }
    }
}
