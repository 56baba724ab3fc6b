package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.IllegalChannelGroupException;
import java.nio.channels.ShutdownChannelGroupException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Groups: behaviours 63, 64, 91 to 94 and 96. */
interface AsyncGroupContract extends Aio {
    String SHUT_DOWN = ShutdownChannelGroupException.class.getName();

    /** Behaviours 91 and 94: handlers run on threads of the group, whichever thread initiates. */
    @Test
    @DisplayName("63, 91, 94: handlers run on threads of the group")
    default void handlersRunOnGroupThreads() throws Exception {
        AsynchronousChannelGroup group = group(2, "members");
        try (var p = pair(group)) {
            Outcome<Integer> read = new Outcome<>();
            p.server().read(ByteBuffer.allocate(1), null, read);
            Outcome<Integer> write = new Outcome<>();
            p.client().write(ByteBuffer.allocate(1), null, write);
            write.get();
            read.get();
            Outcome<Integer> nothing = new Outcome<>();
            p.client().write(ByteBuffer.allocate(0), null, nothing);
            nothing.get();
            Outcome<Integer> late = new Outcome<>();
            p.client().read(ByteBuffer.allocate(1), 10, TimeUnit.MILLISECONDS, null, late);
            late.failure();
            Outcome<Integer> closed = new Outcome<>();
            p.server().read(ByteBuffer.allocate(1), null, closed);
            p.server().close();
            closed.failure();
            for (Outcome<?> outcome : List.of(write, read, nothing, late, closed)) {
                assertEquals("members", outcome.thread().getName());
            }
        }
        Outcome<AsynchronousSocketChannel> accept = new Outcome<>();
        Outcome<Void> connect = new Outcome<>();
        try (AsynchronousServerSocketChannel listener = listen(group);
                AsynchronousSocketChannel client = channel(group)) {
            listener.accept(null, accept);
            client.connect(listener.getLocalAddress(), null, connect);
            connect.get();
            accept.get().close();
            assertEquals("members", accept.thread().getName());
            assertEquals("members", connect.thread().getName());
        }
        group.shutdown();
        assertTrue(group.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    /**
     * Behaviour 94: on a group thread a handler is called at once, but never more than 16 deep in
     * another.
     */
    @Test
    @DisplayName("94: handlers nest only so deep")
    default void handlersNestOnlySoDeep() throws Exception {
        AsynchronousChannelGroup group = group(1, "one");
        try (var p = pair(group)) {
            Nesting nesting = new Nesting(p.client());
            p.client().write(ByteBuffer.allocate(1), 0, nesting);
            int deepest = nesting.deepest.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertTrue(deepest > 1, "never called directly");
            assertTrue(deepest <= 1 + 16, "nested " + deepest);
        }
        group.shutdownNow();
    }

    /** Starts a write from each handler, and looks how deep it stands in others. */
    final class Nesting implements CompletionHandler<Integer, Integer> {
        private final AsynchronousSocketChannel channel;
        private final CompletableFuture<Integer> deepest = new CompletableFuture<>();
        private int depth; // one thread
        private int max;

        Nesting(AsynchronousSocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void completed(Integer n, Integer round) {
            depth++;
            max = Math.max(max, depth);
            if (round < 200) {
                channel.write(ByteBuffer.allocate(1), round + 1, this);
            } else {
                deepest.complete(max);
            }
            depth--;
        }

        @Override
        public void failed(Throwable failure, Integer round) {
            deepest.completeExceptionally(failure);
        }
    }

    /** Behaviour 94: a handler's change of its interrupt flag is gone with it. */
    @Test
    default void interruptEndsWithItsHandler() throws Exception {
        AsynchronousChannelGroup group = group(1, "one");
        try (var p = pair(group)) {
            CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
            p.client()
                    .write(
                            ByteBuffer.allocate(1),
                            null,
                            new CompletionHandler<Integer, Object>() {
                                @Override
                                public void completed(Integer n, Object none) {
                                    Thread.currentThread().interrupt();
                                }

                                @Override
                                public void failed(Throwable failure, Object none) {}
                            });
            p.client()
                    .read(
                            ByteBuffer.allocate(1),
                            null,
                            new CompletionHandler<Integer, Object>() {
                                @Override
                                public void completed(Integer n, Object none) {
                                    interrupted.complete(Thread.currentThread().isInterrupted());
                                }

                                @Override
                                public void failed(Throwable failure, Object none) {
                                    interrupted.completeExceptionally(failure);
                                }
                            });
            Aio.send(p.server(), "x");
            assertFalse(interrupted.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
        group.shutdownNow();
    }

    /** Behaviour 92. */
    @Test
    @DisplayName("92: a foreign group is illegal")
    default void foreignGroupIsIllegal() throws Exception {
        AsynchronousChannelGroup foreign =
                new AsynchronousChannelGroup(provider()) {
                    @Override
                    public boolean isShutdown() {
                        return false;
                    }

                    @Override
                    public boolean isTerminated() {
                        return false;
                    }

                    @Override
                    public void shutdown() {}

                    @Override
                    public void shutdownNow() {}

                    @Override
                    public boolean awaitTermination(long timeout, TimeUnit unit) {
                        return false;
                    }
                };
        assertThrows(IllegalChannelGroupException.class, () -> channel(foreign));
        assertThrows(IllegalChannelGroupException.class, () -> listen(foreign));
    }

    /** Behaviour 93: no new channel, and the end comes with the last old one. */
    @Test
    @DisplayName("63, 93: shutdown waits for the last channel")
    default void shutdownWaitsForTheLastChannel() throws Exception {
        AsynchronousChannelGroup group = group(1, "one");
        assertSame(provider(), group.provider());
        Pair<AsynchronousServerSocketChannel, AsynchronousSocketChannel> p = pair(group);
        assertFalse(group.isShutdown());
        group.shutdown();
        group.shutdown();
        assertTrue(group.isShutdown());
        assertFalse(group.isTerminated());
        assertThrows(ShutdownChannelGroupException.class, () -> channel(group));
        assertThrows(
                ShutdownChannelGroupException.class,
                () -> provider().openAsynchronousServerSocketChannel(group));
        p.listener().close();
        p.client().close();
        assertFalse(group.awaitTermination(20, TimeUnit.MILLISECONDS));
        Outcome<Integer> end = new Outcome<>();
        p.server().read(ByteBuffer.allocate(1), null, end);
        assertEquals(-1, end.get(), "the last channel works to its end");
        p.server().close();
        assertTrue(group.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertTrue(group.isTerminated());
    }

    /** Behaviour 93: an accepted channel would be a new one. */
    @Test
    @DisplayName("63, 93: nothing is accepted after shutdown")
    default void nothingIsAcceptedAfterShutdown() throws Exception {
        AsynchronousChannelGroup group = group(1, "one");
        try (var p = pair(group)) {
            group.shutdown();
            InetSocketAddress at = (InetSocketAddress) p.listener().getLocalAddress();
            Outcome<AsynchronousSocketChannel> accept = new Outcome<>();
            p.listener().accept(null, accept);
            try (Socket tcp = new Socket(at.getAddress(), at.getPort())) {
                accept.failedWith(IOException.class, SHUT_DOWN);
                assertEquals(-1, tcp.getInputStream().read());
            }
        }
        assertTrue(group.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    /** Behaviour 93: nor by a future, nor by an accept that was under way. */
    @Test
    @DisplayName("63, 93: no future and no earlier accept takes a connection after shutdown")
    default void noAcceptIsLeftAfterShutdown() throws Exception {
        AsynchronousChannelGroup group = group(1, "one");
        try (AsynchronousSocketChannel unconnected = channel(group);
                AsynchronousServerSocketChannel asked = listen(group);
                AsynchronousServerSocketChannel told = listen(group)) {
            Future<AsynchronousSocketChannel> future = asked.accept();
            Outcome<AsynchronousSocketChannel> handler = new Outcome<>();
            told.accept(null, handler);
            group.shutdown();
            try (Socket tcp = tcpTo(asked);
                    Socket other = tcpTo(told)) {
                Aio.failed(IOException.class, SHUT_DOWN, future);
                handler.failedWith(IOException.class, SHUT_DOWN);
                assertEquals(-1, tcp.getInputStream().read());
                assertEquals(-1, other.getInputStream().read());
            }
            try (Socket tcp = tcpTo(asked)) {
                Aio.failed(IOException.class, SHUT_DOWN, asked.accept());
                assertEquals(-1, tcp.getInputStream().read());
            }
            assertTrue(unconnected.isOpen());
            assertFalse(group.isTerminated());
        }
        assertTrue(group.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    private static Socket tcpTo(AsynchronousServerSocketChannel listener) throws IOException {
        InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
        return new Socket(at.getAddress(), at.getPort());
    }

    /** Behaviour 93: everything is closed, whatever carries it. */
    @Test
    @DisplayName("63, 93: shutdownNow closes everything")
    default void shutdownNowClosesEverything() throws Exception {
        AsynchronousChannelGroup group = group(1, "one");
        try (AsynchronousServerSocketChannel outside = listen(null)) {
            AsynchronousSocketChannel client = channel(group);
            Aio.get(client.connect(outside.getLocalAddress()));
            AsynchronousSocketChannel peer = Aio.get(outside.accept());
            AsynchronousServerSocketChannel listener = listen(group);
            AsynchronousSocketChannel fresh = channel(group);
            Future<Integer> read = client.read(ByteBuffer.allocate(1));
            Future<?> accept = listener.accept();
            group.shutdownNow();
            group.shutdownNow();
            Aio.failed(AsynchronousCloseException.class, null, read);
            Aio.failed(AsynchronousCloseException.class, null, accept);
            assertFalse(client.isOpen() || listener.isOpen() || fresh.isOpen());
            assertEquals(-1, Aio.get(peer.read(ByteBuffer.allocate(1))));
            peer.close();
        }
        assertTrue(group.isShutdown());
        assertTrue(group.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    default void emptyGroupsEndAtOnce() throws Exception {
        AsynchronousChannelGroup group = group(1, "one");
        group.shutdown();
        assertTrue(group.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertTrue(group.isTerminated());
    }

    /** Behaviour 64: the three kinds of group, with threads of the application's executor. */
    @Test
    @DisplayName("64: every kind of group")
    default void everyKindOfGroup() throws Exception {
        List<ExecutorService> executors =
                List.of(
                        Executors.newCachedThreadPool(Aio.named("theirs")),
                        Executors.newFixedThreadPool(3, Aio.named("theirs")));
        List<AsynchronousChannelGroup> groups = new ArrayList<>();
        groups.add(group(2, "theirs"));
        groups.add(provider().openAsynchronousChannelGroup(executors.get(0), 1));
        groups.add(provider().openAsynchronousChannelGroup(executors.get(1), 0));
        for (AsynchronousChannelGroup group : groups) {
            try (var p = pair(group)) {
                Outcome<Integer> read = new Outcome<>();
                p.server().read(ByteBuffer.allocate(1), null, read);
                Aio.send(p.client(), "x");
                assertEquals(1, read.get());
                assertEquals("theirs", read.thread().getName());
                assertNotSame(Thread.currentThread(), read.thread());
            }
            group.shutdown();
            assertTrue(group.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
        assertTrue(executors.get(0).isTerminated(), "it belongs to its group");
        assertThrows(
                IllegalArgumentException.class,
                () -> provider().openAsynchronousChannelGroup(0, Aio.named("none")));
        assertThrows(
                NullPointerException.class,
                () -> provider().openAsynchronousChannelGroup((ExecutorService) null, 0));
    }

    /** A handler that throws costs a thread, not the group. */
    @Test
    default void throwingHandlerDoesNotEndTheGroup() throws Exception {
        AtomicInteger died = new AtomicInteger();
        AsynchronousChannelGroup group =
                provider()
                        .openAsynchronousChannelGroup(
                                1,
                                task -> {
                                    Thread thread = Aio.named("frail").newThread(task);
                                    thread.setUncaughtExceptionHandler(
                                            (t, e) -> died.incrementAndGet());
                                    return thread;
                                });
        try (var p = pair(group)) {
            p.server()
                    .read(
                            ByteBuffer.allocate(1),
                            null,
                            new CompletionHandler<Integer, Object>() {
                                @Override
                                public void completed(Integer n, Object none) {
                                    throw new IllegalStateException("on purpose");
                                }

                                @Override
                                public void failed(Throwable failure, Object none) {}
                            });
            Aio.send(p.client(), "x");
            org.awaitility.Awaitility.await().until(() -> died.get() > 0);
            Outcome<Integer> read = new Outcome<>();
            p.server().read(ByteBuffer.allocate(1), null, read);
            Aio.send(p.client(), "y");
            assertEquals(1, read.get());
        }
        group.shutdownNow();
    }
}
