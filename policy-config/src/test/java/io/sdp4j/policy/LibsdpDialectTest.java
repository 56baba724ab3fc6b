package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LibsdpDialectTest {
    static final HostLookup HOSTS =
            host ->
                    host.equals("db.example")
                            ? List.of(
                                    AddressRange.of(InetAddress.ofLiteral("10.9.8.7")),
                                    AddressRange.of(InetAddress.ofLiteral("fd00::7")))
                            : List.of();

    static RuleFile parse(String text) {
        return RuleFile.parse("f", text, HOSTS);
    }

    static Decision decide(Policy policy, Role role, String address, int port) {
        return policy.decide(role, new InetSocketAddress(InetAddress.ofLiteral(address), port));
    }

    /** A file of the kind OFED installed, in its own layout and with its own comments. */
    private static final String OFED =
            """
            # libsdp.conf - User configuration file for the libsdp

            # Log errors only, to a file of the user
            log min-level 9 destination file libsdp.log

            # the SDP subnet is 192.168.15.0/24, ssh stays where it is
            use tcp server * *:22
            use both server * 192.168.15.0/24:*       # listens on both
            use sdp client ttcp* 192.168.15.0/24:5000-5010
            use tcp client db2* *:*
            use  BOTH\tconnect  *  *:50000 - 50010
            Use tcp listen * *:*
            """;

    @Test
    void readsWhatOfedInstalled() {
        RuleFile file = parse(OFED);
        assertEquals(List.of(), file.errors());
        assertEquals(6, file.rules().size());
        Policy policy = file.policy("ttcp4");
        assertEquals("f:7", decide(policy, Role.LISTEN, "192.168.15.1", 22).origin());
        assertEquals("f:8", decide(policy, Role.LISTEN, "192.168.15.1", 23).origin());
        assertEquals("f:12", decide(policy, Role.LISTEN, "192.168.16.1", 23).origin());
        assertEquals(
                Verdict.OFFLOAD_ONLY, decide(policy, Role.CONNECT, "192.168.15.9", 5010).verdict());
        assertEquals("default", decide(policy, Role.CONNECT, "192.168.15.9", 5011).origin());
        assertEquals("f:11", decide(policy, Role.CONNECT, "::1", 50005).origin());
        assertEquals(
                Verdict.KERNEL,
                decide(file.policy("db2sync"), Role.CONNECT, "::1", 50005).verdict());
        assertEquals(
                "use both server * 192.168.15.0/24:*",
                decide(policy, Role.LISTEN, "192.168.15.1", 23).rule());
    }

    @Test
    void whatNoRuleMatchesIsBoth() {
        Decision decision =
                decide(parse("use sdp connect * 10.0.0.0/8:*").policy("p"), Role.LISTEN, "::1", 1);
        assertEquals(Verdict.OFFLOAD_FIRST, decision.verdict());
        assertEquals("default", decision.origin());
        assertEquals(-1, decision.connectTimeoutNanos());
        assertEquals(List.of(), decision.fabrics());
    }

    @Test
    void readsOurAdditions() {
        Policy policy =
                parse(
                                """
                                use direct connect * [fd00::]/8:443
                                use sdp connect * [fd00::/8]:* fabric=verbs,shm timeout=200ms
                                use both connect * 10.0.0.0/8:* timeout=2s
                                use both connect * *:* TIMEOUT=500us
                                """)
                        .policy("p");
        assertEquals(Verdict.DIRECT, decide(policy, Role.CONNECT, "fd12::1", 443).verdict());
        Decision second = decide(policy, Role.CONNECT, "fd12::1", 444);
        assertEquals(List.of("verbs", "shm"), second.fabrics());
        assertEquals(200_000_000L, second.connectTimeoutNanos());
        assertEquals(
                2_000_000_000L, decide(policy, Role.CONNECT, "10.0.0.1", 1).connectTimeoutNanos());
        assertEquals(500_000L, decide(policy, Role.CONNECT, "11.0.0.1", 1).connectTimeoutNanos());
    }

    @Test
    void hostNamesStandForAllTheirAddresses() {
        Policy policy = parse("use tcp connect * db.example:80").policy("p");
        assertEquals(Verdict.KERNEL, decide(policy, Role.CONNECT, "10.9.8.7", 80).verdict());
        assertEquals(Verdict.KERNEL, decide(policy, Role.CONNECT, "fd00::7", 80).verdict());
        assertEquals("default", decide(policy, Role.CONNECT, "fd00::8", 80).origin());
    }

    @Test
    void anUnknownHostMakesARuleThatNeverMatches() {
        RuleFile file = parse("use sdp connect * nowhere.example:80");
        assertTrue(file.ok());
        assertFalse(file.rules().getFirst().satisfiable());
        assertTrue(Linter.lint(file.rules()).getFirst().detail().endsWith("is unknown"));
    }

    @Test
    void mappedAddressesAreIpv4InRulesAndQuestions() {
        Policy policy =
                parse("use tcp connect * [::ffff:10.0.0.0]/104:*\nuse sdp connect * 11.0.0.0/8:*")
                        .policy("p");
        assertEquals(Verdict.KERNEL, decide(policy, Role.CONNECT, "10.200.0.1", 1).verdict());
        long mapped = 0xffff_0000_0000L | (11L << 24) | 5;
        assertEquals(
                Verdict.OFFLOAD_ONLY, policy.decide(Role.CONNECT, true, 0, mapped, 1).verdict());
        assertEquals(
                Verdict.OFFLOAD_ONLY,
                policy.decide(Role.CONNECT, false, -1, mapped, 1).verdict(),
                "the upper halves of an IPv4 address do not count");
    }

    @Test
    void ipv4RulesDoNotMatchIpv6() {
        Policy policy =
                parse("use tcp connect * 0.0.0.0/0:*\nuse sdp connect * [::]/0:*").policy("p");
        assertEquals(Verdict.KERNEL, decide(policy, Role.CONNECT, "255.255.255.255", 1).verdict());
        assertEquals(Verdict.OFFLOAD_ONLY, decide(policy, Role.CONNECT, "::1", 1).verdict());
        assertEquals(
                Verdict.OFFLOAD_ONLY,
                decide(policy, Role.CONNECT, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 65535)
                        .verdict());
    }

    @Test
    void theWildcardIsOnePlaceForListenersOnly() {
        for (String rule : List.of("0.0.0.0", "[::]", "0.0.0.0/8", "[::]/64")) {
            Policy policy =
                    parse("use tcp listen * " + rule + ":*\nuse tcp connect * " + rule + ":*")
                            .policy("p");
            assertEquals(
                    Verdict.KERNEL, decide(policy, Role.LISTEN, "0.0.0.0", 80).verdict(), rule);
            assertEquals(Verdict.KERNEL, decide(policy, Role.LISTEN, "::", 80).verdict(), rule);
            boolean v4 = decide(policy, Role.CONNECT, "0.0.0.0", 80).verdict() == Verdict.KERNEL;
            boolean v6 = decide(policy, Role.CONNECT, "::", 80).verdict() == Verdict.KERNEL;
            assertTrue(v4 != v6, rule);
        }
    }

    @Test
    void anUnresolvedAddressIsTheKernels() {
        Policy policy = Policy.allowAll();
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere", 1);
        assertEquals(Verdict.KERNEL, policy.decide(Role.CONNECT, unresolved).verdict());
        assertEquals(
                Verdict.KERNEL, policy.explain(Role.CONNECT, "p", unresolved).decision().verdict());
    }

    @Test
    void saysWhichRolesCanBeOffloadedAtAll() {
        assertTrue(Policy.allowAll().canOffload(Role.LISTEN));
        Policy policy =
                parse(
                                """
                                use sdp listen other *:*
                                use tcp listen * 10.0.0.0/8:*
                                use tcp listen * *:*
                                use both listen * *:80
                                use sdp connect * *:80
                                use tcp connect * *:*
                                """)
                        .policy("p");
        assertFalse(policy.canOffload(Role.LISTEN));
        assertTrue(policy.canOffload(Role.CONNECT));
        assertTrue(parse("use tcp connect * *:1-65535").policy("p").canOffload(Role.CONNECT));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "use sdp connect * 10.0.0.0/33:80; 1:28; '33'; a prefix length of 0 to 32",
                "use sdp connect * 10.0.0:80; 1:19; '10.0.0'; an IPv4 address of four numbers of 0 to 255",
                "use sdp connect * 10.0.0.256:80; 1:19; '10.0.0.256'; an IPv4 address of four",
                "use sdp connect * fd00::1:80; 1:24; ':1:80'; brackets round an IPv6 address",
                "use sdp connect * [fd00::1:80; 1:19; '[fd00::1:80'; ']' after the IPv6 address",
                "use sdp connect * [fd00::g]:80; 1:20; 'fd00::g'; an IPv6 address",
                "use sdp connect * [::ffff:1.2.3.4]/20:80; 1:36; '20'; a prefix length of 96 to 128",
                "use sdp connect * 192.168.100.*:80; 1:19; '192.168.100.*'; *, an IPv4 address",
                "use sdp connect * *; 1:20; end of line; ':' and a port",
                "use sdp connect * *:; 1:21; end of line; a port of 0 to 65535",
                "use sdp connect * *:65536; 1:21; '65536'; a port of 0 to 65535",
                "use sdp connect * *:80-http; 1:24; 'http'; a port of 0 to 65535",
                "use sdp connect *; 1:18; end of line; ADDRESS[/PREFIX]:PORT",
                "use sdp connect; 1:16; end of line; a program name",
                "use sdp both * *:*; 1:9; 'both'; one of server, listen, client, connect",
                "use smc connect * *:*; 1:5; 'smc'; one of both, tcp, sdp, direct",
                "use sdp connect * *:* fabric=; 1:30; end of line; names of different fabrics",
                "use sdp connect * *:* fabric=shm,shm; 1:34; 'shm'; names of different fabrics",
                "use sdp connect * *:* timeout=2m; 1:31; '2m'; a time-out of 1us to 1h",
                "use sdp connect * *:* timeout=0s; 1:31; '0s'; a time-out of 1us to 1h",
                "use sdp connect * *:* timeout=3601s; 1:31; '3601s'; a time-out of 1us to 1h",
                "use sdp connect * *:* timeout=1s timeout=2s; 1:34; 'timeout=2s'; end of line",
                "use sdp connect * db.example/24:80; 1:29; '/24'; no prefix after a host name",
                "log loudly; 1:5; 'loudly'; 'min-level' or 'destination'",
                "log min-level high; 1:15; 'high'; a number",
                "log destination file; 1:21; end of line; a file name",
                "except tcp server * 22; 1:1; 'except'; 'use' or 'log'"
            })
    void namesThePlaceOfAnError(String text, String place, String found, String expected) {
        RuleFile file = parse(text);
        assertEquals(1, file.errors().size());
        String message = file.errors().getFirst().message();
        String wanted = "f:" + place + ": found " + found + ", expected " + expected;
        assertTrue(message.startsWith(wanted), () -> message + "\n" + wanted);
        assertTrue(file.rules().isEmpty());
    }

    @Test
    void oneErrorRefusesTheFileAndAllAreListed() {
        RuleFile file = parse("use sdp connect * *:*\nuse\n\nuse tcp connect * *:80\nbind * *\n");
        assertEquals(List.of(2, 5), file.errors().stream().map(RuleError::line).toList());
        assertTrue(file.rules().isEmpty());
        assertFalse(file.ok());
    }

    @Test
    void errorsAreHarmlessToPrint() {
        RuleFile file = parse("use \u001b[31m" + "x".repeat(500));
        String message = file.errors().getFirst().message();
        assertTrue(message.length() < 200 && message.indexOf('\u001b') < 0, message);
    }

    @Test
    void aFileHasABoundedNumberOfRulesAndErrors() {
        String line = "use tcp connect * *:80\n";
        assertTrue(parse(line.repeat(RuleFile.MAX_RULES)).ok());
        RuleFile file = parse(line.repeat(RuleFile.MAX_RULES + 1));
        assertEquals(RuleFile.MAX_RULES + 1, file.errors().getFirst().line());
        assertEquals(RuleFile.MAX_ERRORS, parse("use\n".repeat(5000)).errors().size());
    }

    @Test
    void linesMayEndInAnyFashion() {
        String rules = "use tcp connect * *:80\rbad\r\n\nworse\n\r";
        assertEquals(List.of(2, 4), parse(rules).errors().stream().map(RuleError::line).toList());
        assertTrue(parse("\ufeffuse tcp connect * *:80").ok());
    }

    @Test
    void aPortThatDoesNotExistIsTheCallersMistake() {
        Policy policy = Policy.allowAll();
        for (int port : new int[] {-1, 65536}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> policy.decide(Role.CONNECT, false, 0, 0, port));
        }
    }
}
