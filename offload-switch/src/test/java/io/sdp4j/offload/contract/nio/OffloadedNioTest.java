package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.policy.Policy;
import java.io.Closeable;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The contract over a provider. */
class OffloadedNioTest extends SwitchedNioTest {
    private static final LoopbackProvider PROVIDER = new LoopbackProvider();

    OffloadedNioTest() {
        super(Policy.allowAll(), List.of(PROVIDER));
    }

    @Override
    public boolean offloads() {
        return true;
    }

    @Override
    public int leastUnreadBytes() {
        return LoopbackProvider.ROOM_BYTES;
    }

    @AfterEach
    void everyStreamIsGivenBack() {
        Nio.await().until(() -> PROVIDER.openStreams() == 0);
    }

    @Test
    void countsWhatItOffloads() throws Exception {
        try (var p = pair()) {
            Nio.send(p.client(), "12345");
            assertEquals("12345", Nio.receive(p.server(), 5));
            assertEquals(Map.of("loop", 1L), owner.report().offloaded());
            assertEquals(Map.of("loop", 1L), owner.report().acceptedOffloaded());
            assertEquals(0, owner.report().kernelFallback());
        }
    }

    @Test
    @DisplayName("29: offloaded clients and those of TCP are served in turn")
    void bothQueuesAreServedInTurn() throws Exception {
        List<Closeable> open = new ArrayList<>();
        List<Boolean> offloaded = new ArrayList<>();
        try (ServerSocketChannel listener = listen(8)) {
            for (int i = 0; i < 2; i++) {
                SocketChannel ours = open();
                open.add(ours);
                ours.connect(listener.getLocalAddress());
                open.add(SocketChannel.open(listener.getLocalAddress()));
            }
            for (int i = 0; i < 4; i++) {
                try (SocketChannel s = listener.accept()) {
                    offloaded.add(
                            SwitchChannels.explain(s)
                                    .map(info -> info.reason() == ReasonCode.OFFLOADED)
                                    .orElse(false)); // the kernel's own
                }
            }
        } finally {
            for (Closeable client : open) {
                client.close();
            }
        }
        Set<Boolean> both = Set.of(true, false);
        assertEquals(both, Set.copyOf(offloaded.subList(0, 2)), offloaded::toString);
        assertEquals(both, Set.copyOf(offloaded.subList(2, 4)), offloaded::toString);
    }
}
