package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.testing.Pair;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Goal: where locked memory ends, sockets go on over the kernel. Method: as {@code
 * VerbsMemlockTest}, with more sockets than fit.
 */
@Timeout(120)
@EnabledIfEnvironmentVariable(
        named = "LAB_MEMLOCK",
        matches = "\\d+",
        disabledReason = "no limit of locked memory")
class SdpVerbsMemlockTest {
    private static final int SOCKETS = 12;

    @Test
    void aStreamWithoutMemoryIsServedByTheKernel() throws Exception {
        SdpVerbsSocketTest sockets = new SdpVerbsSocketTest();
        List<Pair<ServerSocket, Socket>> pairs = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        int offloaded = 0;
        for (int i = 0; i < SOCKETS; i++) {
            Pair<ServerSocket, Socket> p = sockets.pair();
            pairs.add(p);
            ConnectionInfo where = SwitchedSockets.explain(p.client()).orElseThrow();
            offloaded += where.reason() == ReasonCode.OFFLOADED ? 1 : 0;
            reasons.add(where.reason() + ": " + where.detail());
        }
        int overRdma = offloaded;
        assertTrue(
                overRdma > 0 && overRdma < SOCKETS,
                () -> overRdma + " of " + SOCKETS + " offloaded: " + reasons);
        for (Pair<ServerSocket, Socket> p : pairs) {
            byte[] said = {1, 2, 3, (byte) p.client().getLocalPort()};
            p.client().getOutputStream().write(said);
            assertArrayEquals(said, p.server().getInputStream().readNBytes(said.length));
        }
        for (Pair<ServerSocket, Socket> p : pairs) {
            p.close();
        }
        SdpVerbsSocketTest.shut();
    }
}
