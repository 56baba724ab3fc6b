package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
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
                            Policy::allowAll, List.of(new Reset()), SwitchSettings.defaults()));

    @Override
    public AsynchronousChannelProvider provider() {
        return channels;
    }

    @Override
    public boolean offloads() {
        return true;
    }

    /** The connecting end was reset. */
    private static final class Reset implements OffloadProvider {
        private final LoopbackProvider inner = new LoopbackProvider();

        @Override
        public String name() {
            return "reset";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            OffloadStream stream = inner.connect(spec);
            return (OffloadStream)
                    Proxy.newProxyInstance(
                            Reset.class.getClassLoader(),
                            new Class<?>[] {OffloadStream.class},
                            (_, method, args) -> {
                                if (method.getName().equals("tryRead")) {
                                    throw new SocketException("Connection reset");
                                }
                                try {
                                    return method.invoke(stream, args);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            });
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            return inner.listen(spec);
        }
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
