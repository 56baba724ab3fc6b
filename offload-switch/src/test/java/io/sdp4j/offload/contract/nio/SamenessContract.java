package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: every public method of channels and adaptors, with good and bad arguments, in every state,
 * ends as the kernel's does. Method: both are called and compared; nothing is expected by hand.
 */
interface SamenessContract extends NioChannels {
    /** States of a channel that connects. */
    enum ClientState {
        NEW,
        BOUND,
        CONNECTED,
        ACCEPTED,
        NON_BLOCKING,
        NEW_NON_BLOCKING,
        INPUT_SHUT,
        OUTPUT_SHUT,
        PEER_CLOSED,
        CLOSED,
        CLOSED_NEW
    }

    /** States of a listener. */
    enum ListenerState {
        NEW,
        BOUND,
        NON_BLOCKING,
        CLOSED,
        CLOSED_NEW
    }

    private NioChannels kernel() {
        return new ProgramContract.Kernel();
    }

    private static Pair<ServerSocketChannel, SocketChannel> in(NioChannels on, ClientState state)
            throws IOException {
        return switch (state) {
            case NEW, BOUND, NEW_NON_BLOCKING, CLOSED_NEW -> {
                SocketChannel c = on.open();
                if (state == ClientState.BOUND) {
                    c.bind(new InetSocketAddress(LOOPBACK, 0));
                } else if (state == ClientState.NEW_NON_BLOCKING) {
                    c.configureBlocking(false);
                } else if (state == ClientState.CLOSED_NEW) {
                    c.close();
                }
                yield new Pair<>(null, c, null);
            }
            default -> {
                Pair<ServerSocketChannel, SocketChannel> p = on.pair();
                switch (state) {
                    case CONNECTED -> unread(p);
                    case ACCEPTED -> {
                        p =
                                new Pair<>(
                                        p.listener(),
                                        /* client= */ p.server(),
                                        /* server= */ p.client());
                        unread(p);
                    }
                    case OUTPUT_SHUT -> {
                        unread(p);
                        p.client().shutdownOutput();
                    }
                    case NON_BLOCKING -> p.client().configureBlocking(false);
                    case INPUT_SHUT -> p.client().shutdownInput();
                    case PEER_CLOSED -> p.server().close();
                    case CLOSED -> p.client().close();
                    default -> {}
                }
                yield p;
            }
        };
    }

    /** So that no read has to wait. */
    private static void unread(Pair<ServerSocketChannel, SocketChannel> p) throws IOException {
        Nio.send(p.server(), "ab");
        Socket s = p.client().socket();
        Nio.await().until(() -> s.getInputStream().available() == 2);
    }

    private static Matrix.Subject client(NioChannels on, ClientState state, boolean adaptor)
            throws IOException {
        Pair<ServerSocketChannel, SocketChannel> p = in(on, state);
        Map<String, String> names = new HashMap<>();
        if (p.server() != null) {
            SocketChannel known = p.client().isOpen() ? p.client() : p.server();
            name(names, known.getLocalAddress(), known == p.client() ? "LOCAL" : "REMOTE");
            name(names, known.getRemoteAddress(), known == p.client() ? "REMOTE" : "LOCAL");
        } else if (p.client().isOpen()) {
            name(names, p.client().getLocalAddress(), "LOCAL");
        }
        Object subject = adaptor ? p.client().socket() : p.client();
        return new Matrix.Subject(subject, p.client(), names, () -> close(p));
    }

    private static void close(Pair<ServerSocketChannel, SocketChannel> p) throws IOException {
        for (NetworkChannel c : new NetworkChannel[] {p.client(), p.server(), p.listener()}) {
            if (c != null) {
                c.close();
            }
        }
    }

    private static void name(Map<String, String> names, java.net.SocketAddress a, String name) {
        if (a instanceof InetSocketAddress i) {
            names.put(Integer.toString(i.getPort()), name);
        }
    }

    private static Matrix.Subject listener(NioChannels on, ListenerState state, boolean adaptor)
            throws IOException {
        ServerSocketChannel l = on.provider().openServerSocketChannel();
        Map<String, String> names = new HashMap<>();
        if (state != ListenerState.NEW && state != ListenerState.CLOSED_NEW) {
            l.bind(new InetSocketAddress(LOOPBACK, 0));
            name(names, l.getLocalAddress(), "LOCAL");
        }
        if (state == ListenerState.NON_BLOCKING) {
            l.configureBlocking(false);
        } else if (state == ListenerState.CLOSED || state == ListenerState.CLOSED_NEW) {
            l.close();
        }
        return new Matrix.Subject(adaptor ? l.socket() : l, l, names, l);
    }

    @ParameterizedTest
    @EnumSource(ClientState.class)
    @DisplayName("39: every method of SocketChannel")
    default void channelMethods(ClientState state) throws Exception {
        assertEquals(
                "",
                Matrix.differences(
                        SocketChannel.class,
                        () -> client(kernel(), state, false),
                        () -> client(this, state, false)));
    }

    @ParameterizedTest
    @EnumSource(ClientState.class)
    @DisplayName("55: every method of the Socket of a channel")
    default void adaptorMethods(ClientState state) throws Exception {
        assertEquals(
                "",
                Matrix.differences(
                        Socket.class,
                        () -> client(kernel(), state, true),
                        () -> client(this, state, true)));
    }

    @ParameterizedTest
    @EnumSource(ListenerState.class)
    @DisplayName("39: every method of ServerSocketChannel")
    default void listenerMethods(ListenerState state) throws Exception {
        assertEquals(
                "",
                Matrix.differences(
                        ServerSocketChannel.class,
                        () -> listener(kernel(), state, false),
                        () -> listener(this, state, false)));
    }

    @ParameterizedTest
    @EnumSource(ListenerState.class)
    @DisplayName("55: every method of the ServerSocket of a channel")
    default void listenerAdaptorMethods(ListenerState state) throws Exception {
        assertEquals(
                "",
                Matrix.differences(
                        ServerSocket.class,
                        () -> listener(kernel(), state, true),
                        () -> listener(this, state, true)));
    }

    @ParameterizedTest
    @EnumSource(ClientState.class)
    @DisplayName("23, 24: every option: its default, good and bad values, and what it then is")
    default void options(ClientState state) throws Exception {
        assertEquals("", Matrix.differences(options(kernel(), state), options(this, state)));
    }

    @ParameterizedTest
    @EnumSource(ListenerState.class)
    @DisplayName("23, 24: every option of a listener")
    default void listenerOptions(ListenerState state) throws Exception {
        Map<String, String> expected = new TreeMap<>();
        Map<String, String> found = new TreeMap<>();
        Matrix.Subject k = listener(kernel(), state, false);
        Matrix.Subject c = listener(this, state, false);
        try (AutoCloseable _ = k.rest();
                AutoCloseable _ = c.rest()) {
            options((NetworkChannel) k.on(), expected);
            options((NetworkChannel) c.on(), found);
        }
        assertEquals("", Matrix.differences(expected, found));
    }

    private static Map<String, String> options(NioChannels on, ClientState state) throws Exception {
        Map<String, String> lines = new TreeMap<>();
        Matrix.Subject subject = client(on, state, false);
        try (AutoCloseable _ = subject.rest()) {
            options((NetworkChannel) subject.on(), lines);
        }
        return lines;
    }

    private static void options(NetworkChannel c, Map<String, String> lines) {
        Set<SocketOption<?>> options = new HashSet<>(c.supportedOptions());
        options.add(StandardSocketOptions.IP_MULTICAST_TTL);
        options.add(StandardSocketOptions.SO_BROADCAST);
        options.add(StandardSocketOptions.SO_LINGER);
        for (SocketOption<?> option : options) {
            if (option.name().equals("TCP_QUICKACK")) {
                continue; // the kernel changes it by itself
            }
            if (!option.name().equals("SO_SNDBUF")) { // the kernel tunes it until it is set
                lines.put(option.name() + " default", result(() -> c.getOption(option)));
            }
            for (Object value : values(option)) {
                @SuppressWarnings("unchecked")
                SocketOption<Object> any = (SocketOption<Object>) option;
                String set = result(() -> c.setOption(any, value) == c);
                lines.put(
                        option.name() + " set " + value,
                        set + " then " + result(() -> c.getOption(option)));
            }
        }
    }

    private static Object[] values(SocketOption<?> option) {
        if (option.type() == Boolean.class) {
            return new Object[] {true, false, null};
        }
        if (option.type() == Integer.class) {
            return new Object[] {1, 8, 0, -1, 40_000, 70_000, null};
        }
        return new Object[] {null};
    }

    private static String result(java.util.concurrent.Callable<?> call) {
        try {
            return String.valueOf(call.call());
        } catch (Exception e) {
            return e.getClass().getName() + ": " + e.getMessage();
        }
    }
}
