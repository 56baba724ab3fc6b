package io.sdp4j.agent.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;

/** A log goes where the operator wants it, and nowhere else. */
final class LogSinkTest {
    @TempDir Path dir;

    private Path linkIn(String permissions) throws IOException {
        Path victim = Files.writeString(dir.resolve("victim"), "mine");
        Path shared = Files.createDirectory(dir.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString(permissions));
        return Files.createSymbolicLink(shared.resolve("log"), victim);
    }

    private static void append(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file, LogSink.options(file))) {
            out.write("+".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void aLinkWhereOthersCanPlantOneIsNotFollowed() throws Exception {
        Path link = linkIn("rwxrwxrwx");
        assertThrows(IOException.class, () -> append(link));
        assertEquals("mine", Files.readString(dir.resolve("victim")));
        Path plain = link.resolveSibling("plain");
        append(plain);
        append(plain);
        assertEquals("++", Files.readString(plain));
    }

    /** Of a name that is none, as a file system may say in the locale C. */
    @Test
    void aFileThatCannotBeOpenedIsToldUnlessQuiet() {
        PrintStream usual = System.err;
        try {
            for (String name : List.of("a\u0000b", dir.toString())) {
                for (boolean quiet : new boolean[] {false, true}) {
                    ByteArrayOutputStream told = new ByteArrayOutputStream();
                    System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
                    LogSink.configure("warn", name, quiet);
                    LogSink.write(Level.WARN, "test", "lost", null);
                    String says = told.toString(StandardCharsets.UTF_8);
                    assertEquals(!quiet, says.contains("log file cannot be opened"), says);
                }
            }
        } finally {
            System.setErr(usual);
            LogSink.configure("warn", "", false);
        }
    }

    @Test
    void theOperatorsOwnLinkIsFollowed() throws Exception {
        append(linkIn("rwxr-xr-x"));
        assertEquals("mine+", Files.readString(dir.resolve("victim")));
    }
}
