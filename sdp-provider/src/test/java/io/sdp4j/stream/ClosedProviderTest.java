package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.Netlink;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a provider that is closed hears nothing of the network any more. Method: a kernel that
 * counts who listens to it, on a host that has a device.
 */
class ClosedProviderTest {
    private static final InetSocketAddress FAR = new InetSocketAddress("192.0.2.1", 4711);

    @TempDir Path sysfs;
    private final AtomicInteger listening = new AtomicInteger();

    private final class Kernel implements Netlink {
        @Override
        public Socket open(int protocol) throws IOException {
            throw new IOException("no answers");
        }

        @Override
        public Closeable subscribe(int protocol, int groups, Consumer<byte[]> onDatagram) {
            listening.incrementAndGet();
            return listening::decrementAndGet;
        }
    }

    @Test
    void itsSubscriptionsEndWithIt() throws Exception {
        listensUntilTheEndOf(new FabricSet(Map.of()));
    }

    @Test
    void theyEndThoughAFabricCannotBeClosed() throws Exception {
        Fabric bad =
                Shims.proxy(
                        Fabric.class,
                        (_, method, _) -> {
                            throw new IllegalStateException(method.getName());
                        });
        FabricSet fabrics = new FabricSet(Map.of("bad", () -> bad));
        assertSame(bad, fabrics.get("bad"));
        ExecutionException e =
                assertThrows(ExecutionException.class, () -> listensUntilTheEndOf(fabrics));
        assertInstanceOf(IllegalStateException.class, e.getCause());
        assertEquals(0, listening.get());
    }

    private void listensUntilTheEndOf(FabricSet fabrics) throws Exception {
        Files.createDirectory(sysfs.resolve("test0"));
        TestLoop loop = TestLoop.take();
        HeldTimers timers = new HeldTimers(loop.loop());
        DeviceResolver devices = new DeviceResolver((_, _) -> List.of(), new Kernel(), sysfs);
        SdpOffloadProvider provider =
                new SdpOffloadProvider(
                        fabrics,
                        devices,
                        devices,
                        StreamSettings.of(Settings.defaults(SdpSettings.ALL)),
                        null,
                        timers,
                        TimeUnit.SECONDS.toNanos(1),
                        _ -> {});
        ConnectSpec spec =
                new ConnectSpec(
                        FAR,
                        _ -> FAR,
                        List.of(),
                        System.nanoTime() + TimeUnit.HOURS.toNanos(1),
                        false,
                        () -> false);
        assertThrows(OffloadUnavailable.class, () -> provider.connect(spec));
        assertEquals(2, listening.get());
        provider.close();
        timers.run();
        assertEquals(0, listening.get());
        assertNull(loop.giveBack());
    }
}
