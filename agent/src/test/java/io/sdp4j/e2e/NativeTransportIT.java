package io.sdp4j.e2e;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.e2e.programs.NativeTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a user of a native transport of Netty under the agent reads once the consequence, with the
 * flag that turns it off, and that flag works.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NativeTransportIT {
    private static final String NETTY = "io.netty";
    private static final String GRPC = "io.grpc.netty.shaded.io.netty";

    @TempDir Path directory;
    private Jvms jvms;
    private Path log;

    @BeforeEach
    void open() throws Exception {
        jvms = new Jvms(directory);
        log = directory.resolve("log");
    }

    @AfterEach
    void close() {
        jvms.close();
    }

    private static String flag(String copy) {
        return "-D" + copy + ".transport.noNative=true";
    }

    private Child program(boolean agent, String... options) throws IOException {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "--sun-misc-unsafe-memory-access=allow",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Dslf4j.internal.verbosity=ERROR",
                                "-Dsdp4j.log.file=" + log));
        all.addAll(List.of(options));
        return jvms.java(
                "program", agent, all, Comparison.programs(), NativeTransport.class.getName());
    }

    private List<String> linesWith(String text) throws IOException {
        return Files.exists(log)
                ? Files.readAllLines(log).stream().filter(l -> l.contains(text)).toList()
                : List.of();
    }

    private void awaitLineWith(String text) {
        await().atMost(Duration.ofSeconds(60)).until(() -> !linesWith(text).isEmpty());
    }

    @Test
    void eachCopyIsToldOnce() throws Exception {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "the library is for x86-64");
        Child program = program(true);
        assertEquals("netty epoll 42", program.ask("netty"), program::toString);
        awaitLineWith(flag(NETTY));
        assertEquals("grpc true", program.ask("grpc"), program::toString);
        awaitLineWith(flag(GRPC)); // by a later look, which saw the first one again
        program.endInput();
        assertEquals(0, program.exitCode());
        assertEquals(1, linesWith(flag(NETTY)).size(), () -> program + "\n" + log);
        assertEquals(1, linesWith(flag(GRPC)).size());
        assertEquals(List.of(), program.err());
        AgentReport report = program.report();
        assertEquals(0, report.offloaded() + report.acceptedOffloaded(), report::text);
    }

    @Test
    void nothingIsToldWhereItIsOff() throws Exception {
        Child program = program(true, flag(NETTY), flag(GRPC));
        assertEquals("netty nio 42", program.ask("netty"), program::toString);
        assertEquals("grpc true", program.ask("grpc"), program::toString);
        // it has been looked for in the meantime; on a machine that stands still perhaps not
        await().atMost(Duration.ofSeconds(60))
                .until(() -> Long.parseLong(program.ask("uptime")) > 2_500);
        program.endInput();
        assertEquals(0, program.exitCode());
        assertEquals(List.of(), linesWith("noNative"));
        assertEquals(List.of(), program.err());
        AgentReport report = program.report();
        assertTrue(report.offloaded() >= 2, report::text);
        assertEquals(report.offloaded(), report.acceptedOffloaded(), report::text);
    }
}
