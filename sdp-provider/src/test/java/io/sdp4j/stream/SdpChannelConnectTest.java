package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Goal: a non-blocking connect ends behind the selector, wherever it leads, and nothing that comes
 * meanwhile is missed. Method: peers of ours, and a plain JDK listener or none where the way back
 * to TCP is the point.
 */
@SuppressWarnings("try") // closing early is the point of some
class SdpChannelConnectTest extends ChannelsOverSdp {
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
        InetSocketAddress unused;
        try (ServerSocketChannel gone = listen()) {
            unused = (InetSocketAddress) gone.getLocalAddress();
        }
        try (SocketChannel a = provider.openSocketChannel()) {
            assertThrows(ConnectException.class, () -> a.connect(unused));
            assertFalse(a.isOpen());
        }
        try (Selector selector = provider.openSelector();
                SocketChannel a = provider.openSocketChannel()) {
            a.configureBlocking(false);
            SelectionKey key = a.register(selector, SelectionKey.OP_CONNECT);
            a.connect(unused);
            selected(selector, key, SelectionKey.OP_CONNECT);
            assertThrows(ConnectException.class, a::finishConnect);
            assertFalse(a.isOpen());
            assertThrows(ClosedChannelException.class, a::finishConnect);
            assertEquals(0, selector.selectNow());
            assertEquals(0, selector.keys().size());
        }
    }
}
