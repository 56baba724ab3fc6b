package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: asynchronous reads tell of a reset once, as the JDK's do, though a stream tells of it with
 * each read, as other channels need it.
 */
class AioResetTest implements Aio {
    private final AsynchronousChannelProvider channels =
            new SwitchAsynchronousChannelProvider(
                    new OffloadSwitch(
                            Policy::allowAll, List.of(reset()), SwitchSettings.defaults()));

    @Override
    public AsynchronousChannelProvider provider() {
        return channels;
    }

    @Override
    public boolean offloads() {
        return true;
    }

    /** The connecting end was reset. */
    private static Observed reset() {
        return new Observed(
                new LoopbackProvider(),
                (_, call, _) -> {
                    if (call.equals("tryRead")) {
                        throw new SocketException("Connection reset");
                    }
                });
    }

    @Test
    void itIsToldOnce() throws Exception {
        try (var p = pair()) {
            ByteBuffer b = ByteBuffer.allocate(1);
            Aio.failed(IOException.class, "Connection reset", p.client().read(b));
            assertEquals(-1, Aio.get(p.client().read(b)));
            assertEquals(0, Aio.get(p.client().read(ByteBuffer.allocate(0))));
            assertEquals(-1, Aio.get(p.client().read(b)));
        }
    }
}
