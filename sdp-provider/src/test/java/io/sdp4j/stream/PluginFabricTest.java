package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricFactory;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.FabricResolver;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: a plug-in is tried behind what is built in, and its faults are its own. */
class PluginFabricTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final FabricResolver BUILT_IN =
            (local, remote) -> List.of(FabricPath.usable("shm", "", 0, 0));

    private record Plugin(String name, boolean reaches, RuntimeException fault)
            implements FabricFactory {
        @Override
        public boolean reaches(InetAddress remote) {
            if (fault != null) {
                throw fault;
            }
            return reaches;
        }

        @Override
        public Fabric open() {
            throw new AssertionError("not needed");
        }
    }

    @Test
    void comesBehindWhatIsBuiltIn() {
        List<FabricPath> paths =
                PluginFabric.behind(
                                BUILT_IN,
                                List.of(
                                        new Plugin("near", true, null),
                                        new Plugin("far", false, null),
                                        new Plugin("bad", true, new IllegalStateException("oh"))))
                        .paths(null, HERE);
        assertEquals(
                List.of("shm", "near", "far", "bad"),
                paths.stream().map(FabricPath::fabric).toList());
        assertEquals(
                List.of(true, true, false, false), paths.stream().map(FabricPath::usable).toList());
        assertTrue(paths.getLast().reason().contains("oh"), paths.getLast().reason());
        assertEquals(BUILT_IN, PluginFabric.behind(BUILT_IN, List.of()));
    }

    /** Of an old version: all that it has is {@code has}, by the names of methods. */
    private static Fabric broken(Map<String, Object> has) {
        return Shims.proxy(
                Fabric.class,
                (_, method, _) -> {
                    Object answer = has.get(method.getName());
                    if (answer == null) {
                        throw new AbstractMethodError(method.getName());
                    }
                    return answer;
                });
    }

    @Test
    void faultsAreFailuresOfTheFabric() {
        Capabilities capabilities = new Capabilities(92, true, 0, false, 1, false);
        Fabric guarded =
                new PluginFabric(broken(Map.of("name", "broken", "capabilities", capabilities)));
        assertEquals(capabilities, guarded.capabilities());
        assertTrue(guarded.awaitReady(0), "connect says why");
        FabricException e = assertThrows(FabricException.class, () -> guarded.connect(null));
        assertEquals(FabricException.Cause.UNAVAILABLE, e.why());
        assertTrue(e.getMessage().contains("fabric broken failed"), e.getMessage());
        assertThrows(FabricException.class, () -> guarded.listen(null));
        assertEquals(0, guarded.choosePort(() -> null));
    }

    /** Otherwise the set-up of a connection by sockets would lead to the plug-in again. */
    @Test
    void socketsThatAPlugInOpensAreTheKernels() throws Exception {
        Map<String, Boolean> scoped = new ConcurrentHashMap<>();
        Capabilities capabilities = new Capabilities(92, true, 0, false, 1, false);
        Map<String, Object> has =
                Map.of(
                        "name",
                        "wired",
                        "capabilities",
                        capabilities,
                        "listen",
                        (FabricListener) () -> {},
                        "choosePort",
                        1);
        Fabric fabric =
                Shims.proxy(
                        Fabric.class,
                        (_, method, _) -> {
                            note(method.getName(), scoped);
                            return has.get(method.getName());
                        });
        FabricFactory plugin =
                new FabricFactory() {
                    @Override
                    public String name() {
                        return "wired";
                    }

                    @Override
                    public boolean reaches(InetAddress remote) {
                        note("reaches", scoped);
                        return true;
                    }

                    @Override
                    public Fabric open() {
                        note("open", scoped);
                        return fabric;
                    }
                };
        PluginFabric.behind(BUILT_IN, List.of(plugin)).paths(null, HERE);
        PluginFabric opened = PluginFabric.open(plugin);
        opened.connect(null);
        opened.listen(null);
        opened.choosePort(() -> null);
        Set<String> called = Set.of("reaches", "open", "connect", "listen", "choosePort");
        assertTrue(scoped.keySet().containsAll(called), scoped::toString);
        assertFalse(scoped.containsValue(false), scoped::toString);
    }

    private static void note(String call, Map<String, Boolean> scoped) {
        scoped.merge(call, KernelSockets.active(), Boolean::logicalAnd);
    }

    /** The plug-in is closed all the same. */
    @Test
    void closingFailsNever() throws Exception {
        FabricListener listener =
                () -> {
                    throw new IllegalStateException("oh");
                };
        Capabilities capabilities = new Capabilities(92, true, 0, false, 1, false);
        Fabric guarded =
                new PluginFabric(
                        broken(
                                Map.of(
                                        "name",
                                        "broken",
                                        "capabilities",
                                        capabilities,
                                        "listen",
                                        listener)));
        assertDoesNotThrow(guarded.listen(null)::close);
        assertDoesNotThrow(guarded::close);
    }

    /** Nothing is told later that could fail then. */
    @Test
    void oneThatCannotTellItsAbilitiesDoesNotStart() {
        FabricSet fabrics =
                new FabricSet(
                        Map.of("broken", () -> new PluginFabric(broken(Map.of("name", "broken")))));
        FabricException e = assertThrows(FabricException.class, () -> fabrics.get("broken"));
        assertEquals(FabricException.Cause.UNAVAILABLE, e.why());
        assertTrue(e.getMessage().contains("capabilities"), e.getMessage());
    }

    /** Goal: a method with a default is not forgotten. */
    @Test
    void everythingIsPassedOn() {
        Set<String> own =
                Stream.of(PluginFabric.class.getDeclaredMethods())
                        .map(Method::getName)
                        .collect(Collectors.toSet());
        for (Method method : Fabric.class.getMethods()) {
            assertTrue(own.contains(method.getName()), method.toString());
        }
    }
}
