package io.sdp4j.policy;

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
            AddressRange quad = Literals.dottedQuad(address);
            if (quad == null) {
                throw cursor.bad(column, address, "an IPv4 address of four numbers of 0 to 255");
            }
            int prefix =
                    slash < 0
                            ? 32
                            : prefix(cursor, column + slash + 1, word.substring(slash + 1), 0, 32);
            return range(quad, prefix);
        }
        if (!isHostName(address)) {
            throw cursor.bad(column, word, EXPECTED);
        }
        if (slash >= 0) {
            throw cursor.bad(column + slash, word.substring(slash), "no prefix after a host name");
        }
        return new AddressWord(false, address, hosts.ranges(address));
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
        AddressRange parsed = Literals.ipv6(address);
        if (parsed == null) {
            throw cursor.bad(column + 1, address, "an IPv6 address");
        }
        // A mapped address is IPv4 to us; its prefix still counts from the first of 128 bits.
        int mappedBits = parsed.ipv6() ? 0 : 96;
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

    private static int prefix(LineCursor cursor, int column, String text, int least, int most)
            throws LineCursor.Bad {
        int prefix = (int) Words.number(text, most);
        if (prefix < least) {
            throw cursor.bad(column, text, "a prefix length of " + least + " to " + most);
        }
        return prefix;
    }

    private static AddressWord range(AddressRange address, int prefix) {
        return new AddressWord(false, "", List.of(address.withPrefix(prefix)));
    }

    private static boolean isHostName(String text) {
        return text.length() <= 253
                && Words.only(text, Words.LETTERS_AND_DIGITS + "_.-")
                && text.charAt(0) != '.'
                && text.charAt(0) != '-';
    }
}
