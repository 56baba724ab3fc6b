package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Holder;
import io.sdp4j.e2e.programs.Pump;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: when a process is killed, the other side learns it within a second and as TCP would tell.
 * Method: {@code kill -9} while it streams or waits, on kernel TCP (which must pass too, or this
 * test is wrong) and offloaded.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeathIT {
    private static final long LIMIT_NANOS = 1_000_000_000;

    /** A read: an orderly end when the kernel closed with nothing unread, else a reset. */
    private static final Set<String> READER_SEES =
            Set.of("-1", "java.net.SocketException: Connection reset");

    private static final Set<String> WRITER_SEES =
            Set.of(
                    "java.net.SocketException: Connection reset",
                    "java.net.SocketException: Connection reset by peer",
                    "java.net.SocketException: Broken pipe");

    @TempDir Path directory;

    /** Whether both sides run the agent. */
    enum Stack {
        KERNEL,
        OFFLOADED
    }

    @ParameterizedTest
    @EnumSource
    void writerSeesTheReaderDie(Stack path) throws Exception {
        kill(path, Pump.class, true, WRITER_SEES);
    }

    @ParameterizedTest
    @EnumSource
    void readerSeesTheWriterDie(Stack path) throws Exception {
        kill(path, Pump.class, false, READER_SEES);
    }

    @ParameterizedTest
    @EnumSource
    void idleClientSeesTheServerDie(Stack path) throws Exception {
        kill(path, Holder.class, true, READER_SEES);
    }

    @ParameterizedTest
    @EnumSource
    void idleServerSeesTheClientDie(Stack path) throws Exception {
        kill(path, Holder.class, false, READER_SEES);
    }

    private void kill(Stack path, Class<?> program, boolean server, Set<String> allowed)
            throws Exception {
        boolean agent = path == Stack.OFFLOADED;
        try (Jvms jvms = new Jvms(directory)) {
            Child serving = start(jvms, agent, program, "server");
            Child calling = start(jvms, agent, program, "client", serving.await("READY"));
            serving.await(server && program == Pump.class ? "UP" : "READY");
            calling.await("UP");
            if (program == Holder.class) {
                serving.await("UP");
            }
            Child victim = server ? serving : calling;
            Child survivor = server ? calling : serving;
            long start = System.nanoTime();
            victim.kill();
            String seen = survivor.await("END");
            long nanos = survivor.awaitNanos("END") - start;
            assertTrue(allowed.contains(seen), () -> "unlike TCP: " + survivor);
            assertTrue(nanos < LIMIT_NANOS, "seen only after " + nanos / 1_000_000 + " ms");
            survivor.exitCode();
            if (agent) {
                AgentReport report = survivor.report();
                assertTrue(report.offloaded() + report.acceptedOffloaded() == 1, report::text);
            }
        }
    }

    private static Child start(Jvms jvms, boolean agent, Class<?> program, String... args)
            throws Exception {
        return jvms.java(
                program.getSimpleName() + " " + args[0],
                agent,
                List.of(),
                Jvms.classPathOf(program),
                program.getName(),
                args);
    }
}
