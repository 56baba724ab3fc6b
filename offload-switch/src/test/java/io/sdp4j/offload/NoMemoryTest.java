package io.sdp4j.offload;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connect that fails where no memory is left for a message fails all the same. */
@Timeout(60)
class NoMemoryTest {
    private static final class Fault extends Error {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("test");
        }
    }

    private static final class Provider implements OffloadProvider {
        @Override
        public String name() {
            return "faulty";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) {
            throw new Fault();
        }

        @Override
        public OffloadListener listen(ListenSpec spec) {
            return new LoopbackProvider().listen(spec);
        }
    }

    @Test
    void aChannelIsToldThatItsConnectFailed() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll, List.of(new Provider()), SwitchSettings.defaults());
        try (ServerSocket kernel = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SocketChannel c = SwitchChannels.provider(owner).openSocketChannel()) {
            c.configureBlocking(false);
            c.connect(kernel.getLocalSocketAddress());
            assertThrows(ConnectException.class, () -> await().until(c::finishConnect));
        }
    }
}
