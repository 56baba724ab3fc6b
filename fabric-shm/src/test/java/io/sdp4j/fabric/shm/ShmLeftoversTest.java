package io.sdp4j.fabric.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Resources that connections hold, and leave behind however they end. */
@SuppressWarnings("try") // closing early is the point
final class ShmLeftoversTest extends ShmDirectory {
    private record Holdings(int descriptors, int mappings, int threads) {
        static Holdings now() throws IOException {
            return new Holdings(
                    Proc.descriptors().size(),
                    Proc.mappings("memfd:sdp4j").size(),
                    (int)
                            Thread.getAllStackTraces().keySet().stream()
                                    .filter(t -> !t.getName().startsWith("awaitility"))
                                    .count());
        }

        boolean noMoreThan(Holdings before) {
            return descriptors <= before.descriptors
                    && mappings <= before.mappings
                    && threads <= before.threads;
        }
    }

    @Test
    void aThousandConnectionsLeaveNothingHoweverTheyEnd() throws Exception {
        try (ServerSocket kernel = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ShmFabric a = Ends.fabric(dir);
                ShmFabric b = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            List<QueuePair> accepted = java.util.Collections.synchronizedList(new ArrayList<>());
            int[] count = {0};
            FabricListener l =
                    b.listen(
                            new ListenRequest(
                                    at,
                                    false,
                                    r -> {
                                        if (count[0]++ % 8 == 7) {
                                            r.reject(new byte[0]);
                                        } else {
                                            r.accept(SPEC, new byte[0], Taker.into(accepted));
                                        }
                                    }));
            for (int i = 0; i < 20; i++) {
                endSomehow(a, at, accepted, i);
            }
            Holdings before = Holdings.now();
            for (int i = 0; i < 1000; i++) {
                endSomehow(a, at, accepted, i);
            }
            await().atMost(20, TimeUnit.SECONDS)
                    .untilAsserted(
                            () -> {
                                Holdings now = Holdings.now();
                                assertTrue(
                                        now.noMoreThan(before),
                                        () -> "before " + before + ", now " + now);
                            });
            l.close();
            assertEquals(List.of(), names());
            assertEquals(0, a.reservedBytes());
            assertEquals(0, b.reservedBytes());
        }
    }

    private void endSomehow(ShmFabric a, InetSocketAddress at, List<QueuePair> accepted, int how)
            throws Exception {
        if (how % 8 == 6) {
            // a client that says nothing, and one that says half of it
            PeerSocket link = a.sockets.connect(onlyName(), () -> {});
            if (how % 16 == 6) {
                link.send(new byte[100], 100, -1);
            }
            link.close();
            return;
        }
        QueuePair mine;
        try {
            mine = a.connect(request(at)).queuePair();
        } catch (FabricException e) {
            assertEquals(FabricException.Cause.REFUSED, e.why());
            return;
        }
        await().pollDelay(0, TimeUnit.MILLISECONDS)
                .pollInterval(1, TimeUnit.MILLISECONDS)
                .until(() -> !accepted.isEmpty());
        QueuePair its = accepted.removeFirst();
        int slot = mine.takeSendSlot();
        mine.postSend(slot, 10, 0);
        switch (how % 8) {
            case 0 -> mine.close();
            case 1 -> its.close();
            case 2 -> mine.abort();
            case 3 -> its.disconnect();
            case 4 -> {
                assertEquals(Completion.RECEIVE, next(its).opcode);
                its.abort();
                next(mine);
            }
            default -> its.completions().arm();
        }
        if (how % 8 != 0) {
            mine.close();
        }
        if (how % 8 != 1) {
            its.close();
        }
    }

    private Path onlyName() throws IOException {
        return Ends.meeting(dir).resolve(names().getFirst());
    }

    @Test
    void anIdleConnectionCostsLittle() throws Exception {
        int n = 200;
        QpSpec big = new QpSpec(64, 16 << 10, 64);
        try (ServerSocket kernel = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            List<QueuePair> all = java.util.Collections.synchronizedList(new ArrayList<>());
            FabricListener l =
                    fabric.listen(
                            new ListenRequest(
                                    at, false, r -> r.accept(big, new byte[0], Taker.into(all))));
            long heapBefore = usedHeap();
            List<QueuePair> mine = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                QueuePair qp = Ends.connect(fabric, at, big);
                mine.add(qp);
                int have = i + 1;
                await().until(() -> all.size() == have);
                QueuePair its = all.get(i);
                for (int trip = 0; trip < 20; trip++) {
                    pass(qp, its);
                    pass(its, qp);
                }
            }
            long shared = Proc.residentBytes(Proc.SELF, "memfd:sdp4j");
            long heap = usedHeap() - heapBefore;
            long each = (shared + Math.max(heap, 0)) / n;
            String told = "each: " + shared / n + " bytes shared, " + heap / n + " bytes heap";
            assertTrue(each < 56 << 10, told);
            mine.forEach(QueuePair::close);
            all.forEach(QueuePair::close);
            l.close();
        }
    }

    private static void pass(QueuePair from, QueuePair to) {
        int slot = from.takeSendSlot();
        from.sendMemory().asSlice(from.sendOffset(slot), 64).fill((byte) 1);
        from.postSend(slot, 64, 0);
        Completion c = next(to);
        to.postReceive(c.slot);
    }

    private static long usedHeap() {
        System.gc();
        Runtime r = Runtime.getRuntime();
        return r.totalMemory() - r.freeMemory();
    }
}
