package io.sdp4j.e2e.programs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;

/**
 * Where a server is: an argument {@code FIRST,SECOND,INNER} of ports, clients use the first two.
 */
final class Listening {
    private static final int FOR_CLIENTS = 2;

    private Listening() {}

    static List<Integer> ports(String argument) {
        return Arrays.stream(argument.split(",", -1))
                .limit(FOR_CLIENTS)
                .map(Integer::valueOf)
                .toList();
    }

    /** The one that only the server itself uses. */
    static int inner(String argument) {
        return Integer.parseInt(argument.split(",", -1)[FOR_CLIENTS]);
    }

    static List<InetSocketAddress> addresses(String argument) {
        return ports(argument).stream()
                .map(port -> new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port))
                .toList();
    }
}
