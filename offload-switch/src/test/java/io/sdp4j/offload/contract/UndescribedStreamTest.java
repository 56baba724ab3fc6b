package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.aio.Aio;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: the stream of a provider that fails once it has connected is closed, so that its peer does
 * not wait. Method: streams that cannot say something of themselves.
 */
@Timeout(60)
class UndescribedStreamTest implements OffloadProvider {
    private final OffloadSwitch owner =
            new OffloadSwitch(Policy::allowAll, List.of(this), Patience.SETTINGS);
    private ServerSocket listener;
    private volatile String unable = "localAddress"; // to answer this method
    private volatile boolean closed;

    @Override
    public String name() {
        return "faulty";
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) {
        return (OffloadStream)
                Proxy.newProxyInstance(
                        OffloadStream.class.getClassLoader(),
                        new Class<?>[] {OffloadStream.class},
                        (_, method, _) -> call(method.getName()));
    }

    private Object call(String method) {
        if (method.equals(unable)) {
            throw new IllegalStateException("test");
        }
        closed |= method.equals("close");
        return method.equals("info")
                ? new ConnectionInfo(ReasonCode.OFFLOADED, "one", "one", 0, 0)
                : null;
    }

    @Override
    public OffloadListener listen(ListenSpec spec) {
        OffloadStream waits = connect(null);
        return new OffloadListener() {
            private OffloadStream next = waits;

            @Override
            public OffloadStream poll() {
                OffloadStream polled = next;
                next = null;
                return polled;
            }

            @Override
            public boolean pending() {
                return next != null;
            }

            @Override
            public void close() {}
        };
    }

    @BeforeEach
    void listen() throws Exception {
        listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws Exception {
        listener.close();
    }

    private SocketAddress at() {
        return listener.getLocalSocketAddress();
    }

    @Test
    void aSocketClosesIt() throws Exception {
        try (Socket s = SwitchedSockets.socket(owner)) {
            assertThrows(IllegalStateException.class, () -> s.connect(at()));
            assertTrue(closed);
        }
    }

    @Test
    void aChannelClosesIt() throws Exception {
        try (SocketChannel c = SwitchChannels.provider(owner).openSocketChannel()) {
            assertThrows(IllegalStateException.class, () -> c.connect(at()));
            assertTrue(closed);
        }
    }

    @Test
    void anAsynchronousChannelClosesIt() throws Exception {
        var channels = new SwitchAsynchronousChannelProvider(owner);
        try (AsynchronousSocketChannel c = channels.openAsynchronousSocketChannel(null)) {
            assertThrows(IOException.class, () -> Aio.get(c.connect(at())));
            assertTrue(closed);
        }
    }

    @Test
    void anAcceptedAsynchronousChannelClosesIt() throws Exception {
        var channels = new SwitchAsynchronousChannelProvider(owner);
        try (AsynchronousServerSocketChannel l =
                channels.openAsynchronousServerSocketChannel(null)) {
            l.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertThrows(Exception.class, () -> Aio.get(l.accept()));
            assertTrue(closed);
        }
    }

    @Test
    void theKernelConnectsWhereTheAttemptHasFailed() throws Exception {
        unable = "info";
        try (Socket s = SwitchedSockets.socket(owner)) {
            s.connect(at());
            listener.accept().close();
            assertTrue(closed);
        }
    }
}
