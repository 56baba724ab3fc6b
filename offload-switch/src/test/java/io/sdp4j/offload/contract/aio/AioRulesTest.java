package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.HostLookup;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.RuleFile;
import io.sdp4j.policy.Verdict;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AcceptPendingException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ShutdownChannelGroupException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Features of a switch alone: rules, attempts that take their time, two queues at a listener. */
class AioRulesTest {
    private static final InetSocketAddress ANY_PORT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static OffloadSwitch of(Policy policy, OffloadProvider... providers) {
        return new OffloadSwitch(() -> policy, List.of(providers), SwitchSettings.defaults());
    }

    private static Policy only() {
        return Policy.everything(Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "test:1"));
    }

    private static SwitchAsynchronousChannelProvider over(OffloadSwitch owner) {
        return new SwitchAsynchronousChannelProvider(owner);
    }

    private static AsynchronousSocketChannel client(OffloadSwitch owner) throws Exception {
        return over(owner).openAsynchronousSocketChannel(null);
    }

    private static AsynchronousServerSocketChannel listener(OffloadSwitch owner) throws Exception {
        return over(owner).openAsynchronousServerSocketChannel(null);
    }

    @Test
    void connectsOrFails() throws Exception {
        OffloadSwitch owner = of(only(), new LoopbackProvider());
        try (ServerSocket kernelOnly = new ServerSocket(0);
                AsynchronousSocketChannel client = client(owner)) {
            Outcome<Void> connect = new Outcome<>();
            client.connect(kernelOnly.getLocalSocketAddress(), null, connect);
            Throwable failure = connect.failure();
            assertEquals(ConnectException.class, failure.getClass());
            assertTrue(failure.getMessage().startsWith("Connection refused ("));
            assertFalse(client.isOpen());
            assertEquals(1, owner.report().refused());
        }
    }

    /** Goal: TCP clients are turned away while an accept waits, offloaded ones get in. */
    @Test
    void listensForOffloadOnly() throws Exception {
        OffloadSwitch owner = of(only(), new LoopbackProvider());
        try (AsynchronousServerSocketChannel listener = listener(owner).bind(ANY_PORT);
                AsynchronousSocketChannel ours = client(owner)) {
            Future<AsynchronousSocketChannel> accept = listener.accept();
            InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
            for (int i = 0; i < 3; i++) {
                try (Socket tcp = new Socket(at.getAddress(), at.getPort())) {
                    assertEquals(-1, tcp.getInputStream().read());
                }
            }
            assertFalse(accept.isDone());
            assertEquals(3, owner.report().refused());
            Aio.get(ours.connect(at));
            try (AsynchronousSocketChannel server = Aio.get(accept)) {
                assertEquals(ours.getLocalAddress(), server.getRemoteAddress());
            }
        }
    }

    @Test
    void doesNotListenWithoutAProvider() throws Exception {
        try (AsynchronousServerSocketChannel listener = listener(of(only()))) {
            SocketException e = assertThrows(SocketException.class, () -> listener.bind(ANY_PORT));
            assertTrue(e.getMessage().contains("use sdp"), e.getMessage());
            assertFalse(listener.isOpen());
        }
    }

    /** Goal: a full backlog sends clients to TCP, and both queues are served, each its channels. */
    @Test
    void bothQueuesAreServed() throws Exception {
        OffloadSwitch owner = of(Policy.allowAll(), new LoopbackProvider());
        List<AsynchronousSocketChannel> clients = new ArrayList<>();
        try (AsynchronousServerSocketChannel listener = listener(owner).bind(ANY_PORT, 3)) {
            for (int i = 0; i < 6; i++) {
                AsynchronousSocketChannel client = client(owner);
                Aio.get(client.connect(listener.getLocalAddress()));
                clients.add(client);
            }
            assertEquals(3L, owner.report().offloaded().get("loop"));
            assertEquals(3, owner.report().kernelFallback());
            int byJdk = 0;
            for (int i = 0; i < 6; i++) {
                try (AsynchronousSocketChannel accepted = Aio.get(listener.accept())) {
                    byJdk += accepted.provider() == listener.provider() ? 0 : 1;
                }
            }
            assertEquals(3, byJdk);
            assertEquals(3, owner.report().acceptedKernel());
            assertEquals(3L, owner.report().acceptedOffloaded().get("loop"));
        }
        for (AsynchronousSocketChannel client : clients) {
            client.close();
        }
    }

    /** Goal: a TCP client is served although an offloaded one waits at every accept. */
    @Test
    @DisplayName("29: neither queue starves")
    void tcpIsServedWhileOffloadedClientsWait() throws Exception {
        OffloadSwitch owner = of(Policy.allowAll(), new LoopbackProvider());
        List<AsynchronousSocketChannel> clients = new ArrayList<>();
        try (AsynchronousServerSocketChannel listener = listener(owner).bind(ANY_PORT);
                Socket tcp = new Socket()) {
            tcp.connect(listener.getLocalAddress());
            clients.add(connected(owner, listener));
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(10))
                    .until(
                            () -> {
                                clients.add(connected(owner, listener));
                                Aio.get(listener.accept()).close();
                                return owner.report().acceptedKernel() == 1;
                            });
        }
        for (AsynchronousSocketChannel client : clients) {
            client.close();
        }
    }

    private static AsynchronousSocketChannel connected(
            OffloadSwitch owner, AsynchronousServerSocketChannel listener) throws Exception {
        AsynchronousSocketChannel client = client(owner);
        Aio.get(client.connect(listener.getLocalAddress()));
        return client;
    }

    /**
     * Goal: a TCP connection that came without an accept under way is not lost, nor left when
     * closed.
     */
    @Test
    void whatTheKernelBroughtIsKept() throws Exception {
        OffloadSwitch owner = of(Policy.allowAll(), new LoopbackProvider());
        Socket left = new Socket();
        try (AsynchronousServerSocketChannel listener = listener(owner).bind(ANY_PORT)) {
            Future<AsynchronousSocketChannel> accept = listener.accept();
            InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
            try (AsynchronousSocketChannel ours = client(owner)) {
                Aio.get(ours.connect(at)); // satisfied, while the kernel's accept goes on
                Aio.get(accept).close();
            }
            try (Socket first = new Socket(at.getAddress(), at.getPort());
                    Socket second = new Socket(at.getAddress(), at.getPort())) {
                first.getOutputStream().write('1');
                second.getOutputStream().write('2');
                try (AsynchronousSocketChannel server = Aio.get(listener.accept())) {
                    assertEquals("1", Aio.receive(server, 1));
                }
                try (AsynchronousSocketChannel server = Aio.get(listener.accept())) {
                    assertEquals("2", Aio.receive(server, 1));
                }
            }
            Future<AsynchronousSocketChannel> again = listener.accept();
            try (AsynchronousSocketChannel ours = client(owner)) {
                Aio.get(ours.connect(at));
                Aio.get(again).close();
            }
            left.connect(at);
        }
        try (left) {
            left.setSoTimeout(10_000);
            assertEquals(-1, left.getInputStream().read());
        } catch (SocketException e) {
            assertEquals("Connection reset", e.getMessage());
        }
    }

    /** Goal: an accept that overtakes the bind is the kernel's, and does not spoil later ones. */
    @Test
    void acceptWhileProvidersAreAsked() throws Exception {
        AtomicReference<AsynchronousServerSocketChannel> binding = new AtomicReference<>();
        Outcome<AsynchronousSocketChannel> early = new Outcome<>();
        LoopbackProvider loop = new LoopbackProvider();
        OffloadProvider provider =
                new OffloadProvider() {
                    @Override
                    public String name() {
                        return "asked";
                    }

                    @Override
                    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
                        return loop.connect(spec);
                    }

                    @Override
                    public OffloadListener listen(ListenSpec spec) {
                        binding.get().accept(null, early);
                        return loop.listen(spec);
                    }
                };
        OffloadSwitch owner = of(Policy.allowAll(), provider);
        try (AsynchronousServerSocketChannel listener = listener(owner);
                Socket tcp = new Socket()) {
            binding.set(listener);
            listener.bind(ANY_PORT);
            assertThrows(AcceptPendingException.class, listener::accept);
            tcp.connect(listener.getLocalAddress());
            early.get().close();
            Future<AsynchronousSocketChannel> accept = listener.accept();
            try (AsynchronousSocketChannel client = client(owner)) {
                Aio.get(client.connect(listener.getLocalAddress()));
                Aio.get(accept).close();
            }
        }
    }

    /** A provider whose attempts wait until they may go on. */
    static final class Slow implements OffloadProvider {
        private final OffloadProvider inner;
        final CountDownLatch go = new CountDownLatch(1);
        final CountDownLatch asked = new CountDownLatch(1);

        Slow(OffloadProvider inner) {
            this.inner = inner;
        }

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            asked.countDown();
            try {
                if (!go.await(20, TimeUnit.SECONDS)) {
                    throw new OffloadUnavailable(ReasonCode.TIMED_OUT, "not told to go on");
                }
            } catch (InterruptedException e) {
                throw new OffloadUnavailable(ReasonCode.INTERNAL, "interrupted", false, e);
            }
            return inner.connect(spec);
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            return inner.listen(spec);
        }
    }

    /** Goal: the caller is not held up, and the channel says that it connects. */
    @Test
    void connectIsPendingWhileProvidersAreAsked() throws Exception {
        Slow slow = new Slow(new FailingProvider());
        OffloadSwitch owner = of(Policy.allowAll(), slow);
        try (AsynchronousServerSocketChannel listener = listener(owner).bind(ANY_PORT);
                AsynchronousSocketChannel client = client(owner)) {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Future<Void> connect = client.connect(listener.getLocalAddress());
            assertTrue(slow.asked.await(20, TimeUnit.SECONDS));
            assertFalse(connect.isDone());
            assertTrue(client.isOpen());
            assertTrue(client.toString().endsWith("[connection-pending]"), client::toString);
            ByteBuffer b = ByteBuffer.allocate(1);
            assertThrows(NotYetConnectedException.class, () -> client.read(b));
            assertThrows(NotYetConnectedException.class, () -> client.write(b));
            assertThrows(ConnectionPendingException.class, () -> client.bind(null));
            assertThrows(
                    ConnectionPendingException.class,
                    () -> client.connect(listener.getLocalAddress()));
            assertEquals(null, client.getLocalAddress());
            client.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            slow.go.countDown();
            Aio.get(connect);
            assertTrue(client.getOption(StandardSocketOptions.TCP_NODELAY), "set before");
            assertTrue(client.getOption(StandardSocketOptions.SO_KEEPALIVE), "set meanwhile");
            Aio.get(listener.accept()).close();
        }
    }

    /**
     * Goal: a connection that comes up after it was given up is cut, and the caller knows at once.
     */
    @Test
    @DisplayName("96: a connect can be closed and cancelled while providers are asked")
    void closedOrCancelledWhileProvidersAreAsked() throws Exception {
        for (boolean cancel : new boolean[] {false, true}) {
            LoopbackProvider inner = new LoopbackProvider();
            Slow slow = new Slow(inner);
            OffloadSwitch owner = of(Policy.allowAll(), slow);
            try (AsynchronousServerSocketChannel listener = listener(owner).bind(ANY_PORT)) {
                AsynchronousSocketChannel client = client(owner);
                Future<Void> connect = client.connect(listener.getLocalAddress());
                assertTrue(slow.asked.await(20, TimeUnit.SECONDS));
                if (cancel) {
                    assertTrue(connect.cancel(true));
                } else {
                    client.close();
                    Aio.failed(AsynchronousCloseException.class, null, connect);
                }
                assertFalse(client.isOpen());
                slow.go.countDown();
                Awaitility.await().until(() -> inner.openStreams() <= 1);
            }
            Awaitility.await().until(() -> inner.openStreams() == 0);
        }
    }

    /** Goal: a connect that was cancelled gently leaves a channel that moves nothing. */
    @Test
    void cancelledConnectForbidsReadingAndWriting() throws Exception {
        for (OffloadProvider inner : List.of(new LoopbackProvider(), new FailingProvider())) {
            Slow slow = new Slow(inner);
            OffloadSwitch owner = of(Policy.allowAll(), slow);
            try (AsynchronousServerSocketChannel listener = listener(owner).bind(ANY_PORT);
                    AsynchronousSocketChannel client = client(owner)) {
                Future<Void> connect = client.connect(listener.getLocalAddress());
                assertTrue(slow.asked.await(20, TimeUnit.SECONDS));
                assertTrue(connect.cancel(false));
                assertTrue(client.isOpen());
                slow.go.countDown();
                Aio.get(listener.accept()).close();
                Awaitility.await().until(() -> client.getRemoteAddress() != null);
                ByteBuffer b = ByteBuffer.allocate(1);
                Awaitility.await().until(() -> forbidden(() -> client.read(b)));
                assertTrue(forbidden(() -> client.write(b)));
            }
        }
    }

    private static boolean forbidden(Supplier<Future<?>> operation) {
        try {
            return operation.get() == null;
        } catch (IllegalStateException e) {
            return e.getMessage().endsWith(" not allowed due to timeout or cancellation");
        }
    }

    /** Goal: behaviour 93, a connection that comes in while all channels are closed. */
    @Test
    void groupEndsAlthoughAChannelIsClosedWhileItIsMade() throws Exception {
        LoopbackProvider loop = new LoopbackProvider();
        AtomicBoolean ended = new AtomicBoolean();
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(loop),
                        SwitchSettings.defaults(),
                        channel -> {
                            if (ended.get()) {
                                AioRulesTest.close(channel);
                            }
                        });
        SwitchAsynchronousChannelProvider provider = over(owner);
        AsynchronousChannelGroup group =
                provider.openAsynchronousChannelGroup(1, Aio.named("aio-rules"));
        try (AsynchronousServerSocketChannel listener =
                        provider.openAsynchronousServerSocketChannel(group).bind(ANY_PORT);
                AsynchronousSocketChannel client = client(of(Policy.allowAll(), loop))) {
            Aio.get(client.connect(listener.getLocalAddress()));
            ended.set(true);
            assertFalse(Aio.get(listener.accept()).isOpen());
        }
        group.shutdown();
        assertTrue(group.awaitTermination(20, TimeUnit.SECONDS));
    }

    /** Goal: behaviour 93, everything is closed while an accept ends, before it is told. */
    @Test
    void acceptIsToldAlthoughItsGroupEndsMeanwhile() throws Exception {
        LoopbackProvider loop = new LoopbackProvider();
        OffloadSwitch other = of(Policy.allowAll(), loop);
        AsynchronousChannelGroup group =
                over(other)
                        .openAsynchronousChannelGroup(
                                Executors.newCachedThreadPool(Aio.named("aio-rules")), 0);
        List<Closeable> open = new CopyOnWriteArrayList<>();
        AtomicBoolean ending = new AtomicBoolean();
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(loop),
                        SwitchSettings.defaults(),
                        channel -> {
                            open.add(channel);
                            if (ending.get()) {
                                open.forEach(AioRulesTest::close);
                                group.shutdown();
                            }
                        });
        AsynchronousServerSocketChannel listener =
                over(owner).openAsynchronousServerSocketChannel(group).bind(ANY_PORT);
        Outcome<AsynchronousSocketChannel> accept = new Outcome<>();
        listener.accept(null, accept);
        ending.set(true);
        try (AsynchronousSocketChannel client = client(other)) {
            Aio.get(client.connect(listener.getLocalAddress()));
            assertFalse(accept.get().isOpen());
        }
        assertTrue(group.awaitTermination(20, TimeUnit.SECONDS));
    }

    private static void close(Closeable channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static OffloadSwitch ruled(OffloadProvider provider, String text) {
        return of(RuleFile.parse("rules", text, HostLookup.SYSTEM).policy("any"), provider);
    }

    /** Goal: behaviour 93, at a listener of the kernel's beside an offloaded channel. */
    @Test
    void kernelListenerAcceptsNothingAfterShutdown() throws Exception {
        OffloadSwitch owner =
                ruled(
                        new LoopbackProvider(),
                        """
                        use tcp server * 127.0.0.2:*
                        use both server * *:*
                        use both client * *:*
                        """);
        SwitchAsynchronousChannelProvider provider = over(owner);
        AsynchronousChannelGroup group =
                provider.openAsynchronousChannelGroup(1, Aio.named("aio-rules"));
        try (AsynchronousServerSocketChannel offloads = listener(owner).bind(ANY_PORT);
                AsynchronousSocketChannel client = provider.openAsynchronousSocketChannel(group);
                AsynchronousServerSocketChannel kernel =
                        provider.openAsynchronousServerSocketChannel(group)
                                .bind(new InetSocketAddress("127.0.0.2", 0));
                Socket tcp = new Socket()) {
            Aio.get(client.connect(offloads.getLocalAddress()));
            group.shutdown();
            Outcome<AsynchronousSocketChannel> accept = new Outcome<>();
            kernel.accept(null, accept);
            tcp.connect(kernel.getLocalAddress());
            accept.failedWith(IOException.class, ShutdownChannelGroupException.class.getName());
            assertEquals(0, owner.report().acceptedKernel());
        }
        assertTrue(group.awaitTermination(20, TimeUnit.SECONDS));
    }

    /** Goal: behaviour 93, at a listener of the JDK's own beside a channel that works on. */
    @Test
    void listenerOfTheJdkAcceptsNothingAfterShutdown() throws Exception {
        LoopbackProvider loop = new LoopbackProvider();
        SwitchAsynchronousChannelProvider provider =
                over(ruled(loop, "use tcp server * *:*\nuse both client * *:*\n"));
        AsynchronousChannelGroup group =
                provider.openAsynchronousChannelGroup(1, Aio.named("aio-rules"));
        try (AsynchronousServerSocketChannel offloads =
                        listener(of(Policy.allowAll(), loop)).bind(ANY_PORT);
                AsynchronousSocketChannel client = provider.openAsynchronousSocketChannel(group);
                AsynchronousServerSocketChannel own =
                        provider.openAsynchronousServerSocketChannel(group).bind(ANY_PORT);
                Socket tcp = new Socket()) {
            Aio.get(client.connect(offloads.getLocalAddress()));
            group.shutdown();
            tcp.connect(own.getLocalAddress());
            Aio.failed(
                    IOException.class, ShutdownChannelGroupException.class.getName(), own.accept());
            try (AsynchronousSocketChannel server = Aio.get(offloads.accept())) {
                Outcome<Integer> read = new Outcome<>();
                client.read(ByteBuffer.allocate(1), null, read);
                Aio.send(server, "x");
                assertEquals(1, read.get());
            }
            assertFalse(group.isTerminated());
        }
        assertTrue(group.awaitTermination(20, TimeUnit.SECONDS));
    }

    /** Goal: behaviour 93, a connection that comes up, or in, after the group has begun to end. */
    @Test
    void groupEndsWhileProvidersAreAsked() throws Exception {
        LoopbackProvider inner = new LoopbackProvider();
        Slow slow = new Slow(inner);
        OffloadSwitch owner = of(Policy.allowAll(), slow);
        SwitchAsynchronousChannelProvider provider = over(owner);
        AsynchronousChannelGroup group =
                provider.openAsynchronousChannelGroup(1, Aio.named("ending"));
        try (AsynchronousServerSocketChannel listener = listener(owner).bind(ANY_PORT)) {
            AsynchronousSocketChannel client = provider.openAsynchronousSocketChannel(group);
            Future<Void> connect = client.connect(listener.getLocalAddress());
            assertTrue(slow.asked.await(20, TimeUnit.SECONDS));
            group.shutdownNow();
            slow.go.countDown();
            Aio.failed(AsynchronousCloseException.class, null, connect);
            assertFalse(client.isOpen());
            assertTrue(group.awaitTermination(20, TimeUnit.SECONDS));
        }
        Awaitility.await().until(() -> inner.openStreams() == 0);
    }
}
