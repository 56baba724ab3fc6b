package io.sdp4j.offload.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.jdk.KernelSocketSource;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
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

    private final OffloadStream stream =
            (OffloadStream)
                    Proxy.newProxyInstance(
                            OffloadStream.class.getClassLoader(),
                            new Class<?>[] {OffloadStream.class},
                            this::call);

    private Object call(Object self, Method method, Object[] args) throws Throwable {
        return switch (method.getName()) {
            case "hashCode" -> 0;
            case "equals" -> args[0] == self;
            case "tryRead", "tryWrite" -> {
                if (method.isDefault()) {
                    yield InvocationHandler.invokeDefault(self, method, args);
                }
                ByteBuffer all = (ByteBuffer) args[0];
                int n = all.remaining();
                all.position(all.limit());
                yield n;
            }
            case "info" -> new ConnectionInfo(ReasonCode.OFFLOADED, "one", "one", 0, 0);
            case "localAddress", "remoteAddress" ->
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
            case "drained" -> true;
            default -> method.getReturnType() == boolean.class ? false : null;
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
                        SwitchSettings.defaults(),
                        KernelSocketSource.JDK,
                        null);
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
