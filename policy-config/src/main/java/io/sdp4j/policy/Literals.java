package io.sdp4j.policy;

/**
 * Address literals, read without {@link java.net.InetAddress}: rules are read while a JVM starts,
 * and loading that class would fix settings that the application may still want to make in its
 * first line ({@code java.net.preferIPv4Stack} and its kin).
 */
final class Literals {
    private static final int GROUPS = 8;
    private static final int MAPPED = 0xffff;

    private Literals() {}

    /** Four decimal numbers; null for anything else, leading zeros included, which may be octal. */
    static AddressRange dottedQuad(String text) {
        String[] parts = text.split("\\.", -1); // of one character, so no regular expression
        long bits = 0;
        for (String part : parts) {
            long number = Words.number(part, 255);
            if (number < 0 || (part.length() > 1 && part.charAt(0) == '0')) {
                return null;
            }
            bits = bits << 8 | number;
        }
        return parts.length == 4 ? new AddressRange(false, 0, bits, 32) : null;
    }

    /**
     * An IPv6 address, which is IPv4 to us when it is mapped; null for anything else. A zone is
     * dropped: rules know none.
     */
    static AddressRange ipv6(String text) {
        int zone = text.indexOf('%');
        String address = zone < 0 ? text : text.substring(0, zone);
        int gap = address.indexOf("::");
        int[] groups = new int[GROUPS];
        int count;
        if (gap < 0) {
            count = groups(address, groups);
            if (count != GROUPS) {
                return null;
            }
        } else {
            int before = gap == 0 ? 0 : groups(address.substring(0, gap), groups);
            String rest = address.substring(gap + 2);
            int[] tail = new int[GROUPS];
            int after = rest.isEmpty() ? 0 : groups(rest, tail);
            if (before < 0
                    || after < 0
                    || before + after >= GROUPS
                    || (gap > 0 && address.substring(0, gap).indexOf('.') >= 0)) {
                return null;
            }
            System.arraycopy(tail, 0, groups, GROUPS - after, after);
        }
        long high = bits(groups, 0);
        long low = bits(groups, 4);
        return high == 0 && low >>> 32 == MAPPED
                ? new AddressRange(false, 0, low & 0xffff_ffffL, 32)
                : new AddressRange(true, high, low, 128);
    }

    /**
     * Reads groups between single colons; the last may be a dotted quad. Returns their number; -1 =
     * malformed.
     */
    private static int groups(String text, int[] into) {
        String[] parts = text.split(":", -1);
        int count = 0;
        for (int i = 0; i < parts.length; i++) {
            String part = parts[i];
            boolean last = i == parts.length - 1;
            AddressRange quad = last && part.indexOf('.') >= 0 ? dottedQuad(part) : null;
            if (quad != null && count + 2 <= GROUPS) {
                into[count++] = (int) (quad.low() >>> 16);
                into[count++] = (int) quad.low() & 0xffff;
            } else if (count < GROUPS && group(part) >= 0) {
                into[count++] = group(part);
            } else {
                return -1;
            }
        }
        return count;
    }

    /** A hexadecimal number of 16 bits, with as many leading zeros as the JDK lets pass; or -1. */
    private static int group(String part) {
        int from = 0;
        while (from < part.length() - 1 && part.charAt(from) == '0') {
            from++;
        }
        String digits = part.substring(from);
        return digits.length() <= 4 && Words.only(digits, Words.HEX)
                ? Integer.parseInt(digits, 16)
                : -1;
    }

    private static long bits(int[] groups, int from) {
        long bits = 0;
        for (int i = from; i < from + 4; i++) {
            bits = bits << 16 | groups[i];
        }
        return bits;
    }
}
