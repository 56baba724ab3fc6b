package io.sdp4j.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.ChannelBridge;
import io.sdp4j.offload.nio.SwitchChannels;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: channels over SDP register with the JDK's own selectors and behave as the JDK's. Method:
 * both ends in one JVM over the shared-memory fabric; a plain JDK channel takes one end where the
 * way back to TCP is the point.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
@SuppressWarnings("try") // closing early is the point of some
abstract class SdpChannelTest {
    private final boolean allowNative;
    private TestFabric fabric;
    private OffloadSwitch target;
    private SelectorProvider provider;

    SdpChannelTest(boolean allowNative) {
        this.allowNative = allowNative;
    }

    @BeforeAll
    void open() throws IOException {
        assertEquals(Optional.empty(), ChannelBridge.selfTest());
        fabric = new TestFabric(allowNative, 32);
        target = TestChannels.owner(fabric.provider());
        provider = SwitchChannels.provider(target);
    }

    @AfterAll
    void shut() throws IOException {
        fabric.close();
    }

    private ServerSocketChannel listen() throws IOException {
        return TestChannels.listen(provider);
    }

    private long offloaded() {
        return sum(target.report().offloaded());
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Two ends that block, both offloaded. */
    private record Pair(ServerSocketChannel listener, SocketChannel a, SocketChannel b)
            implements AutoCloseable {
        @Override
        public void close() throws IOException {
            a.close();
            b.close();
            listener.close();
        }
    }

    private Pair pair() throws IOException {
        long before = offloaded();
        ServerSocketChannel listener = listen();
        SocketChannel a = provider.openSocketChannel();
        assertTrue(a.connect(listener.getLocalAddress()));
        SocketChannel b = listener.accept();
        assertEquals(before + 1, offloaded());
        return new Pair(listener, a, b);
    }

    private static void send(SocketChannel c, String text) throws IOException {
        ByteBuffer b = ByteBuffer.wrap(text.getBytes(US_ASCII));
        while (b.hasRemaining()) {
            c.write(b);
        }
    }

    private static String receive(SocketChannel c, int bytes) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(bytes);
        while (b.hasRemaining() && c.read(b) >= 0) {
            Thread.onSpinWait();
        }
        return new String(b.array(), 0, b.position(), US_ASCII);
    }

    /** Selects until {@code key} is ready for one of {@code ops}, and takes it off the set. */
    private static int selected(Selector selector, SelectionKey key, int ops) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (System.nanoTime() < end) {
            selector.select(1000);
            int ready = key.isValid() ? key.readyOps() : 0;
            if (selector.selectedKeys().remove(key) && (ready & ops) != 0) {
                return ready;
            }
        }
        throw new AssertionError("not ready for " + ops + ": " + key);
    }

    @Test
    void blockingChannelsCarryBytes() throws Exception {
        try (Pair p = pair()) {
            send(p.a, "question");
            assertEquals("question", receive(p.b, 8));
            send(p.b, "answer");
            assertEquals("answer", receive(p.a, 6));
            assertEquals(8, SwitchChannels.explain(p.a).orElseThrow().bytesWritten());
            assertEquals(p.a.getLocalAddress(), p.b.getRemoteAddress());
            assertEquals(p.a.getRemoteAddress(), p.b.getLocalAddress());
            assertTrue(
                    p.a.toString().startsWith("java.nio.channels.SocketChannel[connected local=/"),
                    p.a.toString());
            p.a.shutdownOutput();
            assertEquals(-1, p.b.read(ByteBuffer.allocate(1)));
            assertTrue(p.a.toString().contains("connected oshut local="), p.a.toString());
        }
    }

    @Test
    void aSelectorSeesReadinessComeAndGo() throws Exception {
        try (Pair p = pair();
                Selector selector = provider.openSelector()) {
            p.b.configureBlocking(false);
            SelectionKey key = p.b.register(selector, SelectionKey.OP_READ);
            assertEquals(0, selector.selectNow());
            for (int i = 0; i < 300; i++) {
                send(p.a, "ping");
                assertEquals(SelectionKey.OP_READ, selected(selector, key, SelectionKey.OP_READ));
                if (i % 3 == 0) {
                    assertEquals("pi", receive(p.b, 2));
                    assertEquals(1, selector.select(1000), "unread data keeps it ready");
                    selector.selectedKeys().clear();
                    assertEquals("ng", receive(p.b, 2));
                } else {
                    assertEquals("ping", receive(p.b, 4));
                }
                assertEquals(0, selector.selectNow(), "drained, round " + i);
            }
            key.interestOps(SelectionKey.OP_WRITE);
            assertEquals(1, selector.select(1000));
            selector.selectedKeys().clear();
            key.interestOps(SelectionKey.OP_READ);
            assertEquals(0, selector.selectNow());
            p.a.close();
            selected(selector, key, SelectionKey.OP_READ);
            assertEquals(-1, p.b.read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void writabilityGoesWhenFullAndComesBack() throws Exception {
        try (Pair p = pair();
                Selector selector = provider.openSelector()) {
            p.a.configureBlocking(false);
            SelectionKey key = p.a.register(selector, SelectionKey.OP_WRITE);
            ByteBuffer block = ByteBuffer.allocateDirect(64 * 1024);
            long written = 0;
            for (int n = 1; n > 0; written += n) {
                n = p.a.write(block.clear());
            }
            assertEquals(0, selector.selectNow());
            CompletableFuture<Long> drained =
                    CompletableFuture.supplyAsync(() -> drain(p.b, Long.MAX_VALUE));
            selected(selector, key, SelectionKey.OP_WRITE);
            key.cancel();
            selector.selectNow();
            p.a.configureBlocking(true);
            p.a.shutdownOutput();
            assertEquals(written, drained.get(20, TimeUnit.SECONDS));
        }
    }

    private static long drain(SocketChannel from, long most) {
        try {
            ByteBuffer b = ByteBuffer.allocateDirect(100_000);
            long total = 0;
            while (total < most) {
                int n = from.read(b.clear());
                if (n < 0) {
                    break;
                }
                total += n;
            }
            return total;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void nonBlockingConnectIsOffloadedBehindTheSelector() throws Exception {
        try (ServerSocketChannel listener = listen();
                Selector selector = provider.openSelector();
                SocketChannel a = provider.openSocketChannel()) {
            a.configureBlocking(false);
            SelectionKey key = a.register(selector, 0);
            assertFalse(a.connect(listener.getLocalAddress()));
            assertTrue(a.isConnectionPending());
            assertThrows(NotYetConnectedException.class, () -> a.read(ByteBuffer.allocate(1)));
            key.interestOps(SelectionKey.OP_CONNECT);
            assertEquals(SelectionKey.OP_CONNECT, selected(selector, key, SelectionKey.OP_CONNECT));
            assertTrue(a.finishConnect());
            assertTrue(a.isConnected());
            key.interestOps(SelectionKey.OP_READ);
            try (SocketChannel b = listener.accept()) {
                assertInstanceOf(InetSocketAddress.class, a.getLocalAddress());
                assertEquals(a.getLocalAddress(), b.getRemoteAddress());
                send(b, "hello");
                selected(selector, key, SelectionKey.OP_READ);
                assertEquals("hello", receive(a, 5));
            }
        }
    }

    /**
     * Everything is on its way, and the sender gone, before the receiver looks for the first time.
     */
    @Test
    void whatCameBeforeTheFirstLookIsSeen() throws Exception {
        try (ServerSocketChannel listener = listen();
                Selector selector = provider.openSelector();
                SocketChannel a = provider.openSocketChannel()) {
            a.configureBlocking(false);
            SelectionKey key = a.register(selector, 0);
            a.connect(listener.getLocalAddress());
            key.interestOps(SelectionKey.OP_CONNECT);
            try (SocketChannel b = listener.accept()) {
                b.configureBlocking(false);
                SelectionKey other = b.register(selector, 0);
                b.setOption(StandardSocketOptions.SO_SNDBUF, 1024);
                assertEquals(924, b.write(ByteBuffer.allocateDirect(924)));
                ByteBuffer[] rest = {
                    ByteBuffer.allocateDirect(50),
                    ByteBuffer.allocateDirect(200),
                    ByteBuffer.allocateDirect(50),
                    ByteBuffer.allocateDirect(824)
                };
                assertEquals(1124, b.write(rest));
                assertTrue(other.isValid());
            }
            selected(selector, key, SelectionKey.OP_CONNECT);
            key.interestOps(0);
            assertTrue(a.finishConnect());
            key.interestOps(SelectionKey.OP_READ);
            ByteBuffer all = ByteBuffer.allocate(4096);
            for (int n = 0; n >= 0; n = a.read(all)) {
                selected(selector, key, SelectionKey.OP_READ);
            }
            assertEquals(2048, all.position());
        }
    }

    /** The same with a sender that is as fast as it can: every order of connecting and arriving. */
    @Test
    void whatArrivesWhileConnectingIsSeen() throws Exception {
        try (ServerSocketChannel listener = listen();
                Selector selector = provider.openSelector()) {
            CompletableFuture<Void> sender =
                    CompletableFuture.runAsync(() -> sendToEach(listener, 300));
            for (int i = 0; i < 300; i++) {
                SocketChannel a = provider.openSocketChannel();
                a.configureBlocking(false);
                SelectionKey key = a.register(selector, 0);
                a.connect(listener.getLocalAddress());
                key.interestOps(SelectionKey.OP_CONNECT);
                selected(selector, key, SelectionKey.OP_CONNECT);
                key.interestOps(0);
                assertTrue(a.finishConnect());
                key.interestOps(SelectionKey.OP_READ);
                ByteBuffer all = ByteBuffer.allocate(4096);
                for (int n = 0; n >= 0; n = a.read(all)) {
                    selected(selector, key, SelectionKey.OP_READ);
                }
                assertEquals(2048, all.position(), "connection " + i);
                a.close();
            }
            sender.get(20, TimeUnit.SECONDS);
        }
    }

    /** Registers each accepted channel, writes to it, and closes it at once. */
    private void sendToEach(ServerSocketChannel listener, int count) {
        try (Selector selector = provider.openSelector()) {
            for (int i = 0; i < count; i++) {
                SocketChannel b = listener.accept();
                b.configureBlocking(false);
                SelectionKey key = b.register(selector, 0);
                assertEquals(924, b.write(ByteBuffer.allocateDirect(924)));
                ByteBuffer[] rest = {
                    ByteBuffer.allocateDirect(300), ByteBuffer.allocateDirect(824)
                };
                assertEquals(1124, b.write(rest));
                key.interestOps(SelectionKey.OP_READ);
                b.close();
                selector.selectNow();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A peer without offload: the same channel, the same key, kernel TCP. */
    @Test
    void nonBlockingConnectFallsBackInsideTheSameChannel() throws Exception {
        try (ServerSocketChannel plain =
                        ServerSocketChannel.open()
                                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Selector selector = provider.openSelector();
                SocketChannel a = provider.openSocketChannel()) {
            long before = target.report().kernelFallback();
            a.configureBlocking(false);
            a.connect(plain.getLocalAddress());
            SelectionKey key = a.register(selector, SelectionKey.OP_CONNECT);
            selected(selector, key, SelectionKey.OP_CONNECT);
            assertTrue(a.finishConnect());
            assertEquals(before + 1, target.report().kernelFallback());
            key.interestOps(SelectionKey.OP_READ);
            try (SocketChannel b = plain.accept()) {
                assertEquals(a.getLocalAddress(), b.getRemoteAddress());
                send(b, "hello");
                selected(selector, key, SelectionKey.OP_READ);
                assertEquals("hello", receive(a, 5));
                a.close();
                assertEquals(-1, b.read(ByteBuffer.allocate(1)), "the peer sees the end at once");
            }
        }
    }

    @Test
    void refusedConnectsFailAsTheKernelsDo() throws Exception {
        InetSocketAddress nobody;
        try (ServerSocketChannel gone = listen()) {
            nobody = (InetSocketAddress) gone.getLocalAddress();
        }
        try (SocketChannel a = provider.openSocketChannel()) {
            assertThrows(ConnectException.class, () -> a.connect(nobody));
            assertFalse(a.isOpen());
        }
        try (Selector selector = provider.openSelector();
                SocketChannel a = provider.openSocketChannel()) {
            a.configureBlocking(false);
            SelectionKey key = a.register(selector, SelectionKey.OP_CONNECT);
            a.connect(nobody);
            selected(selector, key, SelectionKey.OP_CONNECT);
            assertThrows(ConnectException.class, a::finishConnect);
            assertFalse(a.isOpen());
            assertThrows(ClosedChannelException.class, a::finishConnect);
            assertEquals(0, selector.selectNow());
            assertEquals(0, selector.keys().size());
        }
    }

    /** Everything that selects, in one selector, kernel clients included. */
    @Test
    void oneSelectorOverEverything() throws Exception {
        try (ServerSocketChannel listener = listen();
                Selector selector = provider.openSelector();
                SocketChannel sdp = provider.openSocketChannel();
                SocketChannel tcp = SocketChannel.open();
                DatagramChannel datagrams = provider.openDatagramChannel()) {
            listener.configureBlocking(false);
            SelectionKey accept = listener.register(selector, SelectionKey.OP_ACCEPT);
            assertEquals(0, selector.selectNow());
            Pipe pipe = provider.openPipe();
            pipe.source().configureBlocking(false);
            SelectionKey piped = pipe.source().register(selector, SelectionKey.OP_READ);
            datagrams.configureBlocking(false);
            datagrams.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SelectionKey datagram = datagrams.register(selector, SelectionKey.OP_READ);
            long kernel = target.report().acceptedKernel();
            long offloaded = sum(target.report().acceptedOffloaded());
            tcp.connect(listener.getLocalAddress());
            sdp.connect(listener.getLocalAddress());
            List<SocketChannel> accepted = new ArrayList<>();
            while (accepted.size() < 2) {
                selected(selector, accept, SelectionKey.OP_ACCEPT);
                for (SocketChannel c = listener.accept(); c != null; c = listener.accept()) {
                    accepted.add(c);
                }
            }
            assertEquals(0, selector.selectNow(), "both queues are empty");
            assertNull(listener.accept());
            assertEquals(kernel + 1, target.report().acceptedKernel());
            assertEquals(offloaded + 1, sum(target.report().acceptedOffloaded()));
            List<SelectionKey> keys = new ArrayList<>();
            for (SocketChannel c : accepted) {
                c.configureBlocking(false);
                keys.add(c.register(selector, SelectionKey.OP_READ));
            }
            send(tcp, "x");
            send(sdp, "x");
            pipe.sink().write(ByteBuffer.allocate(1));
            datagrams.send(ByteBuffer.allocate(1), datagrams.getLocalAddress());
            for (SelectionKey key : List.of(keys.get(0), keys.get(1), piped, datagram)) {
                await().atMost(Duration.ofSeconds(20))
                        .until(
                                () -> {
                                    selector.selectNow();
                                    return selector.selectedKeys().contains(key);
                                });
            }
            pipe.sink().close();
            pipe.source().close();
            for (SocketChannel c : accepted) {
                c.close();
            }
        }
    }

    @Test
    void aBlockedReaderIsFreed() throws Exception {
        for (boolean virtual : new boolean[] {false, true}) {
            try (Pair p = pair()) {
                assertInstanceOf(
                        AsynchronousCloseException.class, failure(virtual, p.a, t -> p.a.close()));
            }
            try (Pair p = pair()) {
                assertInstanceOf(
                        ClosedByInterruptException.class, failure(virtual, p.a, Thread::interrupt));
                assertFalse(p.a.isOpen());
            }
            try (Pair p = pair()) {
                CompletableFuture<Integer> read = new CompletableFuture<>();
                start(virtual, () -> read.complete(p.a.read(ByteBuffer.allocate(1))));
                p.a.shutdownInput();
                assertEquals(-1, read.get(20, TimeUnit.SECONDS));
            }
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private interface Disturbance {
        void apply(Thread reader) throws Exception;
    }

    private static Thread start(boolean virtual, Step step) {
        Runnable work =
                () -> {
                    try {
                        step.run();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                };
        return virtual ? Thread.ofVirtual().start(work) : Thread.ofPlatform().daemon().start(work);
    }

    private static Exception failure(boolean virtual, SocketChannel c, Disturbance disturbance)
            throws Exception {
        CompletableFuture<Exception> failed = new CompletableFuture<>();
        Thread reader =
                start(
                        virtual,
                        () -> {
                            try {
                                c.read(ByteBuffer.allocate(1));
                                failed.complete(null);
                            } catch (IOException e) {
                                failed.complete(e);
                            }
                        });
        await().atMost(Duration.ofSeconds(20))
                .until(
                        () ->
                                reader.getState() == Thread.State.WAITING
                                        || reader.getState() == Thread.State.TIMED_WAITING
                                        || reader.getState() == Thread.State.RUNNABLE);
        disturbance.apply(reader);
        return failed.get(20, TimeUnit.SECONDS);
    }

    @Test
    void scatterGatherAndFileTransfersAreExact() throws Exception {
        byte[] data = new byte[3_000_000];
        new Random(7).nextBytes(data);
        Path file = Files.createTempFile("sdp4j-t", ".bin");
        try (Pair p = pair()) {
            Files.write(file, data);
            CompletableFuture<byte[]> got =
                    CompletableFuture.supplyAsync(() -> readAll(p.b, data.length + 13));
            try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
                long sent = 0;
                while (sent < data.length) {
                    sent += from.transferTo(sent, data.length - sent, p.a);
                }
            }
            ByteBuffer[] parts = {
                ByteBuffer.wrap("head".getBytes(US_ASCII)),
                ByteBuffer.allocate(0),
                ByteBuffer.wrap("body".getBytes(US_ASCII)).asReadOnlyBuffer(),
                ByteBuffer.wrap("-tail-".getBytes(US_ASCII), 1, 5)
            };
            assertEquals(13, p.a.write(parts));
            byte[] all = got.get(20, TimeUnit.SECONDS);
            assertArrayEquals(data, java.util.Arrays.copyOf(all, data.length));
            assertEquals("headbodytail-", new String(all, data.length, 13, US_ASCII));
        } finally {
            Files.delete(file);
        }
    }

    private static byte[] readAll(SocketChannel from, int bytes) {
        try {
            byte[] all = new byte[bytes];
            ByteBuffer[] into = {ByteBuffer.wrap(all, 0, 10), ByteBuffer.wrap(all, 10, bytes - 10)};
            while (into[1].hasRemaining() && from.read(into) >= 0) {
                Thread.onSpinWait();
            }
            return all;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void adaptorAndStreamsWork() throws Exception {
        try (Pair p = pair()) {
            Socket socket = p.a.socket();
            assertEquals(p.a, socket.getChannel());
            assertTrue(socket.isConnected());
            socket.setSoTimeout(20);
            assertThrows(
                    java.net.SocketTimeoutException.class, () -> socket.getInputStream().read());
            send(p.b, "abc");
            assertEquals('a', socket.getInputStream().read());
            socket.setTcpNoDelay(true);
            assertTrue(socket.getTcpNoDelay());
            assertTrue(p.a.getOption(StandardSocketOptions.TCP_NODELAY));
            assertTrue(p.b.socket().getReuseAddress(), "as an accepted one");
            InputStream in = Channels.newInputStream(p.a);
            OutputStream out = Channels.newOutputStream(p.b);
            out.write("xyz".getBytes(US_ASCII));
            assertArrayEquals("bcxyz".getBytes(US_ASCII), in.readNBytes(5));
        }
    }

    /** Closing a registered channel gives the peer its end and everything else back. */
    @Test
    void descriptorsComeBack() throws Exception {
        try (Selector selector = provider.openSelector();
                ServerSocketChannel listener = listen()) {
            openAndClose(selector, listener);
            long before = descriptors();
            for (int i = 0; i < 30; i++) {
                openAndClose(selector, listener);
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> descriptors() <= before + 3);
        }
    }

    private void openAndClose(Selector selector, ServerSocketChannel listener) throws IOException {
        SocketChannel a = provider.openSocketChannel();
        a.configureBlocking(false);
        SelectionKey key = a.register(selector, SelectionKey.OP_CONNECT);
        a.connect(listener.getLocalAddress());
        selected(selector, key, SelectionKey.OP_CONNECT);
        a.finishConnect();
        SocketChannel b = listener.accept();
        b.configureBlocking(false);
        SelectionKey other = b.register(selector, SelectionKey.OP_READ);
        a.close();
        selected(selector, other, SelectionKey.OP_READ);
        assertEquals(-1, b.read(ByteBuffer.allocate(1)));
        b.close();
        selector.selectNow();
        assertEquals(0, selector.keys().size());
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    /** Pauses of random length on both sides, so that arming, arriving and selecting all meet. */
    @Test
    void noWakeUpIsLost() throws Exception {
        long seed = System.nanoTime();
        try (Pair p = pair()) {
            CompletableFuture<Void> echo =
                    CompletableFuture.runAsync(() -> pingPong(p.b, false, new Random(seed + 1)));
            pingPong(p.a, true, new Random(seed));
            echo.get(20, TimeUnit.SECONDS);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    private void pingPong(SocketChannel c, boolean first, Random random) {
        try (Selector selector = provider.openSelector()) {
            c.configureBlocking(false);
            SelectionKey key = c.register(selector, SelectionKey.OP_READ);
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int i = 0; i < 5_000; i++) {
                for (int n = random.nextInt(2_000); n > 0; n--) {
                    Thread.onSpinWait();
                }
                if (first) {
                    c.write(one.clear());
                }
                one.clear();
                while (c.read(one) == 0) {
                    selected(selector, key, SelectionKey.OP_READ);
                }
                if (!first) {
                    c.write(one.flip());
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** With native calls: the peer rings the selector's own descriptor. */
    static final class NativeTest extends SdpChannelTest {
        NativeTest() {
            super(true);
        }
    }

    /** Without: the event thread raises it. */
    static final class PortableTest extends SdpChannelTest {
        PortableTest() {
            super(false);
        }
    }
}
