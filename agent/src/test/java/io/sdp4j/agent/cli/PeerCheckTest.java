package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.PathCode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: for a peer, and a port if there is one, the doctor ends with what would be used. */
class PeerCheckTest {
    private static final FabricPath SHM = FabricPath.usable("shm", "", 0, 0);
    private static final FabricPath RXE = FabricPath.usable("verbs", "rxe0", 1, 1024);
    private static final FabricPath NO_SHM =
            FabricPath.unusable("shm", PathCode.NOT_LOCAL, "10.0.0.2 is not on this host");
    private static final FabricPath NO_RDMA =
            FabricPath.unusable("verbs", PathCode.NO_DEVICE, "no RDMA device is present");

    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({
        "10.0.0.2, 10.0.0.2, 0",
        "10.0.0.2:7174, 10.0.0.2, 7174",
        "2001:db8::2, 2001:db8:0:0:0:0:0:2, 0",
        "[2001:db8::2], 2001:db8:0:0:0:0:0:2, 0",
        "[2001:db8::2]:7174, 2001:db8:0:0:0:0:0:2, 7174",
        "db/10.0.0.2:7174, 10.0.0.2, 7174",
    })
    void readsHostAndPort(String peer, String address, int port) {
        assertEquals(
                new PeerCheck(peer, InetAddress.ofLiteral(address), port), PeerCheck.parse(peer));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":80",
                "10.0.0.2:",
                "10.0.0.2:x",
                "10.0.0.2:-1",
                "10.0.0.2:65536",
                "10.0.0.2/24",
                "10.0.0.2/24:80"
            })
    void whatIsNoPeerIsNone(String peer) {
        assertNull(PeerCheck.parse(peer));
        assertEquals(Check.Verdict.WARN, PeerCheck.of(peer, "").getFirst().verdict());
    }

    private static String used(String peer, String rules, FabricPath... paths) {
        return PeerCheck.parse(peer).all(rules, List.of(paths)).getLast().found();
    }

    private String rules(String text) throws IOException {
        return Files.writeString(folder.resolve("rules.conf"), text + "\n").toString();
    }

    @Test
    void withoutAPortTheWaysDecide() {
        assertEquals(
                "used: shared memory, if the program there has the agent too; otherwise kernel TCP",
                used("10.0.0.2", "", SHM, RXE));
        assertEquals(
                "used: RDMA by rxe0, with sdp4j.verbs.enabled=true at both ends; otherwise kernel"
                        + " TCP",
                used("10.0.0.2", "", NO_SHM, RXE));
        assertEquals(
                "used: kernel TCP, because nothing else leads there",
                used("10.0.0.2", "", NO_SHM, NO_RDMA));
    }

    @Test
    void withAPortTheRuleDecidesFirst() throws IOException {
        String tcp = rules("use tcp client * *:80");
        assertEquals("used: kernel TCP, by the rule", used("10.0.0.2:80", tcp, SHM, RXE));
        String both = rules("use both client * *:* fabric=verbs,shm");
        assertEquals(
                "used: RDMA by rxe0, with sdp4j.verbs.enabled=true at both ends; otherwise kernel"
                        + " TCP",
                used("10.0.0.2:80", both, SHM, RXE));
        String only = rules("use sdp client * *:* fabric=verbs");
        assertEquals(
                "used: an error, as the rule allows nothing else, because nothing else leads there",
                used("10.0.0.2:80", only, SHM, NO_RDMA));
        PeerCheck peer = PeerCheck.parse("10.0.0.2:80");
        Check nothing = peer.all(only, List.of(SHM, NO_RDMA)).getLast();
        assertEquals(Check.Verdict.FAIL, nothing.verdict());
        assertEquals(Check.Verdict.OK, peer.all(only, List.of(RXE)).getLast().verdict());
        String again = rules("use both client * *:*");
        assertEquals(Check.Verdict.OK, peer.all(again, List.of(NO_SHM)).getLast().verdict());
    }

    @Test
    void everyWayIsSaid() {
        List<Check> checks = PeerCheck.parse("10.0.0.2").all("", List.of(NO_SHM, RXE));
        assertEquals(
                List.of(
                        "sdp over shm: not possible, 10.0.0.2 is not on this host",
                        "sdp over verbs, with sdp4j.verbs.enabled=true: rxe0 port 1, MTU 1024"),
                checks.subList(0, 2).stream().map(Check::found).toList());
        assertEquals("rxe0", checks.get(1).details().get("device"));
    }
}
