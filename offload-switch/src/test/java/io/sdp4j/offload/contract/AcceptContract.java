package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task.Kind;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listening and accepting: behaviours 28 and 29. */
interface AcceptContract extends Sockets {
    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("28: accept times out and goes on")
    default void acceptTimesOutAndGoesOn(Kind kind) throws Exception {
        try (ServerSocket listener = listen(5)) {
            listener.setSoTimeout(50);
            long least = Long.MAX_VALUE; // on a busy machine the others take longer
            for (int i = 0; i < 3; i++) {
                long start = System.nanoTime();
                Task<Socket> accepting = Task.start(kind, listener::accept);
                Expect.is(SocketTimeoutException.class, "Accept timed out", accepting.thrown());
                least = Math.min(least, System.nanoTime() - start);
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(least);
            assertTrue(millis >= 49 && millis < 2000, "took " + millis + " ms");
            listener.setSoTimeout(10_000);
            try (Socket c = newSocket()) {
                c.connect(listener.getLocalSocketAddress());
                Task.start(kind, listener::accept).get().close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    default void acceptWaits(Kind kind) throws Exception {
        try (ServerSocket listener = listen(5);
                Socket c = newSocket();
                Socket tcp = new Socket()) {
            Task<Socket> first = Task.start(kind, listener::accept);
            first.awaitBlocked();
            c.connect(listener.getLocalSocketAddress());
            try (Socket s = first.get()) {
                assertEquals(c.getLocalPort(), s.getPort());
            }
            Task<Socket> second = Task.start(kind, listener::accept);
            second.awaitBlocked();
            tcp.connect(listener.getLocalSocketAddress());
            try (Socket s = second.get()) {
                assertEquals(tcp.getLocalPort(), s.getPort());
                Expect.send(tcp, "tcp");
                assertEquals("tcp", Expect.receive(s, 3));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("10, 28: close ends every accept")
    default void closeWakesAllAcceptors(Kind kind) throws Exception {
        ServerSocket listener = listen(5);
        List<Task<Socket>> acceptors = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            acceptors.add(Task.start(kind, listener::accept));
        }
        for (Task<Socket> acceptor : acceptors) {
            acceptor.awaitBlocked();
        }
        int port = listener.getLocalPort();
        listener.close();
        for (Task<Socket> acceptor : acceptors) {
            Expect.is(SocketException.class, "Socket closed", acceptor.thrown());
        }
        Expect.thrown(SocketException.class, "Socket is closed", listener::accept);
        assertEquals(port, listener.getLocalPort());
        try (ServerSocket again = newServerSocket()) {
            again.bind(new InetSocketAddress(ConnectContract.LOOPBACK, port));
        }
    }

    @Test
    default void interruptOfAVirtualAcceptor() throws Exception {
        try (ServerSocket listener = listen(5)) {
            Task<Socket> acceptor = Task.start(Kind.VIRTUAL, listener::accept);
            acceptor.awaitBlocked();
            acceptor.thread().interrupt();
            Expect.is(SocketException.class, "Closed by interrupt", acceptor.thrown());
            assertTrue(listener.isClosed());
        }
    }

    @Test
    default void interruptOfAPlatformAcceptor() throws Exception {
        try (ServerSocket listener = listen(5);
                Socket c = newSocket()) {
            Task<Socket> acceptor = Task.start(listener::accept);
            acceptor.awaitBlocked();
            acceptor.thread().interrupt();
            acceptor.awaitBlocked();
            c.connect(listener.getLocalSocketAddress());
            acceptor.get().close();
            assertFalse(listener.isClosed());
        }
    }

    /** Goal: clients that connected before accept is called are served, in order. */
    @Test
    @DisplayName("28: waiting clients are served in order")
    default void backlogIsServedInOrder() throws IOException {
        List<Socket> clients = new ArrayList<>();
        try (ServerSocket listener = listen(50)) {
            for (int i = 0; i < 20; i++) {
                Socket c = newSocket();
                c.connect(listener.getLocalSocketAddress());
                clients.add(c);
            }
            for (Socket c : clients) {
                try (Socket s = listener.accept()) {
                    assertEquals(c.getLocalPort(), s.getPort());
                }
            }
        } finally {
            for (Socket c : clients) {
                c.close();
            }
        }
    }

    /** Goal: TCP clients and our own get in at the same listener, and neither waits for ever. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("29: TCP clients and offloaded ones, neither starves")
    default void mixedClients(Kind kind) throws Exception {
        int each = 40;
        try (ServerSocket listener = listen(200)) {
            List<Socket> clients = new ArrayList<>();
            Set<Integer> ports = new HashSet<>();
            for (int i = 0; i < each; i++) {
                for (Socket c : new Socket[] {newSocket(), new Socket()}) {
                    c.connect(listener.getLocalSocketAddress());
                    clients.add(c);
                    ports.add(c.getLocalPort());
                }
            }
            List<Task<Socket>> acceptors = new ArrayList<>();
            for (int i = 0; i < 2 * each; i++) {
                acceptors.add(Task.start(kind, listener::accept));
            }
            for (Task<Socket> acceptor : acceptors) {
                try (Socket s = acceptor.get()) {
                    assertTrue(ports.remove(s.getPort()), "twice: " + s);
                }
            }
            assertTrue(ports.isEmpty(), "never accepted: " + ports);
            for (Socket c : clients) {
                c.close();
            }
        }
    }

    /** Goal: the accepting side sees addresses alone, although the client asked for a name. */
    @Test
    default void wildcardListener() throws IOException {
        try (ServerSocket listener = newServerSocket();
                Socket v4 = newSocket();
                Socket v6 = newSocket()) {
            listener.bind(null);
            assertEquals("0.0.0.0", listener.getInetAddress().getHostAddress());
            InetAddress named = InetAddress.getByAddress("named", Here.ADDRESS.getAddress());
            v4.connect(new InetSocketAddress(named, listener.getLocalPort()));
            try (Socket s = listener.accept()) {
                assertEquals(Here.text(), s.getInetAddress().toString());
                assertEquals(Here.text(), s.getLocalAddress().toString());
            }
            byte[] loopback6 = InetAddress.ofLiteral("::1").getAddress();
            InetAddress named6 = InetAddress.getByAddress("named", loopback6);
            v6.connect(new InetSocketAddress(named6, listener.getLocalPort()));
            assertEquals("/0:0:0:0:0:0:0:1", v6.getLocalAddress().toString());
            try (Socket s = listener.accept()) {
                assertEquals(v6.getLocalAddress(), s.getInetAddress());
            }
        }
    }

    @Test
    default void aBoundAddressReachesNoneOfTheOtherFamily() throws IOException {
        InetAddress four = InetAddress.ofLiteral("127.0.0.1");
        InetAddress six = InetAddress.ofLiteral("::1");
        try (ServerSocket listener = newServerSocket();
                Socket from4 = newSocket();
                Socket from6 = newSocket()) {
            listener.bind(null);
            int port = listener.getLocalPort();
            from4.bind(new InetSocketAddress(four, 0));
            Expect.thrown(
                    SocketException.class,
                    "Address family not supported by protocol",
                    () -> from4.connect(new InetSocketAddress(six, port)));
            from6.bind(new InetSocketAddress(six, 0));
            Expect.thrown(
                    SocketException.class,
                    "Network is unreachable",
                    () -> from6.connect(new InetSocketAddress(four, port)));
        }
    }

    @Test
    @DisplayName("100: the port of a forgotten listener is free once it is garbage")
    default void aForgottenListenerIsClosed() throws IOException {
        SocketAddress at = forgotten();
        Awaitility.await()
                .until(
                        () -> {
                            System.gc();
                            return isFree(at);
                        });
    }

    private SocketAddress forgotten() throws IOException {
        return listen(5).getLocalSocketAddress();
    }

    @Test
    @DisplayName("100: the peer of a forgotten socket sees the end once it is garbage")
    default void aForgottenSocketIsClosed() throws IOException {
        try (ServerSocket listener = listen(5);
                Socket peer = peerOfForgotten(listener)) {
            peer.setSoTimeout(100);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(
                            () -> {
                                System.gc();
                                return ended(peer);
                            });
        }
    }

    private Socket peerOfForgotten(ServerSocket listener) throws IOException {
        newSocket().connect(listener.getLocalSocketAddress());
        return listener.accept();
    }

    private static boolean ended(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    private static boolean isFree(SocketAddress at) throws IOException {
        try (ServerSocket other = new ServerSocket()) {
            other.bind(at);
            return true;
        } catch (BindException e) {
            return false;
        }
    }

    /** Goal: closing a listener leaves what it has accepted alone. */
    @Test
    default void acceptedSocketsOutliveTheListener() throws IOException {
        ServerSocket listener = listen(5);
        try (Socket c = newSocket()) {
            c.connect(listener.getLocalSocketAddress());
            try (Socket s = listener.accept()) {
                listener.close();
                Expect.send(c, "alive");
                assertEquals("alive", Expect.receive(s, 5));
            }
        }
    }
}
