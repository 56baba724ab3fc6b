package io.sdp4j.e2e;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.e2e.programs.Chatter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: what docs/containers.md says of two containers of one pod. Method: each JVM in a mount
 * namespace with a {@code /dev/shm} and a {@code /run} of its own, with or without a directory that
 * both see, and with or without a PID namespace of its own; one network namespace.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ContainersIT {
    private static final String OWN_DIRECTORIES =
            "mount -t tmpfs none /dev/shm && mount -t tmpfs none /run && exec \"$@\"";

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({
        "auto,    true,  false, 1, OFFLOADED",
        "connect, true,  false, 1, OFFLOADED",
        "auto,    true,  true,  0, UID",
        "connect, true,  true,  0, UID",
        "auto,    false, false, 0, NO_PEER",
        "connect, false, false, 0, NO_PEER"
    })
    @DisplayName("containers of a pod offload with a shared directory and one PID namespace")
    void aPod(String upgrade, boolean volume, boolean ownPids, int offloaded, String reason)
            throws Exception {
        List<String> container = new ArrayList<>(List.of("unshare", "--mount"));
        if (ownPids) {
            container.addAll(List.of("--pid", "--fork", "--kill-child", "--mount-proc"));
        }
        container.addAll(List.of("sh", "-c", OWN_DIRECTORIES, "-"));
        List<String> look = new ArrayList<>(container);
        look.add("true");
        assumeTrue(new ProcessBuilder(look).start().waitFor() == 0, "cannot make namespaces");
        try (Jvms jvms = new Jvms(directory)) {
            jvms.upgrade(upgrade);
            jvms.under(container.toArray(String[]::new));
            Child server = start(jvms, volume, "server", "1");
            Child client = start(jvms, volume, "client", server.await("READY"), "1", "0");
            await().atMost(Duration.ofSeconds(60)) // a busy machine moves late
                    .until(() -> client.err().stream().anyMatch(ContainersIT::isDecided));
            client.endInput();
            client.results();
            assertEquals(0, server.exitCode(), server::toString);
            AgentReport report = client.report();
            assertEquals(offloaded, report.offloaded(), report::text);
            assertTrue(report.text().contains(reason), report::text);
        }
    }

    private static boolean isDecided(String logged) {
        return logged.contains(" leaves TCP ") || logged.contains(" stays on TCP: ");
    }

    private Child start(Jvms jvms, boolean volume, String... args) throws Exception {
        List<String> options =
                new ArrayList<>(List.of("-XX:ActiveProcessorCount=2", "-Dsdp4j.log.level=debug"));
        if (volume) {
            options.add("-Dsdp4j.shm.dir=" + directory.resolve("meeting"));
        }
        return jvms.java(
                "Chatter " + args[0],
                true,
                options,
                Jvms.classPathOf(Chatter.class),
                Chatter.class.getName(),
                args);
    }
}
