package io.sdp4j.agent.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: a protocol is asked for what a rule means it for, and its faults are its own. */
class PluginProtocolTest {
    private static final InetSocketAddress REMOTE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);
    private static final List<String> OTHERS = List.of("shm", "verbs");

    private final List<String> asked = new ArrayList<>();
    private boolean byRules; // a call had no kernel scope

    /** Of another version: it has no method but those that tell what it is. */
    private final PluginProtocol protocol =
            new PluginProtocol(
                    "old",
                    (OffloadProvider)
                            Proxy.newProxyInstance(
                                    OffloadProvider.class.getClassLoader(),
                                    new Class<?>[] {OffloadProvider.class},
                                    (_, method, _) -> {
                                        asked.add(method.getName());
                                        byRules |= !KernelSockets.active();
                                        throw new AbstractMethodError(method.getName());
                                    }));

    private static ConnectSpec connect(List<String> fabrics, int socket) {
        return new ConnectSpec(
                REMOTE, _ -> REMOTE, fabrics, 0, 1, 1, false, () -> false, _ -> {}, socket);
    }

    private static ListenSpec listen(List<String> fabrics) {
        return new ListenSpec(REMOTE, false, 1, fabrics, () -> {});
    }

    private static void assertReason(ReasonCode wanted, OffloadUnavailable e) {
        assertEquals(wanted, e.reason(), e.getMessage());
        assertTrue(e.getMessage().contains("old"), e.getMessage());
    }

    private ReasonCode connected(List<String> fabrics, int socket) {
        return assertThrows(
                        OffloadUnavailable.class, () -> protocol.connect(connect(fabrics, socket)))
                .reason();
    }

    @Test
    void isNotAskedWhereTheRuleNamesOthers() {
        assertEquals(ReasonCode.NO_PROVIDER, connected(OTHERS, -1));
        assertReason(
                ReasonCode.NO_PROVIDER,
                assertThrows(OffloadUnavailable.class, () -> protocol.listen(listen(OTHERS))));
        assertEquals(0, protocol.choosePort(OTHERS, () -> REMOTE));
        assertEquals(false, protocol.moves(REMOTE.getAddress(), OTHERS));
        assertEquals(true, protocol.listensLater(OTHERS));
        assertEquals(List.of(), asked);
    }

    @Test
    void isNotAskedToMoveWhatItCannotMove() {
        assertEquals(ReasonCode.NO_PROVIDER, connected(List.of(), 3));
        assertEquals(List.of("moves"), asked);
        assertFalse(byRules, "a socket that it opens would lead to it again");
    }

    @Test
    void faultsAreFailuresOfTheProtocol() {
        assertEquals(ReasonCode.INTERNAL, connected(List.of("shm", "old"), -1));
        assertReason(
                ReasonCode.INTERNAL,
                assertThrows(OffloadUnavailable.class, () -> protocol.listen(listen(List.of()))));
        assertEquals(0, protocol.choosePort(List.of(), () -> REMOTE));
        assertEquals(false, protocol.listensLater(List.of()));
        assertEquals(List.of("connect", "listen", "choosePort", "listensLater"), asked);
        assertFalse(byRules, "a socket that it opens would lead to it again");
    }

    /** Goal: a method with a default is not forgotten. */
    @Test
    void everythingIsPassedOn() {
        Set<String> own =
                Stream.of(PluginProtocol.class.getDeclaredMethods())
                        .map(Method::getName)
                        .collect(Collectors.toSet());
        for (Method method : OffloadProvider.class.getMethods()) {
            assertTrue(own.contains(method.getName()), method.toString());
        }
    }
}
