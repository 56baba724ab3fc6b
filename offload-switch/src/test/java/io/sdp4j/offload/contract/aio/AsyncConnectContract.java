package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Here;
import io.sdp4j.testing.FreePorts;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AcceptPendingException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Connect, bind and accept: behaviours 2, 5, 6, 7, 29, 39, 59, 95 and 96. */
interface AsyncConnectContract extends Aio {
    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(Here.ADDRESS, port);
    }

    @Test
    @DisplayName("2, 63: a refused connect")
    default void refused() throws Exception {
        SocketAddress unused = loopback(FreePorts.one());
        try (AsynchronousSocketChannel client = channel(null)) {
            Aio.failed(ConnectException.class, "Connection refused", client.connect(unused));
            assertFalse(client.isOpen(), "closed by its failure");
        }
        try (AsynchronousSocketChannel client = channel(null)) {
            Outcome<Void> connect = new Outcome<>();
            client.connect(unused, "a", connect);
            connect.failedWith(ConnectException.class, "Connection refused");
            assertEquals("a", connect.attachment());
            assertFalse(client.isOpen());
        }
    }

    @Test
    @DisplayName("7, 59: addresses and texts")
    default void addressesAreTcps() throws Exception {
        try (var p = pair()) {
            InetSocketAddress listener = (InetSocketAddress) p.listener().getLocalAddress();
            InetSocketAddress local = (InetSocketAddress) p.client().getLocalAddress();
            assertEquals(listener, p.client().getRemoteAddress());
            assertEquals(local, p.server().getRemoteAddress());
            assertEquals(listener, p.server().getLocalAddress());
            assertEquals(listener.getAddress(), local.getAddress());
            assertTrue(
                    p.client()
                            .toString()
                            .endsWith("[connected local=" + local + " remote=" + listener + "]"),
                    p.client()::toString);
            p.client().shutdownInput();
            p.client().shutdownOutput();
            assertTrue(
                    p.client().toString().contains("[connected ishut oshut local="),
                    p.client()::toString);
            assertNotNull(p.client().provider());
            assertThrows(IOException.class, () -> new Socket().bind(local), "the port is taken");
        }
    }

    @Test
    default void bindsBeforeItConnects() throws Exception {
        int port = FreePorts.one();
        try (AsynchronousServerSocketChannel listener = listen(null);
                AsynchronousSocketChannel client = channel(null)) {
            client.bind(loopback(port));
            assertEquals(loopback(port), client.getLocalAddress());
            assertThrows(AlreadyBoundException.class, () -> client.bind(null));
            Future<AsynchronousSocketChannel> accept = listener.accept();
            Aio.get(client.connect(listener.getLocalAddress()));
            try (AsynchronousSocketChannel server = Aio.get(accept)) {
                assertEquals(loopback(port), server.getRemoteAddress());
                assertThrows(AlreadyBoundException.class, () -> client.bind(null));
                assertThrows(AlreadyBoundException.class, () -> server.bind(null));
            }
        }
    }

    @Test
    default void connectsToTheWildcard() throws Exception {
        try (AsynchronousServerSocketChannel listener =
                        provider().openAsynchronousServerSocketChannel(null).bind(null);
                AsynchronousSocketChannel client = channel(null)) {
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            Future<AsynchronousSocketChannel> accept = listener.accept();
            Aio.get(client.connect(new InetSocketAddress(port)));
            try (AsynchronousSocketChannel server = Aio.get(accept)) {
                Aio.send(client, "x");
                assertEquals("x", Aio.receive(server, 1));
                assertEquals(new InetSocketAddress(port), client.getRemoteAddress());
            }
        }
    }

    @Test
    default void badTargets() throws Exception {
        try (var p = pair();
                AsynchronousSocketChannel fresh = channel(null)) {
            SocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
            SocketAddress strange = new SocketAddress() {};
            for (AsynchronousSocketChannel channel : List.of(fresh, p.client())) {
                assertThrows(UnresolvedAddressException.class, () -> channel.connect(unresolved));
                assertThrows(UnsupportedAddressTypeException.class, () -> channel.connect(strange));
                assertThrows(NullPointerException.class, () -> channel.connect(null));
            }
            assertThrows(UnsupportedAddressTypeException.class, () -> fresh.bind(strange));
            assertThrows(
                    AlreadyConnectedException.class,
                    () -> p.client().connect(p.listener().getLocalAddress()));
            assertThrows(
                    AlreadyConnectedException.class,
                    () -> p.server().connect(p.listener().getLocalAddress()));
            assertThrows(
                    NullPointerException.class,
                    () -> fresh.connect(p.listener().getLocalAddress(), null, null));
            assertTrue(fresh.isOpen());
        }
    }

    @Test
    default void listenerRules() throws Exception {
        try (AsynchronousServerSocketChannel fresh =
                provider().openAsynchronousServerSocketChannel(null)) {
            assertThrows(NotYetBoundException.class, fresh::accept);
            assertEquals(null, fresh.getLocalAddress());
            fresh.bind(loopback(0), 0);
            assertThrows(AlreadyBoundException.class, () -> fresh.bind(null));
            assertTrue(
                    fresh.toString().endsWith("[" + fresh.getLocalAddress() + "]"),
                    fresh::toString);
            Future<AsynchronousSocketChannel> accept = fresh.accept();
            assertThrows(AcceptPendingException.class, fresh::accept);
            assertThrows(AcceptPendingException.class, () -> fresh.accept(null, new Outcome<>()));
            assertThrows(NullPointerException.class, () -> fresh.accept(null, null));
            try (AsynchronousSocketChannel client = channel(null)) {
                Aio.get(client.connect(fresh.getLocalAddress()));
                Aio.get(accept).close();
            }
            try (AsynchronousServerSocketChannel taken =
                    provider().openAsynchronousServerSocketChannel(null)) {
                assertThrows(
                        java.net.BindException.class, () -> taken.bind(fresh.getLocalAddress()));
            }
        }
    }

    /** Goal: connections that came before the accept, and accepts that came before them. */
    @Test
    default void acceptsManyInEitherOrder() throws Exception {
        try (AsynchronousServerSocketChannel listener = listen(null)) {
            List<AsynchronousSocketChannel> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                boolean acceptFirst = i % 2 == 0;
                Outcome<AsynchronousSocketChannel> accept = new Outcome<>();
                if (acceptFirst) {
                    listener.accept("a" + i, accept);
                }
                AsynchronousSocketChannel client = channel(null);
                Outcome<Void> connect = new Outcome<>();
                client.connect(listener.getLocalAddress(), null, connect);
                connect.get();
                if (!acceptFirst) {
                    listener.accept("a" + i, accept);
                }
                all.add(client);
                all.add(accept.get());
                assertEquals("a" + i, accept.attachment());
            }
            for (int i = 0; i < all.size(); i += 2) {
                Aio.send(all.get(i), "n" + i % 10);
                assertEquals("n" + i % 10, Aio.receive(all.get(i + 1), 2));
            }
            for (AsynchronousSocketChannel channel : all) {
                channel.close();
            }
        }
    }

    /** Goal: behaviour 29, a plain TCP client is served at the same time. */
    @Test
    @DisplayName("29: plain TCP clients are served")
    default void plainTcpClientsAreServed() throws Exception {
        try (AsynchronousServerSocketChannel listener = listen(null)) {
            for (int i = 0; i < 4; i++) {
                Future<AsynchronousSocketChannel> accept = listener.accept();
                InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
                try (Socket plain = new Socket(at.getAddress(), at.getPort());
                        AsynchronousSocketChannel server = Aio.get(accept)) {
                    plain.getOutputStream().write('t');
                    assertEquals("t", Aio.receive(server, 1));
                }
                accept = listener.accept();
                try (AsynchronousSocketChannel client = channel(null)) {
                    Aio.get(client.connect(at));
                    try (AsynchronousSocketChannel server = Aio.get(accept)) {
                        Aio.send(client, "o");
                        assertEquals("o", Aio.receive(server, 1));
                    }
                }
            }
        }
    }

    /** Goal: closing while a connect is under way ends it, exactly once, one way or the other. */
    @Test
    default void closeEndsAConnect() throws Exception {
        List<Outcome<Void>> connects = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            try (AsynchronousServerSocketChannel listener = listen(null)) {
                AsynchronousSocketChannel client = channel(null);
                Outcome<Void> connect = new Outcome<>();
                client.connect(listener.getLocalAddress(), null, connect);
                connects.add(connect);
                client.close();
                try {
                    connect.get();
                } catch (AssertionError e) {
                    assertEquals(
                            java.nio.channels.AsynchronousCloseException.class,
                            e.getCause().getClass());
                }
                Aio.failed(
                        java.nio.channels.ClosedChannelException.class,
                        null,
                        client.read(ByteBuffer.allocate(1)));
            }
        }
        connects.forEach(Outcome::assertOnce);
    }
}
