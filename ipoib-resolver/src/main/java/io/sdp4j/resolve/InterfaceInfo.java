package io.sdp4j.resolve;

import java.util.Arrays;

/**
 * A network interface as the kernel describes it. Arrays are not copied: they never change.
 *
 * @param index of the interface, above 0
 * @param hardware kind of hardware, {@code ARPHRD_...}
 * @param flags {@code IFF_...}
 * @param address hardware address; 6 bytes on Ethernet, 20 on IPoIB, empty if there is none
 * @param mtuBytes largest packet
 * @param lower index of the interface that a VLAN or an IPoIB child stands on; 0 = none
 * @param master index of the bond or bridge that this interface belongs to; 0 = none
 * @param vlan number of the VLAN; 0 = none
 * @param broadcast hardware broadcast address, as long as {@code address}; empty if there is none
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

    /**
     * Offset of the P_Key in the broadcast address: within the multicast GID, which follows flags
     * and QP number (RFC 4391 section 4).
     */
    private static final int PARTITION_AT = 8;

    /** Whether the interface is switched on. */
    boolean isUp() {
        return (flags & UP) != 0;
    }

    /** Whether the interface is switched on and has a carrier. */
    boolean isRunning() {
        return isUp() && (flags & RUNNING) != 0;
    }

    /** Whether the hardware address is that of IPoIB: flags, a QP number, then the port's GID. */
    boolean isIpoib() {
        return hardware == INFINIBAND && address.length == IPOIB_BYTES;
    }

    /** Returns the port's GID, which is the end of an IPoIB hardware address. */
    byte[] ipoibGid() {
        return Arrays.copyOfRange(address, GID_AT, IPOIB_BYTES);
    }

    /**
     * Returns the P_Key of the IPoIB partition, 16 bits including the bit of full membership; 0 =
     * not known. It is part of the broadcast address, which a bond takes from its member. The
     * connection manager reads it there, too.
     */
    int ipoibPartition() {
        return broadcast.length == IPOIB_BYTES
                ? (broadcast[PARTITION_AT] & 0xFF) << 8 | (broadcast[PARTITION_AT + 1] & 0xFF)
                : 0;
    }
}
