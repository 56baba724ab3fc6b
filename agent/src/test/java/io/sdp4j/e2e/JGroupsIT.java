package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Casts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal and method: those of {@link ApplicationsIT}, with two members of a JGroups cluster. */
@Tag("alone")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JGroupsIT extends Comparison {
    /** Messages that a stack casts at once. */
    private record Burst(String stack, int casts, int bytes) {}

    /** 1.5 MB each. */
    private static final List<Burst> BURSTS =
            List.of(
                    new Burst("TCP", 300, 5_000),
                    new Burst("TCP_NIO2", 300, 5_000),
                    new Burst("TCP_NIO2", 15_000, 100));

    private static final int ROUNDS = 5;

    /** By JGroups stack and burst, the median time of a burst on kernel TCP. */
    private static final Map<String, Long> KERNEL_MILLIS = new ConcurrentHashMap<>();

    /**
     * Beside what is right, how long a burst takes: a channel that takes less than TCP's makes the
     * stack that does not block send again what it has dropped, half a second later.
     */
    @ParameterizedTest
    @EnumSource
    @DisplayName("76, 99: JGroups, blocking and non-blocking, casts in bursts")
    void jgroups(Ends ends) throws Exception {
        String classes =
                Jvms.classPathOf(Casts.class)
                        + File.pathSeparator
                        + Jvms.classPathOf(org.jgroups.JChannel.class);
        // it warns of a machine that has no address but the loopback one
        Path logging = directory.resolve("logging.properties");
        Files.writeString(
                logging, "handlers=java.util.logging.ConsoleHandler\norg.jgroups.level=SEVERE\n");
        List<String> options = List.of("-Djava.util.logging.config.file=" + logging);
        for (Burst burst : BURSTS) {
            casts(ends, burst, classes, options);
        }
    }

    private void casts(Ends ends, Burst burst, String classes, List<String> options)
            throws Exception {
        String name = burst.stack() + " " + burst.bytes();
        Path time = directory.resolve("time");
        Application application =
                new Application() {
                    @Override
                    public Child server(boolean agent) throws Exception {
                        return member(agent);
                    }

                    @Override
                    public Child client(boolean agent, String port) throws Exception {
                        return member(agent, port, "" + ROUNDS, time.toString());
                    }

                    private Child member(boolean agent, String... more) throws IOException {
                        List<String> args = new ArrayList<>();
                        args.addAll(List.of(burst.stack(), "" + burst.casts(), "" + burst.bytes()));
                        args.addAll(List.of(more));
                        String main = Casts.class.getName();
                        String[] all = args.toArray(new String[0]);
                        return jvms.java("JGroups", agent, options, classes, main, all);
                    }
                };
        same(name, application, Ends.NONE, false);
        if (Files.exists(time)) {
            KERNEL_MILLIS.put(name, Long.valueOf(Files.readString(time)));
        }
        same(name, application, ends, false);
        String all = "" + ROUNDS * burst.casts();
        assertEquals(Map.of("members", "2", "casts", all, "right", "true"), EXPECTED.get(name));
        if (ends == Ends.BOTH) {
            long kernel = KERNEL_MILLIS.get(name);
            long millis = Long.parseLong(Files.readString(time));
            assertTrue(
                    millis < 4 * kernel + 200,
                    () -> name + ": " + millis + " ms for a burst, TCP " + kernel);
        }
        Files.deleteIfExists(time);
    }
}
