package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no schedule of two or three threads breaks the classes that do without locks. Method:
 * jcstress over {@code src/jcstress/java}, compiled here because its classes lie in the packages of
 * several modules; shortly in verify, at length in the profiles jcstress and deep.
 */
class JcstressTest {
    /** One JVM for each test, without the search for further ways to compile it. */
    private static final List<String> SHORTLY =
            List.of(
                    "-f",
                    "1",
                    "-fsm",
                    "1",
                    "-iters",
                    "2",
                    "-time",
                    "300",
                    "-sc",
                    "false",
                    "-hs",
                    "64",
                    "-jvmArgs",
                    "-XX:+UseSerialGC");

    private static final List<String> AT_LENGTH = List.of("-m", "default");

    private static final Pattern RESULTS =
            Pattern.compile(
                    "Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs,"
                            + " (\\d+) hard errs");

    @TempDir private Path folder;

    private static boolean shortly() {
        return "verify".equals(System.getProperty("sdp4j.test.profile", "verify"));
    }

    private static String classPath() {
        return System.getProperty(
                "surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Their list, which jcstress reads, is made by its own processor. */
    private Path compiled() throws IOException {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        List<Path> sources;
        try (var files = Files.walk(Path.of("src/jcstress/java"))) {
            sources = files.filter(f -> f.toString().endsWith(".java")).toList();
        }
        assertTrue(sources.size() >= 4, sources::toString);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            assertTrue(
                    compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of(
                                            "-d",
                                            classes.toString(),
                                            "-cp",
                                            classPath(),
                                            "-proc:full",
                                            "-processor",
                                            "org.openjdk.jcstress.infra.processors."
                                                    + "JCStressTestProcessor"),
                                    null,
                                    files.getJavaFileObjectsFromPaths(sources))
                            .call());
        }
        return classes;
    }

    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void noForbiddenOutcome() throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Jvm.java().toString(),
                                "-cp",
                                compiled() + File.pathSeparator + classPath(),
                                "org.openjdk.jcstress.Main",
                                "-af",
                                "NONE",
                                "-r",
                                folder.resolve("results").toString()));
        command.addAll(shortly() ? SHORTLY : AT_LENGTH);
        Path out = folder.resolve("out");
        Process process =
                Jvm.builder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();
        try {
            assertTrue(process.waitFor(55, TimeUnit.MINUTES), "jcstress hangs");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String told = Files.readString(out);
        assertEquals(0, process.exitValue(), told);
        List<MatchResult> results = RESULTS.matcher(told).results().toList();
        assertFalse(results.isEmpty(), told);
        MatchResult last = results.getLast();
        assertTrue(Integer.parseInt(last.group(1)) >= 4, told);
        assertEquals(last.group(1), last.group(2), told);
        for (int kind = 3; kind <= 5; kind++) {
            assertEquals("0", last.group(kind), told);
        }
    }
}
