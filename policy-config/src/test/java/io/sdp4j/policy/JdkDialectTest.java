package io.sdp4j.policy;

import static io.sdp4j.policy.LibsdpDialectTest.decide;
import static io.sdp4j.policy.LibsdpDialectTest.parse;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JdkDialectTest {
    /** The examples of the JDK's own sdp.conf.template, switched on. */
    private static final String TEMPLATE =
            """
            #
            # Configuration file to enable InfiniBand Sockets Direct Protocol.
            #
               # indented comment
            bind    192.168.1.1    *
            BIND    fe80::21b:24ff:fe3d:7896    *

            # Use SDP for all sockets that bind to the wildcard address in a port range
            bind    0.0.0.0    5000-5999
            bind    ::0        6000-6999

            connect 192.168.1.0/24       1024-*    # we take a comment here, the JDK does not
            Connect db.example   80
            """;

    @Test
    void readsTheTemplate() {
        RuleFile file = parse(TEMPLATE);
        assertEquals(List.of(), file.errors());
        Policy policy = file.policy("anything");
        assertFalse(policy.connectAfterBind());
        assertEquals("f:5", decide(policy, Role.LISTEN, "192.168.1.1", 0).origin());
        assertEquals("f:6", decide(policy, Role.LISTEN, "fe80::21b:24ff:fe3d:7896", 9).origin());
        assertEquals("f:9", decide(policy, Role.LISTEN, "::", 5999).origin());
        assertEquals("f:10", decide(policy, Role.LISTEN, "0.0.0.0", 6000).origin());
        assertEquals(Verdict.KERNEL, decide(policy, Role.LISTEN, "0.0.0.0", 0).verdict());
        Decision subnet = decide(policy, Role.CONNECT, "192.168.1.77", 1024);
        assertEquals(Verdict.OFFLOAD_FIRST, subnet.verdict());
        assertEquals("connect 192.168.1.0/24       1024-*", subnet.rule());
        assertEquals(Verdict.KERNEL, decide(policy, Role.CONNECT, "192.168.1.77", 1023).verdict());
        assertEquals("f:13", decide(policy, Role.CONNECT, "10.9.8.7", 80).origin());
        assertEquals("f:13", decide(policy, Role.CONNECT, "fd00::7", 80).origin());
    }

    @ParameterizedTest
    @CsvSource({
        "80, 80, 80",
        "*, 0, 65535",
        "80-, 80, 65535",
        "-80, 0, 80",
        "-, 0, 65535",
        "*-*, 0, 65535",
        "*-9, 0, 9",
        "9-*, 9, 65535",
        "+9, 9, 9",
        "-1, 0, 1",
        "10-5, 10, 5",
        "99999, 99999, 99999"
    })
    void readsPortsAsTheJdk(String ports, int low, int high) {
        RuleFile file = parse("connect * " + ports);
        assertTrue(file.ok(), () -> file.errors() + "");
        assertEquals(low, file.rules().getFirst().portLow());
        assertEquals(high, file.rules().getFirst().portHigh());
        boolean able = low <= high && low <= 65535;
        assertEquals(able, file.rules().getFirst().satisfiable());
        assertEquals(able, file.policy("p").canOffload(Role.CONNECT));
        assertEquals(able, Linter.lint(file.rules()).isEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "[::1], ::1",
        "::ffff:127.0.0.1, 127.0.0.1",
        "2130706433, 127.0.0.1",
        "fe80::1%nosuch0, fe80::1"
    })
    void readsAddressesAsTheJdk(String text, String address) {
        RuleFile file = parse("bind " + text + " 7");
        assertTrue(file.ok(), () -> file.errors() + "");
        assertNotEquals("default", decide(file.policy("p"), Role.LISTEN, address, 7).origin());
    }

    @Test
    void aPrefixAfterAHostNameMeansItsFirstAddress() {
        Policy policy = parse("connect db.example/24 *").policy("p");
        assertEquals("f:1", decide(policy, Role.CONNECT, "10.9.8.200", 1).origin());
        assertEquals("default", decide(policy, Role.CONNECT, "fd00::7", 1).origin());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "connect * 0x9; 1:11; '0x9'; PORT",
                "connect * 9-10-11; 1:11; '9-10-11'; PORT",
                "connect *; 1:10; end of line; PORT",
                "connect; 1:8; end of line; *, an IP address",
                "connect 10.0.0.0/0 80; 1:18; '0'; a prefix length of 1 to 32",
                "connect 10.0.0.0/33 80; 1:18; '33'; a prefix length of 1 to 32",
                "connect fd00::/129 80; 1:16; '129'; a prefix length of 1 to 128",
                "connect nowhere.example 80; 1:9; 'nowhere.example'; *, an IP address",
                "connect * 80 now; 1:14; 'now'; end of line"
            })
    void namesThePlaceOfAnError(String text, String place, String found, String expected) {
        RuleFile file = parse(text);
        String message = file.errors().getFirst().message();
        String wanted = "f:" + place + ": found " + found + ", expected " + expected;
        assertTrue(message.startsWith(wanted), () -> message + "\n" + wanted);
    }

    @Test
    void aSilentFileHasTheDialectOfItsSource() {
        String nothing = "# nothing yet\n";
        RuleFile jdk = RuleFile.parse("f", nothing, h -> List.of(), RuleFile.Dialect.JDK);
        assertEquals(Verdict.KERNEL, decide(jdk.policy("p"), Role.CONNECT, "::1", 1).verdict());
        assertEquals(
                Verdict.OFFLOAD_FIRST,
                decide(parse(nothing).policy("p"), Role.CONNECT, "::1", 1).verdict());
    }

    @Test
    void theFirstTellingLineDecidesTheDialect() {
        RuleFile file = parse("typo * 80\nconnect * 80\n");
        assertEquals(
                "f:1:1: found 'typo', expected 'bind' or 'connect'",
                file.errors().getFirst().message());
    }
}
