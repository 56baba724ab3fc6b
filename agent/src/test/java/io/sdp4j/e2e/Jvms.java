package io.sdp4j.e2e;

import io.sdp4j.testing.JvmCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts the processes of one test, with the agent or without, and ends those that are left.
 *
 * <p>For one thread. The directory, which is the caller's, holds rules and reports.
 */
final class Jvms implements AutoCloseable {
    private final Path directory;
    private final Path both;
    private Path rules;
    private String upgrade = "connect"; // most tests ask whether, not when
    private int descriptors; // 0 = as many as this process may have
    private List<String> before = List.of();
    private final List<Child> children = new ArrayList<>();

    Jvms(Path directory) throws IOException {
        this.directory = directory;
        // The same as no rules at all, but whatever this machine's /etc says does not matter.
        both = Files.writeString(directory.resolve("both.conf"), "use both client * *:*\n");
        rules = both;
    }

    /** When processes that are started from now on leave TCP: as the setting has it. */
    void upgrade(String when) {
        upgrade = when;
        rules = both;
    }

    /** Processes that are started from now on do not begin on TCP, nor stay there. */
    void direct() throws IOException {
        rules = rules("direct.conf", "use sdp client * *:*\n");
    }

    /** How many descriptors JVMs may have that are started from now on. */
    void descriptors(int limit) {
        descriptors = limit;
    }

    /** Command that starts JVMs from now on: {@code setpriv}, {@code unshare}. */
    void under(String... command) {
        before = List.of(command);
    }

    /** Everything is offloaded where it can be, or must be. */
    Path rules() {
        return rules;
    }

    /** Writes a rule file. */
    Path rules(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    /**
     * Starts a JVM.
     *
     * @param name for messages
     * @param agent whether with the agent
     * @param jvmArgs before the main class
     * @param classPath where the main class and all it needs is
     * @param main its name
     */
    Child java(
            String name,
            boolean agent,
            List<String> jvmArgs,
            String classPath,
            String main,
            String... args)
            throws IOException {
        return java(name, agent ? rules : null, jvmArgs, classPath, main, args);
    }

    /**
     * As the other one, under rules of one's own.
     *
     * @param rules the agent's; null: no agent
     */
    Child java(
            String name,
            Path rules,
            List<String> jvmArgs,
            String classPath,
            String main,
            String... args)
            throws IOException {
        JvmCommand command = JvmCommand.of(main, args).under(before).classPath(classPath);
        if (descriptors > 0) {
            String limit = "ulimit -n " + descriptors + "; exec \"$@\"";
            command.under(List.of("sh", "-c", limit, "-"));
        }
        Path report = null;
        if (rules != null) {
            report = directory.resolve("report-" + children.size() + ".json");
            command.options(
                    "-javaagent:"
                            + agentJar()
                            + "=report="
                            + report
                            + ",policy="
                            + rules
                            // whether, not how soon: a first connection loads many classes
                            + ",connect.timeout.ms=60000");
        }
        command.options("-Dsdp4j.upgrade=" + upgrade, "-Xmx512m");
        // else a host without one is told so
        command.options("-Dio.netty.machineId=02:00:00:00:00:01");
        command.options(jvmArgs.toArray(String[]::new));
        return start(name, command.builder(), report);
    }

    /** Starts any process. */
    Child start(String name, List<String> command, Path report) throws IOException {
        return start(name, JvmCommand.clean(new ProcessBuilder(command)), report);
    }

    private Child start(String name, ProcessBuilder builder, Path report) throws IOException {
        Child child = new Child(name, builder.directory(directory.toFile()).start(), report);
        children.add(child);
        return child;
    }

    static Path agentJar() {
        Path jar =
                Path.of(System.getProperty("sdp4j.agent.jar", "target/sdp4j-agent.jar"))
                        .toAbsolutePath();
        if (!Files.isReadable(jar)) {
            throw new IllegalStateException(jar + " is not built");
        }
        return jar;
    }

    /** Where {@code type} was read from: a jar or a folder of classes. */
    static String classPathOf(Class<?> type) {
        return JvmCommand.placesOf(type);
    }

    @Override
    public void close() {
        for (Child child : children) {
            child.kill();
        }
    }
}
