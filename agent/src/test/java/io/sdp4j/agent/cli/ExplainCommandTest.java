package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Goal: explain takes the words that people have, and says all that is wrong with a file. */
class ExplainCommandTest {
    @TempDir private Path folder;

    private record Outcome(int exit, String out, String err) {}

    private static Outcome explain(String... arguments) {
        CommandLine line = Main.line();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addFirst("explain");
        int exit = line.execute(words.toArray(String[]::new));
        return new Outcome(exit, out.toString(), err.toString());
    }

    private String rules(String... lines) throws IOException {
        return Files.write(folder.resolve("r.conf"), List.of(lines)).toString();
    }

    @Test
    void saysWhatLeavesTcpLater() throws IOException {
        String file = rules("use sdp client * *:81", "use both client * *:*");
        for (String here : List.of("127.0.0.1:80", "0.0.0.0:80")) {
            String later = explain("--policy", file, here).out;
            assertTrue(
                    later.contains("Ends: kernel TCP at first; offloaded by upgrade=auto"), later);
        }
        String only = explain("--policy", file, "127.0.0.1:81").out;
        assertTrue(only.contains("Ends: offloaded if the program"), only);
    }

    /** The agent goes on with the default. */
    @Test
    void aSettingThatIsNoneIsNotNamed() throws IOException {
        String file = rules("use both client * *:*");
        String before = explain("--policy", file, "127.0.0.1:80").out;
        System.setProperty("sdp4j.upgrade", "later");
        try {
            assertEquals(before, explain("--policy", file, "127.0.0.1:80").out);
        } finally {
            System.clearProperty("sdp4j.upgrade");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "both, 127.0.0.1:0, kernel TCP",
        "both, 224.0.0.1:80, kernel TCP",
        "sdp, 127.0.0.1:0, 'an error, the rule allows nothing else'"
    })
    void saysWhereNoListenerCanBe(String verdict, String address, String end) throws IOException {
        String file = rules("use " + verdict + " client * *:*");
        String out = explain("--policy", file, address).out;
        assertTrue(out.contains("has no listener"), out);
        assertTrue(out.lines().toList().contains("Ends: " + end), out);
        String listens = explain("--policy", file, "--role", "listen", "127.0.0.1:0").out;
        assertTrue(listens.contains("offloaded peers"), listens);
    }

    @Test
    void knowsThatRulesAreRequired() throws IOException {
        String file = rules("use nothing");
        System.setProperty("sdp4j.policy.required", "true");
        try {
            String out = explain("--policy", file, "127.0.0.1:80").out;
            assertTrue(out.contains("cannot be offloaded is refused"), out);
            assertTrue(out.contains("Ends: offloaded if the program"), out);
            assertFalse(out.contains("TCP"), out);
        } finally {
            System.clearProperty("sdp4j.policy.required");
        }
    }

    @Test
    void saysWhatOneProcessorChanges() {
        assertTrue(ExplainCommand.late(1).contains("one processor"), ExplainCommand.late(1));
        assertTrue(ExplainCommand.late(2).contains("selectors"), ExplainCommand.late(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"connect", "client", "listen", "server", "CONNECT", "Server"})
    void takesTheRulesWordsForRoles(String role) throws IOException {
        String file = rules("use tcp server * *:*", "use sdp client * *:*");
        Outcome outcome = explain("--policy", file, "--role", role, "127.0.0.1:80");
        assertEquals(0, outcome.exit, outcome.err);
        boolean listens =
                List.of("listen", "server").contains(role.toLowerCase(java.util.Locale.ROOT));
        assertTrue(outcome.out.contains(file + ":" + (listens ? 1 : 2)), outcome.out);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:80",
                "/127.0.0.1:80",
                "localhost/127.0.0.1:80",
                "[::1]:80",
                "/[0:0:0:0:0:0:0:1]:80",
                "localhost/[0:0:0:0:0:0:0:1]:80"
            })
    void takesAddressesAsJavaWritesThem(String address) throws IOException {
        Outcome outcome = explain("--policy", rules("use tcp client * *:80"), address);
        assertEquals(0, outcome.exit, outcome.err);
        assertTrue(outcome.out.contains("Ends: kernel TCP"), outcome.out);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9092",
                "127.0.0.1",
                "/127.0.0.1",
                "127.0.0.1:",
                "127.0.0.1:65536",
                "/:x",
                ":80"
            })
    void refusesWhatIsNoAddress(String address) {
        Outcome outcome = explain(address);
        assertEquals(2, outcome.exit, outcome.out);
        assertTrue(outcome.err.contains("expected HOST:PORT, found " + address), outcome.err);
    }

    @Test
    void asksForTheWordThatWasMeant() {
        Outcome role = explain("--role", "lisen", "127.0.0.1:80");
        assertEquals(2, role.exit);
        assertTrue(role.err.contains("did you mean 'listen'?"), role.err);
        Outcome option = explain("--polcy", "f", "127.0.0.1:80");
        assertEquals(2, option.exit);
        assertTrue(option.err.contains("Possible solutions: --policy"), option.err);
    }

    @Test
    void listsEveryErrorOfARefusedFile() throws IOException {
        String file = rules("use spd client * *:80", "use tcp clint * *:1", "use tcp client * *:x");
        Outcome lint = explain("--lint", "--policy", file);
        assertEquals(1, lint.exit, lint.err);
        assertTrue(lint.out.contains("- " + file + ":1:5: found 'spd'"), lint.out);
        assertTrue(lint.out.contains("did you mean 'sdp'?"), lint.out);
        assertTrue(lint.out.contains("- " + file + ":2:9: found 'clint'"), lint.out);
        assertTrue(lint.out.contains("did you mean 'client'?"), lint.out);
        assertTrue(lint.out.contains("- " + file + ":3:20: found 'x'"), lint.out);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "usee sdp client * *:80 | did you mean 'use'?",
                "lgo min-level 1 | did you mean 'log'?",
                "use bth client * *:80 | did you mean 'both'?",
                "use sdp sever * *:80 | did you mean 'server'?",
                "use sdp client * *:80 fabrik=shm | did you mean 'fabric='?",
                "use sdp client * *:80 timeuot=3s | did you mean 'timeout='?",
                "use sdp client * *:80 fabric=smh | did you mean 'shm'?"
            })
    void asksForTheWordOfARule(String rule, String question) throws IOException {
        Outcome lint = explain("--lint", "--policy", rules(rule));
        assertEquals(1, lint.exit, lint.err);
        assertTrue(lint.out.lines().anyMatch(l -> l.endsWith(question)), lint.out);
    }

    @Test
    void saysOnceThatNoRuleMatches() throws IOException {
        String file = rules("use tcp client * *:81");
        String why = explain("--policy", file, "127.0.0.1:80").out;
        assertEquals(2, why.split("no rule matches", -1).length, why);
    }

    @Test
    void saysOnceThatTheFileIsRefused() throws IOException {
        Outcome outcome = explain("--policy", rules("use spd client * *:80"), "127.0.0.1:80");
        assertEquals(1, outcome.exit, outcome.err);
        String why =
                outcome.out
                        .lines()
                        .filter(l -> l.startsWith("A connect to"))
                        .findFirst()
                        .orElseThrow();
        assertEquals(2, why.split("refused", -1).length, why);
        assertTrue(why.contains("uses kernel TCP: rule file refused: "), why);
    }

    @Test
    void lintFindsUnknownFabricsAndBitsBehindAPrefix() throws IOException {
        String file =
                rules(
                        "use sdp client * 10.1.2.3/16:80",
                        "use sdp client * *:81 fabric=vebs",
                        "use sdp client * *:82 fabric=shm,verbs");
        Outcome lint = explain("--lint", "--policy", file);
        assertEquals(1, lint.exit, lint.err);
        assertTrue(lint.out.contains("stands for every address of 10.1.0.0/16"), lint.out);
        assertTrue(lint.out.contains("names fabric 'vebs'"), lint.out);
        assertTrue(lint.out.contains("did you mean 'verbs'?"), lint.out);
        assertEquals(2, lint.out.lines().filter(l -> l.startsWith("  - ")).count(), lint.out);
    }
}
