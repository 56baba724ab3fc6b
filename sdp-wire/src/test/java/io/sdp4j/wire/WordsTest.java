package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Private words stay out of sources and documents. Banned are words that have a standard term, in
 * text and in names, and clauses that open a doc comment; not words that also have a proper use.
 */
class WordsTest {
    private static final Path ROOT = Path.of("..");

    /** Word, then the term to use. */
    private static final Map<Pattern, String> BANNED =
            Map.of(
                    word("nobody"), "no thread, no peer, not …",
                    word("whoever"), "a thread that, a peer that",
                    word("doorbell"),
                            "notification, notify descriptor; doorbell of an adapter only",
                    Pattern.compile("\\b[bB]ells?\\b|[a-z]Bells?(?![a-z])|\\bBELL"), "wake word",
                    word("\\boutbox"), "action list",
                    word("\\bheirs?\\b"), "Recycler",
                    word("lifeline"), "PeerLiveness",
                    word("\\b(?:for|after) so long\\b"), "for this time, for at most",
                    word("\\blooks? busily\\b|\\bnot to be had\\b"), "polls; is not available",
                    Pattern.compile("/\\*\\*\\s+(?:\\* )?(?:What|Who|Whose|Whom)\\b"),
                            "a noun or a verb: \"The peer's …\", \"Returns …\"");

    /** File or folder, then what it may say. */
    private static final Map<String, Set<String>> ALLOWED =
            Map.of(
                    // the Unix user
                    "linux/src/main/java/io/sdp4j/linux/UidMap.java", Set.of("nobody"),
                    // an adapter's own doorbell
                    "docs/verbs.md", Set.of("doorbell"));

    @Test
    void sourcesAndDocumentsUseStandardTerms() throws IOException {
        List<Path> files = new ArrayList<>(CitationsTest.sources());
        files.addAll(CitationsTest.documents());
        try (Stream<Path> lab = Files.list(ROOT.resolve("lab/programs"))) {
            lab.forEach(files::add);
        }
        Set<String> found = new TreeSet<>();
        for (Path path : files) {
            String file = ROOT.relativize(path).toString();
            if (!file.startsWith("docs/decisions") && !file.endsWith("WordsTest.java")) {
                look(file, Files.readString(path), found);
            }
        }
        assertEquals("", String.join("\n", found));
    }

    /** A private word is found in text, in names and at the beginning of a doc comment. */
    @Test
    void privateWordsAreFound() {
        Set<String> found = new TreeSet<>();
        look("A", "rings the Doorbell", found);
        look("B", "void aCloseWakesNobody()", found);
        look("C", "/**\n * What was sent.", found);
        look("D", "/** Whether it rings; what is sent, labels and Campbell. */", found);
        look("docs/verbs.md", "the doorbell of an adapter", found);
        assertEquals(3, found.size(), found::toString);
    }

    private static Pattern word(String word) {
        return Pattern.compile(word, Pattern.CASE_INSENSITIVE);
    }

    private static void look(String file, String text, Set<String> found) {
        BANNED.forEach(
                (pattern, instead) -> {
                    Matcher word = pattern.matcher(text);
                    while (word.find()) {
                        String said = word.group().replaceAll("\\s+", " ");
                        if (!ALLOWED.getOrDefault(file, Set.of()).contains(said)) {
                            int line = text.substring(0, word.start()).split("\n", -1).length;
                            found.add(file + ":" + line + ": " + said + " -> " + instead);
                        }
                    }
                });
    }
}
