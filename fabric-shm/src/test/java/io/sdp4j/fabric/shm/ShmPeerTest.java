package io.sdp4j.fabric.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.EpollLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a peer that fails, or whose process ends, is seen, and what becomes of its names. */
@SuppressWarnings("try") // closing early is the point
final class ShmPeerTest extends ShmDirectory {
    /**
     * Goal: a client that has mapped the memory in time is taken, though the event thread was
     * stopped meanwhile. Method: the timer runs first then, as here by hand.
     */
    @Test
    void aThreadThatWasStoppedLooksBeforeItsTimeIsOver() throws Exception {
        CountDownLatch mapped = new CountDownLatch(1);
        BlockingQueue<QueuePair> accepted = new ArrayBlockingQueue<>(1);
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        EpollLoop loop = new EpollLoop("test-stopped", failures::add);
        Taker taker = new Taker(accepted::add, failures::add);
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric server = ShmFabric.open(Ends.config(dir), loop);
                ShmFabric client = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            server.listen(
                    new ListenRequest(
                            at,
                            false,
                            r -> {
                                r.accept(SPEC, new byte[0], taker);
                                assertDoesNotThrow(() -> mapped.await());
                                ((ShmPassiveSide) r).onSilence();
                            }));
            QueuePair qp = Ends.connect(client, at, SPEC);
            mapped.countDown();
            await().until(() -> !accepted.isEmpty() || !failures.isEmpty());
            assertTrue(failures.isEmpty(), failures::toString);
            accepted.take().close();
            qp.close();
        } finally {
            mapped.countDown();
            loop.end();
        }
    }

    /** Goal: an end by our error is told apart from the end of our process. */
    @Test
    void aFailedQueuePairIsNoDeadPeer() throws Exception {
        try (ShmFabric active = Ends.fabric(dir);
                ShmFabric passive = Ends.fabric(dir);
                ServerSocket kernel = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            AtomicReference<QueuePair> accepted = new AtomicReference<>();
            var to = (InetSocketAddress) kernel.getLocalSocketAddress();
            try (FabricListener l =
                    passive.listen(
                            new ListenRequest(
                                    to,
                                    false,
                                    r ->
                                            r.accept(
                                                    SPEC,
                                                    new byte[0],
                                                    new Taker(accepted::set, Ends.THROWN::add))))) {
                QueuePair a = active.connect(request(to)).queuePair();
                await().until(() -> accepted.get() != null);
                QueuePair b = accepted.get();
                b.postSend(b.takeSendSlot(), 7, 0);
                b.postSend(b.takeSendSlot(), b.sendBytes() + 1, 0); // an error of b's user
                assertEquals(WcStatus.LOC_LEN_ERR, next(b).status);
                assertEquals(7, next(a).byteLen);
                Completion end = next(a);
                assertEquals(Completion.DISCONNECTED, end.opcode);
                assertEquals(WcStatus.REM_OP_ERR, end.status);
                a.close();
                b.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKilledPeerIsSeenAndLeavesNothing(boolean busy) throws Exception {
        Process peer = Peer.start(dir);
        try (ShmFabric fabric = Ends.fabric(dir)) {
            InetSocketAddress to =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Peer.port(peer));
            QueuePair qp = fabric.connect(request(to)).queuePair();
            AtomicLong seen = new AtomicLong();
            AtomicLong trips = new AtomicLong();
            Completion last = new Completion();
            Thread t =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        CompletionQueue cq = qp.completions();
                                        for (; ; ) {
                                            if (busy || trips.get() < 10) {
                                                int slot = qp.takeSendSlot();
                                                if (slot >= 0) {
                                                    qp.postSend(slot, 5, 0);
                                                }
                                            }
                                            while (!cq.poll(last)) {
                                                cq.await(Long.MAX_VALUE);
                                            }
                                            if (last.opcode != Completion.RECEIVE) {
                                                seen.set(System.nanoTime());
                                                return;
                                            }
                                            trips.incrementAndGet();
                                            qp.postReceive(last.slot);
                                        }
                                    });
            await().until(() -> trips.get() >= 10);
            long killed = System.nanoTime();
            peer.destroyForcibly();
            t.join(20_000);
            assertFalse(t.isAlive());
            assertTrue(
                    seen.get() - killed < TimeUnit.SECONDS.toNanos(1),
                    "seen after " + (seen.get() - killed) + " ns");
            assertEquals(Completion.DISCONNECTED, last.opcode);
            assertEquals(WcStatus.RETRY_EXC_ERR, last.status);
            // this process looks: no name is left, and no listener is found there
            await().atMost(20, TimeUnit.SECONDS).until(() -> names().isEmpty());
            FabricException e =
                    assertThrows(FabricException.class, () -> fabric.connect(request(to)));
            assertEquals(FabricException.Cause.NO_LISTENER, e.why());
            qp.close();
        } finally {
            peer.destroyForcibly();
            peer.waitFor();
        }
    }

    @Test
    void aNameWithoutProcessIsRemovedByAClient() throws Exception {
        Process peer = Peer.start(dir);
        InetSocketAddress to =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Peer.port(peer));
        peer.destroyForcibly().waitFor();
        assertEquals(1, names().size());
        try (ShmFabric fabric = Ends.fabric(dir)) {
            FabricException e =
                    assertThrows(FabricException.class, () -> fabric.connect(request(to)));
            assertEquals(FabricException.Cause.NO_LISTENER, e.why());
            assertEquals(List.of(), names());
        }
    }

    @Test
    void aProcessThatEndsInOrderTakesItsNamesAlong() throws Exception {
        Process peer = Peer.start(dir);
        Peer.port(peer);
        assertEquals(1, names().size());
        peer.destroy();
        peer.waitFor();
        assertEquals(List.of(), names());
    }
}
