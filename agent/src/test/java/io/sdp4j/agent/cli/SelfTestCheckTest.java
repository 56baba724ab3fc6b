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

/** Goal: whatever becomes of a self-test, one line says it, with the step and what to do. */
class SelfTestCheckTest {
    private static final Map<?, ?> VERBS =
            Map.of("connections", Map.of("offloaded", Map.of("verbs", 1)));

    private static SelfTestCheck port(String transport, String... others) {
        InetAddress address = InetAddress.ofLiteral("10.10.0.1");
        return new SelfTestCheck("rxe0/1", transport, address, List.of(others), 2_000);
    }

    private static Check verdict(
            SelfTestCheck check, int exit, Map<?, ?> report, String... values) {
        Map<String, String> map = new HashMap<>();
        for (String value : values) {
            String[] pair = value.split("=", 2);
            map.put(pair[0], pair[1]);
        }
        return check.verdict(new SelfTestCheck.Outcome(exit, map, "SIGSEGV", report));
    }

    @Test
    void everyByteIntact() {
        assertEquals(
                Check.ok(
                                "self-test rxe0/1",
                                "2097152 bytes over [verbs] through 10.10.0.1, all intact; it may"
                                        + " have been siw0/1 as well")
                        .with(Map.of("port", "rxe0/1", "address", "10.10.0.1", "bytes", 2097152L)),
                verdict(port("RoCE v2", "siw0/1"), 0, VERBS, "step=close", "bytes=2097152"));
    }

    @Test
    void withoutTheAgentItIsTcp() {
        Map<?, ?> kernel =
                Map.of("connections", Map.of("offloaded", Map.of()), "reasons", Map.of());
        Check check = verdict(SelfTestCheck.ofThisHost(), 0, kernel, "step=close", "bytes=9");
        assertEquals("9 bytes arrived, but on kernel TCP: {} SIGSEGV", check.found());
        assertEquals(Check.Verdict.FAIL, check.verdict());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    RoCE v2    | connect  | TIMED_OUT   | FAIL | connecting failed: no answer in time            | a firewall must let UDP port 4791 to 10.10.0.1 pass
                    iWARP      | connect  | NO_PEER     | FAIL | connecting failed: no answer in time            | a firewall must let TCP to 10.10.0.1 pass
                    InfiniBand | connect  | TIMED_OUT   | FAIL | connecting failed: no answer in time            | is there a subnet manager (sminfo), is IPoIB up?
                    RoCE v2    | transfer | ''          | FAIL | sending and comparing failed: no answer in time SIGSEGV | look at dmesg, and whether "rping -s" and "rping -c -a 10.10.0.1" can do it
                    RoCE v2    | connect  | MEMORY      | FAIL | connecting failed: no answer in time            | the reason MEMORY is explained in docs/report.md
                    RoCE v2    | listen   | UNAVAILABLE | WARN | listening failed: no answer in time             | if another program has the port, it is in: rdma resource show cm_id
                    RoCE v2    | connect  | UNAVAILABLE | FAIL | connecting failed: no answer in time            | a firewall must let UDP port 4791 to 10.10.0.1 pass
                    """)
    void saysTheStepAndTheCure(
            String transport,
            String step,
            String reason,
            Check.Verdict verdict,
            String found,
            String advice) {
        String[] said = {"step=" + step, "reason=" + reason, "failed=no answer in time"};
        Check check = verdict(port(transport), 1, Map.of(), said);
        assertEquals(verdict, check.verdict());
        assertEquals(found, check.found());
        assertEquals(advice, check.advice());
        assertEquals(step, check.details().get("step"));
    }

    @Test
    void aLimitOfLockedMemoryIsToBeRaised() {
        String failed = "failed=cannot register 4096 bytes; locked memory is limited to 65536";
        String[] said = {"step=connect", "reason=MEMORY", failed};
        assertEquals(
                "raise the limit of locked memory: LimitMEMLOCK=infinity in the unit, or memlock in"
                        + " /etc/security/limits.conf",
                verdict(port("RoCE v2"), 1, Map.of(), said).advice());
    }

    @Test
    void thisHostSaysItsReasonAndWhereItIsExplained() {
        String[] said = {"step=listen", "reason=UNAVAILABLE", "failed=/dev/shm is full"};
        Check check = verdict(SelfTestCheck.ofThisHost(), 1, Map.of(), said);
        assertEquals(
                Check.fail(
                                "self-test",
                                "listening failed: /dev/shm is full",
                                "the reason UNAVAILABLE is explained in docs/report.md")
                        .with(Map.of("step", "listen", "reason", "UNAVAILABLE")),
                check);
    }

    @Test
    void aDriverThatHangsOrCrashes() {
        Check hung = verdict(port("RoCE v2"), -1, Map.of(), "step=connect");
        assertEquals("connecting: no end in time, killed", hung.found());
        assertEquals("the driver does not answer: look at dmesg", hung.advice());
        assertEquals(Check.Verdict.FAIL, hung.verdict());
        Check crashed = verdict(port("RoCE v2"), 134, Map.of(), "step=transfer");
        assertEquals("sending and comparing: the JVM ended with 134 SIGSEGV", crashed.found());
        Check never = verdict(port("RoCE v2"), 1, Map.of());
        assertEquals("starting: the JVM ended with 1 SIGSEGV", never.found());
        assertEquals("start", never.details().get("step"));
        String[] told = {"step=connect", "reason=TIMED_OUT", "failed=no answer"};
        Check both = verdict(port("RoCE v2"), -1, Map.of(), told);
        assertEquals("connecting failed: no answer", both.found());
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
        Check check = SelfTestCheck.withoutAddress(port);
        assertEquals(Check.Verdict.WARN, check.verdict());
        assertEquals(
                "give eth1 an IP address: ip address add ADDRESS/PREFIX dev INTERFACE",
                check.advice());
    }
}
