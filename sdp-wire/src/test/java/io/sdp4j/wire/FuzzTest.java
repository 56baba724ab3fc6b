package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.testing.JvmCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Input that a coverage-guided fuzzer found interesting, and in the deep profile the fuzzer itself.
 *
 * <p>The corpus, one input a line in base64, shortest first, holds the inputs that the fuzzer found
 * worth keeping; it is played in every build. In the deep profile Jazzer goes on from there, in
 * JVMs of its own, for ten minutes in all; a finding fails the test and lies in {@code
 * target/fuzz}. Inputs worth keeping lie there, too, in a {@code NAME.txt} to replace the committed
 * one.
 */
class FuzzTest {
    private static final Path CORPUS = Path.of("src", "test", "corpus");

    /** Seconds in the deep profile, over all targets 600. */
    private static final int DECODER_SECONDS = 60;

    private static final int MACHINE_SECONDS = 200;
    private static final int PAIRS_SECONDS = 200;
    private static final int VINTAGE_SECONDS = 140;

    @Test
    void decoders() throws IOException {
        replay("decoder", DecoderFuzz::fuzzerTestOneInput);
    }

    @Test
    void machine() throws IOException {
        replay("machine", MachineFuzz::fuzzerTestOneInput);
    }

    @Test
    void pair() throws IOException {
        replay("pairs", MachinePairFuzz::fuzzerTestOneInput);
    }

    @Test
    void vintages() throws IOException {
        replay("vintage", VintageFuzz::fuzzerTestOneInput);
    }

    @Test
    void decodersOnAndOn() throws IOException, InterruptedException {
        fuzz("decoder", "io.sdp4j.wire.DecoderFuzz", DECODER_SECONDS);
    }

    @Test
    void machineOnAndOn() throws IOException, InterruptedException {
        fuzz("machine", "io.sdp4j.wire.MachineFuzz", MACHINE_SECONDS);
    }

    @Test
    void pairsOnAndOn() throws IOException, InterruptedException {
        fuzz("pairs", "io.sdp4j.wire.MachinePairFuzz", PAIRS_SECONDS);
    }

    @Test
    void vintagesOnAndOn() throws IOException, InterruptedException {
        fuzz("vintage", "io.sdp4j.wire.VintageFuzz", VINTAGE_SECONDS);
    }

    /** The same peer from seeds, for those who have no fuzzer. */
    @Test
    void rawPeers() {
        int seeds = Effort.of(200, 20_000, 1_000_000);
        for (long seed = 0; seed < seeds; seed++) {
            try {
                RawPeer.play(Choices.seeded(seed));
            } catch (Throwable e) {
                throw new AssertionError("RawPeer.play(Choices.seeded(" + seed + "))", e);
            }
        }
    }

    private static void replay(String name, Consumer<byte[]> target) throws IOException {
        List<String> lines = Files.readAllLines(CORPUS.resolve(name + ".txt"));
        assertTrue(lines.size() >= 20, () -> "found only " + lines);
        for (String line : lines) {
            try {
                target.accept(Base64.getDecoder().decode(line));
            } catch (Throwable e) {
                throw new AssertionError(name + ": " + line, e);
            }
        }
    }

    private static void fuzz(String name, String target, int seconds)
            throws IOException, InterruptedException {
        assumeTrue(Effort.deep());
        Path work = Path.of("target", "fuzz", name).toAbsolutePath();
        Path corpus = Files.createDirectories(work.resolve("corpus"));
        int number = 0;
        for (String line : Files.readAllLines(CORPUS.resolve(name + ".txt"))) {
            Files.write(corpus.resolve("seed" + number++), Base64.getDecoder().decode(line));
        }
        Path log = work.resolve("log");
        Process process =
                JvmCommand.of(
                                "com.code_intelligence.jazzer.Jazzer",
                                "--target_class=" + target,
                                "--instrumentation_includes=io.sdp4j.wire.**",
                                "--disabled_hooks=**",
                                "--reproducer_path=" + work,
                                "-artifact_prefix=" + work + "/",
                                "-max_total_time=" + seconds,
                                "-max_len=2048",
                                "-timeout=20",
                                corpus.toString())
                        .options("-ea", "-Xmx1g", "-XX:+UseSerialGC")
                        .options("-XX:+EnableDynamicAgentLoading")
                        .options("--sun-misc-unsafe-memory-access=allow")
                        .options("--enable-native-access=ALL-UNNAMED")
                        .classPath(classPath())
                        .builder()
                        .directory(work.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            assertTrue(process.waitFor(seconds + 300L, TimeUnit.SECONDS), "still running: " + log);
            assertEquals(0, process.exitValue(), () -> "found something, see " + log);
        } finally {
            process.destroyForcibly().waitFor();
        }
        keep(corpus, work.resolveSibling(name + ".txt"));
    }

    private static void keep(Path corpus, Path text) throws IOException {
        Set<String> lines =
                new TreeSet<>(
                        Comparator.comparingInt(String::length)
                                .thenComparing(Comparator.naturalOrder()));
        try (Stream<Path> files = Files.list(corpus)) {
            for (Path file : files.toList()) {
                lines.add(Base64.getEncoder().encodeToString(Files.readAllBytes(file)));
            }
        }
        Files.write(text, lines);
    }

    /**
     * The classes under test and the tests are on a module path here; there all is one class path.
     */
    private static String classPath() {
        String modules = System.getProperty("jdk.module.path", "");
        String tests = Path.of("target", "test-classes").toAbsolutePath().toString();
        String separator = System.getProperty("path.separator");
        return String.join(separator, tests, modules, System.getProperty("java.class.path"));
    }
}
