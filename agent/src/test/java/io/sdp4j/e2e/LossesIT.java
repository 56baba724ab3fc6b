package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Chatter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: where connections begin on TCP, too, the operator reads once in each process that offload
 * was expected and is lost, why, and what to do. Method: two connections, one after the other,
 * which would move, in JVMs of which one lacks something.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LossesIT {
    private static final String CONNECTIONS = "2";

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({
        "client, shm.dir,       UNAVAILABLE, doctor",
        "server, shm.dir,       UNAVAILABLE, doctor",
        "client, memory.max.mb, MEMORY,      sdp4j.memory.max.mb",
        "none,   '',            '',          ''"
    })
    @DisplayName("what the operator can mend is told once")
    void isToldOnce(String where, String setting, String reason, String advice) throws Exception {
        Path file = Files.writeString(directory.resolve("place"), "not a directory");
        String broken =
                "-Dsdp4j." + setting + "=" + (setting.equals("shm.dir") ? file.toString() : "1");
        try (Jvms jvms = new Jvms(directory)) {
            jvms.upgrade("auto");
            Child server = start(jvms, where.equals("server") ? broken : "", "server", CONNECTIONS);
            String port = server.await("READY");
            Child client =
                    start(
                            jvms,
                            where.equals("client") ? broken : "",
                            "client",
                            port,
                            CONNECTIONS,
                            "3");
            client.results();
            assertEquals(0, server.exitCode(), server::toString);
            for (Child child : List.of(server, client)) {
                List<String> told =
                        child.err().stream().filter(line -> line.contains("told once")).toList();
                boolean loses = child == (where.equals("client") ? client : server);
                if (loses && !where.equals("none")) {
                    assertEquals(1, told.size(), child::toString);
                    assertTrue(told.getFirst().contains(advice), child::toString);
                    assertTrue(told.getFirst().contains("reason " + reason), child::toString);
                } else {
                    assertEquals(List.of(), told, child::toString);
                }
            }
            if (where.equals("none")) {
                assertEquals(2, client.report().offloaded(), () -> client + text(client));
            }
        }
    }

    private static String text(Child child) {
        try {
            return child.report().text();
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static Child start(Jvms jvms, String option, String... args) throws Exception {
        return jvms.java(
                "Chatter " + args[0],
                jvms.rules(),
                option.isEmpty()
                        ? List.of("-XX:ActiveProcessorCount=2")
                        : List.of("-XX:ActiveProcessorCount=2", option),
                Jvms.classPathOf(Chatter.class),
                Chatter.class.getName(),
                args);
    }
}
