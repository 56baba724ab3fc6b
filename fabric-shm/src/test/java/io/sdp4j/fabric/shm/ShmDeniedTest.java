package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.contract.JUnitMain;
import io.sdp4j.testing.JvmCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: where the JVM denies native access, shared memory keeps the whole contract, and nothing
 * that waits or moves bytes tries a native call. Method: JVMs of their own with {@code
 * --illegal-native-access=deny}, in which such a call throws.
 */
@Timeout(120)
final class ShmDeniedTest extends ShmDirectory {
    /** So many waits that whatever a waiter does now and then has been done. */
    private static final int TRIPS = 30_000;

    @Test
    void itIsDenied() throws Exception {
        Process peer = Peer.startDenied(dir, true);
        try {
            assertThrows(IOException.class, () -> Peer.port(peer), "native calls were made");
            assertEquals(Peer.WRONG_MODE, peer.waitFor());
        } finally {
            peer.destroyForcibly();
        }
    }

    @Test
    void theContractHolds() throws Exception {
        Process child =
                JvmCommand.of(JUnitMain.class, ShmPortableContractTest.class.getName())
                        .options("--illegal-native-access=deny", "-ea")
                        .options("-XX:+UseSerialGC", "-Xmx256m", "-XX:TieredStopAtLevel=1")
                        .builder()
                        .redirectErrorStream(true)
                        .start();
        try {
            child.getOutputStream().close();
            byte[] out = child.getInputStream().readAllBytes();
            assertTrue(child.waitFor(1, TimeUnit.MINUTES));
            String said = new String(out, StandardCharsets.UTF_8);
            assertEquals(0, child.exitValue(), said);
        } finally {
            child.destroyForcibly();
        }
    }

    @Test
    void manyRoundTrips() throws Exception {
        Process peer = Peer.startDenied(dir, false);
        try (ShmFabric fabric = Ends.fabric(dir, false)) {
            InetSocketAddress to =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Peer.port(peer));
            QueuePair qp = fabric.connect(request(to)).queuePair();
            for (int i = 0; i < TRIPS; i++) {
                qp.postSend(qp.takeSendSlot(), 100, 0);
                Completion back = next(qp);
                assertEquals(Completion.RECEIVE, back.opcode, "after " + i);
                assertEquals(100, back.byteLen);
                qp.postReceive(back.slot);
            }
            qp.close();
        } finally {
            peer.destroyForcibly();
            peer.waitFor();
        }
    }
}
