package io.sdp4j.fabric.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.PortOwner;
import io.sdp4j.linux.TcpSocketFd;
import io.sdp4j.testing.JvmCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
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

    /** The lowest descriptor of this process that is the connection of {@code channel}. */
    private static int number(SocketChannel channel) throws IOException {
        InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
        InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
        for (int fd = 0; fd < 65_536; fd++) {
            if (TcpSocketFd.connectionFault(fd, local, remote) == null) {
                return fd;
            }
        }
        throw new AssertionError("no descriptor of " + channel);
    }

    private InetSocketAddress here() throws IOException {
        return (InetSocketAddress) client.getLocalAddress();
    }

    private InetSocketAddress there() throws IOException {
        return (InetSocketAddress) client.getRemoteAddress();
    }

    /** How the client judges a socket that is shown as the other end. */
    private String refusal(SocketChannel shown) throws IOException {
        return proof.refuseEnd(number(client), number(shown), here(), there());
    }

    @Test
    @DisplayName("the other end of the same connection, and nothing else")
    void theOtherEnd() throws IOException {
        assertEquals(null, refusal(server));
        assertEquals(null, proof.refuseEnd(number(server), number(client), there(), here()));
        assertNotNull(refusal(client), "one's own end");
        assertNotNull(proof.refuseEnd(number(client), 0, here(), there()), "no socket");
        assertNotNull(proof.refuseEnd(number(client), -1, here(), there()), "nothing");
        try (SocketChannel other = SocketChannel.open(listener.getLocalAddress());
                SocketChannel otherEnd = listener.accept()) {
            assertNotNull(refusal(other));
            assertNotNull(refusal(otherEnd), "of another connection to the same listener");
        }
    }

    @Test
    @DisplayName("a connection that has ended is none")
    void hasEnded() throws IOException {
        server.setOption(StandardSocketOptions.SO_LINGER, 0);
        int number = number(client);
        int shown = TcpSocketFd.duplicate(number, here(), there());
        assertTrue(shown >= 0);
        server.close();
        assertNotNull(TcpSocketFd.connectionFault(shown, here(), there()));
        InetSocketAddress own = here();
        InetSocketAddress peer = there();
        assertTrue(proof.ended(shown, -1, own, peer));
        TcpSocketFd.closeStrange(shown);
        FabricException e =
                assertThrows(
                        FabricException.class, () -> proof.showEnd(number, own, peer), "to show");
        assertEquals(FabricException.Cause.ABANDONED, e.why(), "given up, and no fault");
    }

    @Test
    @DisplayName("an end is shown to a process that has the listener or the other end, no other")
    void toWhomItIsShown() throws IOException {
        int own = (int) ProcessHandle.current().pid();
        int parent = (int) ProcessHandle.current().parent().orElseThrow().pid();
        assertEquals(null, refuse(own, here(), there()));
        assertNotNull(refuse(parent, here(), there()), "a process without either");
        assertNotNull(refuse(0, here(), there()), "of another PID namespace");
        listener.close();
        assertEquals(null, refuse(own, here(), there()), "the other end");
        assertNotNull(refuse(parent, here(), there()));
        InetSocketAddress end = here();
        InetSocketAddress peer = there();
        server.close();
        assertNotNull(refuse(own, end, peer), "neither");
    }

    private String refuse(int pid, InetSocketAddress own, InetSocketAddress remote) {
        return proof.refuseMover(pid, PortOwner.listener(remote).inode(), own, remote);
    }

    @Test
    @DisplayName("the peer is at fault only while the connection lives")
    void whoseFault() throws IOException {
        int mine = number(server);
        assertFalse(proof.ended(mine, -1, there(), here()));
        client.shutdownOutput();
        await().until(() -> proof.ended(mine, -1, there(), here()));
        assertNotNull(proof.refuseEnd(mine, -1, there(), here()));
    }

    /** The end is behind bytes that this side has no room for. */
    @Test
    @DisplayName("nor is it if the end that it shows has ended, and this one has not heard of it")
    void whoseFaultAtTheOtherEnd() throws IOException {
        int mine = number(server);
        int shown = number(client);
        client.configureBlocking(false);
        while (client.write(ByteBuffer.allocate(1 << 16)) > 0) {
            // until it is full
        }
        client.shutdownOutput();
        assertNotNull(proof.refuseEnd(mine, shown, there(), here()));
        assertFalse(proof.ended(mine, -1, there(), here()));
        assertTrue(proof.ended(mine, shown, there(), here()));
        try (SocketChannel other = SocketChannel.open(listener.getLocalAddress());
                SocketChannel _ = listener.accept()) {
            assertFalse(proof.ended(mine, number(other), there(), here()), "of another connection");
        }
    }

    @Test
    @DisplayName("a descriptor that has come to stand for something else is not shown")
    void isAnother() throws IOException {
        InetSocketAddress own = here();
        InetSocketAddress peer = there();
        assertThrows(FabricException.class, () -> proof.showEnd(0, own, peer));
        assertThrows(FabricException.class, () -> proof.showEnd(number(server), own, peer));
    }

    @Test
    @DisplayName("a kernel that does not tell a device by its number, as before 5.0, tells enough")
    void onAnOldKernel() throws Exception {
        Process old =
                JvmCommand.of(OldKernel.class)
                        .options("--enable-native-access=ALL-UNNAMED")
                        .small()
                        .builder()
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader out = old.inputReader()) {
            assertEquals("refused: null", out.readLine());
        }
    }

    static final class OldKernel {
        private static final int GETSOCKOPT = Seccomp.ARM ? 209 : 55;
        private static final int SO_BINDTOIFINDEX = 62;
        private static final int ENOPROTOOPT = 92;

        private OldKernel() {}

        public static void main(String[] args) throws IOException {
            Seccomp.refuse(GETSOCKOPT, SO_BINDTOIFINDEX, ENOPROTOOPT);
            EndProofTest ends = new EndProofTest();
            ends.connect();
            System.out.println("refused: " + ends.refusal(ends.server));
            ends.close();
        }
    }

    @Test
    @DisplayName("the end that a stranger has sent keeps its options when it is closed")
    void keepsItsOptions() throws IOException {
        client.setOption(StandardSocketOptions.SO_LINGER, 7);
        int copy = TcpSocketFd.duplicate(number(client), here(), there());
        TcpSocketFd.closeStrange(copy);
        assertEquals(7, client.getOption(StandardSocketOptions.SO_LINGER));
    }

    /** For such a socket the kernel says that it is bound to it, and that it leads to this host. */
    @Test
    @DisplayName("no client is at the wildcard address")
    void theWildcardIsNoAddress() throws IOException {
        try (ServerSocketChannel any = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
            any.bind(null);
            int port = ((InetSocketAddress) any.getLocalAddress()).getPort();
            InetSocketAddress own = new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), port);
            int number = 0;
            while (TcpSocketFd.fault(number, own) != null) {
                number++;
                assertTrue(number < 65_536, "no descriptor has it");
            }
            assertNotNull(proof.refuseClient(number, own, own));
        }
    }

    /** Two addresses of one host are not enough: an outer one is reached by others, too. */
    @Test
    @DisplayName("a loopback address speaks with loopback addresses only, and with this host only")
    void loopbackWithLoopback() throws IOException {
        InetSocketAddress outer = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 9);
        int number = number(client);
        assertEquals(null, proof.refuseClient(number, here(), there()));
        String fault = proof.refuseClient(number, here(), outer);
        assertTrue(fault != null && fault.contains("loopback connects with loopback only"), fault);
        FabricException e =
                assertThrows(FabricException.class, () -> proof.show(outer, there()), "to show");
        assertTrue(e.getMessage().contains("loopback connects with loopback only"), e.getMessage());
        InetSocketAddress other = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.2"), 9);
        e = assertThrows(FabricException.class, () -> proof.show(outer, other));
        assertTrue(e.getMessage().contains("not an address of this host"), e.getMessage());
    }
}
