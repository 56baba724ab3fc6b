package io.sdp4j.resolve;

import java.net.InetAddress;
import java.util.Locale;

/**
 * The layers below a path over an RDMA device, as far as the kernel tells them.
 *
 * @param interfaceName the network interface that the kernel's route leaves by
 * @param interfaceMtuBytes largest IP packet of the interface
 * @param vlan VLAN of the interface; 0 = none
 * @param partition P_Key of the interface's partition, 16 bits; 0 = none, or not known
 * @param hardwareAddress hardware address of the interface, as hexadecimal bytes with colons: 6 on
 *     Ethernet, 20 on IPoIB; empty if there is none
 * @param source the address that connections come from; null if the kernel leaves it open
 * @param gateway first hop of the packets; null = they go straight to the destination
 * @param linkLayer link layer of the port: InfiniBand or Ethernet
 * @param transport InfiniBand, RoCE v1, RoCE v2 or iWARP
 * @param gidIndex index in the port's GID table, from 0
 * @param gid as text
 */
public record RdmaRoute(
        String interfaceName,
        int interfaceMtuBytes,
        int vlan,
        int partition,
        String hardwareAddress,
        InetAddress source,
        InetAddress gateway,
        String linkLayer,
        String transport,
        int gidIndex,
        String gid) {
    private static final int DEFAULT_PARTITION = 0xFFFF;

    /** Returns the P_Key as sysfs and the subnet manager write it; empty if there is none. */
    public String partitionText() {
        return partition == 0 ? "" : String.format(Locale.ROOT, "0x%04x", partition);
    }

    /** Returns one clause for people. */
    public String sentence() {
        return transport
                + " by "
                + interfaceName
                + (vlan == 0 ? "" : " (VLAN " + vlan + ")")
                + (partition == 0 || partition == DEFAULT_PARTITION
                        ? ""
                        : " (partition " + partitionText() + ")")
                + (source == null ? "" : ", from " + source.getHostAddress())
                + (gateway == null ? "" : ", through " + gateway.getHostAddress())
                + ", GID "
                + gidIndex
                + " "
                + gid;
    }
}
