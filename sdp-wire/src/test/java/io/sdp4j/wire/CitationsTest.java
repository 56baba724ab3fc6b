package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every section, rule, vector and scenario of docs/protocol.md that a source file cites is there.
 *
 * <p>In this module a number in parentheses is such a citation, too.
 */
class CitationsTest {
    private static final Path ROOT = Path.of("..");
    private static final String NUMBER = "\\d+(?:\\.(?:\\d+|[AB]))?\\b|appendix [AB]\\b";
    private static final String LIST = "(?:" + NUMBER + ")(?:(?:, | and | to )(?:" + NUMBER + "))*";
    private static final Pattern CITED = Pattern.compile("docs/protocol\\.md,? (" + LIST + ")");
    private static final Pattern BARE =
            Pattern.compile("\\((\\d+\\.\\d+(?:(?:, | and | to )\\d+\\.\\d+)*)\\)");
    private static final Pattern VECTOR = Pattern.compile("\\bV\\d\\d[a-z]?\\b");

    @Test
    void everyCitationResolves() throws IOException {
        String text = Files.readString(ROOT.resolve("docs/protocol.md"));
        Set<String> known = known(text);
        Set<String> lost = new TreeSet<>();
        int citations = 0;
        for (Path file : sources()) {
            String source = Files.readString(file).replaceAll("\\s*\\n\\s*(?:\\*|//)?\\s*", " ");
            boolean wire = file.startsWith(ROOT.resolve("sdp-wire"));
            citations += look(CITED, NUMBER, source, known, file, lost);
            if (wire) {
                look(BARE, NUMBER, source, known, file, lost);
                look(VECTOR, VECTOR.pattern(), source, known, file, lost);
            }
        }
        assertEquals(Set.of(), lost);
        assertTrue(citations > 80, "finds what there is: " + citations);
    }

    /** What this test would say of a citation that points nowhere. */
    @Test
    void whatIsNotThereIsFound() {
        Set<String> known = known("## 6. Data\n1. one\n### 7.1 Modes\n");
        assertEquals(Set.of("6", "6.1", "7.1"), known);
        Set<String> lost = new TreeSet<>();
        look(CITED, NUMBER, "docs/protocol.md 6, 7.2 and 6.1.", known, Path.of("F"), lost);
        assertEquals(Set.of("F: 7.2"), lost);
    }

    private static int look(
            Pattern pattern,
            String part,
            String text,
            Set<String> known,
            Path file,
            Set<String> lost) {
        int found = 0;
        Pattern one = Pattern.compile(part);
        for (MatchResult match :
                (Iterable<MatchResult>) pattern.matcher(text).results()::iterator) {
            Matcher cited = one.matcher(match.group());
            while (cited.find()) {
                found++;
                if (!known.contains(cited.group())) {
                    lost.add(file + ": " + cited.group());
                }
            }
        }
        return found;
    }

    /** Headings, and where a section has numbered rules instead of parts, the rules. */
    private static Set<String> known(String text) {
        Set<String> known = new HashSet<>();
        String section = "";
        for (String line : text.split("\n", -1)) {
            Matcher heading = Pattern.compile("#+ (\\d+(?:\\.(?:\\d+|[AB]))?)\\b.*").matcher(line);
            Matcher appendix = Pattern.compile("## Appendix ([AB])\\b.*").matcher(line);
            if (heading.matches()) {
                section = heading.group(1);
                known.add(section);
            } else if (appendix.matches()) {
                known.add("appendix " + appendix.group(1));
            } else {
                Matcher rule = Pattern.compile("(?:^| )(\\d+)\\. ").matcher(line);
                while (rule.find()) {
                    known.add(section + "." + rule.group(1));
                }
                VECTOR.matcher(line).results().forEach(v -> known.add(v.group()));
            }
        }
        return known;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            List<Path> roots =
                    modules.map(m -> m.resolve("src")).filter(Files::isDirectory).toList();
            List<Path> files = new ArrayList<>();
            for (Path root : roots) {
                try (Stream<Path> all = Files.walk(root)) {
                    all.filter(f -> f.toString().endsWith(".java")).forEach(files::add);
                }
            }
            return files;
        }
    }
}
