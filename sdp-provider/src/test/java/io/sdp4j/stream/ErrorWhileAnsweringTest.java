package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a request that fails in this process takes no place in the backlog. */
@Timeout(60)
final class ErrorWhileAnsweringTest {
    private final AtomicBoolean throwing = new AtomicBoolean();

    private Fabric throwing(Fabric fabric) {
        return Shims.around(
                Fabric.class,
                fabric,
                (_, method, _) -> {
                    if (method.getName().equals("capabilities") && throwing.getAndSet(false)) {
                        throw new StackOverflowError();
                    }
                    return null;
                });
    }

    @Test
    void theNextRequestIsAccepted() throws Exception {
        try (TestFabric fabric = new TestFabric();
                ServerSocket kernel = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            OffloadProvider connecting = fabric.provider();
            OffloadListener listener =
                    fabric.provider(this::throwing)
                            .listen(new ListenSpec(at, false, 1, List.of(), () -> {}));
            throwing.set(true);
            assertThrows(OffloadUnavailable.class, () -> connect(connecting, at));
            OffloadStream client = connect(connecting, at);
            await().until(listener::pending);
            client.close(true);
            listener.poll().close(true);
            listener.close();
        }
    }

    private static OffloadStream connect(OffloadProvider provider, InetSocketAddress at)
            throws IOException, OffloadUnavailable {
        try (Socket kernel = new Socket()) {
            kernel.bind(new InetSocketAddress(at.getAddress(), 0));
            InetSocketAddress own = (InetSocketAddress) kernel.getLocalSocketAddress();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(StreamPair.LIMIT_SECONDS);
            return provider.connect(
                    new ConnectSpec(at, _ -> own, List.of(), deadline, false, () -> false));
        }
    }
}
