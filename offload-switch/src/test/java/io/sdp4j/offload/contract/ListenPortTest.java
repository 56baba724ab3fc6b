package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import io.sdp4j.testing.FreePorts;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a listener that any port will do for has one that a provider likes. Method: every kind of
 * listener, with a provider that likes the third port that it is offered.
 */
@Timeout(60)
class ListenPortTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private final Choosy choosy = new Choosy();
    private OffloadSwitch owner = of(Verdict.OFFLOAD_FIRST);

    private OffloadSwitch of(Verdict verdict) {
        return new OffloadSwitch(
                () -> Policy.everything(Decision.of(verdict, "the rule", "test:1")),
                List.of(choosy),
                SwitchSettings.defaults());
    }

    /** Each kind of listener, bound; gives the address that it has then. */
    enum Kind {
        SOCKET {
            @Override
            Bound listen(OffloadSwitch owner, SocketAddress at) throws IOException {
                ServerSocket s = SwitchedSockets.serverSocket(owner);
                s.bind(at);
                return new Bound(s, (InetSocketAddress) s.getLocalSocketAddress());
            }
        },
        CHANNEL {
            @Override
            Bound listen(OffloadSwitch owner, SocketAddress at) throws IOException {
                ServerSocketChannel c = SwitchChannels.provider(owner).openServerSocketChannel();
                c.bind(at);
                return new Bound(c, (InetSocketAddress) c.getLocalAddress());
            }
        },
        ASYNCHRONOUS {
            @Override
            Bound listen(OffloadSwitch owner, SocketAddress at) throws IOException {
                AsynchronousServerSocketChannel c =
                        new SwitchAsynchronousChannelProvider(owner)
                                .openAsynchronousServerSocketChannel(null);
                c.bind(at);
                return new Bound(c, (InetSocketAddress) c.getLocalAddress());
            }
        };

        abstract Bound listen(OffloadSwitch owner, SocketAddress at) throws IOException;
    }

    record Bound(Closeable listener, InetSocketAddress address) implements Closeable {
        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    private static final class Choosy implements OffloadProvider {
        final List<InetSocketAddress> offered = new ArrayList<>();
        final List<InetSocketAddress> listened = new ArrayList<>();
        boolean afterwardsTaken;
        ServerSocket taken;

        @Override
        public String name() {
            return "choosy";
        }

        @Override
        public int choosePort(List<String> fabrics, Supplier<InetSocketAddress> free) {
            for (int i = 0; i < 3; i++) {
                offered.add(free.get());
            }
            InetSocketAddress liked = offered.getLast();
            if (afterwardsTaken) {
                try {
                    taken = new ServerSocket(liked.getPort(), 1, HERE);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
            return liked.getPort();
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            throw new OffloadUnavailable(ReasonCode.NO_PEER, "no listener");
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            listened.add(spec.address());
            throw new OffloadUnavailable(ReasonCode.UNAVAILABLE, "it does not");
        }
    }

    private static InetSocketAddress any() {
        return new InetSocketAddress(HERE, 0);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void anyPortIsTheProvidersChoice(Kind kind) throws Exception {
        try (Bound b = kind.listen(owner, any())) {
            assertEquals(3, choosy.offered.stream().distinct().count());
            assertEquals(choosy.offered.getLast(), b.address());
            assertEquals(List.of(b.address()), choosy.listened);
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void anyAddressIsOfferedAsTheKernelWouldBindIt(Kind kind) throws Exception {
        try (Bound b = kind.listen(owner, new InetSocketAddress(0))) {
            assertEquals(choosy.offered.getLast().getPort(), b.address().getPort());
            assertTrue(choosy.offered.getLast().getAddress().isAnyLocalAddress());
            assertEquals(choosy.listened, List.of(choosy.offered.getLast()));
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aPortThatIsAskedForIsTaken(Kind kind) throws Exception {
        int port = FreePorts.one();
        try (Bound b = kind.listen(owner, new InetSocketAddress(HERE, port))) {
            assertEquals(port, b.address().getPort());
            assertEquals(List.of(), choosy.offered);
        }
    }

    /** Goal: a socket that takes the chosen port first keeps it, and the listener has another. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aChoiceThatIsTakenMeanwhileIsNone(Kind kind) throws Exception {
        choosy.afterwardsTaken = true;
        try (Bound b = kind.listen(owner, any());
                ServerSocket taken = choosy.taken) {
            assertNotEquals(0, b.address().getPort());
            assertNotEquals(taken.getLocalPort(), b.address().getPort());
            assertEquals(List.of(b.address()), choosy.listened);
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void noProviderIsAskedWhereTheRuleSaysTcp(Kind kind) throws Exception {
        owner = of(Verdict.KERNEL);
        try (Bound _ = kind.listen(owner, any())) {
            assertEquals(List.of(), choosy.offered);
        }
    }
}
