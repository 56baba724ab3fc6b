package io.sdp4j.policy;

import static io.sdp4j.policy.LibsdpDialectTest.parse;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ExplainAndLintTest {
    private static final String RULES =
            """
            use tcp  listen  *   10.0.0.0/8:80
            use sdp  connect db* 10.0.0.0/8:80
            use sdp  connect *   10.0.0.0/8:81
            use sdp  connect *   11.0.0.0/8:80
            use both connect *   nowhere.example:80
            use tcp  connect *   10.1.0.0/16:80
            use both connect *   *:*
            use both connect db* 99.0.0.0/8:99
            """;

    private static Explanation explain(Role role, String program, String address, int port) {
        InetSocketAddress asked = new InetSocketAddress(InetAddress.ofLiteral(address), port);
        return parse(RULES).policy("other").explain(role, program, asked);
    }

    @Test
    void namesTheRuleThatDecidesAndThoseThatCameClose() {
        Explanation e = explain(Role.CONNECT, "web", "10.1.2.3", 80);
        assertEquals("f:6", e.decision().origin());
        assertEquals(e.decision(), e.rule().decision());
        assertEquals(
                List.of(
                        "f:1 it is a listen rule",
                        "f:2 it is for program db*",
                        "f:3 port 80 is not in its range",
                        "f:4 the address differs",
                        "f:5 host nowhere.example is unknown",
                        "f:7 an earlier rule matches first"),
                e.near().stream()
                        .map(n -> n.rule().decision().origin() + " " + n.reason())
                        .toList());
        assertEquals(
                "A connect to 10.1.2.3:80 in program 'web' uses kernel TCP:"
                        + " f:6 says 'use tcp  connect *   10.1.0.0/16:80'.",
                e.sentence());
        assertTrue(e.near().getFirst().sentence().contains("f:1"));
    }

    @Test
    void asksForTheProgramGivenNotForItsOwn() {
        assertEquals(
                "f:2", explain(Role.CONNECT, "db2", "::ffff:10.1.2.3", 80).decision().origin());
        Explanation none = explain(Role.LISTEN, "web", "10.1.2.3", 81);
        assertNull(none.rule());
        assertTrue(none.sentence().contains("no rule matches"), none.sentence());
        assertTrue(
                none.sentence().contains("accepts from kernel TCP and from offload"),
                none.sentence());
    }

    private static List<String> lint(String rules) {
        return Linter.lint(parse(rules).rules()).stream()
                .map(l -> l.rule().decision().origin() + " " + l.detail().replaceAll(": .*", ""))
                .toList();
    }

    @Test
    void findsRulesThatMeanNothing() {
        assertEquals(
                List.of(
                        "f:5 does not match while host 'nowhere.example' is unknown",
                        "f:8 never decides"),
                lint(RULES));
        assertEquals(List.of("f:1 never matches"), lint("use sdp connect * *:10-5"));
        assertEquals(
                List.of("f:1 stands for every address of 10.1.0.0/16"),
                lint("use sdp connect * 10.1.2.3/16:80"));
        assertEquals(List.of(), lint("use sdp connect * 10.1.0.0/16:80"));
        assertEquals(
                List.of("f:1 stands for every address of 2001:db8:0:0:0:0:0:0/64"),
                lint("use sdp connect * [2001:db8::1]/64:80"));
        assertEquals(List.of(), lint("use sdp connect * [2001:db8::]/64:80"));
        assertEquals(List.of("f:1 never matches"), lint("connect * 70000"));
        assertEquals(List.of("f:1 never matches"), lint("use sdp connect * *:0"));
        assertEquals(List.of(), lint("use sdp listen * *:0"));
        assertEquals(
                List.of("f:1 has options without effect"),
                lint("use tcp connect * *:1 timeout=1s"));
        assertEquals(
                List.of("f:1 has a time-out without effect"),
                lint("use sdp listen * *:1 timeout=1s"));
        assertEquals(List.of(), lint("use sdp listen * *:1 fabric=shm"));
    }

    @Test
    void knowsWhatCoversWhat() {
        assertEquals(
                List.of("f:2 never decides"),
                lint("use tcp connect * 10.0.0.0/8:*\nuse sdp connect x 10.1.1.1:5"));
        assertEquals(
                List.of(), lint("use tcp connect * 10.1.0.0/16:*\nuse sdp connect x 10.0.0.0/8:5"));
        assertEquals(List.of(), lint("use tcp connect d* *:*\nuse sdp connect e* 10.0.0.0/8:5"));
        assertEquals(
                List.of("f:2 never decides"),
                lint("use tcp connect d* *:*\nuse sdp connect db 10.0.0.0/8:5"));
        assertEquals(List.of(), lint("use tcp connect * *:1-79\nuse sdp connect * *:79-80"));
        assertEquals(List.of(), lint("use tcp connect * *:*\nuse sdp listen * *:*"));
        assertEquals(
                List.of("f:2 never decides"),
                lint("use tcp listen * 0.0.0.0:*\nuse sdp listen * [::]:80"));
        assertEquals(List.of(), lint("use tcp connect * 0.0.0.0:*\nuse sdp connect * [::]:80"));
        assertEquals(List.of(), lint("use tcp connect * 0.0.0.0/0:*\nuse sdp connect * *:80"));
    }

    @Test
    void aLintSaysWhereAndWhy() {
        String rules = "use tcp connect * *:*\nuse sdp connect db 10.0.0.0/8:5";
        Lint lint = Linter.lint(parse(rules).rules()).getFirst();
        assertEquals(
                "f:2: 'use sdp connect db 10.0.0.0/8:5' never decides:"
                        + " use tcp connect * *:* (f:1) takes everything it could match",
                lint.sentence());
    }

    @Test
    @Timeout(60) // the square of its length would take longer
    void lintsALongRunOfHexDigits() {
        String program = "a".repeat(400_000);
        assertEquals(
                List.of("f:1 stands for every address of 10.1.0.0/16"),
                lint("use sdp connect " + program + " 10.1.2.3/16:80"));
    }
}
