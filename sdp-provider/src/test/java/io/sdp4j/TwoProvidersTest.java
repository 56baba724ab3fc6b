package io.sdp4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.api.Sdp;
import io.sdp4j.api.SdpConfig;
import io.sdp4j.api.SdpProvider;
import io.sdp4j.api.SdpServerSocket;
import io.sdp4j.api.SdpSocket;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: providers of different configurations live in one JVM, and one that is closed takes what it
 * has opened with it and leaves the others alone. Method: two that meet in different directories.
 */
@Timeout(60)
class TwoProvidersTest {
    private static final InetAddress HOST = InetAddress.getLoopbackAddress();

    @TempDir Path here;
    @TempDir Path there;

    private static SdpProvider in(Path directory) {
        return SdpProvider.open(
                SdpConfig.builder()
                        .fabrics("shm")
                        .sharedMemoryDirectory(directory)
                        .connectTimeout(Duration.ofSeconds(20))
                        .build());
    }

    private static void echo(SdpProvider provider) throws IOException {
        try (ServerSocket listener = provider.serverSocketFactory().createServerSocket(0, 5, HOST);
                Socket client =
                        provider.socketFactory().createSocket(HOST, listener.getLocalPort());
                Socket server = listener.accept()) {
            client.getOutputStream().write(42);
            assertEquals(42, server.getInputStream().read());
            var info = assertInstanceOf(SdpSocket.class, client).connectionInfo().orElseThrow();
            assertEquals(ReasonCode.OFFLOADED, info.reason());
        }
    }

    @Test
    void doNotMeet() throws IOException {
        try (SdpProvider one = in(here);
                SdpProvider two = in(there);
                ServerSocket listener = one.serverSocketFactory().createServerSocket(0, 5, HOST)) {
            echo(one);
            echo(two);
            assertThrows(
                    ConnectException.class,
                    () -> two.socketFactory().createSocket(HOST, listener.getLocalPort()));
        }
    }

    @Test
    void closedOneLeavesTheOtherAlone() throws Exception {
        try (SdpProvider two = in(there)) {
            SdpProvider one = in(here);
            SdpServerSocket listener = one.openServerSocket();
            listener.bind(new InetSocketAddress(HOST, 0));
            SdpSocket client = one.openSocket();
            client.connect(listener.getLocalSocketAddress());
            SdpSocket server = listener.accept();
            ServerSocketChannel channel = one.openServerSocketChannel();
            channel.bind(new InetSocketAddress(HOST, 0));
            SocketChannel connected = one.openSocketChannel();
            connected.connect(channel.getLocalAddress());
            SocketChannel accepted = channel.accept();
            one.close();
            one.close();
            assertTrue(listener.isClosed() && client.isClosed() && server.isClosed());
            assertFalse(channel.isOpen() || connected.isOpen() || accepted.isOpen());
            assertThrows(SocketException.class, one::openSocket);
            assertFalse(one.selectorProvider().openSocketChannel().isOpen());
            echo(two);
        }
    }

    /** Bytes written before the provider was closed arrive at a peer of another one. */
    @Test
    void deliversWhatWasWritten() throws IOException {
        try (SdpProvider two = in(here);
                ServerSocket listener = two.serverSocketFactory().createServerSocket(0, 5, HOST)) {
            byte[] sent = new byte[100_000];
            try (SdpProvider one = in(here)) {
                Socket client = one.socketFactory().createSocket(HOST, listener.getLocalPort());
                client.getOutputStream().write(sent);
            }
            try (Socket server = listener.accept()) {
                assertEquals(sent.length, server.getInputStream().readAllBytes().length);
            }
        }
    }

    @Test
    void obeysItsRules() throws IOException {
        SdpConfig tcp = SdpConfig.builder().rules("use tcp client * *:*\n").build();
        try (SdpProvider provider = SdpProvider.open(tcp);
                ServerSocket listener = provider.openServerSocket();
                SdpSocket client = provider.openSocket()) {
            listener.bind(new InetSocketAddress(HOST, 0));
            client.connect(listener.getLocalSocketAddress());
            assertEquals(ReasonCode.RULE_TCP, client.connectionInfo().orElseThrow().reason());
        }
        SdpConfig bad = SdpConfig.builder().rules("use tcp\n").build();
        assertThrows(IllegalArgumentException.class, () -> SdpProvider.open(bad));
    }

    @Test
    void opensAsynchronousChannels() throws Exception {
        SdpProvider provider = in(here);
        try {
            AsynchronousServerSocketChannel listener =
                    provider.openAsynchronousServerSocketChannel(null);
            listener.bind(new InetSocketAddress(HOST, 0));
            AsynchronousSocketChannel client = provider.openAsynchronousSocketChannel(null);
            var accepting = listener.accept();
            client.connect(listener.getLocalAddress()).get(20, TimeUnit.SECONDS);
            AsynchronousSocketChannel server = accepting.get(20, TimeUnit.SECONDS);
            assertEquals(
                    1, client.write(ByteBuffer.allocate(1)).get(20, TimeUnit.SECONDS).intValue());
            assertEquals(
                    1, server.read(ByteBuffer.allocate(9)).get(20, TimeUnit.SECONDS).intValue());
            assertEquals(
                    ReasonCode.OFFLOADED, provider.connectionInfo(client).orElseThrow().reason());
            provider.close();
            assertFalse(listener.isOpen() || client.isOpen() || server.isOpen());
        } finally {
            provider.close();
        }
    }

    @Test
    void theOneOfSdpStaysOpen() throws IOException {
        assertThrows(UnsupportedOperationException.class, Sdp.provider()::close);
        Sdp.openSocket().close();
        Sdp.openSocketChannel().close();
        Sdp.openServerSocketChannel().close();
        Sdp.openAsynchronousSocketChannel(null).close();
        Sdp.openAsynchronousServerSocketChannel(null).close();
    }
}
