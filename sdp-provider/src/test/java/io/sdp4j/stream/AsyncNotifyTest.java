package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.aio.Aio;
import io.sdp4j.offload.contract.aio.Observed;
import io.sdp4j.offload.contract.aio.Outcome;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a handler is called by the thread of its group that the peer has woken, and a future is
 * completed without the group. Method: the thread that must not be needed is kept busy.
 */
@Timeout(60)
class AsyncNotifyTest {
    private TestFabric fabric;
    private AsynchronousChannelGroup group;
    private Aio aio;
    private Pair<AsynchronousServerSocketChannel, AsynchronousSocketChannel> pair;
    private final CountDownLatch release = new CountDownLatch(1);

    @BeforeEach
    void open() throws Exception {
        fabric = new TestFabric();
        aio = over(fabric.provider());
        group = aio.group(1, "the group's");
        pair = aio.pair(group);
    }

    private static Aio over(OffloadProvider offload) {
        AsynchronousChannelProvider provider =
                new SwitchAsynchronousChannelProvider(TestChannels.owner(offload));
        return new Aio() {
            @Override
            public AsynchronousChannelProvider provider() {
                return provider;
            }

            @Override
            public boolean offloads() {
                return true;
            }
        };
    }

    @AfterEach
    void close() throws IOException, InterruptedException {
        release.countDown();
        pair.close();
        group.shutdownNow();
        assertTrue(group.awaitTermination(20, TimeUnit.SECONDS));
        fabric.close();
    }

    private void blockEventThread() throws InterruptedException {
        CountDownLatch busy = new CountDownLatch(1);
        fabric.loop().execute(() -> block(busy));
        busy.await();
    }

    private void block(CountDownLatch begun) {
        begun.countDown();
        try {
            assertTrue(release.await(50, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Outcome<Integer> read(AsynchronousSocketChannel channel) {
        Outcome<Integer> outcome = new Outcome<>();
        channel.read(ByteBuffer.allocate(16), null, outcome);
        return outcome;
    }

    @Test
    void handlersNeedNoEventThread() throws Exception {
        blockEventThread();
        for (int i = 0; i < 100; i++) {
            Outcome<Integer> read = read(pair.client());
            assertFalse(read.done());
            assertEquals(5, pair.server().write(Aio.bytes("hello")).get());
            assertEquals(5, read.get());
            assertEquals("the group's", read.thread().getName());
        }
        Outcome<Integer> write = Aio.fill(pair.client());
        Outcome<Integer> read = read(pair.client());
        assertEquals(1, pair.server().write(Aio.bytes("x")).get());
        assertEquals(1, read.get());
        assertFalse(write.done());
        Aio.drainUntil(pair.server(), write);
        assertTrue(write.get() > 0);
    }

    /** Goal: so it is for a channel that waits for the first time when its group was shut down. */
    @Test
    void handlersNeedNoEventThreadAfterShutdown() throws Exception {
        group.shutdown();
        blockEventThread();
        Outcome<Integer> read = read(pair.client());
        assertFalse(read.done());
        assertEquals(5, pair.server().write(Aio.bytes("hello")).get());
        assertEquals(5, read.get());
        assertEquals("the group's", read.thread().getName());
    }

    @Test
    void futuresNeedNoThreadOfTheGroup() throws Exception {
        Future<Integer> read = pair.client().read(ByteBuffer.allocate(16));
        CountDownLatch busy = new CountDownLatch(1);
        pair.server()
                .write(
                        ByteBuffer.allocate(0),
                        null,
                        new java.nio.channels.CompletionHandler<Integer, Void>() {
                            @Override
                            public void completed(Integer n, Void none) {
                                block(busy);
                            }

                            @Override
                            public void failed(Throwable failure, Void none) {}
                        });
        busy.await();
        assertFalse(read.isDone());
        assertEquals(5, pair.server().write(Aio.bytes("hello")).get());
        assertEquals(5, Aio.get(read));
    }

    /**
     * Goal: a future that waits beside a handler, before and after it, and neither is forgotten.
     */
    @Test
    void futuresAndHandlersWaitTogether() throws Exception {
        for (int i = 0; i < 4; i++) {
            try (var p = aio.pair(group)) {
                Outcome<Integer> full = Aio.fill(p.server());
                Future<Integer> asked = p.server().read(ByteBuffer.allocate(16));
                assertEquals(1, Aio.get(p.client().write(Aio.bytes("a"))));
                assertEquals(1, Aio.get(asked));
                assertFalse(full.done());
                Outcome<Integer> told = read(p.server());
                assertEquals(1, Aio.get(p.client().write(Aio.bytes("b"))));
                assertEquals(1, told.get());
                assertFalse(full.done());
                if (i % 2 == 0) {
                    asked = p.server().read(ByteBuffer.allocate(16));
                }
                Aio.drainUntil(p.client(), full);
                assertTrue(full.get() > 0);
                assertEquals(1, Aio.get(p.client().write(Aio.bytes("c"))));
                assertEquals(
                        1, Aio.get(i % 2 == 0 ? asked : p.server().read(ByteBuffer.allocate(9))));
            }
        }
    }

    /** Goal: a future that could go on at once has later handlers need no event thread. */
    @Test
    void readyFutureLeavesHandlersToTheGroup() throws Exception {
        AtomicReference<AsynchronousSocketChannel> sender = new AtomicReference<>();
        Aio observed =
                over(
                        new Observed(
                                fabric.provider(),
                                (stream, call, _) -> {
                                    if (call.equals("arm") && sender.get() != null) {
                                        makeReady(stream, sender.getAndSet(null));
                                    }
                                }));
        try (var p = observed.pair(group)) {
            sender.set(p.server());
            assertEquals(1, Aio.get(p.client().read(ByteBuffer.allocate(1))));
            blockEventThread();
            Outcome<Integer> write = Aio.fill(p.client());
            Aio.drainUntil(p.server(), write);
            assertTrue(write.get() > 0);
        }
    }

    private static void makeReady(OffloadStream stream, AsynchronousSocketChannel from) {
        try {
            Aio.send(from, "x");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        assertTrue((stream.ready() & OffloadStream.READ) != 0);
    }

    /**
     * Goal: the application's executor is never called on the event thread, which all connections
     * share. Method: beside a future a handler waits for that thread.
     */
    @Test
    void eventThreadCallsNoExecutor() throws Exception {
        AtomicBoolean called = new AtomicBoolean();
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        0, 8, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), Aio.named("theirs")) {
                    @Override
                    public void execute(Runnable task) {
                        called.compareAndSet(false, fabric.loop().inLoop());
                        super.execute(task);
                    }
                };
        AsynchronousChannelGroup theirs = aio.provider().openAsynchronousChannelGroup(executor, 0);
        try (AsynchronousServerSocketChannel listener = aio.listen(theirs);
                AsynchronousSocketChannel client = aio.channel(group)) {
            Outcome<AsynchronousSocketChannel> accept = new Outcome<>();
            listener.accept(null, accept);
            Aio.get(client.connect(listener.getLocalAddress()));
            try (AsynchronousSocketChannel server = accept.get()) {
                Outcome<Integer> write = Aio.fill(server);
                Future<Integer> read = server.read(ByteBuffer.allocate(1));
                Aio.drainUntil(client, write);
                assertTrue(write.get() > 0);
                assertFalse(read.isDone());
            }
        }
        assertFalse(called.get());
        theirs.shutdown();
        assertTrue(theirs.awaitTermination(20, TimeUnit.SECONDS));
    }

    /** Goal: a channel closed with an operation that waits for a notification leaves the group. */
    @Test
    void closedWhileTheGroupWatches() throws Exception {
        Outcome<Integer> read = read(pair.client());
        pair.client().shutdownOutput();
        assertFalse(read.done());
        assertEquals(1, pair.server().write(Aio.bytes("x")).get());
        assertEquals(1, read.get());
        Outcome<Integer> last = read(pair.client());
        group.shutdown();
        assertFalse(group.isTerminated());
        pair.client().close();
        last.failedWith(java.nio.channels.AsynchronousCloseException.class, null);
        pair.server().close();
        pair.listener().close();
        assertTrue(group.awaitTermination(20, TimeUnit.SECONDS));
    }
}
