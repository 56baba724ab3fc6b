package io.sdp4j.bench;

import io.sdp4j.bench.net.Place;
import io.sdp4j.bench.net.Usage;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How worker JVMs are started: this JDK, this program's classes, and the agent where a
 * configuration wants it. Immutable; its directory is the caller's to delete.
 */
final class Launch {
    /**
     * A program to start.
     *
     * @param main its class
     * @param classPath of everything that it needs
     */
    record Program(Class<?> main, String classPath) {
        /** A program and some libraries, of each of which one class is named. */
        static Program of(Class<?> main, List<Class<?>> libraries) {
            return new Program(
                    main,
                    Stream.concat(Stream.<Class<?>>of(main), libraries.stream())
                            .map(Launch::place)
                            .distinct()
                            .collect(Collectors.joining(File.pathSeparator)));
        }

        /** A program that may need whatever this one has. */
        static Program withEverything(Class<?> main) {
            return new Program(main, System.getProperty("java.class.path"));
        }
    }

    /** The same for all, so that collections come as often. */
    static final List<String> HEAP_OPTIONS = List.of("-Xms64m", "-Xmx512m");

    private final Path agentJar;
    private final Path directory;
    private final Path offloadRules;
    private final Path kernelRules;
    private final Rdma rdma;
    private final List<String> heapOptions;

    /**
     * Where there is an RDMA device.
     *
     * @param address that it serves, of this host
     * @param bareClassPath of the program that only posts and polls; empty if it is not there
     */
    record Rdma(String address, String bareClassPath) {
        /** Their programs' name for it; in the tests of the module that knows verbs. */
        private static final String BARE = "io.sdp4j.fabric.verbs.BareVerbs";

        /** Debian's and Fedora's places. */
        private static final List<String> PRELOADS =
                List.of(
                        "/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so.1",
                        "/usr/lib/aarch64-linux-gnu/rsocket/librspreload.so.1",
                        "/usr/lib64/rsocket/librspreload.so.1");

        private static String preload() {
            return PRELOADS.stream()
                    .filter(p -> Files.isReadable(Path.of(p)))
                    .findFirst()
                    .orElse("");
        }
    }

    /**
     * @param agentJar the agent, or null when only configurations without it will be started
     * @param directory for rule files, reports and sockets
     * @param rdma what all programs use instead of the loopback address; null if nothing
     * @param heapOptions of each JVM; none for the JVM's defaults
     */
    Launch(Path agentJar, Path directory, Rdma rdma, List<String> heapOptions) throws IOException {
        this.rdma = rdma;
        this.heapOptions = heapOptions;
        this.agentJar = agentJar;
        this.directory = directory;
        offloadRules =
                Files.writeString(
                        directory.resolve("offload.conf"),
                        """
                        # the benchmark's kernel connections beside offloaded ones
                        use tcp server * 127.0.0.2:*
                        use tcp client * 127.0.0.2:*
                        use both server * *:*
                        use sdp client * *:*
                        """);
        kernelRules =
                Files.writeString(
                        directory.resolve("kernel.conf"),
                        """
                        # else the agent would see at once that it has nothing to do
                        use both server * 192.0.2.0/24:*
                        use both client * 192.0.2.0/24:*
                        use tcp server * *:*
                        use tcp client * *:*
                        """);
    }

    boolean can(Config config) {
        return (config.agent == Config.Agent.NONE || agentJar != null)
                && (config != Config.RSOCKETS || !Rdma.preload().isEmpty())
                && (!config.isBare() || !rdma.bareClassPath.isEmpty())
                && (!config.pinned || Files.isExecutable(Path.of("/usr/bin/taskset")));
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    /**
     * The command that starts a program without libraries.
     *
     * @param end which of a pair it is, 0 or 1
     * @param report where its agent reports, or null
     */
    List<String> command(Config config, int end, Path report, Class<?> main, String... args) {
        return command(config, end, report, Program.of(main, List.of()), args);
    }

    /**
     * The command that starts a program.
     *
     * @param end which of a pair it is, 0 or 1
     * @param report where its agent reports, or null
     */
    List<String> command(Config config, int end, Path report, Program program, String... args) {
        List<String> command = new ArrayList<>();
        if (config.pinned) {
            command.addAll(List.of("/usr/bin/taskset", "-c", "0"));
        }
        if (config == Config.RSOCKETS) {
            command.addAll(List.of("/usr/bin/env", "LD_PRELOAD=" + Rdma.preload()));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (config.agent != Config.Agent.NONE) {
            List<String> options = new ArrayList<>();
            switch (config.agent) {
                case KERNEL -> options.add("policy=" + kernelRules);
                case OFFLOADS -> options.add("policy=" + offloadRules);
                default -> {} // the agent's own rules
            }
            if (report != null) {
                options.add("report=" + report);
            }
            if (!config.agentOptions.isEmpty()) {
                options.add(config.agentOptions);
            }
            String given = options.isEmpty() ? "" : "=" + String.join(",", options);
            command.add("-javaagent:" + agentJar + given);
        }
        if (rdma != null) {
            addRdma(config, end, command);
        }
        boolean bare = config.isBare();
        if (config.isInterpreted()) {
            command.add("-Xint");
        }
        command.addAll(heapOptions);
        command.addAll(
                List.of(
                        "-cp",
                        bare ? rdma.bareClassPath : program.classPath,
                        bare ? Rdma.BARE : program.main.getName()));
        command.addAll(List.of(args));
        return command;
    }

    private void addRdma(Config config, int end, List<String> command) {
        command.add("-D" + Place.PROPERTY + "=" + rdma.address);
        command.add("-D" + Usage.CPU_PROPERTY + "=" + (end == 0 ? "machine" : "none"));
        if (config == Config.RSOCKETS) {
            command.add("-Djava.net.preferIPv4Stack=true");
        } else if (config.isBare()) {
            command.add("--enable-native-access=ALL-UNNAMED");
            command.add("-Dbare.told=" + (config == Config.BARE_TOLD));
        }
    }

    private static String place(Class<?> read) {
        try {
            return Path.of(read.getProtectionDomain().getCodeSource().getLocation().toURI())
                    .toString();
        } catch (URISyntaxException impossible) {
            throw new AssertionError(impossible); // a code source is where a class was read from
        }
    }
}
