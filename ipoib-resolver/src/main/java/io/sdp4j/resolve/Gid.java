package io.sdp4j.resolve;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * An entry of a port's GID table. Its bytes are not copied: they never change.
 *
 * @param index in the table
 * @param bytes 16
 * @param type the type in sysfs's words; empty if sysfs does not say
 * @param interfaceName the interface that the entry belongs to; empty if sysfs does not say
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never handed out
record Gid(int index, byte[] bytes, String type, String interfaceName) {
    static final int BYTES = 16;
    private static final Pattern TEXT = Pattern.compile("([0-9a-fA-F]{4}:){7}[0-9a-fA-F]{4}");

    /**
     * Parses eight groups of four hexadecimal digits; null for anything else and for an empty
     * entry.
     */
    static byte[] parse(String text) {
        if (!TEXT.matcher(text).matches()) {
            return null;
        }
        byte[] bytes = HexFormat.of().parseHex(text.replace(":", ""));
        return Arrays.equals(bytes, new byte[BYTES]) ? null : bytes;
    }

    /**
     * Returns the entry for an address in a RoCE table: an IPv6 address itself, IPv4 as {@code
     * ::ffff:a.b.c.d}.
     */
    static byte[] of(InetAddress address) {
        byte[] a = address.getAddress();
        if (a.length == BYTES) {
            return a;
        }
        byte[] mapped = new byte[BYTES];
        mapped[10] = (byte) 0xFF;
        mapped[11] = (byte) 0xFF;
        System.arraycopy(a, 0, mapped, 12, 4);
        return mapped;
    }

    boolean isV2() {
        return type.equals("RoCE v2");
    }

    /** Whether the entry is these 6 bytes followed by zeros, as in an iWARP table. */
    boolean isMac(byte[] address) {
        return address.length == 6 && Arrays.equals(bytes, Arrays.copyOf(address, BYTES));
    }

    String text() {
        try {
            String text = InetAddress.getByAddress(bytes).getHostAddress();
            return text.indexOf(':') < 0 ? "::ffff:" + text : text;
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
