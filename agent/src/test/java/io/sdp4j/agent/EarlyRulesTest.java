package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: the first sockets of a JVM are where the switch would have them. */
class EarlyRulesTest {
    private static final InetSocketAddress SOME =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);

    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({
        "use both client * *:*,                    OFFLOAD_FIRST, OFFLOAD_FIRST",
        "use both client * *:* fabric=shm|verbs,   OFFLOAD_FIRST, OFFLOAD_FIRST",
        "use both client * *:* fabric=verbs|shm,   SWITCH,        OFFLOAD_FIRST",
        "use both client * *:* fabric=nosuch,      SWITCH,        OFFLOAD_FIRST",
        "use sdp client * *:* fabric=verbs,        OFFLOAD_ONLY,  OFFLOAD_FIRST",
        "use tcp client * *:*,                     KERNEL,        OFFLOAD_FIRST",
        "use nothing,                              NO_RULES,      NO_RULES"
    })
    void sayWhereItBegins(String rule, String connects, String listens) throws IOException {
        Path file = folder.resolve("r.conf");
        Files.writeString(file, rule.replace('|', ',') + "\n");
        BiFunction<InetSocketAddress, InetSocketAddress, String> rules =
                new EarlyRules().apply(Map.of("policy", file.toString()), _ -> {});
        assertEquals(connects, rules.apply(null, SOME));
        assertEquals(listens, rules.apply(SOME, null));
    }
}
