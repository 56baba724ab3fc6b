package io.sdp4j.rdma.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.os.TcpSocketFd;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which socket is believed to be the other end of a TCP connection. */
class EndProofTest {
    private final Proof proof = new Proof();
    private ServerSocketChannel listener;
    private SocketChannel client;
    private SocketChannel server;

    @BeforeEach
    void connect() throws IOException {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "asks Linux");
        listener =
                ServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        client = SocketChannel.open(listener.getLocalAddress());
        server = listener.accept();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        listener.close();
    }

    private static int number(Channel channel) {
        try {
            Field number = channel.getClass().getDeclaredField("fdVal");
            number.setAccessible(true);
            return number.getInt(channel);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private InetSocketAddress here() throws IOException {
        return (InetSocketAddress) client.getLocalAddress();
    }

    private InetSocketAddress there() throws IOException {
        return (InetSocketAddress) client.getRemoteAddress();
    }

    /** What the client makes of a socket that somebody shows as the other end. */
    private String refusal(Channel shown) throws IOException {
        return proof.refuseEnd(number(client), number(shown), here(), there());
    }

    @Test
    @DisplayName("the other end of the same connection, and nothing else")
    void theOtherEnd() throws IOException {
        assertEquals(null, refusal(server));
        assertEquals(null, proof.refuseEnd(number(server), number(client), there(), here()));
        assertNotNull(refusal(client), "one's own end");
        assertNotNull(refusal(listener));
        assertNotNull(proof.refuseEnd(number(client), -1, here(), there()), "nothing");
        try (SocketChannel other = SocketChannel.open(listener.getLocalAddress());
                SocketChannel otherEnd = listener.accept();
                SocketChannel bound = SocketChannel.open().bind(null);
                DatagramChannel datagrams = DatagramChannel.open().bind(null)) {
            assertNotNull(refusal(other));
            assertNotNull(refusal(otherEnd), "of another connection to the same listener");
            assertNotNull(refusal(bound));
            assertNotNull(refusal(datagrams));
        }
    }

    @Test
    @DisplayName("a connection that has ended is none")
    void hasEnded() throws IOException {
        server.setOption(StandardSocketOptions.SO_LINGER, 0);
        int shown = TcpSocketFd.duplicate(number(client), here(), there());
        assertTrue(shown >= 0);
        server.close();
        assertNotNull(TcpSocketFd.connectionFault(shown, here(), there()));
        TcpSocketFd.closeStrange(shown);
        InetSocketAddress own = here();
        InetSocketAddress peer = there();
        assertThrows(
                FabricException.class, () -> proof.showEnd(number(client), own, peer), "to show");
    }

    @Test
    @DisplayName("a descriptor that has come to stand for something else is not shown")
    void isAnother() throws IOException {
        InetSocketAddress own = here();
        InetSocketAddress peer = there();
        assertThrows(FabricException.class, () -> proof.showEnd(number(listener), own, peer));
        assertThrows(FabricException.class, () -> proof.showEnd(number(server), own, peer));
    }

    @Test
    @DisplayName("the end that a stranger has sent keeps its options when it is closed")
    void keepsItsOptions() throws IOException {
        client.setOption(StandardSocketOptions.SO_LINGER, 7);
        int copy = TcpSocketFd.duplicate(number(client), here(), there());
        TcpSocketFd.closeStrange(copy);
        assertEquals(7, client.getOption(StandardSocketOptions.SO_LINGER));
    }
}
