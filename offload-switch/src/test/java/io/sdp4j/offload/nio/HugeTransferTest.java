package io.sdp4j.offload.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.OneStream;
import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a transfer of more bytes than an {@code int} counts tells how many it has moved. Method:
 * one buffer many times over, a stream that moves as much as it is asked to.
 */
class HugeTransferTest {
    private static final int SIZE = 256 << 20;

    private final OffloadStream stream = Streams.of(HugeTransferTest::answer);

    private static Object answer(String method, Object[] args) {
        return switch (method) {
            case "tryRead", "tryWrite" -> {
                if (!(args[0] instanceof ByteBuffer all)) {
                    yield null; // one by one
                }
                int n = all.remaining();
                all.position(all.limit());
                yield n;
            }
            case "localAddress", "remoteAddress" ->
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
            case "drained" -> true;
            default -> null;
        };
    }

    private interface Transfer {
        void run(SocketChannel channel, ByteBuffer[] all) throws IOException;
    }

    private void connected(Transfer test) throws IOException {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new OneStream(stream)),
                        SwitchSettings.defaults());
        ByteBuffer untouched = ByteBuffer.allocateDirect(SIZE);
        ByteBuffer[] all = new ByteBuffer[9];
        for (int i = 0; i < all.length; i++) {
            all[i] = untouched.duplicate();
        }
        try (SocketChannel c = SwitchChannels.provider(owner).openSocketChannel()) {
            c.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
            test.run(c, all);
        }
    }

    @Test
    void aBlockingWriteTellsAll() throws IOException {
        connected((channel, all) -> assertEquals(9L * SIZE, channel.write(all)));
    }

    @Test
    void aReadLeavesWhatCannotBeCounted() throws IOException {
        connected(
                (channel, all) -> {
                    assertEquals(7L * SIZE, channel.read(all));
                    assertEquals(0, all[7].position());
                    assertEquals(2L * SIZE, channel.read(all));
                });
    }
}
