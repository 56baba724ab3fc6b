package io.sdp4j.offload;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.jdk.KernelSocketSource;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a connection that is worth moving stays on TCP in a crowd of threads, and only then. */
@Timeout(60)
class UpgradeInCrowdTest {
    private static final int CROWD = UpgradeGate.CROWD + 1;

    private final AtomicInteger runnable = new AtomicInteger(CROWD);
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();

    /** Would move each connection, and never has a peer. */
    private final class Asked implements OffloadProvider {
        @Override
        public String name() {
            return "asked";
        }

        @Override
        public boolean moves(InetAddress remote, List<String> fabrics) {
            return true;
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            asked.incrementAndGet();
            throw new OffloadUnavailable(ReasonCode.NO_PEER, "none");
        }

        @Override
        public OffloadListener listen(ListenSpec spec) {
            throw new AssertionError("asked to listen");
        }
    }

    @Test
    void itAsksAgainUntilTheCrowdIsGone() throws IOException {
        SwitchSettings settings = SwitchSettings.defaults().withUpgrade(UpgradePolicy.AUTO);
        UpgradeGate gate =
                new UpgradeGate(
                        () -> {
                            looks.incrementAndGet();
                            return runnable.get();
                        },
                        1);
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new Asked()),
                        settings,
                        KernelSocketSource.best(),
                        null,
                        gate);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = SwitchedSockets.socket(owner)) {
            client.connect(listener.getLocalSocketAddress());
            try (Socket server = listener.accept()) {
                await().until(() -> trip(client, server) && looks.get() >= 2);
                assertEquals(0, asked.get());
                runnable.set(0);
                await().until(() -> trip(client, server) && asked.get() > 0);
            }
        }
    }

    /** As many as make a connection worth moving. */
    private static boolean trip(Socket client, Socket server) throws IOException {
        for (int i = 0; i < UpgradePolicy.AUTO.turns(); i++) {
            client.getOutputStream().write(1);
            server.getInputStream().read();
            server.getOutputStream().write(2);
            client.getInputStream().read();
        }
        return true;
    }
}
