package io.sdp4j.offload.contract.aio;

import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.BiConsumer;

/**
 * A provider that tells the name of each method of its connecting streams, on the calling thread
 * and before the call.
 */
public final class Observed implements OffloadProvider {
    private final OffloadProvider inner;
    private final BiConsumer<OffloadStream, String> before;

    public Observed(OffloadProvider inner, BiConsumer<OffloadStream, String> before) {
        this.inner = inner;
        this.before = before;
    }

    @Override
    public String name() {
        return "observed";
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        OffloadStream stream = inner.connect(spec);
        return (OffloadStream)
                Proxy.newProxyInstance(
                        OffloadStream.class.getClassLoader(),
                        new Class<?>[] {OffloadStream.class},
                        (_, method, arguments) -> {
                            before.accept(stream, method.getName());
                            try {
                                return method.invoke(stream, arguments);
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
