package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every citation in a source file resolves: sections, rules, vectors and scenarios of
 * docs/protocol.md, sections of the other references, behaviours by their number, and documents by
 * their name. The documents' own citations of behaviours are looked up as well.
 *
 * <p>In this module a number in parentheses is a citation of docs/protocol.md, too.
 */
class CitationsTest {
    private static final Path ROOT = Path.of("..");
    private static final String NUMBER = "\\d+(?:\\.(?:\\d+|[AB]))?\\b|appendix [AB]\\b";
    private static final String LIST = "(?:" + NUMBER + ")(?:(?:, | and | to )(?:" + NUMBER + "))*";
    private static final List<String> REFERENCES =
            List.of("docs/protocol.md", "docs/jdk-contract.md", "docs/verbs.md");
    private static final Pattern BARE =
            Pattern.compile("\\((\\d+\\.\\d+(?:(?:, | and | to )\\d+\\.\\d+)*)\\)");
    private static final Pattern VECTOR = Pattern.compile("\\bV\\d\\d[a-z]?\\b");
    private static final Pattern SCENARIO = Pattern.compile("\\bS\\d\\d\\b");
    private static final Pattern BEHAVIOUR =
            Pattern.compile("\\b[bB]ehaviours? (\\d+(?:(?:, | and | to )\\d+)*)\\b");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\|");
    private static final Pattern DOCUMENT = Pattern.compile("[\\w/-]+\\.md\\b");

    /** Numbers of a list that is not kept any more. */
    private static final Pattern TAG =
            Pattern.compile("\\b(?:NET|NIO|AIO|THR|FFM|AGT|SDP)-\\d+\\b");

    @Test
    void everyCitationResolves() throws IOException {
        Set<String> lost = new TreeSet<>();
        Map<String, Set<String>> sections = new HashMap<>();
        for (String document : REFERENCES) {
            sections.put(document, known(Files.readString(ROOT.resolve(document))));
        }
        Set<String> protocol = sections.get("docs/protocol.md");
        Set<String> behaviours =
                all(ROW, Files.readString(ROOT.resolve("docs/jdk-contract.md")), 1);
        List<Path> documents = documents();
        Set<String> names = names(documents);
        int citations = 0;
        for (Path file : sources()) {
            String source = Files.readString(file).replaceAll("\\s*\\n\\s*(?:\\*|//)?\\s*", " ");
            for (String document : REFERENCES) {
                Set<String> there = sections.get(document);
                citations += look(cited(document), NUMBER, source, there, file, lost);
            }
            if (!file.endsWith("CitationsTest.java")) {
                citations += look(BEHAVIOUR, "\\d+", source, behaviours, file, lost);
                look(SCENARIO, SCENARIO.pattern(), source, protocol, file, lost);
                look(DOCUMENT, DOCUMENT.pattern(), source, names, file, lost);
                look(TAG, TAG.pattern(), source, Set.of(), file, lost);
            }
            if (file.startsWith(ROOT.resolve("sdp-wire"))) {
                look(BARE, NUMBER, source, protocol, file, lost);
                look(VECTOR, VECTOR.pattern(), source, protocol, file, lost);
            }
        }
        for (Path file : documents) {
            String text = Files.readString(file);
            citations += look(BEHAVIOUR, "\\d+", text, behaviours, file, lost);
            look(TAG, TAG.pattern(), text, Set.of(), file, lost);
        }
        assertEquals(Set.of(), lost);
        assertTrue(citations > 180, "finds what there is: " + citations);
    }

    /** The result for a citation that points nowhere. */
    @Test
    void whatIsNotThereIsFound() {
        Set<String> known = known("## 6. Data\n1. one\n### 7.1 Modes\n| S01 | a | b |\n");
        assertEquals(Set.of("6", "6.1", "7.1", "S01"), known);
        Set<String> lost = new TreeSet<>();
        Path file = Path.of("F");
        look(
                cited(REFERENCES.get(0)),
                NUMBER,
                "docs/protocol.md 6, 7.2 and 6.1.",
                known,
                file,
                lost);
        look(SCENARIO, SCENARIO.pattern(), "as S01, not as S51", known, file, lost);
        look(BEHAVIOUR, "\\d+", "(behaviours 3 and 400)", all(ROW, "| 3 | a |", 1), file, lost);
        look(TAG, TAG.pattern(), "NET-1", Set.of(), file, lost);
        assertEquals(Set.of("F: 7.2", "F: S51", "F: 400", "F: NET-1"), lost);
    }

    private static Pattern cited(String document) {
        return Pattern.compile("(?<=" + Pattern.quote(document) + ",? )(" + LIST + ")");
    }

    private static Set<String> all(Pattern pattern, String text, int group) {
        Set<String> all = new HashSet<>();
        pattern.matcher(text).results().forEach(m -> all.add(m.group(group)));
        return all;
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
                known.addAll(all(VECTOR, line, 0));
                Matcher scenario = SCENARIO.matcher(line);
                if (line.startsWith("| S") && scenario.find()) {
                    known.add(scenario.group());
                }
            }
        }
        return known;
    }

    static List<Path> sources() throws IOException {
        return inSources(".java");
    }

    /** Every document of the project. */
    static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>(inSources(".md"));
        for (Path folder : List.of(ROOT, ROOT.resolve("docs"), ROOT.resolve("docs/decisions"))) {
            documents.addAll(list(folder));
        }
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.filter(m -> Files.exists(m.resolve("src"))).toList()) {
                documents.addAll(list(module));
            }
        }
        documents.addAll(list(ROOT.resolve("lab")));
        return documents;
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(f -> f.toString().endsWith(".md")).toList();
        }
    }

    private static List<Path> inSources(String ending) throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            List<Path> roots =
                    modules.map(m -> m.resolve("src")).filter(Files::isDirectory).toList();
            List<Path> files = new ArrayList<>();
            for (Path root : roots) {
                try (Stream<Path> all = Files.walk(root)) {
                    all.filter(f -> f.toString().endsWith(ending)).forEach(files::add);
                }
            }
            return files;
        }
    }

    /** As sources may call them: with as many of their folders as they like. */
    private static Set<String> names(List<Path> documents) {
        Set<String> names = new HashSet<>();
        for (Path document : documents) {
            Path path = ROOT.relativize(document);
            for (int from = 0; from < path.getNameCount(); from++) {
                names.add(path.subpath(from, path.getNameCount()).toString());
            }
            names.add("/" + path);
        }
        return names;
    }
}
