package io.sdp4j.resolve;

import java.net.InetAddress;
import java.util.Locale;

/**
 * Layers below a path over an RDMA device, as far as the kernel says.
 *
 * @param interfaceName the network interface that the kernel's route leaves by
 * @param interfaceMtuBytes its largest IP packet
 * @param vlan its VLAN; 0 = none
 * @param partition P_Key of its partition, 16 bits; 0 = none, or not known
 * @param hardwareAddress of the interface, as hexadecimal bytes with colons: 6 on Ethernet, 20 on
 *     IPoIB; empty where it has none
 * @param source the address that connections come from; null if the kernel leaves it open
 * @param gateway where packets go first; null = straight to the destination
 * @param linkLayer the port's: InfiniBand or Ethernet
 * @param transport InfiniBand, RoCE v1, RoCE v2 or iWARP
 * @param gidIndex in the port's table, from 0
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

    /** The P_Key as sysfs and the subnet manager write it; empty if there is none. */
    public String partitionText() {
        return partition == 0 ? "" : String.format(Locale.ROOT, "0x%04x", partition);
    }

    /** One clause for people. */
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
