package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.e2e.programs.LastWords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: what a process has written arrives although it ends without closing. Method: every way in
 * which a JVM ends, on kernel TCP (which must pass too, or this test is wrong) and offloaded.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LastWordsIT extends EndingJvms {
    private static final List<String> ENDS =
            List.of("return", "throw", "exit", "exhaust", "crash", "halt", "kill", "terminate");

    private static final String SMALL = "-Xmx64m";

    /** The exit code of a JVM that aborts without a core dump. */
    private static final int ABORTED = 1;

    /**
     * Goal: what a socket has taken arrives, however its process ends right then, and then the end
     * of the stream; a reset if that process left something unread, as on TCP.
     */
    @ParameterizedTest
    @EnumSource
    @DisplayName("78: a process that ends without closing loses nothing it has written")
    void theLastWordsOfAJvmArrive(Stack path) throws Exception {
        for (String how : ENDS) {
            lastWords(path, how, 3, 3_000, 0, 0);
        }
        lastWords(path, "return", 1, 1, 0, 0);
        lastWords(path, "return", 1_000_000, 1, 0, 0);
        lastWords(path, "kill", 1_152, 1_700, 0, 0);
        lastWords(path, "halt", 1_152, 1_737, 0, 0);
        lastWords(path, "exit", 5_000_000, 1, 0, 0);
        lastWords(path, "crash", 5_000_000, 1, 0, 0);
    }

    @ParameterizedTest
    @EnumSource
    void anEndOverUnreadInputIsAResetBehindTheLastWords(Stack path) throws Exception {
        lastWords(path, "kill", 100, 30, 10, 10);
        lastWords(path, "return", 700, 30, 10, 4);
        lastWords(path, "kill", 3, 300, 10, 0);
        lastWords(path, "crash", 100, 30, 10, 4);
    }

    /**
     * @param written bytes that the reader has written to the one who ends
     * @param read how many of these that one has read
     */
    private void lastWords(
            Stack path, String how, int pieceBytes, int pieces, int written, int read)
            throws Exception {
        boolean agent = path.agent();
        int total = pieceBytes * pieces;
        boolean killed = how.equals("kill") || how.equals("terminate");
        try (Jvms jvms = new Jvms(directory)) {
            path.use(jvms);
            List<String> options = new ArrayList<>();
            Child reader = start(jvms, agent, options, LastWords.class, "reader", "" + written);
            switch (how) {
                case "exhaust" -> options.addAll(List.of(SMALL, "-XX:+ExitOnOutOfMemoryError"));
                case "crash" -> options.addAll(crash());
                default -> {} // ends by itself
            }
            String port = reader.await("READY");
            Child writer =
                    start(
                            jvms,
                            agent,
                            options,
                            LastWords.class,
                            "writer",
                            port,
                            "" + pieceBytes,
                            "" + pieces,
                            "" + read,
                            killed ? "wait" : how.equals("crash") ? "exhaust" : how);
            // An end before the reader has written is an end in order, on TCP too.
            reader.await("UP");
            boolean fits = total < 100_000;
            if (!fits) {
                reader.tell("read");
            }
            writer.await("WRITTEN");
            if (how.equals("kill")) {
                writer.kill();
            } else if (killed) {
                writer.terminate();
            } else {
                int exit =
                        switch (how) {
                            case "throw" -> 1;
                            case "exhaust" -> 3;
                            case "crash" -> ABORTED;
                            default -> 0;
                        };
                assertEquals(exit, writer.exitCode(), writer::toString);
            }
            if (fits) {
                reader.tell("read");
            }
            String end =
                    written == read ? "in order" : "java.net.SocketException: Connection reset";
            Map<String, String> seen = reader.results();
            String what = how + " " + pieceBytes + "*" + pieces + ": " + seen;
            assertEquals("true", seen.get("right"), what);
            // A peer that is shown the socket while its owner is killed may be the last to close
            // it.
            boolean between = path == Stack.MOVING && reader.report().acceptedOffloaded() == 0;
            if (!between) {
                assertEquals(end, seen.get("end"), what);
            }
            if (path == Stack.OFFLOADED
                    || written == read) { // a kernel's reset may overtake what is on its way
                assertEquals("" + total, seen.get("bytes"), what);
            }
            if (path == Stack.OFFLOADED) { // one that moves may end before it has
                assertOffloaded(reader.report());
            }
        }
    }

    /** Options with which the JVM aborts when its heap is full; it tells of it in a file. */
    private List<String> crash() {
        return List.of(
                SMALL,
                "-XX:+CrashOnOutOfMemoryError",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + directory.resolve("crash-%p"));
    }
}
