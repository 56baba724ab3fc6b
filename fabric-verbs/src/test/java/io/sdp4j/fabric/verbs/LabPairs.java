package io.sdp4j.fabric.verbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.contract.FabricEnds.QpPair;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.testing.RdmaResources;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A fabric on the lab's device that connects to itself, and that nothing of it stays behind. */
final class LabPairs {
    static final EventLoop LOOP = EventLoop.start("test-verbs", Lab.THROWN::add);
    private static final long LONG_SECONDS = 20;

    final VerbsFabric fabric;

    /** The kernel's counts before the fabric was opened. */
    final Map<String, Long> before = RdmaResources.now();

    private final ServerSocket kernel;
    private final FabricListener listener;
    private final QpSpec spec;

    /** Result of the request that is under way. */
    private volatile CompletableFuture<QueuePair> accepted;

    LabPairs(QpSpec spec) throws IOException {
        this(spec, VerbsConfig.defaults());
    }

    LabPairs(QpSpec spec, VerbsConfig config) throws IOException {
        this.spec = spec;
        fabric = VerbsFabric.open(config, LOOP);
        assertTrue(fabric.awaitReady(TimeUnit.SECONDS.toNanos(LONG_SECONDS)));
        kernel = new ServerSocket(0, 50, Lab.address());
        listener = fabric.listen(new ListenRequest(address(), false, this::onRequest));
    }

    private InetSocketAddress address() {
        return (InetSocketAddress) kernel.getLocalSocketAddress();
    }

    private void onRequest(ConnectionRequest r) {
        CompletableFuture<QueuePair> into = accepted;
        r.accept(
                spec,
                new byte[0],
                new ConnectionRequest.Outcome() {
                    @Override
                    public void onEstablished(QueuePair qp) {
                        into.complete(qp);
                    }

                    @Override
                    public void onFailed(FabricException why) {
                        into.completeExceptionally(why);
                    }
                });
    }

    /** A connection, or why there is none on the side that was short of something. */
    QpPair connect() throws FabricException, InterruptedException, TimeoutException {
        accepted = new CompletableFuture<>();
        QueuePair a;
        try {
            a = connect(address(), TimeUnit.SECONDS.toNanos(LONG_SECONDS));
        } catch (FabricException e) {
            var _ = accepted.thenAccept(QueuePair::close); // the other side knows nothing of it
            throw accepted.isCompletedExceptionally()
                    ? (FabricException) accepted.exceptionNow()
                    : e;
        }
        try {
            return new QpPair(a, accepted.get(LONG_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            a.close();
            throw (FabricException) e.getCause();
        }
    }

    /** The active end of a connection, if it is there in time. */
    QueuePair connect(InetSocketAddress to, long nanos) throws FabricException {
        long now = System.nanoTime();
        return fabric.connect(
                        new ConnectRequest(
                                to,
                                _ -> new InetSocketAddress(to.getAddress(), 9),
                                new byte[0],
                                spec,
                                now,
                                now + nanos,
                                now + nanos,
                                () -> false,
                                _ -> {},
                                -1))
                .queuePair();
    }

    /** Whether the event thread does something else within this time. */
    static boolean loopIsFree(int seconds) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        LOOP.execute(done::countDown);
        return done.await(seconds, TimeUnit.SECONDS);
    }

    /** Connects as soon as that is possible. */
    QpPair connectSoon() {
        QpPair[] pair = new QpPair[1];
        await().atMost(Duration.ofSeconds(LONG_SECONDS))
                .ignoreExceptionsInstanceOf(FabricException.class)
                .until(
                        () -> {
                            pair[0] = connect();
                            return true;
                        });
        return pair[0];
    }

    /** The next completion that is not the end of a send, waited for. */
    static Completion next(QueuePair qp) {
        Completion c = new Completion();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG_SECONDS);
        while (!qp.completions().poll(c) || c.opcode == Completion.SEND) {
            assertTrue(System.nanoTime() < end, "no completion");
            qp.completions().await(end - System.nanoTime());
        }
        return c;
    }

    /** One message from one end to the other. */
    static void say(QueuePair from, QueuePair to, byte[] words) {
        int slot = from.takeSendSlot();
        assertTrue(slot >= 0, "no send slot");
        MemorySegment.copy(
                words,
                0,
                from.sendMemory(),
                ValueLayout.JAVA_BYTE,
                from.sendOffset(slot),
                words.length);
        from.postSend(slot, words.length, 0);
        Completion c = next(to);
        assertEquals(Completion.RECEIVE, c.opcode, () -> "status " + c.status);
        byte[] heard =
                to.receiveMemory()
                        .asSlice(to.receiveOffset(c.slot), c.byteLen)
                        .toArray(ValueLayout.JAVA_BYTE);
        assertArrayEquals(words, heard);
        to.postReceive(c.slot);
    }

    /** Waits until the fabric has given everything back. */
    void close() throws IOException {
        closeHere();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertEquals(before, RdmaResources.now(), "left behind"));
    }

    /** The same without counting what the kernel has. */
    void closeHere() throws IOException {
        listener.close();
        fabric.close();
        kernel.close();
        await().atMost(Duration.ofSeconds(30)).until(fabric::isShut);
        assertEquals(List.of(), List.copyOf(Lab.THROWN));
    }
}
