package io.sdp4j.policy;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * All addresses of one family that share their first bits.
 *
 * <p>Shape: an IPv4 address is 32 bits in {@code low} with {@code high} 0; an IPv6 address is 128
 * bits in {@code high} and {@code low}, both in network order. Bits behind the prefix are zero.
 *
 * @param ipv6 the family; an IPv4-mapped IPv6 address counts as IPv4
 * @param high first 64 bits of an IPv6 address
 * @param low last 64 bits of an IPv6 address, or an IPv4 address
 * @param prefix how many leading bits count: 0 to 32, or 0 to 128
 */
public record AddressRange(boolean ipv6, long high, long low, int prefix) {
    /** Clears the bits behind the prefix. */
    public AddressRange {
        int width = ipv6 ? 128 : 32;
        if (prefix < 0 || prefix > width || (!ipv6 && (high != 0 || low >>> 32 != 0))) {
            throw new IllegalArgumentException("prefix " + prefix + " of " + width + " bits");
        }
        high &= maskHigh(ipv6, prefix);
        low &= maskLow(ipv6, prefix);
    }

    /** The range that holds just {@code address}. */
    public static AddressRange of(InetAddress address) {
        byte[] a = address.getAddress();
        return a.length == 4
                ? new AddressRange(false, 0, bits(a, 0, 4), 32)
                : new AddressRange(true, bits(a, 0, 8), bits(a, 8, 16), 128);
    }

    /**
     * Returns the range of all addresses that share the first {@code bits} bits of this one's
     * first.
     */
    AddressRange withPrefix(int bits) {
        return new AddressRange(ipv6, high, low, bits);
    }

    /** Whether the address lies in this range. */
    public boolean contains(boolean ipv6, long high, long low) {
        return ipv6 == this.ipv6
                && (high & maskHigh(ipv6, prefix)) == this.high
                && (low & maskLow(ipv6, prefix)) == this.low;
    }

    /** Whether every address of {@code other} lies in this range. */
    public boolean covers(AddressRange other) {
        return prefix <= other.prefix && contains(other.ipv6, other.high, other.low);
    }

    private static long maskHigh(boolean ipv6, int prefix) {
        return ipv6 ? ~hostBits(Math.min(prefix, 64), 64) : 0;
    }

    private static long maskLow(boolean ipv6, int prefix) {
        return ipv6 ? ~hostBits(Math.max(prefix - 64, 0), 64) : ~hostBits(prefix, 32);
    }

    /** The bits of a {@code width}-bit number behind its first {@code prefix} bits. */
    private static long hostBits(int prefix, int width) {
        int n = width - prefix;
        return n == 64 ? -1L : (1L << n) - 1;
    }

    static long bits(byte[] a, int from, int to) {
        long v = 0;
        for (int i = from; i < to; i++) {
            v = (v << 8) | (a[i] & 0xff);
        }
        return v;
    }

    @Override
    public String toString() {
        byte[] a = new byte[ipv6 ? 16 : 4];
        for (int i = 0; i < a.length; i++) {
            int shift = 8 * (a.length - 1 - i);
            a[i] = (byte) (shift >= 64 ? high >>> (shift - 64) : low >>> shift);
        }
        try {
            return InetAddress.getByAddress(a).getHostAddress()
                    + (prefix == a.length * 8 ? "" : "/" + prefix);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
