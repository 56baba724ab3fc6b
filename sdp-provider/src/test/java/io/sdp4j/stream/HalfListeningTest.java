package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.HostResolver;
import io.sdp4j.resolve.LocalAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a listener that fails on one fabric, unforeseen, listens on none; one that it lacks is told
 * of.
 */
class HalfListeningTest {
    private final AtomicInteger closed = new AtomicInteger();
    private final Map<String, FabricSet.Opener> fabrics = new LinkedHashMap<>();
    private final List<String> warnings = new ArrayList<>();
    private final TestLoop loop = TestLoop.take();
    private final SdpOffloadProvider provider =
            new SdpOffloadProvider(
                    new FabricSet(fabrics),
                    new HostResolver(LocalAddresses.system()),
                    null,
                    StreamSettings.of(Settings.defaults(SdpSettings.ALL)),
                    null,
                    loop.loop(),
                    TimeUnit.SECONDS.toNanos(1),
                    warnings::add);

    @BeforeEach
    void oneThatListens() {
        FabricListener listener = closed::incrementAndGet;
        fabrics.put(
                "good",
                () ->
                        Shims.proxy(
                                Fabric.class,
                                (_, method, _) ->
                                        method.getName().equals("listen") ? listener : null));
    }

    @AfterEach
    void close() {
        provider.close();
        loop.giveBack();
    }

    private static ListenSpec on(String... names) {
        InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        return new ListenSpec(at, false, 1, List.of(names), () -> {});
    }

    @Test
    void noFabricGoesOnListening() {
        fabrics.put(
                "bad",
                () ->
                        Shims.proxy(
                                Fabric.class,
                                (_, _, _) -> {
                                    throw new OutOfMemoryError("of the test");
                                }));
        assertThrows(OutOfMemoryError.class, () -> provider.listen(on("good", "bad")));
        assertEquals(1, closed.get());
    }

    @Test
    void aFabricThatIsLostIsToldOnce() throws Exception {
        fabrics.put(
                "absent",
                () -> {
                    throw new FabricException(
                            FabricException.Cause.UNAVAILABLE, "there is no device");
                });
        for (int i = 0; i < 3; i++) {
            provider.listen(on("absent", "good")).close();
        }
        assertEquals(1, warnings.size(), warnings::toString);
        assertTrue(warnings.getFirst().contains("absent: there is no device"), warnings::toString);
        assertThrows(OffloadUnavailable.class, () -> provider.listen(on("absent")));
        assertEquals(1, warnings.size(), "the switch tells of a listener without any");
    }

    @Test
    void withoutARuleThereIsNoListOfIt() {
        OffloadUnavailable all = assertThrows(OffloadUnavailable.class, () -> empty().listen(on()));
        assertEquals("no fabric is enabled in this JVM", all.getMessage());
        OffloadUnavailable listed =
                assertThrows(OffloadUnavailable.class, () -> empty().listen(on("nosuch")));
        assertTrue(listed.getMessage().contains("list [nosuch]"), listed.getMessage());
    }

    private SdpOffloadProvider empty() {
        fabrics.clear();
        return provider;
    }
}
