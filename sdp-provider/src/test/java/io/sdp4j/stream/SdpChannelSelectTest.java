package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Goal: channels over SDP register with the JDK's own selectors and become ready as the JDK's do.
 * Method: both ends are ours; one selector also has everything else that selects.
 */
@SuppressWarnings("try") // closing early is the point of some
class SdpChannelSelectTest extends ChannelsOverSdp {
    @Test
    void aSelectorSeesReadinessComeAndGo() throws Exception {
        try (var p = pair();
                Selector selector = provider.openSelector()) {
            p.server().configureBlocking(false);
            SelectionKey key = p.server().register(selector, SelectionKey.OP_READ);
            assertEquals(0, selector.selectNow());
            for (int i = 0; i < 300; i++) {
                send(p.client(), "ping");
                assertEquals(SelectionKey.OP_READ, selected(selector, key, SelectionKey.OP_READ));
                if (i % 3 == 0) {
                    assertEquals("pi", receive(p.server(), 2));
                    assertEquals(1, selector.select(1000), "unread data keeps it ready");
                    selector.selectedKeys().clear();
                    assertEquals("ng", receive(p.server(), 2));
                } else {
                    assertEquals("ping", receive(p.server(), 4));
                }
                assertEquals(0, selector.selectNow(), "drained, round " + i);
            }
            key.interestOps(SelectionKey.OP_WRITE);
            assertEquals(1, selector.select(1000));
            selector.selectedKeys().clear();
            key.interestOps(SelectionKey.OP_READ);
            assertEquals(0, selector.selectNow());
            p.client().close();
            selected(selector, key, SelectionKey.OP_READ);
            assertEquals(-1, p.server().read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void writabilityGoesWhenFullAndComesBack() throws Exception {
        try (var p = pair();
                Selector selector = provider.openSelector()) {
            p.client().configureBlocking(false);
            SelectionKey key = p.client().register(selector, SelectionKey.OP_WRITE);
            ByteBuffer block = ByteBuffer.allocateDirect(64 * 1024);
            long written = 0;
            for (int n = 1; n > 0; written += n) {
                n = p.client().write(block.clear());
            }
            assertEquals(0, selector.selectNow());
            CompletableFuture<Long> drained =
                    CompletableFuture.supplyAsync(() -> drain(p.server(), Long.MAX_VALUE));
            selected(selector, key, SelectionKey.OP_WRITE);
            key.cancel();
            selector.selectNow();
            p.client().configureBlocking(true);
            p.client().shutdownOutput();
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

    /** Closing a registered channel gives the peer its end and everything else back. */
    @Test
    void descriptorsComeBack() throws Exception {
        try (Selector selector = provider.openSelector();
                ServerSocketChannel listener = listen()) {
            openAndClose(selector, listener);
            long before = Proc.descriptors().size();
            for (int i = 0; i < 30; i++) {
                openAndClose(selector, listener);
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> Proc.descriptors().size() <= before + 3);
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

    /** Pauses of random length on both sides, so that arming, arriving and selecting all meet. */
    @Test
    void noWakeUpIsLost() throws Exception {
        long seed = System.nanoTime();
        try (var p = pair()) {
            CompletableFuture<Void> echo =
                    CompletableFuture.runAsync(
                            () -> pingPong(p.server(), false, new Random(seed + 1)));
            pingPong(p.client(), true, new Random(seed));
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
}
