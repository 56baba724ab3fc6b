package io.sdp4j.offload.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: servers with many connections on TCP keep one description for all of them. */
@Timeout(60)
class AcceptedInfoTest {
    @Test
    void allThatCameByTcpShareIt() throws IOException {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new FailingProvider()),
                        SwitchSettings.defaults());
        try (ServerSocket listener = SwitchedSockets.serverSocket(owner)) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            ConnectionInfo first = accepted(listener);
            assertEquals(ReasonCode.ACCEPTED_TCP, first.reason());
            assertSame(first, accepted(listener));
        }
    }

    private static ConnectionInfo accepted(ServerSocket listener) throws IOException {
        try (Socket _ = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket accepted = listener.accept()) {
            return SwitchedSockets.explain(accepted).orElseThrow();
        }
    }
}
