package io.sdp4j.agent.trace;

import io.sdp4j.trace.TraceConnection;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The connections of a trace by number, some of which may be forgotten. Immutable. */
final class Connections {
    private final Map<Integer, TraceConnection> known;

    Connections(List<TraceConnection> known) {
        this.known =
                known.stream()
                        .collect(
                                Collectors.toMap(
                                        TraceConnection::number, Function.identity(), (a, b) -> a));
    }

    /** Null when it is not known any more. */
    TraceConnection get(int number) {
        return known.get(number);
    }

    /** An address as one writes it. */
    static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** A connection's description, in a few words. */
    static String text(TraceConnection c) {
        return text(c.local())
                + (c.connecting() ? " connected to " : " accepted from ")
                + text(c.remote())
                + ", fabric "
                + c.fabric();
    }
}
