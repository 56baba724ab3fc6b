package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.testing.HeldAddress;
import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: connections that have moved much and gone quiet cost no more than connections that never
 * moved anything, and go on as if nothing had happened. Method: many of them in one JVM, both ends
 * here; the pages of their shared memory are counted once, as the kernel shows them. How many and
 * how much: {@code sdp4j.test.connections}, {@code sdp4j.test.moved.mib}; what takes longer than
 * the time-out needs {@code junit.jupiter.execution.timeout.mode=disabled}, too.
 */
@Timeout(900)
final class IdleMemoryTest {
    private static final boolean DEEP =
            System.getProperty("sdp4j.test.profile", "verify").equals("deep");
    private static final int CONNECTIONS = Integer.getInteger("sdp4j.test.connections", 1000);

    /** Through each, half of it either way; 1024 is the whole of what is promised. */
    private static final long MOVED_BYTES =
            Long.getLong("sdp4j.test.moved.mib", DEEP ? 64 : 4) << 20;

    private static final int PART_BYTES = 512 << 10;

    /** Both ends together; the bound of connections that have never moved anything. */
    private static final long IDLE_BYTES = 64 << 10;

    private record Ends(OffloadStream client, OffloadStream server) {}

    @Test
    void whatWasTakenUnderLoadIsGivenBack() throws Exception {
        byte[] part = new byte[PART_BYTES];
        new Random(1).nextBytes(part);
        try (TestFabric fabric = new TestFabric();
                ServerSocket kernel = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            List<Ends> all = connect(fabric.provider(), kernel);
            long before = usedHeap();
            long loaded = 0; // by the first alone: it is quiet before the last has begun
            for (Ends e : all) {
                for (long moved = 0; moved < MOVED_BYTES; moved += 2 * PART_BYTES) {
                    pass(e.client, e.server, part);
                    pass(e.server, e.client, part);
                }
                loaded = loaded == 0 ? residentBytes() : loaded;
            }
            assertTrue(loaded > 4 * IDLE_BYTES, "the load took nothing: " + loaded);
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(200))
                    .untilAsserted(
                            () -> {
                                long each = residentBytes() / CONNECTIONS;
                                assertTrue(each < IDLE_BYTES / 2, "bytes each: " + each);
                            });
            long heap = Math.max(0, usedHeap() - before);
            long each = (residentBytes() + heap) / CONNECTIONS;
            assertTrue(each < IDLE_BYTES, "bytes each: " + each);
            for (Ends e : all) {
                pass(e.client, e.server, part);
                e.client.close(false);
                e.server.close(false);
            }
        }
    }

    private static List<Ends> connect(OffloadProvider provider, ServerSocket kernel)
            throws Exception {
        InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
        List<Ends> all = new ArrayList<>();
        OffloadListener listener =
                provider.listen(new ListenSpec(at, false, 50, List.of(), () -> {}));
        for (int i = 0; i < CONNECTIONS; i++) {
            OffloadStream client =
                    provider.connect(
                            new ConnectSpec(
                                    at,
                                    _ -> HeldAddress.on(at.getAddress()),
                                    List.of(),
                                    System.nanoTime() + TimeUnit.SECONDS.toNanos(10),
                                    false,
                                    () -> false));
            await().atMost(Duration.ofSeconds(10))
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(listener::pending);
            all.add(new Ends(client, listener.poll()));
        }
        listener.close();
        return all;
    }

    /** One thread is both: as much as fits the buffers is written, then read. */
    private static void pass(OffloadStream from, OffloadStream to, byte[] bytes)
            throws IOException {
        byte[] came = new byte[bytes.length];
        int sent = 0;
        int received = 0;
        while (received < bytes.length) {
            sent += from.tryWrite(bytes, sent, bytes.length - sent);
            received += to.tryRead(came, received, bytes.length - received);
        }
        assertTrue(Arrays.equals(bytes, came));
        if (to.tryRead(came, 0, 1) != 0) {
            throw new AssertionError("more than was sent");
        }
    }

    private static long usedHeap() {
        System.gc();
        Runtime r = Runtime.getRuntime();
        return r.totalMemory() - r.freeMemory();
    }

    /** Pages of the connections' memory, counted once although both ends are mapped here. */
    static long residentBytes() throws IOException {
        return Proc.residentBytes(Proc.SELF, "memfd:sdp4j");
    }
}
