package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Goal: every behaviour of docs/jdk-contract.md has a test that carries its number. Method: reads
 * the list and the sources of all tests.
 */
class BehavioursTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String ID = "[0-9]+";
    private static final Pattern LISTED = Pattern.compile("^\\| (" + ID + ") \\| .+ \\|$");

    /** The name of a test method: what follows the annotation is one. */
    private static final Pattern NAMED =
            Pattern.compile(
                    "@DisplayName\\(\\s*\"("
                            + ID
                            + "(?:, "
                            + ID
                            + ")*): [^\"]+\"\\)\\s*(?:default |public )?void \\w+\\(");

    private static Set<String> listed() throws IOException {
        Set<String> ids = new TreeSet<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/jdk-contract.md"))) {
            Matcher m = LISTED.matcher(line);
            if (m.matches()) {
                assertTrue(ids.add(m.group(1)), line);
            }
        }
        return ids;
    }

    private static List<Path> sources() throws IOException {
        try (var files = Files.find(ROOT, 30, (file, _) -> isTest(ROOT.relativize(file)))) {
            return files.toList();
        }
    }

    private static boolean isTest(Path file) {
        return file.toString().matches("[a-z-]+/src/test/java/.*\\.java");
    }

    private static Set<String> tested() throws IOException {
        Set<String> ids = new TreeSet<>();
        for (Path file : sources()) {
            Matcher m = NAMED.matcher(Files.readString(file));
            while (m.find()) {
                ids.addAll(Arrays.asList(m.group(1).split(", ", -1)));
            }
        }
        return ids;
    }

    @Test
    void everyBehaviourHasATest() throws IOException {
        Set<String> listed = listed();
        assertTrue(listed.size() >= 80, listed::toString);
        assertEquals(listed, tested());
    }
}
