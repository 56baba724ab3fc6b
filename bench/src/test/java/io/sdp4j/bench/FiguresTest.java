package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the figures of the documents show the committed results. Method: draws them anew and
 * compares. Letters are outlines of the fonts of the machine, so with other fonts only the results
 * that they were drawn from are compared.
 */
class FiguresTest {
    private static final Path COMMITTED = Path.of("../docs/figures");

    @TempDir private Path folder;

    @Test
    void showTheCommittedResults() throws IOException {
        System.setProperty("java.awt.headless", "true");
        String font;
        try {
            font = FigureStyle.font();
        } catch (LinkageError | InternalError | RuntimeException noFonts) {
            assumeTrue(false, "this machine has no fonts for Java: " + noFonts);
            return;
        }
        Figures.draw(Path.of("results"), folder);
        assertEquals(names(COMMITTED), names(folder), "run ./sdp4j bench --plot");
        boolean sameFont = true;
        for (String name : names(folder)) {
            String drawn = Files.readString(folder.resolve(name));
            String committed = Files.readString(COMMITTED.resolve(name));
            assertEquals(source(drawn), source(committed), name + ": run ./sdp4j bench --plot");
            if (committed.contains(Figures.TEXT + font + " ")) {
                assertTrue(drawn.equals(committed), name + ": run ./sdp4j bench --plot");
            } else {
                sameFont = false;
            }
        }
        assumeTrue(sameFont, "other fonts than those of the figures: compared only their results");
    }

    private static Set<String> names(Path figures) throws IOException {
        try (Stream<Path> files = Files.list(figures)) {
            return files.map(f -> f.getFileName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String source(String figure) {
        return figure.substring(figure.lastIndexOf(Figures.FROM), figure.lastIndexOf(Figures.TEXT));
    }
}
