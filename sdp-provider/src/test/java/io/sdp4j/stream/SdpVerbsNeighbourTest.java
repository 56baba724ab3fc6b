package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.fabric.verbs.VerbsConfig;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.nio.Nio;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a listener that names its port serves its clients also where another program has the TCP
 * port beside, which an iWARP device would listen on: by the kernel's TCP, and only for as long as
 * that is so. Other devices do not mind. By {@code lab/checks/sockets}.
 */
@Timeout(120)
@EnabledIfEnvironmentVariable(named = "LAB_ADDR", matches = ".+", disabledReason = "no RDMA device")
class SdpVerbsNeighbourTest {
    private static final boolean IWARP = "siw".equals(System.getenv("LAB_FABRIC"));

    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(StreamPair.LIMIT_SECONDS);

    private static OffloadSwitch with(LabDevice device, long connectNanos) {
        Policy policy =
                Policy.everything(
                        new Decision(
                                Verdict.OFFLOAD_FIRST,
                                List.of(),
                                connectNanos,
                                "both, with patience",
                                Decision.DEFAULT_ORIGIN));
        return new OffloadSwitch(
                () -> policy, List.of(device.provider()), SwitchSettings.defaults());
    }

    private static ServerSocketChannel listen(OffloadSwitch owner, InetSocketAddress at)
            throws IOException {
        ServerSocketChannel l = SwitchChannels.provider(owner).openServerSocketChannel();
        try {
            return l.bind(at);
        } catch (IOException e) {
            l.close();
            throw e;
        }
    }

    /** The address of another program: one of this host, with a port of the kernel's choice. */
    private static NetworkChannel taken(boolean listening) throws IOException {
        NetworkChannel c = listening ? ServerSocketChannel.open() : SocketChannel.open();
        return c.bind(new InetSocketAddress(System.getenv("LAB_ADDR"), 0));
    }

    private static InetSocketAddress beside(NetworkChannel other) throws IOException {
        InetSocketAddress a = (InetSocketAddress) other.getLocalAddress();
        int port = a.getPort() ^ VerbsConfig.SHARED_PORT_MASK;
        return new InetSocketAddress(a.getAddress(), port);
    }

    /** Why a new connection, over which bytes go, is carried as it is. */
    private static ReasonCode carried(OffloadSwitch owner, ServerSocketChannel listener)
            throws IOException {
        try (SocketChannel client = SwitchChannels.provider(owner).openSocketChannel()) {
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                Nio.send(client, "there");
                assertEquals("there", Nio.receive(server, 5));
                Nio.send(server, "back");
                assertEquals("back", Nio.receive(client, 4));
            }
            return SwitchChannels.explain(client).orElseThrow().reason();
        }
    }

    /**
     * Method: a client looks for the listener in vain and comes by TCP; the next one knows. When
     * the neighbour has gone, another client, who knows nothing, finds the next listener.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTakenNeighbourMeansTcp(boolean listening) throws Exception {
        try (LabDevice device = new LabDevice()) {
            NetworkChannel other = taken(listening);
            // one that listens lets the client in, and says nothing
            OffloadSwitch owner =
                    with(device, IWARP && listening ? TimeUnit.SECONDS.toNanos(1) : PATIENCE);
            InetSocketAddress at = beside(other);
            try (other;
                    ServerSocketChannel listener = listen(owner, at)) {
                ReasonCode first = carried(owner, listener);
                ReasonCode second = carried(owner, listener);
                if (IWARP) {
                    assertEquals(listening ? ReasonCode.TIMED_OUT : ReasonCode.NO_PEER, first);
                    // one that only keeps silent may be slow: it is asked once more
                    assertEquals(listening ? ReasonCode.TIMED_OUT : ReasonCode.REMEMBERED, second);
                } else {
                    assertEquals(ReasonCode.OFFLOADED, first);
                    assertEquals(ReasonCode.OFFLOADED, second);
                }
            }
            OffloadSwitch fresh = with(device, PATIENCE);
            try (ServerSocketChannel listener = listen(fresh, at)) {
                assertEquals(ReasonCode.OFFLOADED, carried(fresh, listener));
            }
        }
    }
}
