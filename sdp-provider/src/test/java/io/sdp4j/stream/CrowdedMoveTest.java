package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.jdk.KernelSocketSource;
import io.sdp4j.offload.net.SwitchSocketImpl;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection moves later while more threads want to run than there are processors. */
@Timeout(60)
class CrowdedMoveTest {
    private static final TestFabric FABRIC = TestFabric.opened(true);

    private final AtomicInteger looks = new AtomicInteger();
    private volatile int crowdedLooks;

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    private OffloadProvider crowded() {
        return (OffloadProvider)
                Proxy.newProxyInstance(
                        OffloadProvider.class.getClassLoader(),
                        new Class<?>[] {OffloadProvider.class},
                        (_, method, args) -> {
                            if (method.getName().equals("crowded")) {
                                return looks.incrementAndGet() <= crowdedLooks;
                            }
                            try {
                                return method.invoke(FABRIC.provider(), args);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    /** Makes round trips until the connection has moved. */
    private void awaitMoved(Duration lastingAge) throws IOException {
        UpgradePolicy policy = new UpgradePolicy(false, 1, 1, 0, 0, lastingAge.toNanos());
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(crowded()),
                        Patience.SETTINGS.withUpgrade(policy),
                        KernelSocketSource.JDK);
        try (ServerSocket listener = SwitchedSockets.serverSocket(owner)) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (Socket client = SwitchedSockets.socket(owner)) {
                client.connect(listener.getLocalSocketAddress());
                try (Socket server = listener.accept()) {
                    await().until(
                                    () -> {
                                        client.getOutputStream().write(5);
                                        server.getOutputStream()
                                                .write(server.getInputStream().read());
                                        assertEquals(5, client.getInputStream().read());
                                        return SwitchSocketImpl.explain(client)
                                                        .orElseThrow()
                                                        .reason()
                                                == ReasonCode.OFFLOADED;
                                    });
                }
            }
        }
    }

    @Test
    void itMovesOnceAllLooksFindAFreeProcessor() throws IOException {
        crowdedLooks = 3;
        awaitMoved(Duration.ofHours(1));
        assertEquals(3 + 5, looks.get());
    }

    @Test
    void oneThatLastsMovesInTheEnd() throws IOException {
        crowdedLooks = Integer.MAX_VALUE;
        awaitMoved(Duration.ofMillis(200));
    }

    @Test
    void oneThatIsOldIsNotLookedAt() throws IOException {
        crowdedLooks = Integer.MAX_VALUE;
        awaitMoved(Duration.ZERO);
        assertEquals(0, looks.get());
    }
}
