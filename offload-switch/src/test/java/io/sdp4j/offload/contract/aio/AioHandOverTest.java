package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.aio.SwitchAsynchronousSocketChannel;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.contract.Here;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Policy;
import io.sdp4j.testing.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.InterruptedByTimeoutException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a handler is called although its channel, the last one of a group that was shut down, is
 * closed in the moment when another thread ends the operation.
 */
class AioHandOverTest {
    /** Done once, by the thread that gets there first; null = nothing. */
    private final AtomicReference<Runnable> inTheMoment = new AtomicReference<>();

    /** A task of the group is over. */
    private final CountDownLatch firstTask = new CountDownLatch(1);

    /** Threads of a group; a task that is handed to them is such a moment. */
    private final class Threads extends ThreadPoolExecutor {
        Threads() {
            super(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>());
            setThreadFactory(Aio.named("ending"));
        }

        @Override
        public void execute(Runnable task) {
            moment();
            super.execute(task);
        }

        @Override
        protected void afterExecute(Runnable task, Throwable failure) {
            firstTask.countDown();
        }
    }

    private SwitchAsynchronousChannelProvider channels;
    private AsynchronousServerSocketChannel listener;
    private AsynchronousChannelGroup group;
    private AsynchronousSocketChannel client;

    private void moment() {
        Runnable then = inTheMoment.getAndSet(null);
        if (then != null) {
            then.run();
        }
    }

    private void closeClient() {
        try {
            client.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A client that is the only member of its group, and a listener elsewhere. */
    private void open(OffloadProvider provider) throws IOException {
        OffloadSwitch owner =
                new OffloadSwitch(Policy::allowAll, List.of(provider), Patience.SETTINGS);
        channels = new SwitchAsynchronousChannelProvider(owner);
        listener =
                channels.openAsynchronousServerSocketChannel(null)
                        .bind(new InetSocketAddress(Here.ADDRESS, 0));
        group = channels.openAsynchronousChannelGroup(new Threads(), 0);
        client = channels.openAsynchronousSocketChannel(group);
    }

    /** Connects; gives the other end. */
    private AsynchronousSocketChannel connected(OffloadProvider provider) throws Exception {
        open(provider);
        Aio.get(client.connect(listener.getLocalAddress()));
        group.shutdown();
        return Aio.get(listener.accept());
    }

    private void groupEnds() throws InterruptedException {
        assertTrue(group.awaitTermination(Aio.PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        listener.close();
        group.shutdownNow();
    }

    @Test
    void connectFails() throws Exception {
        AioRulesTest.Slow slow = new AioRulesTest.Slow(new FailingProvider());
        open(slow);
        Outcome<Void> connect = new Outcome<>();
        client.connect(new InetSocketAddress(Here.ADDRESS, FreePorts.one()), null, connect);
        assertTrue(slow.asked.await(Aio.PATIENCE_SECONDS, TimeUnit.SECONDS));
        group.shutdown();
        slow.go.countDown();
        connect.failedWith(ConnectException.class, "Connection refused");
        groupEnds();
    }

    /** Goal: a channel that was there before the group was shut down works on. */
    @Test
    void connectFailsAfterShutdown() throws Exception {
        open(new FailingProvider());
        group.shutdown();
        Outcome<Void> connect = new Outcome<>();
        client.connect(new InetSocketAddress(Here.ADDRESS, FreePorts.one()), null, connect);
        connect.failedWith(ConnectException.class, "Connection refused");
        groupEnds();
    }

    /** Goal: likewise by TCP, after an attempt that has taken a port. */
    @Test
    void connectFallsBackAfterShutdown() throws Exception {
        open(new FailingProvider());
        group.shutdown();
        Aio.get(client.connect(listener.getLocalAddress()));
        try (AsynchronousSocketChannel server = Aio.get(listener.accept())) {
            assertEquals(server.getRemoteAddress(), client.getLocalAddress());
            Aio.send(server, "x");
            assertEquals("x", Aio.receive(client, 1));
            client.close();
            groupEnds();
        }
    }

    @Test
    void readFailsAfterAConnectAfterShutdown() throws Exception {
        open(new LoopbackProvider());
        group.shutdown();
        Aio.get(client.connect(listener.getLocalAddress()));
        try (AsynchronousSocketChannel server = Aio.get(listener.accept())) {
            assertTrue(server.isOpen());
            Outcome<Integer> read = new Outcome<>();
            client.read(ByteBuffer.allocate(1), null, read);
            client.close();
            read.failedWith(AsynchronousCloseException.class, null);
            groupEnds();
        }
    }

    @Test
    void closedWhileAConnectSucceeds() throws Exception {
        for (OffloadProvider inner : List.of(new LoopbackProvider(), new FailingProvider())) {
            AioRulesTest.Slow slow = new AioRulesTest.Slow(inner);
            open(slow);
            Outcome<Void> connect = new Outcome<>();
            client.connect(listener.getLocalAddress(), null, connect);
            assertTrue(slow.asked.await(Aio.PATIENCE_SECONDS, TimeUnit.SECONDS));
            group.shutdown();
            inTheMoment.set(this::closeClient);
            slow.go.countDown();
            connect.get();
            groupEnds();
            close();
        }
    }

    @Test
    void closedWhileAReadBecomesReady() throws Exception {
        try (AsynchronousSocketChannel server = connected(new LoopbackProvider())) {
            Outcome<Integer> read = new Outcome<>();
            client.read(ByteBuffer.allocate(1), null, read);
            inTheMoment.set(this::closeClient);
            Aio.send(server, "x");
            read.failedWith(AsynchronousCloseException.class, null);
            groupEnds();
        }
    }

    @Test
    void closedWhileAReadTimesOut() throws Exception {
        try (AsynchronousSocketChannel server = connected(new LoopbackProvider())) {
            assertTrue(server.isOpen());
            Outcome<Integer> read = new Outcome<>();
            inTheMoment.set(this::closeClient);
            client.read(ByteBuffer.allocate(1), 1, TimeUnit.MILLISECONDS, null, read);
            read.failedWith(InterruptedByTimeoutException.class, null);
            groupEnds();
        }
    }

    /** Goal: a handler that is told of the close finds the listener closed and its address free. */
    @Test
    void listenerIsClosedBeforeItsAcceptFails() throws Exception {
        open(new LoopbackProvider());
        AtomicBoolean open = new AtomicBoolean(true);
        AtomicBoolean free = new AtomicBoolean();
        Outcome<AsynchronousSocketChannel> accept = new Outcome<>();
        try (AsynchronousServerSocketChannel closing =
                channels.openAsynchronousServerSocketChannel(group)
                        .bind(new InetSocketAddress(Here.ADDRESS, 0))) {
            SocketAddress at = closing.getLocalAddress();
            closing.accept(null, accept);
            inTheMoment.set(
                    () -> {
                        open.set(closing.isOpen());
                        free.set(isFree(at));
                    });
        }
        accept.failedWith(AsynchronousCloseException.class, null);
        assertFalse(open.get());
        assertTrue(free.get());
    }

    @Test
    void channelIsClosedBeforeItsConnectFails() throws Exception {
        AioRulesTest.Slow slow = new AioRulesTest.Slow(new FailingProvider());
        open(slow);
        client.bind(new InetSocketAddress(Here.ADDRESS, 0));
        SocketAddress at = client.getLocalAddress();
        AtomicBoolean free = new AtomicBoolean();
        Outcome<Void> connect = new Outcome<>();
        client.connect(listener.getLocalAddress(), null, connect);
        assertTrue(slow.asked.await(Aio.PATIENCE_SECONDS, TimeUnit.SECONDS));
        inTheMoment.set(() -> free.set(isFree(at)));
        client.close();
        connect.failedWith(AsynchronousCloseException.class, null);
        slow.go.countDown();
        assertTrue(free.get());
    }

    private static boolean isFree(SocketAddress at) {
        try (ServerSocket again = new ServerSocket()) {
            again.bind(at);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Goal: the thread that is the last at the stream ends what waits, not the closer. */
    @Test
    void closedWhileAnotherThreadIsAtTheStream() throws Exception {
        OffloadProvider observed =
                new Observed(
                        new LoopbackProvider(),
                        (_, call, _) -> {
                            if (call.equals("info")) {
                                moment();
                            }
                        });
        try (AsynchronousSocketChannel server = connected(observed)) {
            assertTrue(server.isOpen());
            Outcome<Integer> read = new Outcome<>();
            client.read(ByteBuffer.allocate(1), null, read);
            inTheMoment.set(this::closeClient);
            assertTrue(SwitchAsynchronousSocketChannel.explain(client).isPresent());
            assertEquals(null, inTheMoment.get());
            read.failedWith(AsynchronousCloseException.class, null);
            groupEnds();
        }
    }

    /** Goal: an operation fails after its stream, which may use its buffer, was closed. */
    @Test
    void streamIsClosedFirst() throws Exception {
        Outcome<Integer> read = new Outcome<>();
        AtomicBoolean toldBefore = new AtomicBoolean(true);
        OffloadProvider observed =
                new Observed(
                        new LoopbackProvider(),
                        (_, call, _) -> {
                            if (call.equals("info") && !client.isOpen()) {
                                awaitFirstTask();
                            } else if (call.equals("close")) {
                                toldBefore.set(read.done());
                            }
                        });
        try (AsynchronousSocketChannel server = connected(observed)) {
            client.read(ByteBuffer.allocate(1), null, read);
            inTheMoment.set(this::closeClient);
            Aio.send(server, "x");
            read.failedWith(AsynchronousCloseException.class, null);
            assertFalse(toldBefore.get());
            groupEnds();
        }
    }

    private void awaitFirstTask() {
        try {
            assertTrue(firstTask.await(Aio.PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
