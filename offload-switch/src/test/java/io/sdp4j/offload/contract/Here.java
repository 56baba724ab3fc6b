package io.sdp4j.offload.contract;

import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Where the contracts have both ends of their connections. */
public final class Here {
    /**
     * The loopback address; on a host of the lab its own, because an RDMA device serves no loopback
     * address.
     */
    public static final InetAddress ADDRESS = address();

    private Here() {}

    private static InetAddress address() {
        String named = System.getenv("LAB_ADDR");
        try {
            return named == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(named);
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As the address of a peer prints whose name was not looked up. */
    static String text() {
        return "/" + ADDRESS.getHostAddress();
    }
}
