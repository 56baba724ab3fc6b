package io.sdp4j.resolve;

import java.util.Arrays;

/**
 * A network interface as the kernel describes it. Arrays are not copied: they never change.
 *
 * @param index of the interface, above 0
 * @param hardware kind of hardware, {@code ARPHRD_...}
 * @param flags {@code IFF_...}
 * @param address hardware address; 6 bytes on Ethernet, 20 on IPoIB, empty where there is none
 * @param mtuBytes largest packet
 * @param lower index of the interface that a VLAN or an IPoIB child stands on; 0 = none
 * @param master index of the bond or bridge that this one belongs to; 0 = none
 * @param vlan number of the VLAN; 0 = none
 * @param broadcast hardware address of everybody, as long as {@code address}; empty where there is
 *     none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never handed out
record InterfaceInfo(
        int index,
        String name,
        int hardware,
        int flags,
        byte[] address,
        int mtuBytes,
        int lower,
        int master,
        int vlan,
        byte[] broadcast) {
    /** {@code ARPHRD_INFINIBAND}. */
    static final int INFINIBAND = 32;

    private static final int UP = 0x1;
    private static final int RUNNING = 0x40;
    private static final int IPOIB_BYTES = 20;
    private static final int GID_AT = 4;

    /** In the multicast GID that follows a queue pair (RFC 4391 section 4). */
    private static final int PARTITION_AT = 8;

    /** Whether it was switched on. */
    boolean isUp() {
        return (flags & UP) != 0;
    }

    /** Whether it is on and has a carrier. */
    boolean isRunning() {
        return isUp() && (flags & RUNNING) != 0;
    }

    /** Whether the hardware address is IPoIB's: flags, a queue pair, then the port's GID. */
    boolean isIpoib() {
        return hardware == INFINIBAND && address.length == IPOIB_BYTES;
    }

    /** The port GID that is the tail of an IPoIB hardware address: exact, no guessing. */
    byte[] ipoibGid() {
        return Arrays.copyOfRange(address, GID_AT, IPOIB_BYTES);
    }

    /**
     * P_Key of the partition that IPoIB is in, 16 bits with the bit of full membership; 0 = not
     * known. It is part of the multicast group of everybody, which a bond takes from its member
     * too; the connection manager reads it there.
     */
    int ipoibPartition() {
        return broadcast.length == IPOIB_BYTES
                ? (broadcast[PARTITION_AT] & 0xFF) << 8 | (broadcast[PARTITION_AT + 1] & 0xFF)
                : 0;
    }
}
