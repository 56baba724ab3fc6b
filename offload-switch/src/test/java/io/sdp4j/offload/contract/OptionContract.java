package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Options of both kinds, before and after connecting: behaviours 23 and 24. */
interface OptionContract extends Sockets {
    Set<String> CLIENT_OPTIONS =
            Set.of(
                    "IP_TOS",
                    "SO_INCOMING_NAPI_ID",
                    "SO_KEEPALIVE",
                    "SO_LINGER",
                    "SO_RCVBUF",
                    "SO_REUSEADDR",
                    "SO_REUSEPORT",
                    "SO_SNDBUF",
                    "TCP_KEEPCOUNT",
                    "TCP_KEEPIDLE",
                    "TCP_KEEPINTERVAL",
                    "TCP_NODELAY",
                    "TCP_QUICKACK");

    /** Names of what a listener supports. */
    Set<String> LISTENER_OPTIONS =
            Set.of(
                    "IP_TOS",
                    "SO_INCOMING_NAPI_ID",
                    "SO_RCVBUF",
                    "SO_REUSEADDR",
                    "SO_REUSEPORT",
                    "TCP_KEEPCOUNT",
                    "TCP_KEEPIDLE",
                    "TCP_KEEPINTERVAL",
                    "TCP_QUICKACK");

    @Test
    @DisplayName("23: the same options before and after connect")
    default void supportedOptionsStayTheSame() throws IOException {
        try (ServerSocket listener = listen(1);
                Socket c = newSocket()) {
            assertEquals(CLIENT_OPTIONS, names(c.supportedOptions()));
            c.connect(listener.getLocalSocketAddress());
            assertEquals(CLIENT_OPTIONS, names(c.supportedOptions()));
            try (Socket s = listener.accept()) {
                assertEquals(CLIENT_OPTIONS, names(s.supportedOptions()));
            }
            assertEquals(LISTENER_OPTIONS, names(listener.supportedOptions()));
        }
    }

    private static Set<String> names(Set<SocketOption<?>> options) {
        return options.stream().map(SocketOption::name).collect(Collectors.toSet());
    }

    @Test
    @DisplayName("24: defaults, and what is made of odd values")
    default void defaults() throws IOException {
        try (ServerSocket l = newServerSocket();
                Socket s = newSocket()) {
            defaultsOf(s, false);
            assertTrue(l.getReuseAddress());
            assertEquals(0, l.getSoTimeout());
        }
        try (var p = pair()) {
            defaultsOf(p.client(), false);
            defaultsOf(p.server(), true);
        }
    }

    private static void defaultsOf(Socket s, boolean reuse) throws IOException {
        assertFalse(s.getTcpNoDelay());
        assertFalse(s.getKeepAlive());
        assertFalse(s.getOOBInline());
        assertEquals(-1, s.getSoLinger());
        assertEquals(-1, s.getOption(StandardSocketOptions.SO_LINGER));
        assertEquals(reuse, s.getReuseAddress());
        assertEquals(0, s.getTrafficClass());
        assertEquals(0, s.getSoTimeout());
        assertTrue(s.getSendBufferSize() > 0);
        assertTrue(s.getReceiveBufferSize() > 0);
    }

    @Test
    default void legacyOptionsRoundTrip() throws IOException {
        try (Socket s = newSocket()) {
            legacyRoundTrip(s);
        }
        try (var p = pair()) {
            legacyRoundTrip(p.client());
            legacyRoundTrip(p.server());
        }
    }

    private static void legacyRoundTrip(Socket s) throws IOException {
        s.setTcpNoDelay(true);
        assertTrue(s.getTcpNoDelay());
        s.setKeepAlive(true);
        assertTrue(s.getKeepAlive());
        s.setSoTimeout(1234);
        assertEquals(1234, s.getSoTimeout());
        s.setSoLinger(true, 7);
        assertEquals(7, s.getSoLinger());
        s.setSoLinger(true, 70_000);
        assertEquals(65_535, s.getSoLinger());
        s.setSoLinger(false, 0);
        assertEquals(-1, s.getSoLinger());
        s.setSendBufferSize(10_000);
        assertEquals(10_000, s.getSendBufferSize());
        s.setReceiveBufferSize(12_000);
        assertEquals(12_000, s.getReceiveBufferSize());
        s.setTrafficClass(8);
        assertEquals(8, s.getTrafficClass());
        s.setReuseAddress(true);
        assertTrue(s.getReuseAddress());
        assertThrows(IllegalArgumentException.class, () -> s.setSendBufferSize(0));
        assertThrows(IllegalArgumentException.class, () -> s.setReceiveBufferSize(-1));
        assertThrows(IllegalArgumentException.class, () -> s.setSoTimeout(-1));
        assertThrows(IllegalArgumentException.class, () -> s.setSoLinger(true, -1));
        assertThrows(IllegalArgumentException.class, () -> s.setTrafficClass(256));
    }

    @Test
    @DisplayName("23: every option keeps what it is given, or refuses it")
    default void modernOptionsRoundTrip() throws IOException {
        try (Socket s = newSocket()) {
            modernRoundTrip(s);
        }
        try (var p = pair()) {
            modernRoundTrip(p.client());
            modernRoundTrip(p.server());
        }
    }

    private static void modernRoundTrip(Socket s) throws IOException {
        roundTrip(s, StandardSocketOptions.TCP_NODELAY, true);
        roundTrip(s, StandardSocketOptions.SO_KEEPALIVE, true);
        roundTrip(s, StandardSocketOptions.SO_LINGER, 3);
        roundTrip(s, StandardSocketOptions.SO_SNDBUF, 20_000);
        roundTrip(s, StandardSocketOptions.SO_RCVBUF, 20_000);
        roundTrip(s, StandardSocketOptions.IP_TOS, 8);
        roundTrip(s, StandardSocketOptions.SO_REUSEADDR, true);
        roundTrip(s, StandardSocketOptions.SO_REUSEPORT, true);
        roundTrip(s, ExtendedSocketOptions.TCP_KEEPIDLE, 100);
        roundTrip(s, ExtendedSocketOptions.TCP_KEEPINTERVAL, 10);
        roundTrip(s, ExtendedSocketOptions.TCP_KEEPCOUNT, 4);
        s.setOption(ExtendedSocketOptions.TCP_QUICKACK, true);
        s.getOption(ExtendedSocketOptions.TCP_QUICKACK);
        assertEquals(0, s.getOption(ExtendedSocketOptions.SO_INCOMING_NAPI_ID));
        Expect.thrown(
                UnsupportedOperationException.class,
                "'IP_MULTICAST_TTL' not supported",
                () -> s.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1));
        Expect.thrown(
                UnsupportedOperationException.class,
                "'IP_MULTICAST_TTL' not supported",
                () -> s.getOption(StandardSocketOptions.IP_MULTICAST_TTL));
        Expect.thrown(
                IllegalArgumentException.class,
                "Invalid send/receive buffer size",
                () -> s.setOption(StandardSocketOptions.SO_SNDBUF, -1));
        Expect.thrown(
                IllegalArgumentException.class,
                "Invalid value 'null'",
                () -> s.setOption(StandardSocketOptions.TCP_NODELAY, null));
    }

    private static <T> void roundTrip(Socket s, SocketOption<T> name, T value) throws IOException {
        s.setOption(name, value);
        assertEquals(value, s.getOption(name), name.name());
    }

    /** Goal: options set before connecting hold afterwards. */
    @Test
    default void optionsSurviveConnect() throws IOException {
        try (ServerSocket listener = listen(1);
                Socket c = newSocket()) {
            c.setTcpNoDelay(true);
            c.setSoTimeout(77);
            c.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            c.setSendBufferSize(30_000);
            c.setSoLinger(true, 5);
            c.connect(listener.getLocalSocketAddress());
            assertTrue(c.getTcpNoDelay());
            assertEquals(77, c.getSoTimeout());
            assertTrue(c.getOption(StandardSocketOptions.SO_KEEPALIVE));
            assertEquals(30_000, c.getSendBufferSize());
            assertEquals(5, c.getSoLinger());
            assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () ->
                            assertThrows(
                                    SocketTimeoutException.class, () -> c.getInputStream().read()));
        }
    }

    @Test
    default void acceptedSocketsInheritTheReceiveBuffer() throws IOException {
        try (ServerSocket listener = newServerSocket();
                Socket c = newSocket()) {
            listener.setReceiveBufferSize(40_000);
            assertEquals(40_000, listener.getReceiveBufferSize());
            listener.setSoTimeout(5000);
            listener.bind(new java.net.InetSocketAddress(ConnectContract.LOOPBACK, 0));
            c.connect(listener.getLocalSocketAddress());
            try (Socket s = listener.accept()) {
                assertEquals(40_000, s.getReceiveBufferSize());
                assertEquals(0, s.getSoTimeout());
            }
            assertEquals(5000, listener.getSoTimeout());
        }
    }

    @Test
    default void acceptedSocketsInheritWhatIsSetOnTheListener() throws IOException {
        try (ServerSocket listener = newServerSocket();
                Socket c = newSocket()) {
            boolean tos = listener.supportedOptions().contains(StandardSocketOptions.IP_TOS);
            if (tos) {
                listener.setOption(StandardSocketOptions.IP_TOS, 16);
            }
            listener.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 77);
            listener.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 11);
            listener.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 5);
            listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            listener.setReuseAddress(false);
            listener.bind(new java.net.InetSocketAddress(ConnectContract.LOOPBACK, 0));
            c.connect(listener.getLocalSocketAddress());
            try (Socket s = listener.accept()) {
                assertEquals(tos ? 16 : 0, s.getTrafficClass());
                assertEquals(77, s.getOption(ExtendedSocketOptions.TCP_KEEPIDLE));
                assertEquals(11, s.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL));
                assertEquals(5, s.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT));
                assertTrue(s.getOption(StandardSocketOptions.SO_REUSEPORT));
                assertFalse(s.getReuseAddress());
            }
        }
    }

    @Test
    default void optionsOfAClosedSocket() throws IOException {
        Pair<ServerSocket, Socket> p = pair();
        p.close();
        for (Socket s : new Socket[] {p.client(), p.server()}) {
            Expect.thrown(SocketException.class, "Socket is closed", s::getTcpNoDelay);
            Expect.thrown(SocketException.class, "Socket is closed", () -> s.setSoTimeout(1));
            Expect.thrown(SocketException.class, "Socket is closed", s::getSoTimeout);
            Expect.thrown(
                    SocketException.class,
                    "Socket is closed",
                    () -> s.getOption(StandardSocketOptions.SO_LINGER));
        }
        Expect.thrown(SocketException.class, "Socket is closed", p.listener()::getReuseAddress);
    }
}
