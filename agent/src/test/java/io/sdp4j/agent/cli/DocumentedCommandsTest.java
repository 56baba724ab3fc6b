package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;

/**
 * Goal: every command in the documents is understood. Method: every command line in them, with each
 * of its optional parts and alternatives, goes through the parser of the command line; and every
 * option that there is stands in the help of its command.
 */
class DocumentedCommandsTest {
    private static final Path ROOT = Path.of("..");

    /** {@code ./sdp4j …} anywhere, and {@code doctor --pid} alone in inline code. */
    private static final Pattern COMMAND =
            Pattern.compile(
                    "(?:\\./sdp4j |java -jar \\S*sdp4j-agent\\.jar )([^`\n]*)"
                            + "|`((?:demo|run|doctor|explain|trace) --[^`\n]*)`");

    private static final Pattern OPTIONAL = Pattern.compile("\\[([^\\[\\]]*)]");
    private static final Pattern ALTERNATIVES = Pattern.compile("\\S+(?:\\\\\\|\\S+)+");

    /** Placeholders for values of the reader's. */
    private static final Map<String, String> PLACES =
            Map.of(
                    "HOST:PORT", "127.0.0.1:80",
                    "FILE", "file",
                    "F", "file",
                    "OUT", "out",
                    "PATH", "path",
                    "PID", "1",
                    "P", "java",
                    "N", "3",
                    "KEY=VALUE...", "quiet=true",
                    "COMMAND...", "true");

    private static final Set<String> BENCHES =
            Set.of("net", "nio", "verbs", "cold", "apps", "zcopy");

    /** Each command line with the documents that have it. */
    private static Map<String, Set<String>> documented() throws IOException {
        Map<String, Set<String>> found = new TreeMap<>();
        List<Path> documents = new ArrayList<>();
        for (String folder : List.of("", "docs", "docs/decisions", "offload-switch", "lab")) {
            try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
                files.filter(f -> f.toString().endsWith(".md")).forEach(documents::add);
            }
        }
        for (Path document : documents) {
            Matcher matcher = COMMAND.matcher(Files.readString(document));
            while (matcher.find()) {
                String text = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
                found.computeIfAbsent(text.strip(), t -> new TreeSet<>())
                        .add(ROOT.relativize(document).toString());
            }
        }
        return found;
    }

    /** All that a reader may type after reading {@code text}. */
    static List<String> lines(String text) {
        String plain = text.replaceAll("\\s+#.*", "").replaceAll("\\s\\|.*", "");
        plain = plain.replace("HOST[:PORT]", "HOST:PORT");
        List<String> lines = new ArrayList<>();
        Matcher optional = OPTIONAL.matcher(plain);
        lines.add(OPTIONAL.matcher(plain).replaceAll(""));
        while (optional.find()) {
            for (String part : optional.group(1).split(" \\\\\\| ", -1)) {
                String with =
                        plain.substring(0, optional.start())
                                + part
                                + plain.substring(optional.end());
                lines.add(OPTIONAL.matcher(with).replaceAll(""));
            }
        }
        List<String> all = new ArrayList<>();
        for (String line : lines) {
            Matcher words = ALTERNATIVES.matcher(line);
            if (words.find()) {
                for (String word : words.group().split("\\\\\\|", -1)) {
                    all.add(line.replace(words.group(), word));
                }
            } else {
                all.add(line);
            }
        }
        return all;
    }

    private static void isUnderstood(String line) {
        List<String> words = new ArrayList<>();
        for (String word : line.strip().split("\\s+", -1)) {
            words.add(PLACES.getOrDefault(word, word));
        }
        if (words.getFirst().equals("COMMAND")) {
            return; // any of them
        }
        CommandLine command = Main.line().getSubcommands().get(words.getFirst());
        var last = command == null ? null : command.getCommandSpec().findOption(words.getLast());
        if (last != null && last.arity().min() > 0) {
            words.add("127.0.0.1:80"); // the text names the option alone
        }
        CommandLine.ParseResult parsed =
                assertDoesNotThrow(() -> Main.line().parseArgs(words.toArray(String[]::new)), line);
        assertTrue(parsed.hasSubcommand(), line);
        if (words.getFirst().equals("bench") && words.size() > 1) {
            String first = words.get(1);
            assertTrue(first.startsWith("--") || BENCHES.contains(first), line);
        }
    }

    @TestFactory
    Stream<DynamicTest> documentedCommandsAreUnderstood() throws IOException {
        Map<String, Set<String>> documented = documented();
        assertTrue(documented.size() > 15, () -> "only " + documented.keySet());
        return documented.entrySet().stream()
                .map(
                        e ->
                                DynamicTest.dynamicTest(
                                        e.getKey() + " " + e.getValue(),
                                        () ->
                                                lines(e.getKey())
                                                        .forEach(
                                                                DocumentedCommandsTest
                                                                        ::isUnderstood)));
    }

    @Test
    void expandsWhatIsOptional() {
        assertEquals(
                List.of(
                        "explain  HOST:PORT",
                        "explain --role connect HOST:PORT",
                        "explain --role listen HOST:PORT"),
                lines("explain [--role connect\\|listen] HOST:PORT   # says why"));
        assertThrows(AssertionError.class, () -> isUnderstood("explain --rolle connect HOST:PORT"));
        assertThrows(AssertionError.class, () -> isUnderstood("explain --role both HOST:PORT"));
        assertThrows(AssertionError.class, () -> isUnderstood("bench fast"));
    }

    @TestFactory
    Stream<DynamicTest> helpNamesEveryOption() {
        return Main.line().getSubcommands().entrySet().stream()
                .map(
                        e ->
                                DynamicTest.dynamicTest(
                                        e.getKey(),
                                        () -> {
                                            String help = e.getValue().getUsageMessage();
                                            for (var option :
                                                    e.getValue().getCommandSpec().options()) {
                                                if (!option.hidden()) {
                                                    assertTrue(
                                                            help.contains(option.longestName()),
                                                            option.longestName());
                                                    assertTrue(
                                                            option.description().length > 0,
                                                            option.longestName());
                                                }
                                            }
                                        }));
    }
}
