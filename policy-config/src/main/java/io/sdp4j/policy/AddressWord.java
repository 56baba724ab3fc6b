package io.sdp4j.policy;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import java.util.regex.Pattern;

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
    private static final Pattern HOST = Pattern.compile("[\\p{Alnum}_]([\\p{Alnum}_.-]{0,252})");
    private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");
    private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    private static final Pattern DOTTED_QUAD = Pattern.compile(BYTE + ("\\." + BYTE).repeat(3));
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,3}");

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
        if (DIGITS_AND_DOTS.matcher(address).matches()) {
            if (!DOTTED_QUAD.matcher(address).matches()) {
                throw cursor.bad(column, address, "an IPv4 address of four numbers of 0 to 255");
            }
            int prefix =
                    slash < 0
                            ? 32
                            : prefix(cursor, column + slash + 1, word.substring(slash + 1), 0, 32);
            return range(Inet4Address.ofLiteral(address), prefix);
        }
        if (!HOST.matcher(address).matches()) {
            throw cursor.bad(column, word, EXPECTED);
        }
        if (slash >= 0) {
            throw cursor.bad(column + slash, word.substring(slash), "no prefix after a host name");
        }
        List<AddressRange> ranges =
                hosts.addresses(address).stream().map(AddressRange::of).toList();
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
        int prefix = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : -1;
        if (prefix < least || prefix > most) {
            throw cursor.bad(column, text, "a prefix length of " + least + " to " + most);
        }
        return prefix;
    }

    private static AddressWord range(InetAddress address, int prefix) {
        return new AddressWord(false, "", List.of(AddressRange.of(address, prefix)));
    }
}
