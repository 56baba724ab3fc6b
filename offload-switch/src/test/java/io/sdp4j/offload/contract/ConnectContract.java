package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task.Kind;
import io.sdp4j.offload.contract.nio.Nio;
import io.sdp4j.testing.FreePorts;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connecting, binding and addresses: behaviours 2 to 7. */
interface ConnectContract extends Sockets {
    InetAddress LOOPBACK = Here.ADDRESS;

    /** Goal: a missing listener is reported as the kernel reports it. */
    @Test
    @DisplayName("2: a refused connect closes the socket")
    default void connectRefused() throws IOException {
        InetSocketAddress unused = new InetSocketAddress(LOOPBACK, FreePorts.one());
        try (ServerSocket gone = newServerSocket()) {
            gone.bind(unused, 1);
        }
        Socket s = newSocket();
        Expect.thrown(ConnectException.class, "Connection refused", () -> s.connect(unused));
        assertTrue(s.isClosed());
        assertFalse(s.isConnected());
        Expect.thrown(SocketException.class, "Socket is closed", () -> s.connect(unused));
    }

    /** Goal: the caller's limit holds. Method: a plain TCP listener whose queue is full. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("3: a connect times out, the offload attempt included")
    default void connectTimesOut(Kind kind) throws Exception {
        try (Nio.Deaf full = new Nio.Deaf()) {
            Socket s = newSocket();
            long start = System.nanoTime();
            Task<Void> connecting =
                    Task.start(
                            kind,
                            () -> {
                                s.connect(full.address(), 300);
                                return null;
                            });
            Expect.is(SocketTimeoutException.class, "Connect timed out", connecting.thrown());
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue(millis >= 299 && millis < 5000, "took " + millis + " ms");
            assertTrue(s.isClosed());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("10: close ends a blocked connect")
    default void closeWakesConnect(Kind kind) throws Exception {
        try (Nio.Deaf full = new Nio.Deaf()) {
            Socket s = newSocket();
            Task<Void> connecting =
                    Task.start(
                            kind,
                            () -> {
                                s.connect(full.address());
                                return null;
                            });
            connecting.awaitBlocked();
            s.close();
            Expect.is(SocketException.class, "Socket closed", connecting.thrown());
        }
    }

    @Test
    @DisplayName("4: an unresolved host closes the socket")
    default void unresolvedHost() throws IOException {
        Socket s = newSocket();
        InetSocketAddress nowhere = InetSocketAddress.createUnresolved("no-such-host.invalid", 9);
        UnknownHostException e = assertThrows(UnknownHostException.class, () -> s.connect(nowhere));
        assertTrue(e.getMessage().contains("no-such-host.invalid"), e.getMessage());
        assertTrue(s.isClosed());
    }

    @Test
    default void illegalConnects() throws IOException {
        try (Socket s = newSocket()) {
            assertThrows(IllegalArgumentException.class, () -> s.connect(null));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> s.connect(new InetSocketAddress(LOOPBACK, 9), -1));
            assertFalse(s.isClosed());
        }
        try (var p = pair()) {
            Expect.thrown(
                    SocketException.class,
                    "Already connected",
                    () -> p.client().connect(p.listener().getLocalSocketAddress()));
            Expect.thrown(
                    SocketException.class,
                    "Already bound",
                    () -> p.client().bind(new InetSocketAddress(LOOPBACK, 0)));
        }
    }

    @Test
    @DisplayName("5: the wildcard address is this host")
    default void connectToTheWildcardAddress() throws IOException {
        try (ServerSocket listener = newServerSocket();
                Socket s = newSocket()) {
            listener.bind(new InetSocketAddress(0));
            s.connect(
                    new InetSocketAddress(
                            InetAddress.ofLiteral("0.0.0.0"), listener.getLocalPort()));
            assertEquals(InetAddress.getLocalHost(), s.getInetAddress());
            try (Socket accepted = listener.accept()) {
                Expect.send(s, "hi");
                assertEquals("hi", Expect.receive(accepted, 2));
            }
        }
    }

    /** Goal: the peer sees the port bound, and no other socket gets it meanwhile. */
    @Test
    @DisplayName("6: the peer sees the port that was bound, and no other socket gets it")
    default void boundPortIsSeenAndHeld() throws IOException {
        try (ServerSocket listener = listen(1);
                Socket s = newSocket()) {
            s.bind(new InetSocketAddress(LOOPBACK, 0));
            int port = s.getLocalPort();
            assertTrue(port > 0);
            assertEquals(LOOPBACK, s.getLocalAddress());
            s.connect(listener.getLocalSocketAddress());
            assertEquals(port, s.getLocalPort());
            try (Socket accepted = listener.accept();
                    ServerSocket thief = new ServerSocket()) {
                assertEquals(port, accepted.getPort());
                assertThrows(
                        BindException.class,
                        () -> thief.bind(new InetSocketAddress(LOOPBACK, port)));
            }
        }
    }

    @Test
    default void bindErrors() throws IOException {
        try (ServerSocket listener = listen(1);
                Socket taken = newSocket();
                Socket foreign = newSocket();
                ServerSocket second = newServerSocket()) {
            Expect.thrown(
                    BindException.class,
                    "Address already in use",
                    () -> taken.bind(listener.getLocalSocketAddress()));
            Expect.thrown(
                    BindException.class,
                    "Cannot assign requested address",
                    () ->
                            foreign.bind(
                                    new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 0)));
            Expect.thrown(
                    BindException.class,
                    "Address already in use",
                    () -> second.bind(listener.getLocalSocketAddress()));
        }
    }

    /** Goal: each side sees the other as TCP would show it. */
    @Test
    @DisplayName("7: addresses and texts at both ends")
    default void addresses() throws IOException {
        try (var p = pair()) {
            Socket c = p.client();
            Socket s = p.server();
            assertEquals(p.listener().getLocalSocketAddress(), c.getRemoteSocketAddress());
            assertEquals(c.getLocalSocketAddress(), s.getRemoteSocketAddress());
            assertEquals(c.getRemoteSocketAddress(), s.getLocalSocketAddress());
            assertEquals(LOOPBACK, c.getInetAddress());
            assertEquals(LOOPBACK, c.getLocalAddress());
            assertEquals(p.listener().getLocalPort(), c.getPort());
            assertEquals(
                    "Socket[addr="
                            + c.getInetAddress()
                            + ",port="
                            + c.getPort()
                            + ",localport="
                            + c.getLocalPort()
                            + "]",
                    c.toString());
            assertEquals(
                    "Socket[addr="
                            + Here.text()
                            + ",port="
                            + c.getLocalPort()
                            + ",localport="
                            + c.getPort()
                            + "]",
                    s.toString());
            assertEquals(
                    "ServerSocket[addr=" + LOOPBACK + ",localport=" + c.getPort() + "]",
                    p.listener().toString());
        }
    }

    @Test
    @DisplayName("7: addresses after close")
    default void addressesAfterClose() throws IOException {
        try (var p = pair()) {
            Socket c = p.client();
            int localPort = c.getLocalPort();
            c.close();
            assertTrue(c.isConnected());
            assertTrue(c.isBound());
            assertEquals(LOOPBACK, c.getInetAddress());
            assertEquals(p.listener().getLocalPort(), c.getPort());
            assertEquals(localPort, c.getLocalPort());
            assertEquals("0.0.0.0", c.getLocalAddress().getHostAddress());
            assertEquals(p.listener().getLocalSocketAddress(), c.getRemoteSocketAddress());
            int port = p.server().getPort();
            p.server().close();
            assertEquals(port, p.server().getPort());
        }
    }

    @Test
    default void addressesOfAnUnboundSocket() throws IOException {
        try (Socket s = newSocket();
                ServerSocket l = newServerSocket()) {
            assertEquals(-1, s.getLocalPort());
            assertEquals(0, s.getPort());
            assertEquals("0.0.0.0", s.getLocalAddress().getHostAddress());
            assertNull(s.getInetAddress());
            assertNull(s.getLocalSocketAddress());
            assertNull(s.getRemoteSocketAddress());
            assertEquals("Socket[unconnected]", s.toString());
            assertEquals(-1, l.getLocalPort());
            assertNull(l.getInetAddress());
            assertEquals("ServerSocket[unbound]", l.toString());
            Expect.thrown(SocketException.class, "Socket is not bound yet", l::accept);
            Expect.thrown(SocketException.class, "Socket is not connected", s::getInputStream);
        }
    }

    @Test
    @DisplayName("97: no client ever gets the listener's own address and port")
    default void neverConnectsToItself() throws IOException {
        try (ServerSocket listener = listen(50);
                Socket s = newSocket()) {
            SocketAddress taken = listener.getLocalSocketAddress();
            assertThrows(BindException.class, () -> s.bind(taken));
        }
    }
}
