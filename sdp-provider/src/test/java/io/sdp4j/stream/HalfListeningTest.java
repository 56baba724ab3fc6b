package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.HostResolver;
import io.sdp4j.resolve.LocalAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Goal: a listener that fails on one fabric, unforeseen, listens on none. */
class HalfListeningTest {
    @Test
    void noFabricGoesOnListening() {
        AtomicInteger closed = new AtomicInteger();
        FabricListener listener = closed::incrementAndGet;
        Map<String, FabricSet.Opener> fabrics = new LinkedHashMap<>();
        fabrics.put(
                "good",
                () ->
                        Shims.proxy(
                                Fabric.class,
                                (_, method, _) ->
                                        method.getName().equals("listen") ? listener : null));
        fabrics.put(
                "bad",
                () ->
                        Shims.proxy(
                                Fabric.class,
                                (_, _, _) -> {
                                    throw new OutOfMemoryError("of the test");
                                }));
        TestLoop loop = TestLoop.take();
        SdpOffloadProvider provider =
                new SdpOffloadProvider(
                        new FabricSet(fabrics),
                        DeviceResolver.behind(
                                new HostResolver(LocalAddresses.system()),
                                new KernelNetlink(loop.loop())),
                        StreamSettings.of(Settings.defaults(SdpSettings.ALL)),
                        loop.loop(),
                        TimeUnit.SECONDS.toNanos(1));
        try {
            InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
            ListenSpec spec = new ListenSpec(at, false, 1, List.of("good", "bad"), () -> {});
            assertThrows(OutOfMemoryError.class, () -> provider.listen(spec));
            assertEquals(1, closed.get());
        } finally {
            provider.close();
            loop.giveBack();
        }
    }
}
