package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Crowd;
import io.sdp4j.e2e.programs.Holder;
import io.sdp4j.e2e.programs.Pump;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: when a process is killed, the other side learns it within a second and as TCP would tell.
 * Method: {@code kill -9} while it streams or waits, on kernel TCP (which must pass too, or this
 * test is wrong) and offloaded.
 */
@Tag("alone")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeathIT extends EndingJvms {
    private static final long LIMIT_NANOS = 1_000_000_000;

    /** On a busy machine; without traffic a JVM takes a tenth of it. */
    private static final long ENDED_NANOS = 5_000_000_000L;

    private static final int CROWD = 100;

    /** A read: an orderly end when the kernel closed with nothing unread, else a reset. */
    private static final Set<String> READER_SEES =
            Set.of("-1", "java.net.SocketException: Connection reset");

    private static final Set<String> WRITER_SEES =
            Set.of(
                    "java.net.SocketException: Connection reset",
                    "java.net.SocketException: Connection reset by peer",
                    "java.net.SocketException: Broken pipe");

    @ParameterizedTest
    @EnumSource
    @DisplayName("78: a writer sees its peer die")
    void writerSeesTheReaderDie(Stack path) throws Exception {
        kill(path, Pump.class, true, WRITER_SEES);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("78: a reader sees its peer die")
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

    /** Goal: a server whose clients are killed gets back what each of them took. */
    @Test
    @DisplayName("61: a peer that was killed leaves no descriptor behind")
    void killedPeersLeaveNothing() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            jvms.direct();
            Child server = start(jvms, true, Crowd.class, "server");
            String port = server.await("READY");
            long before = 0;
            for (int round = 0; round < 3; round++) {
                Child client = start(jvms, true, Crowd.class, "client", port);
                client.await("READY");
                server.tell("accept " + CROWD);
                client.ask("open " + CROWD);
                server.answer();
                client.kill();
                assertEquals(Integer.toString(CROWD), server.ask("close"));
                long bound = before + CROWD / 10;
                if (round == 0) { // what the first connections load and open stays
                    before = descriptorsAtRest(server);
                } else {
                    Awaitility.await()
                            .atMost(Duration.ofSeconds(20))
                            .until(() -> descriptors(server) <= bound);
                }
            }
            server.endInput();
            assertEquals(0, server.exitCode(), server::toString);
            assertEquals(3L * CROWD, server.report().acceptedOffloaded());
        }
    }

    private static long descriptors(Child child) throws IOException {
        try (var list = Files.list(Path.of("/proc/" + child.pid() + "/fd"))) {
            return list.count();
        }
    }

    /** Once the clean-up behind has ended. */
    private static long descriptorsAtRest(Child child) {
        AtomicLong last = new AtomicLong(Long.MAX_VALUE);
        return Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(300))
                .until(() -> descriptors(child), now -> now >= last.getAndSet(now));
    }

    /** Goal: streams at full speed do not keep a JVM from ending when it is asked to. */
    @ParameterizedTest
    @EnumSource
    @DisplayName("80: SIGTERM under traffic ends either side, and no name is left")
    void endsUnderTraffic(Stack path) throws Exception {
        boolean agent = path.agent();
        Path meeting = directory.resolve("meeting");
        String where = "-Dsdp4j.shm.dir=" + meeting;
        for (boolean server : new boolean[] {true, false}) {
            try (Jvms jvms = new Jvms(directory)) {
                path.use(jvms);
                List<String> options = List.of(where);
                String when = upWhen(path);
                Child serving = start(jvms, agent, options, Pump.class, "server", when);
                String port = serving.await("READY");
                Child calling = start(jvms, agent, options, Pump.class, "client", when, port);
                serving.await("UP");
                calling.await("UP");
                Child ended = server ? serving : calling;
                Child other = server ? calling : serving;
                long start = System.nanoTime();
                ended.terminate();
                long nanos = System.nanoTime() - start;
                assertTrue(nanos < ENDED_NANOS, "ended only after " + nanos / 1_000_000 + " ms");
                other.await("END");
                other.exitCode();
                assertEquals(List.of(), ended.err());
                if (agent) {
                    assertOffloaded(ended.report());
                    try (var names = Files.find(meeting, 5, (_, what) -> !what.isDirectory())) {
                        assertEquals(List.of(), names.toList());
                    }
                }
            }
        }
    }

    /** A connection that moves has done so before its end. */
    private static String upWhen(Stack path) {
        return path == Stack.MOVING ? "moved" : "connected";
    }

    private void kill(Stack path, Class<?> program, boolean server, Set<String> allowed)
            throws Exception {
        boolean agent = path.agent();
        try (Jvms jvms = new Jvms(directory)) {
            path.use(jvms);
            String when = upWhen(path);
            Child serving = start(jvms, agent, program, "server", when);
            String port = serving.await("READY");
            Child calling = start(jvms, agent, program, "client", when, port);
            serving.await("UP");
            calling.await("UP");
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
                assertOffloaded(survivor.report());
            }
        }
    }
}
