package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.contract.Here;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a selector is told of a connection that waits behind one whose channel could not be made.
 * Method: a listener whose first stream fails when it is taken.
 */
@Timeout(60)
class FailedAcceptTest {
    private static final class FirstFails implements OffloadProvider {
        private final OffloadProvider loopback = new LoopbackProvider();
        private boolean failed; // the accepting thread's

        @Override
        public String name() {
            return "first fails";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            return loopback.connect(spec);
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            OffloadListener all = loopback.listen(spec);
            return new OffloadListener() {
                @Override
                public OffloadStream poll() {
                    OffloadStream stream = all.poll();
                    if (stream == null || failed) {
                        return stream;
                    }
                    failed = true;
                    return failing(stream);
                }

                @Override
                public boolean pending() {
                    return all.pending();
                }

                @Override
                public void close() {
                    all.close();
                }
            };
        }

        private static OffloadStream failing(OffloadStream stream) {
            return Streams.around(
                    stream,
                    (call, _) -> {
                        if (call.equals("localAddress")) {
                            throw new IllegalStateException("fails");
                        }
                        return null;
                    });
        }
    }

    @Test
    void theNextOneIsShown() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(Policy::allowAll, List.of(new FirstFails()), Patience.SETTINGS);
        SelectorProvider provider = SwitchChannels.provider(owner);
        try (Selector selector = provider.openSelector();
                ServerSocketChannel listener = provider.openServerSocketChannel();
                SocketChannel first = provider.openSocketChannel();
                SocketChannel second = provider.openSocketChannel()) {
            listener.bind(new InetSocketAddress(Here.ADDRESS, 0));
            listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            first.connect(listener.getLocalAddress());
            second.connect(listener.getLocalAddress());
            assertEquals(1, selector.select(20_000));
            assertThrows(IllegalStateException.class, listener::accept);
            selector.selectedKeys().clear();
            assertEquals(1, selector.select(20_000));
            try (SocketChannel accepted = listener.accept()) {
                assertNotNull(accepted);
            }
        }
    }
}
