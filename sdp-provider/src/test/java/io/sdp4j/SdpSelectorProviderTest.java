package io.sdp4j;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.api.Sdp;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a component that is given this provider, in a JVM without the agent, has channels that are
 * SDP or fail, in any selector, while the JVM's own provider stays what it was.
 */
@Timeout(60)
class SdpSelectorProviderTest {
    private static final SelectorProvider SDP = Sdp.provider().selectorProvider();
    private static final SelectorProvider JVM = SelectorProvider.provider();

    private static ServerSocketChannel listen(SelectorProvider provider) throws IOException {
        return provider.openServerSocketChannel()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static void await(Selector selector, SelectionKey key, int op) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(
                        () -> {
                            selector.select(100);
                            boolean ready = (key.readyOps() & op) != 0;
                            selector.selectedKeys().clear();
                            return ready;
                        });
    }

    @Test
    void isOneAndNotTheJvms() throws IOException {
        assertSame(SDP, Sdp.provider().selectorProvider());
        assertNotSame(SDP, JVM);
        try (SocketChannel mine = SDP.openSocketChannel();
                SocketChannel theirs = SocketChannel.open();
                Selector selector = SDP.openSelector()) {
            assertSame(SDP, mine.provider());
            assertSame(SDP, selector.provider());
            assertSame(JVM, theirs.provider());
            assertEquals("sun.nio.ch", theirs.getClass().getPackageName());
        }
    }

    @Test
    void carriesBytesThroughSelectorsOfEither() throws IOException {
        for (SelectorProvider owner : new SelectorProvider[] {SDP, JVM}) {
            try (Selector selector = owner.openSelector();
                    ServerSocketChannel listener = listen(SDP);
                    SocketChannel client = SDP.openSocketChannel()) {
                listener.configureBlocking(false);
                client.configureBlocking(false);
                SelectionKey accepting = listener.register(selector, OP_ACCEPT);
                SelectionKey connecting = client.register(selector, OP_CONNECT);
                assertFalse(client.connect(listener.getLocalAddress()));
                await(selector, connecting, OP_CONNECT);
                assertTrue(client.finishConnect());
                connecting.interestOps(0);
                await(selector, accepting, OP_ACCEPT);
                try (SocketChannel server = listener.accept()) {
                    var info = Sdp.provider().connectionInfo(client).orElseThrow();
                    assertEquals(ReasonCode.OFFLOADED, info.reason());
                    assertEquals("shm", info.fabric());
                    server.configureBlocking(false);
                    SelectionKey reading = server.register(selector, OP_READ);
                    assertEquals(1, client.write(ByteBuffer.allocate(1)));
                    await(selector, reading, OP_READ);
                    assertEquals(1, server.read(ByteBuffer.allocate(8)));
                }
            }
        }
    }

    /** Beside channels that are none of ours, in one selector. */
    @Test
    void sharesASelectorWithTheJdksChannels() throws IOException {
        try (Selector selector = SDP.openSelector();
                ServerSocketChannel plain = listen(JVM);
                ServerSocketChannel sdp = listen(SDP);
                DatagramChannel datagrams = SDP.openDatagramChannel()) {
            Pipe pipe = SDP.openPipe();
            try (Pipe.SourceChannel source = pipe.source();
                    Pipe.SinkChannel sink = pipe.sink();
                    SocketChannel toPlain = SocketChannel.open(plain.getLocalAddress());
                    SocketChannel toSdp = SDP.openSocketChannel()) {
                toSdp.connect(sdp.getLocalAddress());
                assertTrue(Sdp.provider().connectionInfo(toPlain).isEmpty());
                plain.configureBlocking(false);
                sdp.configureBlocking(false);
                source.configureBlocking(false);
                datagrams.configureBlocking(false);
                SelectionKey one = plain.register(selector, OP_ACCEPT);
                SelectionKey two = sdp.register(selector, OP_ACCEPT);
                SelectionKey three = source.register(selector, OP_READ);
                datagrams.register(selector, OP_READ);
                assertEquals(1, sink.write(ByteBuffer.allocate(1)));
                await(selector, one, OP_ACCEPT);
                await(selector, two, OP_ACCEPT);
                await(selector, three, OP_READ);
                plain.accept().close();
                sdp.accept().close();
            }
        }
    }

    @Test
    void failsWhereThePeerDoesNotSpeakSdp() throws IOException {
        try (ServerSocketChannel plain = listen(JVM);
                SocketChannel client = SDP.openSocketChannel()) {
            ConnectException e =
                    assertThrows(
                            ConnectException.class, () -> client.connect(plain.getLocalAddress()));
            assertTrue(e.getMessage().startsWith("Connection refused"), e.getMessage());
            assertFalse(client.isOpen());
        }
    }

    @Test
    void turnsTcpAway() throws IOException {
        try (ServerSocketChannel listener = listen(SDP);
                SocketChannel plain = SocketChannel.open(listener.getLocalAddress())) {
            listener.configureBlocking(false);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(
                            () -> {
                                assertSame(null, listener.accept());
                                plain.configureBlocking(false);
                                try {
                                    return plain.read(ByteBuffer.allocate(1)) < 0;
                                } catch (IOException reset) {
                                    return true;
                                }
                            });
        }
    }
}
