package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.PathCode;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: every port is tested by an address that leads over it, IPv4 if it has one. */
class OwnAddressesTest {
    private static List<InetAddress> addresses(String... literals) {
        return Arrays.stream(literals).map(InetAddress::ofLiteral).toList();
    }

    private static FabricPath over(String device, int port) {
        return FabricPath.usable("verbs", device, port, 1024);
    }

    @Test
    void oneAddressForEachPort() {
        Map<String, List<FabricPath>> host =
                Map.of(
                        "2001:db8:0:0:0:0:0:1", List.of(over("mlx5_0", 1)),
                        "10.0.0.1", List.of(FabricPath.usable("shm", "", 0, 0), over("mlx5_0", 1)),
                        "10.0.0.2", List.of(over("mlx5_0", 1)),
                        "2001:db8:0:0:0:0:0:2", List.of(over("mlx5_0", 2)));
        Map<String, OwnAddresses.Own> found =
                OwnAddresses.byPort(
                        addresses("2001:db8::1", "10.0.0.1", "10.0.0.2", "2001:db8::2"),
                        a -> host.get(a.getHostAddress()));
        assertEquals(
                Map.of("mlx5_0/1", "10.0.0.1", "mlx5_0/2", "2001:db8:0:0:0:0:0:2"),
                Map.of(
                        "mlx5_0/1", found.get("mlx5_0/1").address().getHostAddress(),
                        "mlx5_0/2", found.get("mlx5_0/2").address().getHostAddress()));
    }

    @Test
    void twoDevicesOnOneAddressNameEachOther() {
        Map<String, OwnAddresses.Own> found =
                OwnAddresses.byPort(
                        addresses("10.0.0.1"), a -> List.of(over("rxe0", 1), over("siw0", 1)));
        assertEquals(List.of("siw0/1"), found.get("rxe0/1").others());
        assertEquals(List.of("rxe0/1"), found.get("siw0/1").others());
    }

    @Test
    void whatLeadsNowhereIsNoAddressToTestBy() {
        FabricPath down =
                new FabricPath(
                        "verbs",
                        "mlx5_0",
                        1,
                        0,
                        PathCode.PORT_DOWN,
                        "it is down",
                        Optional.empty());
        assertEquals(
                Map.of(),
                OwnAddresses.byPort(
                        addresses("127.0.0.1", "::1", "fe80::1", "10.0.0.1", "10.0.0.2"),
                        a ->
                                switch (a.getHostAddress()) {
                                    case "10.0.0.1" -> List.of(down);
                                    case "10.0.0.2" ->
                                            List.of(FabricPath.usable("verbs", "", 0, 0));
                                    default -> throw new AssertionError(a + " was asked for");
                                }));
    }
}
