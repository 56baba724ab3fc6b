package io.sdp4j.stream;

import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.rdma.EventLoop;
import io.sdp4j.rdma.EventLoops;
import io.sdp4j.rdma.Fabric;
import io.sdp4j.rdma.shm.ShmConfig;
import io.sdp4j.rdma.shm.ShmFabric;
import io.sdp4j.resolve.HostResolver;
import io.sdp4j.resolve.LocalAddresses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A provider over a shared-memory fabric of its own directory, which disappears with it. */
final class TestFabric implements AutoCloseable {
    private final Path directory = Files.createTempDirectory("sdp4j-test");
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Fabric fabric;
    private final EventLoop loop;
    private final int buffers;

    TestFabric() throws IOException {
        this(true, 32);
    }

    TestFabric(boolean allowNative, int buffers) throws IOException {
        this.buffers = buffers;
        loop = EventLoops.start("test-loop", allowNative, t -> failure.compareAndSet(null, t));
        fabric =
                ShmFabric.open(
                        ShmConfig.defaults().withNative(allowNative).withDirectory(directory),
                        loop);
    }

    OffloadProvider provider() {
        return new SdpProvider(
                new FabricSet(Map.of(fabric.name(), () -> fabric)),
                new HostResolver(LocalAddresses.system()),
                new StreamSettings(
                        buffers, 16_400, TimeUnit.SECONDS.toNanos(60), TimeUnit.SECONDS.toNanos(1)),
                loop);
    }

    @Override
    public void close() throws IOException {
        fabric.close();
        try (var files = Files.list(directory)) {
            for (Path p : files.toList()) {
                Files.delete(p);
            }
        }
        Files.delete(directory);
        if (failure.get() != null) {
            throw new AssertionError("the event loop reported a failure", failure.get());
        }
    }
}
