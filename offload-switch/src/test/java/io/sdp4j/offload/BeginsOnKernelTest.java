package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.UnaskedProvider;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections that can move begin on kernel TCP, wherever on this host they go. */
class BeginsOnKernelTest {
    private static final Decision BOTH = Decision.of(Verdict.OFFLOAD_FIRST, "use both", "f:1");
    private static final Decision ONLY = Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "f:2");
    private static final InetSocketAddress OWN = new InetSocketAddress("192.0.2.1", 80);
    private static final InetSocketAddress FOREIGN = new InetSocketAddress("192.0.2.2", 80);
    private static final InetSocketAddress LOOPBACK =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);

    /** Moves what does not go to {@link #FOREIGN}, and must not be asked for anything else. */
    private static OffloadProvider mover(boolean listensLater) {
        return new UnaskedProvider() {
            @Override
            public boolean listensLater(List<String> fabrics) {
                return listensLater;
            }

            @Override
            public boolean moves(InetAddress remote, List<String> fabrics) {
                return !remote.equals(FOREIGN.getAddress());
            }
        };
    }

    private static OffloadSwitch of(UpgradePolicy upgrade) {
        return of(upgrade, true);
    }

    private static OffloadSwitch of(UpgradePolicy upgrade, boolean listensLater) {
        return new OffloadSwitch(
                Policy::allowAll,
                List.of(mover(listensLater)),
                SwitchSettings.defaults().withUpgrade(upgrade));
    }

    @Test
    void toAddressesOfThisHost() {
        for (UpgradePolicy upgrade : List.of(UpgradePolicy.AUTO, UpgradePolicy.AT_CONNECT)) {
            OffloadSwitch owner = of(upgrade);
            assertTrue(owner.beginsOnKernel(BOTH, LOOPBACK));
            assertTrue(owner.beginsOnKernel(BOTH, OWN));
            assertFalse(owner.beginsOnKernel(BOTH, FOREIGN));
        }
    }

    @Test
    void notWhereTheKernelWillNotDo() {
        assertFalse(of(UpgradePolicy.AUTO).beginsOnKernel(ONLY, OWN));
    }

    /** Where all begin on the kernel, one that cannot move has no provider to ask. */
    @Test
    void andThatDecidesWhereTheyCannotMove() {
        OffloadSwitch owner = of(UpgradePolicy.AUTO);
        assertEquals(ReasonCode.NOT_LOCAL, owner.settled(BOTH, FOREIGN).reason());
        assertNull(owner.settled(BOTH, OWN));
        assertNull(owner.settled(ONLY, FOREIGN));
        assertNull(of(UpgradePolicy.AUTO, false).settled(BOTH, FOREIGN));
    }

    /** They have no way to move, and stay there. */
    @Test
    void asynchronousChannelsToo() throws Exception {
        OffloadSwitch owner = of(UpgradePolicy.AUTO);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                AsynchronousSocketChannel channel =
                        new SwitchAsynchronousChannelProvider(owner)
                                .openAsynchronousSocketChannel(null)) {
            Void _ = channel.connect(listener.getLocalSocketAddress()).get(30, TimeUnit.SECONDS);
        }
        assertEquals(1, owner.report().reasons().get(ReasonCode.NOT_WORTH));
    }
}
