package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.Task.Kind;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Binding and accepting. */
public interface ServerSocketChannelContract extends NioChannels {
    @Test
    default void acceptsWithoutBlocking() throws Exception {
        try (ServerSocketChannel l = listen(4);
                SocketChannel c = open()) {
            l.configureBlocking(false);
            assertNull(l.accept());
            c.connect(l.getLocalAddress());
            try (SocketChannel s = Nio.await().until(l::accept, a -> a != null)) {
                assertTrue(s.isBlocking() && s.isConnected());
                assertEquals(c.getLocalAddress(), s.getRemoteAddress());
                assertNull(l.accept());
                Nio.send(s, "x");
                assertEquals("x", Nio.receive(c, 1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    default void acceptsBlocking(Kind kind) throws Exception {
        try (ServerSocketChannel l = listen(4);
                SocketChannel c = open()) {
            Task<SocketChannel> accepting = Task.start(kind, l::accept);
            accepting.awaitBlocked();
            c.connect(l.getLocalAddress());
            try (SocketChannel s = accepting.get()) {
                assertEquals(c.getLocalAddress(), s.getRemoteAddress());
                assertEquals(l.getLocalAddress(), s.getLocalAddress());
            }
        }
    }

    @Test
    @DisplayName("46: OP_ACCEPT lasts until the last pending connection is taken")
    default void acceptable() throws Exception {
        try (ServerSocketChannel l = listen(8);
                Selector selector = provider().openSelector()) {
            l.configureBlocking(false);
            SelectionKey key = l.register(selector, OP_ACCEPT);
            assertEquals(0, selector.selectNow());
            List<SocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                SocketChannel c = open();
                c.connect(l.getLocalAddress());
                clients.add(c);
            }
            for (SocketChannel c : clients) {
                Nio.awaitReady(selector, key, OP_ACCEPT);
                assertTrue(key.isAcceptable());
                try (SocketChannel s = l.accept()) {
                    assertEquals(c.getLocalAddress(), s.getRemoteAddress());
                }
            }
            assertEquals(0, Nio.readyNow(selector, key));
            for (SocketChannel c : clients) {
                c.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("29: clients of the plain kernel and of this provider are taken from one listener")
    default void kernelClientsToo(Kind kind) throws Exception {
        int each = 10;
        SelectorProvider plain = SelectorProvider.provider();
        try (ServerSocketChannel l = listen(50)) {
            Task<Integer> server = Task.start(kind, () -> greet(l, 3 * each));
            List<Task<Integer>> clients = new ArrayList<>();
            clients.add(Task.start(() -> hello(l, each, this::open)));
            clients.add(Task.start(() -> hello(l, each, plain::openSocketChannel)));
            clients.add(
                    Task.start(
                            () -> {
                                int good = 0;
                                for (int i = 0; i < each; i++) {
                                    try (Socket c = new Socket()) {
                                        c.connect(l.getLocalAddress(), 10_000);
                                        byte[] text = c.getInputStream().readAllBytes();
                                        good += Expect.text(text).equals("hello") ? 1 : 0;
                                    }
                                }
                                return good;
                            }));
            for (Task<Integer> client : clients) {
                assertEquals(each, client.get());
            }
            assertEquals(3 * each, server.get());
        }
    }

    private static int greet(ServerSocketChannel l, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            try (SocketChannel s = l.accept()) {
                Nio.send(s, "hello");
            }
        }
        return times;
    }

    /** How a client is made. */
    interface Opener {
        SocketChannel open() throws IOException;
    }

    private static int hello(ServerSocketChannel l, int times, Opener opener) throws IOException {
        int good = 0;
        for (int i = 0; i < times; i++) {
            try (SocketChannel c = opener.open()) {
                c.connect(l.getLocalAddress());
                good += Nio.receiveAll(c).equals("hello") ? 1 : 0;
            }
        }
        return good;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("36: close ends a blocked accept")
    default void closeWakesAccept(Kind kind) throws Exception {
        ServerSocketChannel l = listen(1);
        Task<SocketChannel> accepting = Task.start(kind, l::accept);
        accepting.awaitBlocked();
        l.close();
        Expect.is(AsynchronousCloseException.class, null, accepting.thrown());
        assertThrows(ClosedChannelException.class, l::accept);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("36, 37: an interrupt ends a blocked accept, earlier ones too, and closes")
    default void interruptWakesAccept(Kind kind) throws Exception {
        ServerSocketChannel l = listen(1);
        Task<Boolean> accepting = Task.start(kind, () -> interruptedAccept(l));
        accepting.awaitBlocked();
        accepting.thread().interrupt();
        assertTrue(accepting.get());
        assertFalse(l.isOpen());
        try (ServerSocketChannel again = listen(1);
                SocketChannel c = open()) {
            c.connect(again.getLocalAddress());
            assertTrue(
                    Task.start(
                                    kind,
                                    () -> {
                                        Thread.currentThread().interrupt();
                                        return interruptedAccept(again);
                                    })
                            .get());
            assertFalse(again.isOpen());
        }
    }

    private static boolean interruptedAccept(ServerSocketChannel l) {
        assertThrows(ClosedByInterruptException.class, l::accept);
        return Thread.currentThread().isInterrupted();
    }

    @Test
    @DisplayName("39: exceptions of listeners that are not, or not only, bound")
    default void listenerStatesThatDoNotFit() throws Exception {
        try (ServerSocketChannel l = provider().openServerSocketChannel();
                ServerSocketChannel other = provider().openServerSocketChannel()) {
            assertThrows(NotYetBoundException.class, l::accept);
            assertNull(l.getLocalAddress());
            assertSame(l, l.bind(null));
            assertThrows(AlreadyBoundException.class, () -> l.bind(null));
            int port = ((InetSocketAddress) l.getLocalAddress()).getPort();
            assertTrue(port > 0);
            Expect.thrown(
                    BindException.class,
                    "Address already in use",
                    () -> other.bind(new InetSocketAddress(port)));
            assertThrows(
                    UnresolvedAddressException.class,
                    () -> other.bind(InetSocketAddress.createUnresolved("no-such.invalid", 0)));
            other.bind(new InetSocketAddress(LOOPBACK, 0));
        }
    }

    @Test
    @DisplayName("28: connections that were not taken are reset when the listener closes")
    default void closeWithPendingConnections() throws Exception {
        try (SocketChannel c = open()) {
            ServerSocketChannel l = listen(4);
            InetSocketAddress address = (InetSocketAddress) l.getLocalAddress();
            c.connect(address);
            l.close();
            Throwable t = Nio.awaitThrown(() -> c.read(ByteBuffer.allocate(1)));
            Expect.is(SocketException.class, "Connection reset", t);
            try (SocketChannel late = open()) {
                Expect.thrown(
                        ConnectException.class, "Connection refused", () -> late.connect(address));
            }
        }
    }

    @Test
    default void aPortIsFreeAgainAfterClose() throws Exception {
        for (int i = 0; i < 20; i++) {
            ServerSocketChannel l = listen(4);
            InetSocketAddress address = (InetSocketAddress) l.getLocalAddress();
            try (SocketChannel c = open();
                    Selector selector = provider().openSelector()) {
                l.configureBlocking(false).register(selector, OP_ACCEPT);
                c.connect(address);
                selector.select(20_000);
                l.accept().close();
                l.close();
                selector.selectNow();
            }
            try (ServerSocketChannel again = provider().openServerSocketChannel()) {
                again.bind(address);
            }
        }
    }

    @Test
    default void acceptedChannelsInheritTheReceiveBuffer() throws Exception {
        try (ServerSocketChannel l = provider().openServerSocketChannel();
                SocketChannel c = open()) {
            l.setOption(StandardSocketOptions.SO_RCVBUF, 40_000);
            l.bind(new InetSocketAddress(LOOPBACK, 0));
            c.connect(l.getLocalAddress());
            try (SocketChannel s = l.accept()) {
                assertEquals(
                        l.getOption(StandardSocketOptions.SO_RCVBUF),
                        s.getOption(StandardSocketOptions.SO_RCVBUF));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("28, 55: the ServerSocket of a channel accepts, times out and is closed")
    default void adaptorAccepts(Kind kind) throws Exception {
        try (ServerSocketChannel l = listen(4);
                SocketChannel c = open()) {
            l.socket().setSoTimeout(50);
            assertSame(l, l.socket().getChannel());
            Task<Socket> timed = Task.start(kind, l.socket()::accept);
            Expect.is(SocketTimeoutException.class, "Accept timed out", timed.thrown());
            assertTrue(l.isOpen());
            c.connect(l.getLocalAddress());
            l.socket().setSoTimeout(20_000);
            try (Socket s = Task.start(kind, l.socket()::accept).get()) {
                assertNotNull(s.getChannel());
                s.getOutputStream().write('x');
                assertEquals("x", Nio.receive(c, 1));
            }
            l.configureBlocking(false);
            assertThrows(IllegalBlockingModeException.class, l.socket()::accept);
            l.configureBlocking(true);
            l.socket().setSoTimeout(0);
            Task<Socket> blocked = Task.start(kind, l.socket()::accept);
            blocked.awaitBlocked();
            l.socket().close();
            assertFalse(l.isOpen());
            Expect.is(AsynchronousCloseException.class, null, blocked.thrown());
        }
    }

    @Test
    @DisplayName("55: a timed accept of a channel that does not block takes nothing")
    default void timedAcceptNeedsBlockingMode() throws Exception {
        try (ServerSocketChannel l = listen(4);
                SocketChannel c = open()) {
            c.connect(l.getLocalAddress());
            l.configureBlocking(false);
            l.socket().setSoTimeout(20_000);
            assertThrows(IllegalBlockingModeException.class, l.socket()::accept);
            Nio.await().until(l::accept, a -> a != null).close();
        }
    }

    @Test
    @DisplayName("58: UNIX-domain channels are the JDK's own")
    default void unixDomainIsLeftAlone() throws Exception {
        try (ServerSocketChannel ours =
                        provider().openServerSocketChannel(StandardProtocolFamily.UNIX);
                ServerSocketChannel plain =
                        SelectorProvider.provider()
                                .openServerSocketChannel(StandardProtocolFamily.UNIX);
                ServerSocketChannel four =
                        provider().openServerSocketChannel(StandardProtocolFamily.INET)) {
            assertSame(plain.getClass(), ours.getClass());
            four.bind(new InetSocketAddress(LOOPBACK, 0));
            try (SocketChannel c = provider().openSocketChannel(StandardProtocolFamily.INET)) {
                c.connect(four.getLocalAddress());
                four.accept().close();
            }
        }
    }
}
