package io.sdp4j.bench.apps;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder for what a server writes. */
final class WorkFolder {
    private WorkFolder() {}

    /** Makes one that is removed, with all that is in it, when the JVM ends. */
    static Path create(String server) throws IOException {
        Path folder = Files.createTempDirectory("sdp4j-bench-" + server);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        return folder;
    }

    private static void delete(Path folder) {
        try (var all = Files.walk(folder)) {
            for (Path path : all.toList().reversed()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException left) {
            throw new UncheckedIOException("left behind: " + folder, left);
        }
    }
}
