package io.sdp4j.bench.apps;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A folder for what a server writes. */
final class WorkFolder {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private WorkFolder() {}

    /** Makes one that is removed, with all that is in it, when the JVM ends. */
    static Path create(String server) throws IOException {
        Path folder = Files.createTempDirectory("sdp4j-bench-" + server);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(folder)));
        return folder;
    }

    /** Tries again when something was added meanwhile: the server writes until the JVM ends. */
    private static void remove(Path folder) {
        long since = System.nanoTime();
        while (Files.exists(folder)) {
            try (var all = Files.walk(folder)) {
                for (Path path : all.toList().reversed()) {
                    Files.deleteIfExists(path);
                }
            } catch (IOException | UncheckedIOException left) {
                if (System.nanoTime() - since > PATIENCE_NANOS) {
                    throw new IllegalStateException("left behind: " + folder, left);
                }
            }
        }
    }
}
