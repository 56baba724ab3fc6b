package io.sdp4j.policy;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;

/**
 * The bits of an address without the copy of its bytes that {@link InetAddress#getAddress} makes,
 * so that a decision about a socket address allocates nothing.
 *
 * <p>IPv4: the JDK's hash code of such an address is the address. That is not promised, so it is
 * checked once, and the bytes are asked for where it does not hold. IPv6: the bits of addresses
 * seen lately are remembered, in a table that any thread may read and overwrite; a new address
 * costs one entry.
 *
 * @param address whose bits they are
 * @param high first 64 bits
 * @param low last 64 bits
 */
record AddressBits(Inet6Address address, long high, long low) {
    private static final boolean HASH_IS_ADDRESS = hashIsAddress();

    /** How many IPv6 addresses are remembered; a power of two. */
    private static final int SLOTS = 256;

    /** Entries are immutable, so a race costs one more entry and nothing else. */
    private static final AddressBits[] RECENT = new AddressBits[SLOTS];

    private static boolean hashIsAddress() {
        return hashOf("1.2.3.4") == 0x01020304
                && hashOf("255.254.128.0") == 0xfffe8000
                && hashOf("0.0.0.0") == 0
                && hashOf("127.0.0.1") == 0x7f000001;
    }

    private static int hashOf(String literal) {
        return InetAddress.ofLiteral(literal).hashCode();
    }

    /** The 32 bits of an IPv4 address. */
    static int of(Inet4Address address) {
        return HASH_IS_ADDRESS
                ? address.hashCode()
                : (int) AddressRange.bits(address.getAddress(), 0, 4);
    }

    static AddressBits of(Inet6Address address) {
        int hash = address.hashCode();
        int slot = (hash ^ hash >>> 16) & SLOTS - 1;
        AddressBits known = RECENT[slot];
        if (known == null || !known.address.equals(address)) {
            byte[] a = address.getAddress();
            known =
                    new AddressBits(
                            address, AddressRange.bits(a, 0, 8), AddressRange.bits(a, 8, 16));
            RECENT[slot] = known;
        }
        return known;
    }
}
