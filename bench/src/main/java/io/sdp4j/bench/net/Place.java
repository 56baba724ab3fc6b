package io.sdp4j.bench.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Where the answering JVM of a pair listens. */
public final class Place {
    /** Names another address than the loopback's: one that an RDMA device serves. */
    public static final String PROPERTY = "sdp4j.bench.address";

    private Place() {}

    /** The address of both ends. */
    public static InetAddress here() throws IOException {
        String named = System.getProperty(PROPERTY);
        return named == null
                ? InetAddress.getByAddress(new byte[] {127, 0, 0, 1})
                : InetAddress.getByName(named);
    }

    /** A port there without a listener a moment ago. */
    public static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, here())) {
            return probe.getLocalPort();
        }
    }
}
