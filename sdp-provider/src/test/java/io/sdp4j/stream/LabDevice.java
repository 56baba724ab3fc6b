package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The lab's RDMA device, and that nothing of it is in use when the tests of a class are over. */
final class LabDevice implements AutoCloseable {
    private static final Pattern COUNT = Pattern.compile("\\b(pd|cq|qp|cm_id|mr) (\\d+)");

    /** Each has half a MiB of registered memory at either end. */
    static final int MANY_CONNECTIONS = 50;

    /**
     * All is offloaded, however long a connection takes on a host that one busy processor
     * simulates: the contracts ask what happens, not how fast.
     */
    static final Policy PATIENT =
            Policy.everything(
                    new Decision(
                            Verdict.OFFLOAD_FIRST,
                            List.of(),
                            TimeUnit.SECONDS.toNanos(StreamPair.LIMIT_SECONDS),
                            "both, with patience",
                            Decision.DEFAULT_ORIGIN));

    private final Map<String, Long> before = resources();
    private final TestFabric fabric;

    LabDevice() {
        try {
            fabric = TestFabric.verbs().buffersAsShipped();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    OffloadProvider provider() {
        return fabric.provider();
    }

    OffloadProvider provider(StreamSettings.Zcopy zcopy) {
        return fabric.provider(zcopy);
    }

    /** The kernel's count of every kind of object. */
    static Map<String, Long> resources() {
        try {
            Process p = new ProcessBuilder("rdma", "resource", "show").start();
            String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            Map<String, Long> counts = new TreeMap<>();
            Matcher m = COUNT.matcher(out);
            while (m.find()) {
                counts.merge(m.group(1), Long.parseLong(m.group(2)), Long::sum);
            }
            if (counts.isEmpty()) {
                throw new AssertionError("rdma resource show said: " + out);
            }
            return counts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        fabric.close();
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertEquals(before, resources(), "left behind"));
    }
}
