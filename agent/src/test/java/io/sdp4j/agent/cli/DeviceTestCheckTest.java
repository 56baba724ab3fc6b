package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.resolve.PortStatus;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: whatever becomes of the test of a port, one line says it, with the step and what to do. */
class DeviceTestCheckTest {
    private static Check verdict(String transport, int exit, String... values) {
        Map<String, String> map = new HashMap<>();
        for (String value : values) {
            String[] pair = value.split("=", 2);
            map.put(pair[0], pair[1]);
        }
        return new DeviceTestCheck(
                        "rxe0/1", transport, InetAddress.ofLiteral("10.10.0.1"), List.of())
                .verdict(2_000, new DeviceTestCheck.Outcome(exit, map, "SIGSEGV"));
    }

    @Test
    void everyByteIntact() {
        Check check =
                verdict(
                        "RoCE v2",
                        0,
                        "step=close",
                        "connect_us=2345",
                        "bytes=1048576",
                        "transfer_us=34567",
                        "round_trips=200",
                        "round_trip_us=180",
                        "result=intact");
        assertEquals(
                Check.ok(
                                "self-test rxe0/1",
                                "1024 KiB there and back through 10.10.0.1, every byte intact, in"
                                        + " 34 ms; connected in 2345 us, 200 round trips of 64"
                                        + " bytes in 180 us each")
                        .with(
                                Map.of(
                                        "port", "rxe0/1",
                                        "address", "10.10.0.1",
                                        "bytes", 1048576L,
                                        "connectMicros", 2345L,
                                        "transferMicros", 34567L,
                                        "roundTripMicros", 180L,
                                        "roundTrips", 200L)),
                check);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    RoCE v2    |  1 | connect  | TIMED_OUT | FAIL | connecting failed: no answer in time            | a firewall must let UDP port 4791 to 10.10.0.1 pass
                    iWARP      |  1 | connect  | NO_PEER   | FAIL | connecting failed: no answer in time            | a firewall must let TCP to 10.10.0.1 pass
                    InfiniBand |  1 | connect  | TIMED_OUT | FAIL | connecting failed: no answer in time            | is there a subnet manager (sminfo), is IPoIB up?
                    RoCE v2    |  1 | listen   | NO_PEER   | FAIL | listening failed: no answer in time             | another program may have the port: rdma resource show cm_id
                    RoCE v2    |  1 | transfer |           | FAIL | sending and comparing failed: no answer in time | look at dmesg, and whether "rping -s" and "rping -c -a 10.10.0.1" can do it
                    RoCE v2    |  1 | connect  | MEMORY    | FAIL | connecting failed: no answer in time            | raise the limit of locked memory: LimitMEMLOCK=infinity in the unit, or memlock in /etc/security/limits.conf
                    RoCE v2    |  1 | open     |           | WARN | opening the fabric failed: no answer in time    | ''
                    """)
    void saysTheStepAndTheCure(
            String transport,
            int exit,
            String step,
            String reason,
            Check.Verdict verdict,
            String found,
            String advice) {
        Check check =
                verdict(
                        transport,
                        exit,
                        "step=" + step,
                        "reason=" + reason,
                        "failed=no answer in time");
        assertEquals(verdict, check.verdict());
        assertEquals(found, check.found());
        assertEquals(advice, check.advice());
        assertEquals(step, check.details().get("step"));
    }

    @Test
    void aDriverThatHangsOrCrashes() {
        Check hung = verdict("RoCE v2", -1, "step=connect");
        assertEquals("connecting: no end within 2.5 s, killed", hung.found());
        assertEquals(Check.Verdict.FAIL, hung.verdict());
        Check opening = verdict("RoCE v2", -1, "step=open");
        assertEquals("opening the fabric: no end within 62.5 s, killed", opening.found());
        Check starting = verdict("RoCE v2", -1);
        assertEquals("starting: no end within 62.5 s, killed", starting.found());
        Check crashed = verdict("RoCE v2", 134, "step=transfer");
        assertEquals("sending and comparing: the JVM ended with 134 SIGSEGV", crashed.found());
        Check never = verdict("RoCE v2", 1);
        assertEquals("starting: the JVM ended with 1 SIGSEGV", never.found());
        assertEquals("start", never.details().get("step"));
    }

    @Test
    void aPortWithoutAnAddressIsNotTested() {
        PortStatus port =
                new PortStatus(
                        "mlx5_0",
                        1,
                        true,
                        "Ethernet",
                        "ACTIVE",
                        true,
                        "",
                        "",
                        List.of(new PortStatus.GidEntry(0, "fe80::1", "RoCE v2", "eth1")));
        Check check = DeviceTestCheck.withoutAddress(port);
        assertEquals(Check.Verdict.WARN, check.verdict());
        assertEquals(
                "give eth1 an IP address: ip address add ADDRESS/PREFIX dev INTERFACE",
                check.advice());
    }
}
