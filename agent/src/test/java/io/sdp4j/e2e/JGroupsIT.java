package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Casts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal and method: those of {@link ApplicationsIT}, with two members of a JGroups cluster. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JGroupsIT extends Comparison {
    /** By JGroups stack, the median time of a burst on kernel TCP. */
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
        Path time = directory.resolve("time");
        for (String stack : List.of("TCP", "TCP_NIO2")) {
            Application application =
                    new Application() {
                        @Override
                        public Child server(boolean agent) throws Exception {
                            return casts(agent, stack);
                        }

                        @Override
                        public Child client(boolean agent, String port) throws Exception {
                            return casts(agent, stack, port, "9", time.toString());
                        }

                        private Child casts(boolean agent, String... args) throws IOException {
                            String main = Casts.class.getName();
                            return jvms.java("JGroups", agent, options, classes, main, args);
                        }
                    };
            same(stack, application, Ends.NONE, false);
            if (Files.exists(time)) {
                KERNEL_MILLIS.put(stack, Long.valueOf(Files.readString(time)));
            }
            same(stack, application, ends, false);
            assertEquals(
                    Map.of("members", "2", "casts", "2700", "right", "true"), EXPECTED.get(stack));
            if (ends == Ends.BOTH) {
                long kernel = KERNEL_MILLIS.get(stack);
                long millis = Long.parseLong(Files.readString(time));
                assertTrue(
                        millis < 4 * kernel + 200,
                        () -> stack + ": " + millis + " ms for a burst, TCP " + kernel);
            }
            Files.deleteIfExists(time);
        }
    }
}
