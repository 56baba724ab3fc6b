package io.sdp4j.policy;

import java.net.Inet4Address;
import java.util.List;
import java.util.Locale;

/**
 * One line of the JDK's dialect: what sun.net.sdp.SdpProvider accepts, and a comment behind the
 * rule, which it does not.
 */
final class JdkLine {
    private static final String ADDRESS = "*, an IP address, or a host name that resolves";
    private static final String PORTS = "PORT, PORT-PORT, with * or nothing for an open end";

    private JdkLine() {}

    /** The rule of this line, or null when it holds none. */
    static Rule parse(LineCursor cursor, HostLookup hosts) throws LineCursor.Bad {
        if (cursor.atEnd()) {
            return null;
        }
        int actionColumn = cursor.column();
        String action = cursor.word();
        Role role =
                switch (action.toLowerCase(Locale.ROOT)) {
                    case "bind" -> Role.LISTEN;
                    case "connect" -> Role.CONNECT;
                    default -> throw cursor.bad(actionColumn, action, "'bind' or 'connect'");
                };
        int column = cursor.column();
        String address = cursor.word();
        int portColumn = cursor.column();
        String ports = cursor.word();
        if (address.isEmpty()) {
            throw cursor.bad(column, "", ADDRESS);
        }
        int[] range = ports(ports);
        if (range == null) {
            throw cursor.bad(portColumn, ports, PORTS);
        }
        if (!cursor.atEnd()) {
            throw cursor.bad(cursor.column(), cursor.rest(), "end of line");
        }
        AddressWord target = target(cursor, column, address, hosts);
        Decision decision = Decision.of(Verdict.OFFLOAD_FIRST, cursor.source(), cursor.origin());
        return new Rule(
                role,
                "*",
                target.host(),
                target.any(),
                target.ranges(),
                range[0],
                range[1],
                decision);
    }

    /**
     * First and last port as the JDK reads them, possibly ports that do not exist; null when
     * malformed.
     */
    private static int[] ports(String text) {
        int dash = text.indexOf('-');
        try {
            if (text.isEmpty()) {
                return null;
            }
            if (dash < 0) {
                return text.equals("*")
                        ? new int[] {0, Rule.MAX_PORT}
                        : new int[] {Integer.parseInt(text), Integer.parseInt(text)};
            }
            return new int[] {
                end(text.substring(0, dash), 0), end(text.substring(dash + 1), Rule.MAX_PORT)
            };
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static int end(String text, int open) {
        return text.isEmpty() || text.equals("*") ? open : Integer.parseInt(text);
    }

    private static AddressWord target(LineCursor cursor, int column, String word, HostLookup hosts)
            throws LineCursor.Bad {
        if (word.equals("*")) {
            return new AddressWord(true, "", List.of());
        }
        int slash = word.indexOf('/');
        String name = slash < 0 ? word : word.substring(0, slash);
        AddressRange literal = literal(name);
        List<AddressRange> found =
                literal != null
                        ? List.of(literal)
                        : name.isEmpty() ? List.of() : hosts.ranges(name);
        if (found.isEmpty()) {
            throw cursor.bad(column, name, ADDRESS);
        }
        String host = literal == null ? name : "";
        if (slash < 0) {
            return new AddressWord(false, host, found);
        }
        AddressRange first = found.getFirst(); // with a prefix the JDK takes only one
        int most = first.ipv6() ? 128 : 32;
        int prefix = prefix(word.substring(slash + 1));
        if (prefix < 1 || prefix > most) {
            String expected = "a prefix length of 1 to " + most;
            throw cursor.bad(column + slash + 1, word.substring(slash + 1), expected);
        }
        return new AddressWord(false, host, List.of(first.withPrefix(prefix)));
    }

    private static int prefix(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /**
     * An address as InetAddress reads it, so also {@code 2130706433} and {@code [::1]}; null when
     * it is a name.
     */
    private static AddressRange literal(String text) {
        boolean bracketed = text.startsWith("[") && text.endsWith("]");
        AddressRange ipv6 = Literals.ipv6(bracketed ? text.substring(1, text.length() - 1) : text);
        if (ipv6 != null || bracketed) {
            return ipv6;
        }
        AddressRange quad = Literals.dottedQuad(text);
        if (quad != null || !Words.only(text, "0123456789.")) {
            return quad;
        }
        try {
            return AddressRange.of(Inet4Address.ofLiteral(text)); // 127.1 and the like
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
