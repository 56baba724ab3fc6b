package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Goal: no mutant lives unexplained, and no explanation outlives its mutant. Method: PIT's report,
 * which the profile {@code mutation} makes before it runs this test, beside {@code mutants.txt}.
 * Classes that the report does not mention are left out, so a few can be looked at.
 */
class MutantsTest {
    private static final Path REPORT = Path.of("target", "pit-reports", "mutations.xml");
    private static final Path LIST = Path.of("mutants.txt");
    private static final Pattern LISTED = Pattern.compile("(\\S+ \\S+ .+ #\\d+) \\| (.{10,})");

    /** One of PIT's rows. */
    private record Mutant(boolean noticed, String type, String method, String change, int at) {
        private static Mutant of(String row) {
            String mutator = text(row, "mutator");
            String simple = mutator.substring(mutator.lastIndexOf('.') + 1);
            String type = text(row, "mutatedClass").replace("io.sdp4j.wire.", "");
            return new Mutant(
                    row.contains("detected='true'"),
                    type,
                    text(row, "mutatedMethod"),
                    simple.replaceAll("Mutator(?=$|_)", "") + ", " + text(row, "description"),
                    Integer.parseInt(text(row, "lineNumber")) * 100_000
                            + Integer.parseInt(text(row, "index")));
        }

        private static String text(String row, String element) {
            Matcher m = Pattern.compile("<" + element + ">(.*?)</" + element + ">").matcher(row);
            assertTrue(m.find(), () -> element + " in " + row);
            return m.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        }

        String key() {
            return type + " " + method + " " + change;
        }
    }

    /** Each key with its place among equal changes of the method, and whether it was noticed. */
    private static Map<String, Boolean> mutants(List<String> rows) {
        List<Mutant> all =
                rows.stream()
                        .filter(r -> r.startsWith("<mutation "))
                        .map(Mutant::of)
                        .sorted((a, b) -> Integer.compare(a.at, b.at))
                        .toList();
        Map<String, Integer> places = new HashMap<>();
        Map<String, Boolean> noticed = new TreeMap<>();
        for (Mutant m : all) {
            int place = places.merge(m.key(), 1, Integer::sum);
            noticed.put(m.key() + " #" + place, m.noticed);
        }
        return noticed;
    }

    private static Map<String, String> listed(List<String> lines) {
        Map<String, String> reasons = new TreeMap<>();
        for (String line : lines) {
            if (!line.isBlank() && !line.startsWith("#")) {
                Matcher m = LISTED.matcher(line);
                assertTrue(m.matches(), () -> "a line without a reason: " + line);
                String before = reasons.put(m.group(1), m.group(2));
                assertEquals(null, before, () -> "twice: " + line);
            }
        }
        return reasons;
    }

    private static Set<String> unexplained(Map<String, Boolean> mutants, Set<String> listed) {
        Set<String> alive = new TreeSet<>(mutants.keySet());
        alive.removeIf(m -> mutants.get(m) || listed.contains(m));
        return alive;
    }

    private static Set<String> outlived(Map<String, Boolean> mutants, Set<String> listed) {
        Set<String> types = new HashSet<>();
        mutants.keySet().forEach(m -> types.add(m.substring(0, m.indexOf(' '))));
        Set<String> gone = new TreeSet<>(listed);
        gone.removeIf(
                m ->
                        !types.contains(m.substring(0, m.indexOf(' ')))
                                || mutants.getOrDefault(m, true).equals(false));
        return gone;
    }

    @Test
    @EnabledIfSystemProperty(named = "sdp4j.test.profile", matches = "mutation")
    @EnabledIfSystemProperty(named = "sdp4j.mutants", matches = "true")
    void everySurvivorIsExplained() throws IOException {
        Map<String, Boolean> mutants = mutants(Files.readAllLines(REPORT));
        Set<String> listed = listed(Files.readAllLines(LIST)).keySet();
        assertFalse(mutants.isEmpty());
        assertEquals(Set.of(), unexplained(mutants, listed), "alive, and not in " + LIST);
        assertEquals(Set.of(), outlived(mutants, listed), "in " + LIST + ", and not alive");
    }

    @Test
    void everyLineHasItsReason() throws IOException {
        assertFalse(listed(Files.readAllLines(LIST)).isEmpty());
    }

    @Test
    void tellsSurvivorsFromTheListed() {
        String row =
                "<mutation detected='%s' status='S'><mutatedClass>io.sdp4j.wire.A</mutatedClass>"
                        + "<mutatedMethod>&lt;init&gt;</mutatedMethod><lineNumber>%d</lineNumber>"
                        + "<mutator>org.pitest.gregor.mutators.MathMutator</mutator>"
                        + "<indexes><index>5</index></indexes>"
                        + "<description>plus for minus</description></mutation>";
        Map<String, Boolean> mutants =
                mutants(
                        List.of(
                                "<mutations partial=\"true\">",
                                row.formatted("false", 12),
                                row.formatted("true", 9),
                                row.formatted("false", 20)));
        String key = "A <init> Math, plus for minus #";
        Set<String> listed =
                listed(List.of("# words", "", key + "1 | no matter why", key + "3 | no matter why"))
                        .keySet();
        assertEquals(Set.of(key + "2"), unexplained(mutants, listed));
        assertEquals(Set.of(key + "1"), outlived(mutants, listed));
        assertEquals(Set.of(), outlived(mutants, Set.of("B m Math, plus for minus #1")));
        assertEquals(Set.of(key + "4"), outlived(mutants, Set.of(key + "4")));
    }
}
