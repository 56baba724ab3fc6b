package io.sdp4j.e2e.programs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;

/**
 * Where a server is: an argument {@code [HOST:]FIRST,SECOND,INNER} of an IPv4 address, otherwise
 * the loopback address, and ports, of which clients use the first two.
 */
final class Listening {
    private static final int FOR_CLIENTS = 2;

    private Listening() {}

    static String host(String argument) {
        int colon = argument.indexOf(':');
        return colon < 0 ? "127.0.0.1" : argument.substring(0, colon);
    }

    private static String[] numbers(String argument) {
        return argument.substring(argument.indexOf(':') + 1).split(",", -1);
    }

    static List<Integer> ports(String argument) {
        return Arrays.stream(numbers(argument)).limit(FOR_CLIENTS).map(Integer::valueOf).toList();
    }

    /** The one that only the server itself uses. */
    static int inner(String argument) {
        return Integer.parseInt(numbers(argument)[FOR_CLIENTS]);
    }

    static List<InetSocketAddress> addresses(String argument) {
        InetAddress host = InetAddress.ofLiteral(host(argument));
        return ports(argument).stream().map(port -> new InetSocketAddress(host, port)).toList();
    }
}
