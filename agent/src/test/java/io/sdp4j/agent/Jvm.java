package io.sdp4j.agent;

import io.sdp4j.testing.JvmCommand;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs programs in JVMs of their own and returns everything they printed. */
final class Jvm {
    static final Path JAR =
            Path.of(System.getProperty("sdp4j.agent.jar", "target/sdp4j-agent.jar"));

    /** Offloads as early as it can be done and a fallback is possible. */
    static final String AT_CONNECT = "-Dsdp4j.upgrade=connect";

    /** Offloads short connections, too: most programs here make one of a few bytes. */
    static final String OFFLOADS =
            "-Dsdp4j.policy=" + Path.of("src", "test", "rules", "sdp.conf").toAbsolutePath();

    private static final long LIMIT_SECONDS = 60;

    private Jvm() {}

    /** Result of a run. */
    record Outcome(int exitCode, String out, String err, long nanos) {
        List<String> outLines() {
            return out.lines().toList();
        }

        List<String> errLines() {
            return err.lines().toList();
        }
    }

    /** The option that switches the agent on. */
    static String agent(String options) {
        return "-javaagent:" + JAR + (options.isEmpty() ? "" : "=" + options);
    }

    /** Runs a program of this test's class path, with JVM options before it. */
    static Outcome run(Class<?> program, List<String> jvmOptions, String... arguments) {
        return run(
                JvmCommand.of(program, arguments)
                        .options(AT_CONNECT)
                        .options(jvmOptions.toArray(String[]::new))
                        .classPath(classes())
                        .builder());
    }

    /** Runs the command line of the jar. */
    static Outcome cli(String... arguments) {
        List<String> command = new ArrayList<>(List.of("-jar", JAR.toString()));
        command.addAll(List.of(arguments));
        return java(command);
    }

    static Outcome java(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(java().toString());
        command.addAll(arguments);
        return process(command, Map.of());
    }

    static Outcome process(List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = builder(command);
        builder.environment().putAll(environment);
        return run(builder);
    }

    /** In an environment that holds nothing else, but a search path. */
    static Outcome process(Map<String, String> environment, List<String> command) {
        ProcessBuilder builder = builder(command);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().putAll(environment);
        return run(builder);
    }

    private static Outcome run(ProcessBuilder builder) {
        try {
            Path out = Files.createTempFile("sdp4j-it", ".out");
            Path err = Files.createTempFile("sdp4j-it", ".err");
            try {
                builder.redirectInput(new File("/dev/null"));
                builder.redirectOutput(out.toFile());
                builder.redirectError(err.toFile());
                long start = System.nanoTime();
                Process process = builder.start();
                if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new AssertionError(
                            builder.command()
                                    + " hangs\n"
                                    + Files.readString(out)
                                    + Files.readString(err));
                }
                long nanos = System.nanoTime() - start;
                return new Outcome(
                        process.exitValue(), Files.readString(out), Files.readString(err), nanos);
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** A process whose Java options come from its command line alone. */
    static ProcessBuilder builder(List<String> command) {
        return JvmCommand.clean(new ProcessBuilder(command));
    }

    static Path java() {
        return JvmCommand.java();
    }

    static String classes() {
        return Path.of("target", "test-classes").toAbsolutePath().toString();
    }
}
