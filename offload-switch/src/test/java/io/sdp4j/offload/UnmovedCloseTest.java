package io.sdp4j.offload;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.UnaskedProvider;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a channel that was worth moving, but whose peer was not asked, closes over unread data as
 * the JDK's does: with a reset. One whose peer was asked ends its output first, as the peer may
 * hold a descriptor of the connection.
 */
@Timeout(60)
class UnmovedCloseTest {
    /** A connection may move at once, but waits while there is a crowd. */
    private static final UpgradePolicy IN_NO_CROWD =
            new UpgradePolicy(1, Long.MAX_VALUE, Long.MAX_VALUE, 0, 1, 0);

    private ServerSocketChannel listener;
    private SocketChannel channel;
    private SocketChannel accepted;

    private static final class Refusing extends UnaskedProvider {
        private final boolean asks;

        Refusing(boolean asks) {
            this.asks = asks;
        }

        @Override
        public boolean moves(InetAddress remote, List<String> fabrics) {
            return true;
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            if (asks) {
                spec.asked().accept(() -> false);
            }
            throw new OffloadUnavailable(ReasonCode.UNAVAILABLE, "a test");
        }
    }

    @BeforeEach
    void listen() throws IOException {
        listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        accepted.close();
        listener.close();
    }

    /** A pair whose client has carried enough, and has a byte to read. */
    private void carry(boolean asks, UpgradeGate gate) throws IOException {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new Refusing(asks)),
                        SwitchSettings.defaults().withUpgrade(IN_NO_CROWD),
                        null,
                        gate);
        channel = SwitchChannels.provider(owner).openSocketChannel();
        channel.connect(listener.getLocalAddress());
        accepted = listener.accept();
        channel.write(ByteBuffer.allocate(1));
        assertEquals(1, accepted.read(one()));
        accepted.write(ByteBuffer.allocate(1));
        await().until(() -> channel.socket().getInputStream().available() == 1);
    }

    private static ByteBuffer one() {
        return ByteBuffer.allocate(1);
    }

    private void refused(boolean asks) throws IOException {
        carry(asks, new UpgradeGate(() -> 0, 1));
        await().until(
                        () ->
                                SwitchChannels.explain(channel).orElseThrow().reason()
                                        == ReasonCode.UNAVAILABLE);
        channel.close();
    }

    private void assertReset() {
        Expect.thrown(SocketException.class, "Connection reset", () -> accepted.read(one()));
    }

    @Test
    void withoutAPeerItIsAReset() throws IOException {
        refused(false);
        assertReset();
    }

    @Test
    void inACrowdItIsAReset() throws IOException {
        AtomicInteger looks = new AtomicInteger();
        UpgradeGate shut =
                new UpgradeGate(
                        () -> {
                            looks.incrementAndGet();
                            return UpgradeGate.CROWD + 1;
                        },
                        1);
        carry(false, shut);
        await().until(() -> looks.get() > 0);
        channel.close();
        assertReset();
    }

    @Test
    void onceThePeerWasAskedItIsAnEnd() throws IOException {
        refused(true);
        assertEquals(-1, accepted.read(one()));
    }
}
