package io.sdp4j.agent;

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
import org.junit.jupiter.api.Test;

/**
 * Goal: connections begin on TCP only where they can move to shared memory, and a listener comes
 * later only where all of its clients begin on TCP.
 */
class SdpMakerTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final List<String> ANY = List.of();

    private static SdpMaker maker(Map<String, String> given, FabricFactory... plugins) {
        Settings settings =
                Settings.of(
                        AgentSettings.ALL,
                        given,
                        new Properties(),
                        line -> {
                            throw new AssertionError(line);
                        });
        return new SdpMaker(settings, LocalAddresses.system(), List.of(plugins), _ -> {});
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
