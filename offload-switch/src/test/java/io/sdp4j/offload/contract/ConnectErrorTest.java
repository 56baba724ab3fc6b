package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.contract.nio.Nio;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: an error on the way of a connect ends it. Method: a provider that lacks a method, as one
 * does that was built for another version.
 */
@Timeout(60)
class ConnectErrorTest {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

    private final OffloadSwitch owner =
            new OffloadSwitch(Policy::allowAll, List.of(new Old()), Patience.SETTINGS);

    private static final class Old extends UnaskedProvider {
        @Override
        public OffloadStream connect(ConnectSpec spec) {
            throw new NoSuchMethodError("capabilities");
        }
    }

    @Test
    void aSocketIsClosed() throws Exception {
        try (Socket s = SwitchedSockets.socket(owner)) {
            assertThrows(NoSuchMethodError.class, () -> s.connect(ANY));
            SocketException again = assertThrows(SocketException.class, () -> s.connect(ANY));
            assertEquals("Socket closed", again.getMessage());
        }
    }

    @Test
    void aChannelThatDoesNotBlockIsTold() throws Exception {
        try (SocketChannel c = SwitchChannels.provider(owner).openSocketChannel()) {
            c.configureBlocking(false);
            c.connect(ANY);
            Throwable thrown = Nio.awaitThrown(c::finishConnect);
            assertInstanceOf(ConnectException.class, thrown);
            assertInstanceOf(NoSuchMethodError.class, thrown.getCause());
        }
    }
}
