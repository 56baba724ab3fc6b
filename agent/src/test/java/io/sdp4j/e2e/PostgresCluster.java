package io.sdp4j.e2e;

import io.sdp4j.testing.FreePorts;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

/**
 * A PostgreSQL of its own: Debian's programs, a temporary directory, a free port of the loopback
 * address, trust for everyone on it. Runs as user postgres when the tests run as root.
 */
final class PostgresCluster implements AutoCloseable {
    private final Path directory;
    private final int port;
    private final Child server;

    /** Starts it and waits until it answers; aborts the test, aloud, where it is not installed. */
    PostgresCluster(Jvms jvms) throws Exception {
        Path programs = programs();
        if (programs == null) {
            String absent =
                    "PostgreSQL IS NOT INSTALLED, SO NOTHING IS TESTED WITH IT:"
                            + " apt-get install postgresql";
            System.err.println(absent);
            if (System.getenv("CI") != null) {
                throw new AssertionError(absent);
            }
            Assumptions.abort(absent);
        }
        directory = Files.createTempDirectory("sdp4j-postgres");
        try {
            List<String> as = List.of();
            if (System.getProperty("user.name").equals("root")) {
                as =
                        List.of(
                                "setpriv",
                                "--reuid=postgres",
                                "--regid=postgres",
                                "--clear-groups",
                                "--");
                jvms.start("chown", List.of("chown", "postgres:", directory.toString()), null)
                        .results();
            }
            Path data = directory.resolve("data");
            run(
                    jvms,
                    as,
                    programs.resolve("initdb").toString(),
                    "-D",
                    data.toString(),
                    "-A",
                    "trust",
                    "-U",
                    "postgres",
                    "-E",
                    "UTF8",
                    "--locale=C",
                    "--no-sync");
            port = FreePorts.one();
            server =
                    jvms.start(
                            "postgres",
                            concat(
                                    as,
                                    programs.resolve("postgres").toString(),
                                    "-D",
                                    data.toString(),
                                    "-p",
                                    String.valueOf(port),
                                    "-c",
                                    "listen_addresses=127.0.0.1",
                                    "-c",
                                    "unix_socket_directories=",
                                    "-c",
                                    "fsync=off"),
                            null);
            Awaitility.await("PostgreSQL").atMost(Duration.ofSeconds(30)).until(this::answers);
        } catch (Exception | AssertionError e) {
            jvms.close(); // none is left that writes there
            removeDirectory();
            throw e;
        }
    }

    private static void run(Jvms jvms, List<String> as, String... command) throws Exception {
        jvms.start(command[0], concat(as, command), null).results();
    }

    private static List<String> concat(List<String> first, String... rest) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(rest));
        return all;
    }

    private boolean answers() {
        try (Connection connection = DriverManager.getConnection(url(), "postgres", "")) {
            return connection.isValid(5);
        } catch (SQLException notYet) {
            return false;
        }
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    /** Debian's newest, or null. */
    private static Path programs() throws IOException {
        Path all = Path.of("/usr/lib/postgresql");
        if (!Files.isDirectory(all)) {
            return null;
        }
        List<Path> versions = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(all, "[0-9]*")) {
            for (Path version : found) {
                if (Files.isExecutable(version.resolve("bin/initdb"))) {
                    versions.add(version);
                }
            }
        }
        return versions.stream()
                .max(Comparator.comparing(v -> Integer.valueOf(v.getFileName().toString())))
                .map(version -> version.resolve("bin"))
                .orElse(null);
    }

    @Override
    public void close() throws IOException {
        try {
            server.terminate();
        } catch (InterruptedException stop) {
            server.kill();
            Thread.currentThread().interrupt();
        }
        removeDirectory();
    }

    private void removeDirectory() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
