package io.sdp4j.agent.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    @Test
    void theOperatorsOwnLinkIsFollowed() throws Exception {
        append(linkIn("rwxr-xr-x"));
        assertEquals("mine+", Files.readString(dir.resolve("victim")));
    }
}
