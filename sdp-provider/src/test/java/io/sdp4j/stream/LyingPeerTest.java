package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.offload.spi.OffloadProvider;
import java.net.SocketException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a peer that gives credits for buffers that it does not have is cut, so that no writer tries
 * for ever. Method: a peer made by hand, which says that it has more.
 */
@Timeout(60)
final class LyingPeerTest {
    private static final int CLAIMED = 64;

    @Test
    void creditsWithoutBuffersEndIt() throws Exception {
        AtomicReference<Fabric> raw = new AtomicReference<>();
        try (TestFabric fabric = new TestFabric()) {
            OffloadProvider provider =
                    fabric.provider(
                            f -> {
                                raw.set(f);
                                return f;
                            });
            try (HandMadePeer peer = new HandMadePeer(raw.get(), CLAIMED);
                    StreamPair pair =
                            new StreamPair(provider, peer.listen(peer.port()).getPort())) {
                peer.accept();
                byte[] chunk = new byte[1 << 16];
                SocketException e =
                        assertThrows(
                                SocketException.class,
                                () -> {
                                    for (int i = 0; i < CLAIMED; i++) {
                                        pair.client.tryWrite(chunk, 0, chunk.length);
                                    }
                                });
                assertEquals("Connection reset by peer", e.getMessage());
                pair.client.close(false);
            }
        }
    }
}
