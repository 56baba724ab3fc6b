package io.sdp4j.offload.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.policy.Policy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: a connection is counted once, whatever the program asks it later. */
class CountedOnceTest {
    @Test
    void anAcceptedOneThatIsToldToFinishItsConnect() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new FailingProvider()),
                        SwitchSettings.defaults());
        try (ServerSocketChannel listener =
                        SwitchChannels.provider(owner).openServerSocketChannel();
                SocketChannel client = SocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client.connect(listener.getLocalAddress());
            try (SocketChannel accepted = listener.accept()) {
                assertTrue(accepted.finishConnect());
                assertEquals(Map.of(ReasonCode.ACCEPTED_TCP, 1L), owner.report().reasons());
            }
        }
    }
}
