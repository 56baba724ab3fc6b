package io.sdp4j.policy;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The address part of a rule, resolved.
 *
 * @param any it is {@code *}
 * @param host the host name; empty when it is an address
 * @param ranges what it stands for; empty for {@code *} and for an unknown host
 */
record AddressWord(boolean any, String host, List<AddressRange> ranges) {
    private static final String EXPECTED =
            "*, an IPv4 address, an IPv6 address in brackets, or a host name";

    /** Reads a word of the libsdp dialect that starts at {@code column}. */
    static AddressWord parse(LineCursor cursor, int column, String word, HostLookup hosts)
            throws LineCursor.Bad {
        if (word.equals("*")) {
            return new AddressWord(true, "", List.of());
        }
        if (word.startsWith("[")) {
            return ipv6(cursor, column, word);
        }
        int slash = word.indexOf('/');
        String address = slash < 0 ? word : word.substring(0, slash);
        if (Words.only(address, "0123456789.")) {
            if (!isDottedQuad(address)) {
                throw cursor.bad(column, address, "an IPv4 address of four numbers of 0 to 255");
            }
            int prefix =
                    slash < 0
                            ? 32
                            : prefix(cursor, column + slash + 1, word.substring(slash + 1), 0, 32);
            return range(Inet4Address.ofLiteral(address), prefix);
        }
        if (!isHostName(address)) {
            throw cursor.bad(column, word, EXPECTED);
        }
        if (slash >= 0) {
            throw cursor.bad(column + slash, word.substring(slash), "no prefix after a host name");
        }
        List<AddressRange> ranges = exactly(hosts.addresses(address));
        return new AddressWord(false, address, ranges);
    }

    /** {@code [ADDRESS]}, {@code [ADDRESS]/PREFIX} or {@code [ADDRESS/PREFIX]}. */
    private static AddressWord ipv6(LineCursor cursor, int column, String word)
            throws LineCursor.Bad {
        int close = word.indexOf(']');
        if (close < 0) {
            throw cursor.bad(column, word, "']' after the IPv6 address");
        }
        String inside = word.substring(1, close);
        String behind = word.substring(close + 1);
        int slash = inside.indexOf('/');
        String address = slash < 0 ? inside : inside.substring(0, slash);
        InetAddress parsed = ipv6Literal(address);
        if (parsed == null) {
            throw cursor.bad(column + 1, address, "an IPv6 address");
        }
        // A mapped address is IPv4 to us; its prefix still counts from the first of 128 bits.
        int mappedBits = parsed instanceof Inet4Address ? 96 : 0;
        int prefix = 128;
        if (slash >= 0 && behind.isEmpty()) {
            prefix =
                    prefix(
                            cursor,
                            column + 2 + slash,
                            inside.substring(slash + 1),
                            mappedBits,
                            128);
        } else if (slash < 0 && behind.startsWith("/")) {
            prefix = prefix(cursor, column + close + 2, behind.substring(1), mappedBits, 128);
        } else if (!behind.isEmpty()) {
            throw cursor.bad(column + close + 1, behind, "'/PREFIX' or ':PORT'");
        }
        return range(parsed, prefix - mappedBits);
    }

    /**
     * The address an IPv6 literal stands for, which is IPv4 when it is mapped; null when it is
     * none. A zone is dropped: rules know none.
     */
    static InetAddress ipv6Literal(String text) {
        int zone = text.indexOf('%');
        String address = zone < 0 ? text : text.substring(0, zone);
        if (address.indexOf(':') < 0 || address.indexOf('[') >= 0) {
            return null;
        }
        try {
            return Inet6Address.ofLiteral(address);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static int prefix(LineCursor cursor, int column, String text, int least, int most)
            throws LineCursor.Bad {
        int prefix = (int) Words.number(text, most);
        if (prefix < least) {
            throw cursor.bad(column, text, "a prefix length of " + least + " to " + most);
        }
        return prefix;
    }

    private static AddressWord range(InetAddress address, int prefix) {
        return new AddressWord(false, "", List.of(AddressRange.of(address, prefix)));
    }

    /** One range for each address. */
    static List<AddressRange> exactly(List<InetAddress> addresses) {
        List<AddressRange> ranges = new ArrayList<>();
        for (InetAddress address : addresses) {
            ranges.add(AddressRange.of(address));
        }
        return ranges;
    }

    /**
     * Four numbers without leading zeros: what others read as octal or as 10.0.0.1 is no address
     * here.
     */
    private static boolean isDottedQuad(String text) {
        int numbers = 0;
        int from = 0;
        while (from <= text.length()) {
            int dot = text.indexOf('.', from);
            String part = text.substring(from, dot < 0 ? text.length() : dot);
            if (Words.number(part, 255) < 0 || (part.length() > 1 && part.charAt(0) == '0')) {
                return false;
            }
            numbers++;
            from = dot < 0 ? text.length() + 1 : dot + 1;
        }
        return numbers == 4;
    }

    private static boolean isHostName(String text) {
        return text.length() <= 253
                && Words.only(text, Words.LETTERS_AND_DIGITS + "_.-")
                && text.charAt(0) != '.'
                && text.charAt(0) != '-';
    }
}
