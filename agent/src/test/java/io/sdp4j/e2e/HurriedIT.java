package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Hurried;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the first connect of a JVM is over in its time, although a rule makes the switch start for
 * it and forbids TCP. Method: fresh JVMs without the agent and with it, by turns; the shortest time
 * of each, because the machine may be busy.
 */
@Tag("alone")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HurriedIT {
    private static final int ROUNDS = 5;

    /** For the threads of a busy machine; to start the switch takes longer. */
    private static final long SLACK_MILLIS = 100;

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(ints = {50, 400})
    @DisplayName("3: the first connect under an sdp rule is over in its time")
    void keepsItsTimeout(int millis) throws Exception {
        long plain = Long.MAX_VALUE;
        long agent = Long.MAX_VALUE;
        try (Jvms jvms = new Jvms(directory);
                ServerSocket peer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Path rules = jvms.rules("sdp.conf", "use sdp client * *:*\n");
            jvms.upgrade("auto");
            for (int i = 0; i < ROUNDS; i++) {
                plain = Math.min(plain, millis(run(jvms, null, peer, millis), true));
                agent = Math.min(agent, millis(run(jvms, rules, peer, millis), false));
            }
        }
        String times = agent + " ms with the agent, " + plain + " ms without";
        assertTrue(agent <= millis + plain + SLACK_MILLIS, times);
    }

    private static Child run(Jvms jvms, Path rules, ServerSocket peer, int millis)
            throws Exception {
        return jvms.java(
                "Hurried",
                rules,
                List.of(),
                Jvms.classPathOf(Hurried.class),
                Hurried.class.getName(),
                "" + peer.getLocalPort(),
                "" + millis);
    }

    private static long millis(Child child, boolean connected) throws InterruptedException {
        Map<String, String> results = child.results();
        assertEquals("" + connected, results.get("connected"), child::toString);
        return Long.parseLong(results.get("millis"));
    }
}
