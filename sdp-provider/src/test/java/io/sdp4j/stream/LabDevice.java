package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import io.sdp4j.testing.RdmaResources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The lab's RDMA device, and that nothing of it is in use when the tests of a class are over. */
final class LabDevice implements AutoCloseable {
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

    private final Map<String, Long> before = RdmaResources.now();
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

    @Override
    public void close() throws IOException {
        fabric.close();
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertEquals(before, RdmaResources.now(), "left behind"));
    }
}
