package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.Task.Kind;
import io.sdp4j.testing.FreePorts;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connecting in both modes, and addresses. */
interface ConnectingContract extends NioChannels {
    /** An address of the loopback interface whose listener has gone. */
    private InetSocketAddress unused() throws IOException {
        try (ServerSocketChannel gone = provider().openServerSocketChannel()) {
            gone.bind(new InetSocketAddress(LOOPBACK, FreePorts.one()), 1);
            return (InetSocketAddress) gone.getLocalAddress();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    default void blockingConnect(Kind kind) throws Exception {
        try (ServerSocketChannel listener = listen(1);
                SocketChannel c = open()) {
            assertFalse(c.isConnected());
            assertTrue(Task.start(kind, () -> c.connect(listener.getLocalAddress())).get());
            assertTrue(c.isConnected());
            assertFalse(c.isConnectionPending());
            assertTrue(c.finishConnect());
            try (SocketChannel s = listener.accept()) {
                assertTrue(s.isConnected() && s.isBlocking());
                assertTrue(s.finishConnect());
                Nio.send(c, "ping");
                assertEquals("ping", Nio.receive(s, 4));
            }
        }
    }

    /** Goal: one thread may do all of it, without a selector. */
    @Test
    @DisplayName("40, 83: a non-blocking connect that was accepted is finished")
    default void acceptedIsFinished() throws Exception {
        try (ServerSocketChannel listener = listen(1)) {
            for (int i = 0; i < 300; i++) {
                try (SocketChannel c = open()) {
                    c.configureBlocking(false);
                    c.connect(listener.getLocalAddress());
                    try (SocketChannel s = listener.accept()) {
                        assertTrue(c.finishConnect(), "connection " + i);
                        assertTrue(c.isConnected());
                        assertEquals(c.getLocalAddress(), s.getRemoteAddress());
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("40: a non-blocking connect is pending, then connectable, then finished")
    default void nonBlockingConnect() throws Exception {
        try (ServerSocketChannel listener = listen(1);
                Selector selector = provider().openSelector();
                SocketChannel c = open()) {
            c.configureBlocking(false);
            boolean at = c.connect(listener.getLocalAddress());
            assertEquals(at, c.isConnected());
            assertEquals(!at, c.isConnectionPending());
            if (!at) {
                SelectionKey key = c.register(selector, OP_CONNECT);
                Nio.awaitReady(selector, key, OP_CONNECT);
                assertTrue(key.isConnectable());
                assertFalse(c.isConnected());
                assertTrue(c.finishConnect());
            }
            assertTrue(c.finishConnect());
            assertTrue(c.isConnected());
            assertFalse(c.isConnectionPending());
            try (SocketChannel s = listener.accept()) {
                Nio.send(c, "ping");
                assertEquals("ping", Nio.receive(s, 4));
            }
        }
    }

    /** Goal: code that calls finishConnect without a selector ends too. */
    @Test
    default void finishConnectByPolling() throws IOException {
        try (ServerSocketChannel listener = listen(1);
                SocketChannel c = open()) {
            c.configureBlocking(false);
            c.connect(listener.getLocalAddress());
            Nio.await().until(c::finishConnect);
            listener.accept().close();
        }
    }

    @Test
    default void finishConnectInBlockingMode() throws IOException {
        try (ServerSocketChannel listener = listen(1);
                SocketChannel c = open()) {
            c.configureBlocking(false);
            c.connect(listener.getLocalAddress());
            c.configureBlocking(true);
            assertTrue(c.finishConnect());
            listener.accept().close();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    default void refused(Kind kind) throws Exception {
        InetSocketAddress unused = unused();
        SocketChannel c = open();
        Task<Boolean> connecting = Task.start(kind, () -> c.connect(unused));
        Expect.is(ConnectException.class, "Connection refused", connecting.thrown());
        assertFalse(c.isOpen());
        assertThrows(ClosedChannelException.class, () -> c.connect(unused));
    }

    @Test
    @DisplayName("40: refused without blocking: ConnectException, closed, ClosedChannelException")
    default void refusedNonBlocking() throws Exception {
        InetSocketAddress unused = unused();
        try (Selector selector = provider().openSelector()) {
            SocketChannel c = open();
            c.configureBlocking(false);
            SelectionKey key = c.register(selector, OP_CONNECT | OP_READ | OP_WRITE);
            assertFalse(c.connect(unused));
            Nio.await().until(() -> (Nio.readyNow(selector, key) & OP_CONNECT) != 0);
            assertTrue(c.isOpen() && c.isConnectionPending());
            Expect.thrown(ConnectException.class, "Connection refused", c::finishConnect);
            assertFalse(c.isOpen());
            assertFalse(key.isValid());
            assertThrows(ClosedChannelException.class, c::finishConnect);
            selector.selectNow();
            assertEquals(0, selector.keys().size());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("37, 39: an interrupted thread that connects once more closes the channel")
    default void interruptedConnectAgain(Kind kind) throws Exception {
        try (var p = pair()) {
            for (SocketChannel c : new SocketChannel[] {p.client(), p.server()}) {
                Task<Boolean> connecting =
                        Task.start(
                                kind,
                                () -> {
                                    Thread.currentThread().interrupt();
                                    return c.connect(p.listener().getLocalAddress());
                                });
                assertSame(ClosedByInterruptException.class, connecting.thrown().getClass());
                assertFalse(c.isOpen());
            }
        }
        try (var p = polledPair()) {
            Thread.currentThread().interrupt();
            assertThrows(
                    AlreadyConnectedException.class,
                    () -> p.client().connect(p.listener().getLocalAddress()));
            assertTrue(Thread.interrupted());
            assertTrue(p.client().isOpen());
        }
    }

    @Test
    @DisplayName("39: exceptions of channels that are not, or not only, connected")
    default void statesThatDoNotFit() throws IOException {
        InetSocketAddress nowhere = InetSocketAddress.createUnresolved("no-such.invalid", 9);
        try (SocketChannel c = open()) {
            ByteBuffer b = ByteBuffer.allocate(1);
            assertThrows(NotYetConnectedException.class, () -> c.read(b));
            assertThrows(NotYetConnectedException.class, () -> c.read(new ByteBuffer[] {b}));
            assertThrows(NotYetConnectedException.class, () -> c.write(b));
            assertThrows(NotYetConnectedException.class, () -> c.write(new ByteBuffer[] {b}));
            assertThrows(NotYetConnectedException.class, c::shutdownInput);
            assertThrows(NotYetConnectedException.class, c::shutdownOutput);
            assertThrows(NoConnectionPendingException.class, c::finishConnect);
            assertThrows(NullPointerException.class, () -> c.connect(null));
            assertThrows(
                    UnsupportedAddressTypeException.class,
                    () -> c.connect(UnixDomainSocketAddress.of("/nowhere")));
            assertThrows(UnresolvedAddressException.class, () -> c.connect(nowhere));
            assertTrue(c.isOpen());
        }
        try (var p = pair()) {
            InetSocketAddress there = (InetSocketAddress) p.listener().getLocalAddress();
            assertThrows(AlreadyConnectedException.class, () -> p.client().connect(there));
            assertThrows(AlreadyConnectedException.class, () -> p.server().connect(there));
            assertThrows(
                    AlreadyBoundException.class,
                    () -> p.client().bind(new InetSocketAddress(LOOPBACK, 0)));
            assertTrue(p.client().isOpen());
        }
        try (Nio.Deaf deaf = new Nio.Deaf();
                SocketChannel c = open()) {
            c.configureBlocking(false);
            assertFalse(c.connect(deaf.address()));
            assertThrows(ConnectionPendingException.class, () -> c.connect(deaf.address()));
            assertThrows(
                    ConnectionPendingException.class,
                    () -> c.bind(new InetSocketAddress(LOOPBACK, 0)));
            assertFalse(c.finishConnect());
            assertTrue(c.isConnectionPending());
            assertThrows(NotYetConnectedException.class, () -> c.read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    @DisplayName("39: shutting what is not connected yet fails, and shuts nothing later")
    default void shutWhileConnecting() throws IOException {
        try (ServerSocketChannel listener = listen(1);
                SocketChannel c = open()) {
            c.configureBlocking(false);
            if (!c.connect(listener.getLocalAddress())) {
                assertThrows(NotYetConnectedException.class, c::shutdownInput);
                assertThrows(NotYetConnectedException.class, c::shutdownOutput);
            }
            Nio.await().until(c::finishConnect);
            try (SocketChannel s = listener.accept()) {
                assertFalse(c.socket().isInputShutdown());
                assertFalse(c.socket().isOutputShutdown());
                Nio.send(c, "ping");
                assertEquals("ping", Nio.receive(s, 4));
                Nio.send(s, "pong");
                assertEquals("pong", Nio.receive(c, 4));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("36: close ends a blocked connect")
    default void closeWakesConnect(Kind kind) throws Exception {
        try (Nio.Deaf deaf = new Nio.Deaf()) {
            SocketChannel c = open();
            Task<Boolean> connecting = Task.start(kind, () -> c.connect(deaf.address()));
            connecting.awaitBlocked();
            c.close();
            Expect.is(AsynchronousCloseException.class, null, connecting.thrown());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("36: an interrupt ends a blocked connect and closes")
    default void interruptWakesConnect(Kind kind) throws Exception {
        try (Nio.Deaf deaf = new Nio.Deaf()) {
            SocketChannel c = open();
            Task<Boolean> flag =
                    Task.start(
                            kind,
                            () -> {
                                assertThrows(
                                        ClosedByInterruptException.class,
                                        () -> c.connect(deaf.address()));
                                return Thread.currentThread().isInterrupted();
                            });
            flag.awaitBlocked();
            flag.thread().interrupt();
            assertTrue(flag.get());
            assertFalse(c.isOpen());
        }
    }

    @Test
    default void closeDuringAPendingConnect() throws Exception {
        try (Nio.Deaf deaf = new Nio.Deaf();
                Selector selector = provider().openSelector()) {
            SocketChannel c = open();
            c.configureBlocking(false);
            SelectionKey key = c.register(selector, OP_CONNECT);
            assertFalse(c.connect(deaf.address()));
            assertEquals(0, selector.selectNow());
            c.close();
            assertFalse(key.isValid());
            assertThrows(ClosedChannelException.class, c::finishConnect);
            assertEquals(0, selector.selectNow());
            assertEquals(0, selector.keys().size());
        }
    }

    @Test
    default void connectToTheWildcardAddress() throws IOException {
        try (ServerSocketChannel listener =
                        provider().openServerSocketChannel().bind(new InetSocketAddress(0));
                SocketChannel c = open()) {
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            c.connect(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), port));
            InetSocketAddress remote = (InetSocketAddress) c.getRemoteAddress();
            assertTrue(remote.getAddress().isLoopbackAddress(), remote::toString);
            try (SocketChannel s = listener.accept()) {
                Nio.send(c, "hi");
                assertEquals("hi", Nio.receive(s, 2));
            }
        }
    }

    /** Goal: the peer sees the port that was bound, and no other socket gets it meanwhile. */
    @Test
    default void boundPortIsSeenAndHeld() throws IOException {
        try (ServerSocketChannel listener = listen(1);
                SocketChannel c = open()) {
            assertSame(c, c.bind(new InetSocketAddress(LOOPBACK, 0)));
            InetSocketAddress local = (InetSocketAddress) c.getLocalAddress();
            assertTrue(local.getPort() > 0);
            assertThrows(
                    AlreadyBoundException.class, () -> c.bind(new InetSocketAddress(LOOPBACK, 0)));
            c.connect(listener.getLocalAddress());
            assertEquals(local, c.getLocalAddress());
            try (SocketChannel s = listener.accept();
                    ServerSocketChannel thief = provider().openServerSocketChannel()) {
                assertEquals(local, s.getRemoteAddress());
                Expect.thrown(
                        BindException.class, "Address already in use", () -> thief.bind(local));
            }
        }
    }

    @Test
    default void bindErrors() throws IOException {
        try (ServerSocketChannel listener = listen(1);
                SocketChannel taken = open();
                SocketChannel foreign = open()) {
            Expect.thrown(
                    BindException.class,
                    "Address already in use",
                    () -> taken.bind(listener.getLocalAddress()));
            Expect.thrown(
                    BindException.class,
                    "Cannot assign requested address",
                    () ->
                            foreign.bind(
                                    new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 0)));
            assertTrue(taken.isOpen() && foreign.isOpen());
            taken.bind(null);
            assertTrue(((InetSocketAddress) taken.getLocalAddress()).getPort() > 0);
        }
    }

    @Test
    @DisplayName("59: addresses and toString as TCP would show them")
    default void addresses() throws IOException {
        try (SocketChannel c = open()) {
            assertNull(c.getLocalAddress());
            assertNull(c.getRemoteAddress());
            assertEquals("java.nio.channels.SocketChannel[unconnected]", forms(c));
        }
        try (var p = pair()) {
            SocketChannel c = p.client();
            SocketChannel s = p.server();
            assertEquals(p.listener().getLocalAddress(), c.getRemoteAddress());
            assertEquals(c.getLocalAddress(), s.getRemoteAddress());
            assertEquals(c.getRemoteAddress(), s.getLocalAddress());
            String ends = " local=" + c.getLocalAddress() + " remote=" + c.getRemoteAddress() + "]";
            assertEquals("java.nio.channels.SocketChannel[connected" + ends, forms(c));
            c.shutdownInput();
            assertEquals("java.nio.channels.SocketChannel[connected ishut" + ends, forms(c));
            c.shutdownOutput();
            assertEquals("java.nio.channels.SocketChannel[connected ishut oshut" + ends, forms(c));
            c.close();
            assertEquals("java.nio.channels.SocketChannel[closed]", forms(c));
            assertThrows(ClosedChannelException.class, c::getLocalAddress);
            assertThrows(ClosedChannelException.class, c::getRemoteAddress);
            assertFalse(c.isConnected());
        }
    }

    /** The text of {@code c} with the name of the public class, whatever the real one is. */
    private static String forms(SocketChannel c) {
        return c.toString().replaceFirst("^[^\\[]*", "java.nio.channels.SocketChannel");
    }

    @Test
    @DisplayName("88: channels and selectors report the provider they came from")
    default void providers() throws IOException {
        try (var p = pair();
                Selector selector = provider().openSelector()) {
            assertSame(provider(), p.client().provider());
            assertSame(provider(), p.server().provider());
            assertSame(provider(), p.listener().provider());
            assertSame(provider(), selector.provider());
            assertEquals(13, p.client().validOps());
            assertEquals(16, p.listener().validOps());
        }
    }
}
