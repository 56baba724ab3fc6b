package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.ApiService;
import io.sdp4j.api.Sdp;
import io.sdp4j.e2e.programs.ExplicitBesideAgent;
import io.sdp4j.e2e.programs.ExplicitJetty;
import io.sdp4j.e2e.programs.ExplicitJgroups;
import io.sdp4j.e2e.programs.ExplicitNetty;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.shm.ShmFabric;
import io.sdp4j.fabric.verbs.VerbsFabric;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.policy.Policy;
import io.sdp4j.resolve.FabricResolver;
import io.sdp4j.wire.SdpMachine;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

/**
 * Goal: one component of an application is over SDP by the explicit API, without the agent or
 * beside it, and the rest of it is as it was. Method: Netty, Jetty and JGroups are given what the
 * API opens.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExplicitIT {
    @TempDir Path directory;

    @Test
    void nettyOverSdpWithoutTheAgent() throws Exception {
        assertEquals(
                Map.of(
                        "sdp", "ConnectionChannel true",
                        "tcp", "SocketChannelImpl true",
                        "mixed", "refused",
                        "rest", "sun.nio.ch"),
                run(ExplicitNetty.class, false));
    }

    @ParameterizedTest(name = "on the module path: {0}")
    @ValueSource(booleans = {false, true})
    void aConnectorOfJettyOverSdp(boolean modules) throws Exception {
        assertEquals(Map.of("sdp", "true", "tcp", "true"), run(ExplicitJetty.class, modules));
    }

    @Test
    void jgroupsOverSdp() throws Exception {
        assertEquals(Map.of("members", "2", "right", "true"), run(ExplicitJgroups.class, false));
    }

    private static String library() {
        return Stream.of(
                        Sdp.class,
                        ApiService.class,
                        OffloadSwitch.class,
                        Policy.class,
                        EventLoop.class,
                        Fabric.class,
                        ShmFabric.class,
                        VerbsFabric.class,
                        FabricResolver.class,
                        SdpMachine.class,
                        Logger.class)
                .map(Jvms::classPathOf)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The options of Java that docs/api.md names. */
    private static List<String> access(boolean modules) {
        String natives = modules ? "io.sdp4j.linux,io.sdp4j.fabric.verbs" : "ALL-UNNAMED";
        String user = modules ? "=io.sdp4j.offload" : "=ALL-UNNAMED";
        List<String> options = new ArrayList<>(List.of("--enable-native-access=" + natives));
        for (String open : List.of("java.net", "sun.nio.ch", "java.nio.channels.spi")) {
            options.addAll(List.of("--add-opens", "java.base/" + open + user));
        }
        options.addAll(List.of("--add-exports", "java.base/sun.nio.ch" + user));
        return options;
    }

    private static Child besideAgent(Jvms jvms, List<String> access) throws Exception {
        List<String> options = new ArrayList<>(access);
        options.add("-Dslf4j.internal.verbosity=ERROR");
        options.add("-Dsdp4j.upgrade=auto"); // the agent's listeners come before its switch
        options.add("-XX:ActiveProcessorCount=2");
        return jvms.java(
                "beside",
                jvms.rules("all.conf", "use both server * *:*\nuse both client * *:*\n"),
                options,
                Jvms.classPathOf(ExplicitBesideAgent.class) + File.pathSeparator + library(),
                ExplicitBesideAgent.class.getName());
    }

    /** Goal: sockets of the API belong to the API. */
    @Test
    void anAgentLeavesTheApisListenersAlone() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child child = besideAgent(jvms, access(false));
            Map<String, String> expected =
                    Map.of("sdp", "42 shm", "tcp", "42 ", "asynchronous", "42 shm");
            assertEquals(expected, child.results(), child::toString);
            assertEquals(List.of(), child.err());
        }
    }

    @Test
    void theAgentsAccessIsNotTheApis() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child child = besideAgent(jvms, List.of());
            assertEquals(1, child.exitCode(), child::toString);
            String options = "start Java with " + String.join(" ", access(false));
            assertTrue(child.err().getFirst().endsWith(options), child::toString);
        }
    }

    /**
     * The program's output.
     *
     * @param modules whether the library is on the module path, as modules, not on the class path
     */
    private Map<String, String> run(Class<?> program, boolean modules) throws Exception {
        Path logging = directory.resolve("logging.properties");
        Files.writeString(logging, "handlers=java.util.logging.ConsoleHandler\n.level=SEVERE\n");
        List<String> options = new ArrayList<>(access(modules));
        options.addAll(
                List.of(
                        "-Dslf4j.internal.verbosity=ERROR",
                        "-Djava.util.logging.config.file=" + logging,
                        "-Dsdp4j.connect.timeout.ms=60000",
                        "-Dio.netty.transport.noNative=true"));
        String library = library();
        if (modules) {
            options.addAll(List.of("--module-path", library, "--add-modules", "io.sdp4j.api"));
        }
        try (Jvms jvms = new Jvms(directory)) {
            Child child =
                    jvms.java(
                            program.getSimpleName(),
                            false,
                            options,
                            Comparison.programs() + (modules ? "" : File.pathSeparator + library),
                            program.getName());
            Map<String, String> results = child.results();
            assertEquals(List.of(), child.err());
            return results;
        }
    }
}
