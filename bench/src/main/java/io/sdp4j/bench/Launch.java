package io.sdp4j.bench;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How worker JVMs are started: this JDK, this program's classes, and the agent where a
 * configuration wants it. Immutable; its directory is the caller's to delete.
 */
final class Launch {
    private final Path agentJar;
    private final Path directory;
    private final Path offloadRules;
    private final Path kernelRules;

    /**
     * @param agentJar the agent, or null when only configurations without it will be started
     * @param directory for rule files, reports and sockets
     */
    Launch(Path agentJar, Path directory) throws IOException {
        this.agentJar = agentJar;
        this.directory = directory;
        offloadRules =
                Files.writeString(
                        directory.resolve("offload.conf"),
                        "use both server * *:*\nuse both client * *:*\n");
        kernelRules =
                Files.writeString(
                        directory.resolve("kernel.conf"),
                        "use tcp server * *:*\nuse tcp client * *:*\n");
    }

    boolean can(Config config) {
        return (config.agent == Config.Agent.NONE || agentJar != null)
                && (config.cores == Config.Cores.ANY
                        || Files.isExecutable(Path.of("/usr/bin/taskset")))
                && (config.cores != Config.Cores.APART
                        || Runtime.getRuntime().availableProcessors() > 1);
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    /**
     * The command that starts {@code main}.
     *
     * @param end which of a pair it is, 0 or 1
     * @param report where its agent reports, or null
     */
    List<String> command(Config config, int end, Path report, Class<?> main, String... args) {
        List<String> command = new ArrayList<>();
        if (config.cores != Config.Cores.ANY) {
            int core = config.cores == Config.Cores.ONE ? 0 : end;
            command.addAll(List.of("/usr/bin/taskset", "-c", String.valueOf(core)));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (config.agent != Config.Agent.NONE) {
            Path rules = config.agent == Config.Agent.KERNEL ? kernelRules : offloadRules;
            String options = "policy=" + rules;
            if (report != null) {
                options += ",report=" + report;
            }
            if (!config.agentOptions.isEmpty()) {
                options += "," + config.agentOptions;
            }
            command.add("-javaagent:" + agentJar + "=" + options);
        }
        command.addAll(
                List.of("-Xms64m", "-Xmx512m", "-cp", classes(main).toString(), main.getName()));
        command.addAll(List.of(args));
        return command;
    }

    private static Path classes(Class<?> main) {
        try {
            return Path.of(main.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException impossible) {
            throw new AssertionError(impossible); // a code source is where a class was read from
        }
    }
}
