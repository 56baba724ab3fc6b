package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.linux.PortOwner.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // closing early is the point
final class PortOwnerTest {
    @Test
    void theKernelTellsTheOwnerOfAPort() throws Exception {
        findsOwners(PortOwner::listener);
    }

    @Test
    void theTablesTellTheOwnerOfAPort() throws Exception {
        findsOwners(PortOwner::read);
    }

    private static void findsOwners(Function<InetSocketAddress, Listener> ask) throws IOException {
        long uid = Integer.toUnsignedLong(Linux.effectiveUid());
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket all = new ServerSocket(0)) {
            assertEquals(uid, ask.apply((InetSocketAddress) one.getLocalSocketAddress()).uid());
            InetSocketAddress wild =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), all.getLocalPort());
            assertEquals(uid, ask.apply(wild).uid());
            InetSocketAddress six =
                    new InetSocketAddress(
                            InetAddress.getByAddress(
                                    new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}),
                            all.getLocalPort());
            assertEquals(uid, ask.apply(six).uid());
            InetSocketAddress unused =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), one.getLocalPort());
            one.close();
            assertEquals(PortOwner.NO_USER, ask.apply(unused).uid());
        }
    }
}
