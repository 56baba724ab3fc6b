package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a channel that does not block leaves TCP when it has carried enough with long calls, with
 * every byte in its place; one with short calls stays. Method: a policy as {@code auto}, with less
 * to carry and no age; one thread serves both ends.
 */
@Timeout(60)
class BulkMoveTest {
    private static final TestFabric FABRIC = TestFabric.opened();
    private static final long BULK = 8 << 20;
    private static final long NEVER = Long.MAX_VALUE;

    private long sent;
    private long taken;

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    private static SelectorProvider provider() {
        UpgradePolicy policy = new UpgradePolicy(NEVER, NEVER, 0, 0, BULK, 0);
        return SwitchChannels.provider(
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(FABRIC.provider())),
                        Patience.SETTINGS.withUpgrade(policy)));
    }

    private static ReasonCode reason(SocketChannel channel) {
        return SwitchChannels.explain(channel).orElseThrow().reason();
    }

    /** Byte {@code i} of the stream has the value i. */
    private void write(SocketChannel to, int bytes) throws IOException {
        ByteBuffer from = ByteBuffer.allocate(bytes);
        for (int i = 0; i < bytes; i++) {
            from.put(i, (byte) (sent + i));
        }
        sent += to.write(from);
    }

    private void take(SocketChannel from, ByteBuffer into) throws IOException {
        int n = from.read(into.clear());
        for (int i = 0; i < n; i++) {
            assertEquals((byte) taken++, into.get(i));
        }
    }

    private ReasonCode carry(int bytesPerCall, long bytes) throws IOException {
        SelectorProvider channels = provider();
        try (ServerSocketChannel listener = channels.openServerSocketChannel();
                SocketChannel client = channels.openSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                client.configureBlocking(false);
                server.configureBlocking(false);
                ByteBuffer into = ByteBuffer.allocate(64 << 10);
                while (sent < bytes && reason(client) != ReasonCode.OFFLOADED) {
                    write(client, bytesPerCall);
                    take(server, into);
                }
                ReasonCode reason = reason(client);
                long all = sent + 100_000;
                while (taken < all) {
                    if (sent < all) {
                        write(client, (int) Math.min(bytesPerCall, all - sent));
                    }
                    take(server, into);
                }
                return reason;
            }
        }
    }

    @Test
    void longCallsMove() throws IOException {
        assertEquals(ReasonCode.OFFLOADED, carry(32 << 10, Long.MAX_VALUE));
    }

    @Test
    void shortCallsStay() throws IOException {
        assertNotEquals(ReasonCode.OFFLOADED, carry(1_000, 2 * BULK));
    }
}
