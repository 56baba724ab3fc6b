package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a listener that must not accept TCP clients turns them away, and counts that. */
@Timeout(60)
class RefusedClientTest {
    private static final Policy ONLY =
            Policy.everything(Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "test:1"));

    private final OffloadSwitch owner =
            new OffloadSwitch(
                    () -> ONLY, List.of(new LoopbackProvider()), SwitchSettings.defaults());

    /** The selector watches the kernel's listener, and would not see an offloaded client. */
    @Test
    void oneThatWasSelectedBeforeItIsBoundIsNotBound() throws IOException {
        SelectorProvider provider = SwitchChannels.provider(owner);
        try (ServerSocketChannel listener = provider.openServerSocketChannel();
                Selector selector = provider.openSelector()) {
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            selector.selectNow();
            SocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            SocketException refused = assertThrows(SocketException.class, () -> listener.bind(any));
            assertTrue(refused.getMessage().contains("use sdp"), refused::getMessage);
            assertNull(listener.getLocalAddress());
            assertEquals(1, owner.report().refused());
        }
    }

    @Test
    void isCounted() throws IOException {
        try (ServerSocketChannel listener =
                        SwitchChannels.provider(owner).openServerSocketChannel();
                Socket tcp = new Socket()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.configureBlocking(false);
            tcp.connect(listener.getLocalAddress());
            await().until(
                            () -> {
                                assertNull(listener.accept());
                                return owner.report().refused() > 0;
                            });
            assertEquals(1, owner.report().refused());
            assertEquals(0, owner.report().acceptedKernel());
        }
    }
}
