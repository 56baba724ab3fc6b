package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.aio.Observed;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.policy.Policy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a stream is told of SO_KEEPALIVE, whichever way it is set. Method: a provider that notes
 * what its streams are told.
 */
@Timeout(60)
class KeepAliveOptionTest {
    private final List<Boolean> told = new CopyOnWriteArrayList<>();
    private final Observed provider =
            new Observed(
                    new LoopbackProvider(),
                    (_, call, args) -> {
                        if (call.equals("keepAlive")) {
                            told.add((Boolean) args[0]);
                        }
                    });

    private final OffloadSwitch owner =
            new OffloadSwitch(Policy::allowAll, List.of(provider), Patience.SETTINGS);

    @Test
    void aStreamIsToldOfBothForms() throws Exception {
        try (ServerSocket listener = SwitchedSockets.serverSocket(owner);
                Socket socket = SwitchedSockets.socket(owner)) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            socket.connect(listener.getLocalSocketAddress());
            socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            assertEquals(List.of(true), told);
            socket.setKeepAlive(false);
            assertEquals(List.of(true, false), told);
        }
    }

    @Test
    void theStreamOfAChannelIsTold() throws Exception {
        try (ServerSocketChannel listener =
                        SwitchChannels.provider(owner).openServerSocketChannel();
                SocketChannel channel = SwitchChannels.provider(owner).openSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.connect(listener.getLocalAddress());
            assertEquals(List.of(true), told);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, false);
            channel.socket().setKeepAlive(true);
            assertEquals(List.of(true, false, true), told);
        }
    }

    @Test
    void theStreamOfAnAsynchronousChannelIsTold() throws Exception {
        var channels = new SwitchAsynchronousChannelProvider(owner);
        try (AsynchronousServerSocketChannel listener =
                        channels.openAsynchronousServerSocketChannel(null);
                AsynchronousSocketChannel channel = channels.openAsynchronousSocketChannel(null)) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.connect(listener.getLocalAddress()).get();
            assertEquals(List.of(true), told);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, false);
            assertEquals(List.of(true, false), told);
        }
    }
}
