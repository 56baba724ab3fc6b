package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: this host's addresses are told from others, also in a sandbox that denies netlink. */
@Timeout(60)
class LocalRouteTest {
    private static final int ROUTE = 0;

    /** A protocol that is not there: the kernel gives no socket, as in such a sandbox. */
    private static final int DENIED = 31;

    @Test
    void theKernelKnowsOwnAddresses() throws SocketException {
        for (InetAddress own : ownAddresses()) {
            // one of IPv6 that was just given has no route for a moment
            assertTrue(!(own instanceof Inet4Address) || LocalRoute.leadsTo(own), own::toString);
        }
    }

    @Test
    void ownAddressesAreKnownWithoutNetlink() throws SocketException {
        for (InetAddress own : ownAddresses()) {
            assertTrue(LocalRoute.leadsTo(own, DENIED), own::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {ROUTE, DENIED})
    void othersAreNotThisHosts(int protocol) {
        for (String other : List.of("203.0.113.1", "2001:db8::1", "224.0.0.1")) {
            assertFalse(LocalRoute.leadsTo(InetAddress.ofLiteral(other), protocol), other);
        }
    }

    private static List<InetAddress> ownAddresses() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .filter(LocalRouteTest::isUp)
                .flatMap(NetworkInterface::inetAddresses)
                .toList();
    }

    private static boolean isUp(NetworkInterface i) {
        try {
            return i.isUp();
        } catch (SocketException e) {
            return false; // gone meanwhile
        }
    }
}
