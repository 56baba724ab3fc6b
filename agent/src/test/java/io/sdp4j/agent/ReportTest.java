package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A report is written to its own file, whatever others have put beside it or in its place. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReportTest {
    @TempDir Path dir;

    @Test
    void plantedLinksAreNotFollowed() throws Exception {
        Path victim = Files.writeString(dir.resolve("victim"), "mine");
        Path report = dir.resolve("report.json");
        Files.createSymbolicLink(report, victim);
        Path guessed = dir.resolve("report.json." + ProcessHandle.current().pid() + ".tmp");
        Files.createSymbolicLink(guessed, victim);

        Report.write(report, "{}");

        assertEquals("mine", Files.readString(victim));
        assertTrue(Files.isRegularFile(report, LinkOption.NOFOLLOW_LINKS));
        assertEquals("{}\n", Files.readString(report));
        assertTrue(Files.isSymbolicLink(guessed), "no other user's file is touched");
        try (var files = Files.list(dir)) {
            assertEquals(
                    List.of(report, guessed, victim), files.sorted().toList(), "no draft is left");
        }
    }

    /** Goal: a pipe of the operator's is written to, one that others may have put is not. */
    @Test
    void whatIsNoFileIsWrittenToAndStays() throws Exception {
        for (String permissions : List.of("rwxr-xr-x", "rwxrwxrwx")) {
            boolean ours = permissions.endsWith("r-x");
            Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString(permissions));
            Path pipe = dir.resolve("pipe");
            assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
            Process reader = new ProcessBuilder("cat", pipe.toString()).start();
            try (var out = reader.inputReader()) {
                Report.write(pipe, "{}");
                assertEquals(!ours, Files.isRegularFile(pipe));
                if (ours) {
                    assertEquals("{}", out.readLine());
                }
            } finally {
                reader.destroyForcibly();
                Files.delete(pipe);
            }
        }
    }

    @Test
    void aPlaceThatCannotBeWrittenLeavesNothing() throws Exception {
        Path folder = Files.createDirectory(dir.resolve("report.json"));
        Files.createFile(folder.resolve("full"));
        assertThrows(IOException.class, () -> Report.write(folder, "{}"));
        try (var files = Files.list(dir)) {
            assertEquals(List.of(folder), files.toList());
        }
    }
}
