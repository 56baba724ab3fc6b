package io.sdp4j.offload.net;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.policy.Policy;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a socket whose move was refused, without a question to the peer, is the kernel's: its calls
 * are not counted any more, and end as the JDK's do. Method: looks at the counts.
 */
@Timeout(60)
class RefusedMoveTest {
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    @Test
    void itsCallsAreTheKernels() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(new FailingProvider())),
                        SwitchSettings.defaults().withUpgrade(UpgradePolicy.afterBytes(1)));
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket early = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket peer = listener.accept()) {
            Map<String, Object> state = SwitchedSockets.earlyState(early);
            state.put("sent", sent);
            state.put("received", received);
            SwitchClientImpl switched = (SwitchClientImpl) SwitchSocketImpl.early(owner, state);
            OutputStream out = switched.getOutputStream();
            await().until(
                            () -> {
                                long before = sent.get();
                                out.write(1);
                                return sent.get() == before;
                            });
            assertEquals(ReasonCode.PEER_REFUSED, switched.connectionInfo().orElseThrow().reason());
            peer.getOutputStream().write(7);
            InputStream in = switched.getInputStream();
            assertEquals(7, in.read());
            assertEquals(0, received.get());
            switched.setOption(SocketOptions.SO_TIMEOUT, 1);
            Expect.thrown(SocketTimeoutException.class, "Read timed out", in::read);
            peer.shutdownOutput();
            switched.setOption(SocketOptions.SO_TIMEOUT, 0);
            assertEquals(-1, in.read());
            switched.close();
            assertEquals(-1, in.read(), "behaviour 14");
        }
    }
}
