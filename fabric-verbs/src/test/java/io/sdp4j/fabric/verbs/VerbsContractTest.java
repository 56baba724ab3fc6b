package io.sdp4j.fabric.verbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.fabric.contract.FabricContract;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.testing.RdmaResources;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The contract with both ends on one real RDMA device. Skipped, and counted as skipped, where there
 * is none; {@code lab/checks/verbs} runs it over soft-RoCE and soft-iWARP and does not skip.
 */
@EnabledIf(value = "io.sdp4j.fabric.verbs.Lab#present", disabledReason = Lab.ABSENT)
final class VerbsContractTest extends FabricContract {
    private static final EventLoop LOOP = EventLoop.start("test-verbs", Lab.THROWN::add);

    /** Before the fabrics are opened, which begin to use the device by themselves. */
    private final Map<String, Long> before = RdmaResources.now();

    @Override
    protected InetAddress host() throws Exception {
        return Lab.address();
    }

    @Override
    protected boolean findsListenerFirst() {
        return false;
    }

    @Override
    protected boolean targetServesByPolling() {
        return false;
    }

    @Override
    protected boolean checksRightToRead() {
        return !Lab.iwarp(); // soft-iWARP of Linux 6.1 answers a read without looking at rights
    }

    @Override
    protected void assertBreachAtTarget(Completion at) {
        // what the device tells of it, if anything, races with the end of the connection
        if (at.opcode == Completion.ERROR) {
            assertTrue(at.status == WcStatus.REM_ACCESS_ERR || at.status == WcStatus.FATAL_ERR);
        } else {
            assertEquals(Completion.DISCONNECTED, at.opcode);
        }
    }

    @Override
    protected void assertBreachAtInitiator(QueuePair qp) {
        if (!Lab.iwarp()) {
            super.assertBreachAtInitiator(qp);
            return;
        }
        // iWARP answers a breach with the end of the connection: no request is named, and a write
        // may have been called successful when it left
        boolean ended = false;
        for (int left = 3; left > 0; left--) {
            Completion c = next(qp);
            switch (c.opcode) {
                case Completion.READ, Completion.WRITE ->
                        assertTrue(
                                c.status == WcStatus.WR_FLUSH_ERR
                                        || c.status == WcStatus.REM_ACCESS_ERR
                                        || c.opcode == Completion.WRITE,
                                () -> "status " + c.status);
                default -> {
                    assertTrue(c.opcode == Completion.DISCONNECTED || c.opcode == Completion.ERROR);
                    ended = true;
                }
            }
        }
        assertTrue(ended);
    }

    /** Ready for use: the contract's times are the peer's. */
    private static Fabric open() throws Exception {
        Fabric fabric = VerbsFabric.open(VerbsConfig.defaults(), LOOP);
        assertTrue(fabric.awaitReady(TimeUnit.SECONDS.toNanos(30)));
        return fabric;
    }

    @Override
    protected Fabric openActive() throws Exception {
        return open();
    }

    @Override
    protected Fabric openPassive() throws Exception {
        return open();
    }

    @Override
    protected void afterClose() throws Exception {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> ((VerbsFabric) active).isShut() && ((VerbsFabric) passive).isShut());
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertEquals(before, RdmaResources.now(), "left behind"));
        assertEquals(List.of(), List.copyOf(Lab.THROWN));
    }
}
