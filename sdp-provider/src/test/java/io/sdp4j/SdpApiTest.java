package io.sdp4j;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.api.Sdp;
import io.sdp4j.api.SdpConfig;
import io.sdp4j.api.SdpProvider;
import io.sdp4j.api.SdpSocket;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: sockets of the explicit API are SDP or fail, and kernel sockets stay on the kernel. */
@Timeout(30)
class SdpApiTest {
    private static final InetSocketAddress LOOPBACK =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @Test
    void carriesBytesAndSaysOverWhat() throws IOException {
        try (ServerSocket listener = Sdp.openServerSocket();
                SdpSocket client = Sdp.openSocket()) {
            listener.bind(LOOPBACK);
            client.connect(listener.getLocalSocketAddress(), 5000);
            try (Socket server = listener.accept()) {
                client.getOutputStream().write(42);
                assertEquals(42, server.getInputStream().read());
                assertEquals(client.getLocalSocketAddress(), server.getRemoteSocketAddress());
                var info = client.connectionInfo().orElseThrow();
                assertEquals(ReasonCode.OFFLOADED, info.reason());
                assertEquals("shm", info.fabric());
                assertEquals(1, info.bytesWritten());
            }
        }
    }

    /** Goal: a session within a host does not move, and goes on. */
    @Test
    void staysUnderAReader() throws Exception {
        try (ServerSocket listener = Sdp.openServerSocket();
                SdpSocket client = Sdp.openSocket()) {
            assertFalse(client.migrate());
            listener.bind(LOOPBACK);
            client.connect(listener.getLocalSocketAddress(), 5000);
            try (Socket server = listener.accept()) {
                AtomicInteger came = new AtomicInteger();
                Thread reader =
                        Thread.ofPlatform()
                                .start(
                                        () ->
                                                assertDoesNotThrow(
                                                        () ->
                                                                came.set(
                                                                        server.getInputStream()
                                                                                .read())));
                assertFalse(client.migrate(), "there is no other way within a host");
                assertFalse(((SdpSocket) server).migrate());
                client.getOutputStream().write(42);
                reader.join();
                assertEquals(42, came.get());
                server.getOutputStream().write(43);
                assertEquals(43, client.getInputStream().read());
                assertEquals(1, client.connectionInfo().orElseThrow().bytesWritten());
            }
        }
    }

    /** Method: a class loader that has the API alone; every call says it, not only the first. */
    @Test
    void saysThatTheImplementationIsMissing() throws Exception {
        URL api = Sdp.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader jdk = ClassLoader.getPlatformClassLoader();
        try (URLClassLoader alone = new URLClassLoader(new URL[] {api}, jdk)) {
            Class<?> config = alone.loadClass(SdpConfig.class.getName());
            Object defaults = config.getMethod("defaults").invoke(null);
            Class<?> provider = alone.loadClass(SdpProvider.class.getName());
            Class<?> sdp = alone.loadClass(Sdp.class.getName());
            for (int i = 0; i < 2; i++) {
                missing(provider.getMethod("open", config), defaults);
                missing(sdp.getMethod("openSocket"));
            }
        }
    }

    private static void missing(Method method, Object... arguments) {
        var e = assertThrows(InvocationTargetException.class, () -> method.invoke(null, arguments));
        assertInstanceOf(IllegalStateException.class, e.getCause());
        assertTrue(e.getCause().getMessage().contains("sdp-provider"), e.getCause()::getMessage);
    }

    @Test
    void failsWhereThePeerDoesNotSpeakSdp() throws IOException {
        try (ServerSocket plain = KernelSockets.openServerSocket();
                Socket client = Sdp.openSocket()) {
            plain.bind(LOOPBACK);
            ConnectException e =
                    assertThrows(
                            ConnectException.class,
                            () -> client.connect(plain.getLocalSocketAddress(), 5000));
            assertTrue(e.getMessage().startsWith("Connection refused"), e.getMessage());
            assertTrue(client.isClosed());
        }
    }

    @Test
    void turnsTcpAway() throws Exception {
        ServerSocket listener = Sdp.openServerSocket();
        listener.bind(LOOPBACK);
        Thread acceptor =
                Thread.startVirtualThread(
                        () -> assertThrows(SocketException.class, listener::accept));
        try (Socket plain = KernelSockets.openSocket()) {
            plain.setSoTimeout(10_000);
            SocketException e =
                    assertThrows(
                            SocketException.class,
                            () -> { // the reset may come before it has returned from connect
                                plain.connect(listener.getLocalSocketAddress(), 5000);
                                int _ = plain.getInputStream().read();
                            });
            assertTrue(e.getMessage().startsWith("Connection reset"), e.getMessage());
        } finally {
            listener.close();
        }
        acceptor.join();
    }
}
