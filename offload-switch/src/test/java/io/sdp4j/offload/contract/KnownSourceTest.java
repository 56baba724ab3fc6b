package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: where a provider knows the address that its path leaves by, that is the local address of a
 * connection, and the routes are not looked at again; an address that cannot be one is not
 * believed.
 */
@Timeout(60)
class KnownSourceTest {
    private static final InetAddress SOURCE = InetAddress.ofLiteral("127.0.0.2");

    /** Knows the source, asks for the local address, and finds no listener. */
    private static final class Knowing extends UnaskedProvider {
        final InetAddress source;
        InetSocketAddress local;
        InetAddress bound;

        Knowing(InetAddress source) {
            this.source = source;
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            bound = spec.localAddress().bound();
            try {
                local = spec.localAddress().find(source);
            } catch (IOException e) {
                throw new OffloadUnavailable(ReasonCode.UNAVAILABLE, e.getMessage());
            }
            throw new OffloadUnavailable(ReasonCode.PEER_REFUSED, "the peer refused");
        }
    }

    private static OffloadSwitch over(Knowing provider) {
        return new OffloadSwitch(
                () -> Policy.everything(Decision.of(Verdict.OFFLOAD_FIRST, "the rule", "test:1")),
                List.of(provider),
                SwitchSettings.defaults());
    }

    /** A provider is told before it looks for a way; {@code from} null = nothing is bound. */
    private static List<InetAddress> boundTo(InetSocketAddress from, InetSocketAddress to)
            throws Exception {
        Knowing sockets = new Knowing(null);
        try (Socket s = SwitchedSockets.socket(over(sockets))) {
            s.bind(from);
            s.connect(to, 10_000); // another thread asks the provider, on behalf of this one
        }
        Knowing channels = new Knowing(null);
        try (SocketChannel c = SwitchChannels.provider(over(channels)).openSocketChannel()) {
            c.bind(from).connect(to);
        }
        Knowing asynchronous = new Knowing(null);
        try (AsynchronousSocketChannel c =
                new SwitchAsynchronousChannelProvider(over(asynchronous))
                        .openAsynchronousSocketChannel(null)) {
            c.bind(from).connect(to).get();
        }
        return Arrays.asList(sockets.bound, channels.bound, asynchronous.bound);
    }

    @Test
    void anAddressThatWasBoundIsTheSource() throws Exception {
        try (ServerSocket l = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            InetSocketAddress to = (InetSocketAddress) l.getLocalSocketAddress();
            assertEquals(
                    List.of(SOURCE, SOURCE, SOURCE), boundTo(new InetSocketAddress(SOURCE, 0), to));
            assertEquals(Arrays.asList(null, null, null), boundTo(new InetSocketAddress(0), to));
            assertEquals(Arrays.asList(null, null, null), boundTo(null, to));
        }
    }

    private static InetAddress socketTo(InetSocketAddress to, Knowing provider) throws IOException {
        try (Socket s = SwitchedSockets.socket(over(provider))) {
            s.connect(to);
        }
        return provider.local.getAddress();
    }

    @Test
    void aKnownSourceIsTheLocalAddress() throws Exception {
        try (ServerSocket l = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            InetSocketAddress to = (InetSocketAddress) l.getLocalSocketAddress();
            assertEquals(SOURCE, socketTo(to, new Knowing(SOURCE)));

            Knowing channels = new Knowing(SOURCE);
            try (SocketChannel c = SwitchChannels.provider(over(channels)).openSocketChannel()) {
                c.connect(to);
            }
            assertEquals(SOURCE, channels.local.getAddress());

            Knowing asynchronous = new Knowing(SOURCE);
            try (AsynchronousSocketChannel c =
                    new SwitchAsynchronousChannelProvider(over(asynchronous))
                            .openAsynchronousSocketChannel(null)) {
                c.connect(to).get();
            }
            assertEquals(SOURCE, asynchronous.local.getAddress());
        }
    }

    @Test
    void whatCannotBeTheSourceIsNotBelieved() throws Exception {
        try (ServerSocket l = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            InetSocketAddress to = (InetSocketAddress) l.getLocalSocketAddress();
            InetAddress usual = socketTo(to, new Knowing(null));
            for (String odd : List.of("0.0.0.0", "fe80::1", "::1")) {
                assertEquals(usual, socketTo(to, new Knowing(InetAddress.ofLiteral(odd))), odd);
            }
        }
    }
}
