package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NetworkChannel;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Options, with the kernel's answers: behaviours 23, 24. */
interface AsyncOptionContract extends Aio {
    @Test
    default void optionsAreTheKernels() throws Exception {
        Set<SocketOption<?>> expected;
        try (AsynchronousSocketChannel plain = sun().openAsynchronousSocketChannel(null)) {
            expected = plain.supportedOptions();
        }
        try (var p = pair();
                AsynchronousSocketChannel fresh = channel(null)) {
            for (AsynchronousSocketChannel channel : List.of(fresh, p.client(), p.server())) {
                assertEquals(expected, channel.supportedOptions());
                roundTrip(channel, StandardSocketOptions.TCP_NODELAY, true);
                roundTrip(channel, StandardSocketOptions.SO_KEEPALIVE, true);
                roundTrip(channel, StandardSocketOptions.SO_REUSEADDR, true);
                channel.setOption(StandardSocketOptions.SO_RCVBUF, 64 * 1024);
                assertEquals(64 * 1024, channel.getOption(StandardSocketOptions.SO_RCVBUF));
                Expect.thrown(
                        UnsupportedOperationException.class,
                        "'SO_LINGER' not supported",
                        () -> channel.setOption(StandardSocketOptions.SO_LINGER, 1));
                Expect.thrown(
                        UnsupportedOperationException.class,
                        "'SO_LINGER' not supported",
                        () -> channel.getOption(StandardSocketOptions.SO_LINGER));
                assertThrows(
                        NullPointerException.class,
                        () -> channel.getOption((SocketOption<?>) null));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> channel.setOption(StandardSocketOptions.SO_SNDBUF, -1));
            }
            p.client().shutdownOutput();
            Expect.thrown(
                    IOException.class,
                    "Connection has been shutdown for writing",
                    () -> p.client().setOption(StandardSocketOptions.TCP_NODELAY, false));
            assertTrue(p.client().getOption(StandardSocketOptions.TCP_NODELAY));
            p.client().close();
            Expect.thrown(
                    ClosedChannelException.class,
                    null,
                    () -> p.client().getOption(StandardSocketOptions.TCP_NODELAY));
            Expect.thrown(
                    ClosedChannelException.class,
                    null,
                    () -> p.client().setOption(StandardSocketOptions.TCP_NODELAY, true));
            assertEquals(expected, p.client().supportedOptions());
        }
    }

    /** The oracle: the JDK's own provider. */
    private static java.nio.channels.spi.AsynchronousChannelProvider sun() {
        return java.nio.channels.spi.AsynchronousChannelProvider.provider();
    }

    private static <T> void roundTrip(NetworkChannel channel, SocketOption<T> name, T value)
            throws IOException {
        channel.setOption(name, value);
        assertEquals(value, channel.getOption(name));
    }

    /** Goal: options set before the connection was decided hold after it. */
    @Test
    default void optionsSurviveTheConnect() throws Exception {
        try (AsynchronousServerSocketChannel listener = listen(null);
                AsynchronousSocketChannel client = channel(null)) {
            client.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Aio.get(client.connect(listener.getLocalAddress()));
            assertTrue(client.getOption(StandardSocketOptions.SO_KEEPALIVE));
            assertTrue(client.getOption(StandardSocketOptions.TCP_NODELAY));
            Aio.get(listener.accept()).close();
        }
    }

    @Test
    default void listenerOptions() throws Exception {
        try (AsynchronousServerSocketChannel listener =
                        provider().openAsynchronousServerSocketChannel(null);
                AsynchronousServerSocketChannel plain =
                        sun().openAsynchronousServerSocketChannel(null)) {
            assertEquals(plain.supportedOptions(), listener.supportedOptions());
            listener.setOption(StandardSocketOptions.SO_RCVBUF, 64 * 1024);
            assertEquals(64 * 1024, listener.getOption(StandardSocketOptions.SO_RCVBUF));
            listener.bind(null);
            try (AsynchronousSocketChannel client = channel(null)) {
                Aio.get(client.connect(listener.getLocalAddress()));
                try (AsynchronousSocketChannel server = Aio.get(listener.accept())) {
                    assertEquals(64 * 1024, server.getOption(StandardSocketOptions.SO_RCVBUF));
                }
            }
        }
    }
}
