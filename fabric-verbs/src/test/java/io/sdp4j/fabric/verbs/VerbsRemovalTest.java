package io.sdp4j.fabric.verbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.contract.FabricEnds.QpPair;
import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.Linux;
import io.sdp4j.testing.RdmaResources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Goal: a device that is removed while in use ends its connections, lets the kernel go, and is used
 * again when it is back. Method: the lab's host, whose devices are ours to remove.
 */
@Timeout(120)
@EnabledIf(value = "io.sdp4j.fabric.verbs.Lab#present", disabledReason = Lab.ABSENT)
final class VerbsRemovalTest {
    private static final QpSpec SPEC = new QpSpec(8, 4096, 8);
    private static final String DEVICE = System.getenv("LAB_DEVICE");

    private static void rdma(String what) {
        try {
            Process p =
                    new ProcessBuilder("sh", "-c", "exec rdma " + what)
                            .redirectErrorStream(true)
                            .start();
            CompletableFuture<String> said =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return new String(
                                            p.getInputStream().readAllBytes(),
                                            StandardCharsets.UTF_8);
                                } catch (IOException e) {
                                    return e.toString();
                                }
                            });
            assertTrue(p.waitFor(30, TimeUnit.SECONDS), () -> "rdma " + what + " hangs");
            assertEquals(0, p.exitValue(), () -> "rdma " + what + ": " + said.join());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void remove() {
        rdma("link delete " + DEVICE);
    }

    private static void add() {
        rdma(
                "link add "
                        + DEVICE
                        + " type "
                        + System.getenv("LAB_FABRIC")
                        + " netdev "
                        + System.getenv("LAB_NETDEV"));
    }

    @AfterEach
    void noStrays() {
        assertTrue(Lab.THROWN.isEmpty(), Lab.THROWN::toString);
    }

    private static void assertEnds(QueuePair qp) {
        Completion c = LabPairs.next(qp);
        assertTrue(
                c.opcode == Completion.ERROR || c.opcode == Completion.DISCONNECTED,
                () -> "opcode " + c.opcode);
    }

    @Test
    void connectionsEndAndTheDeviceCanComeBack() throws Exception {
        LabPairs pairs = new LabPairs(SPEC);
        QpPair pair = pairs.connect();
        LabPairs.say(pair.a(), pair.b(), new byte[] {1});
        // the kernel waits until everybody has let go of the device
        CompletableFuture<Void> removal = CompletableFuture.runAsync(VerbsRemovalTest::remove);
        assertEnds(pair.a());
        assertEnds(pair.b());
        pair.close();
        removal.get(40, TimeUnit.SECONDS);
        assertThrows(FabricException.class, pairs::connect);
        pairs.closeHere();

        add();
        LabPairs anew = new LabPairs(SPEC);
        QpPair second = anew.connectSoon();
        LabPairs.say(second.a(), second.b(), new byte[] {2});
        second.close();
        anew.close();
    }

    /** With nothing left that could be closed to get one. */
    @Test
    void aDeviceIsLetGoWithoutASpareDescriptor() throws Exception {
        LabPairs pairs = new LabPairs(SPEC);
        pairs.connect().close();
        remove(); // now, as no class can be loaded then
        add();
        pairs.connectSoon().close();
        long idle = pairs.before.get("cq") + (Lab.iwarp() ? 1 : 0);
        await().atMost(Duration.ofSeconds(30)).until(() -> RdmaResources.now().get("cq") <= idle);
        Process removal =
                new ProcessBuilder("sh", "-c", "read now; exec rdma link delete " + DEVICE).start();
        List<Integer> all = new ArrayList<>();
        try {
            for (int fd = Descriptors.eventFd(); fd >= 0; fd = Descriptors.eventFd()) {
                all.add(fd);
            }
            removal.getOutputStream().write('\n');
            removal.getOutputStream().flush();
            assertTrue(removal.waitFor(30, TimeUnit.SECONDS), "the kernel waits for us");
        } finally {
            all.forEach(Linux::close);
            removal.destroyForcibly();
        }
        assertEquals(0, removal.exitValue());
        add();
        pairs.connectSoon().close();
        pairs.closeHere();
    }

    @Test
    void theSameFabricUsesTheDeviceThatCameBack() throws Exception {
        LabPairs pairs = new LabPairs(SPEC);
        pairs.connect().close();
        remove();
        add();
        QpPair pair = pairs.connectSoon();
        LabPairs.say(pair.b(), pair.a(), new byte[] {3});
        pair.close();
        pairs.closeHere();
    }
}
