package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.FabricFactory;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.LocalAddresses;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Goal: connections begin on TCP only where they can move to shared memory, and a listener comes
 * later only where all of its clients begin on TCP.
 */
class SdpMakerTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final List<String> ANY = List.of();

    private static SdpMaker maker(Map<String, String> given, FabricFactory... plugins) {
        return maker(LocalAddresses.system(), given, plugins);
    }

    private static SdpMaker maker(
            LocalAddresses hosts, Map<String, String> given, FabricFactory... plugins) {
        Settings settings =
                Settings.of(
                        AgentSettings.ALL,
                        given,
                        new Properties(),
                        line -> {
                            throw new AssertionError(line);
                        });
        return new SdpMaker(settings, hosts, List.of(plugins), _ -> {});
    }

    private static FabricFactory plugin() {
        return (FabricFactory)
                Proxy.newProxyInstance(
                        FabricFactory.class.getClassLoader(),
                        new Class<?>[] {FabricFactory.class},
                        (_, _, _) -> null);
    }

    @Test
    void onOneHostBothHoldByDefault() {
        SdpMaker maker = maker(Map.of());
        assertTrue(maker.moves(HERE, ANY));
        assertTrue(maker.moves(HERE, List.of("shm", "verbs")));
        assertTrue(maker.listensLater(ANY));
    }

    @Test
    void aRuleMayPreferAnotherFabric() {
        SdpMaker maker = maker(Map.of());
        assertFalse(maker.moves(HERE, List.of("verbs", "shm")));
        assertFalse(maker.listensLater(List.of("verbs", "shm")));
    }

    @Test
    void anotherHostIsNotReachedByMemory() throws Exception {
        InetAddress elsewhere = InetAddress.getByName("192.0.2.1"); // RFC 5737
        assertFalse(maker(Map.of()).moves(elsewhere, ANY));
    }

    /** The clock is the test's: 4.9 s pass, less than the time for which a list is kept. */
    @Test
    void connectsToOtherHostsListTheInterfacesOnce() {
        AtomicInteger lists = new AtomicInteger();
        AtomicLong nanos = new AtomicLong();
        LocalAddresses hosts =
                new LocalAddresses(
                        () -> {
                            lists.incrementAndGet();
                            return Set.of();
                        },
                        nanos::get);
        SdpMaker maker = maker(hosts, Map.of());
        for (int i = 0; i < 49; i++) {
            assertFalse(maker.moves(InetAddress.ofLiteral("192.0.2.1"), ANY));
            nanos.addAndGet(100_000_000);
        }
        assertEquals(1, lists.get());
    }

    @Test
    void withoutSharedMemoryNeitherHolds() {
        SdpMaker maker = maker(Map.of("shm.enabled", "false"));
        assertFalse(maker.moves(HERE, ANY));
        assertFalse(maker.listensLater(ANY));
    }

    /** Clients come by RDMA at once, too. */
    @Test
    void withDevicesAListenerIsThereAtOnce() {
        SdpMaker maker = maker(Map.of("verbs.enabled", "true"));
        assertTrue(maker.moves(HERE, ANY));
        assertFalse(maker.listensLater(ANY));
    }

    @Test
    void withAPluginAListenerIsThereAtOnce() {
        SdpMaker maker = maker(Map.of(), plugin());
        assertTrue(maker.moves(HERE, ANY));
        assertFalse(maker.listensLater(ANY));
    }
}
