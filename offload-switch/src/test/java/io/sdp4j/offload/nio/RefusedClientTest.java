package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

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
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a client that a listener turns away, as it came by TCP, is counted. */
@Timeout(60)
class RefusedClientTest {
    @Test
    void isCounted() throws IOException {
        Policy only = Policy.everything(Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "test:1"));
        OffloadSwitch owner =
                new OffloadSwitch(
                        () -> only, List.of(new LoopbackProvider()), SwitchSettings.defaults());
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
