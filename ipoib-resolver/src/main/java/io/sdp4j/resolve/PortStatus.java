package io.sdp4j.resolve;

import java.nio.file.Path;
import java.util.List;

/**
 * A port of an RDMA device as people want to see it.
 *
 * @param device its name
 * @param number 1-based
 * @param connects whether the kernel's connection manager serves the device: adapters of InfiniBand
 *     and Ethernet (CA) and of iWARP (RNIC), not those with datagrams only, such as EFA
 * @param linkLayer InfiniBand or Ethernet; empty if sysfs does not say
 * @param state as sysfs words it: ACTIVE, DOWN, INIT and so on
 * @param active whether connections can use it
 * @param rate as sysfs words it, such as {@code 100 Gb/sec (4X EDR)}; empty if it does not say
 * @param firmware version of the device's; empty if sysfs does not say
 * @param gids the entries that are not empty
 */
public record PortStatus(
        String device,
        int number,
        boolean connects,
        String linkLayer,
        String state,
        boolean active,
        String rate,
        String firmware,
        List<GidEntry> gids) {
    /** No change later. */
    public PortStatus {
        gids = List.copyOf(gids);
    }

    /**
     * An entry of the GID table.
     *
     * @param index from 0
     * @param gid as text
     * @param transport InfiniBand, RoCE v1, RoCE v2 or iWARP
     * @param interfaceName the network interface it stands for; empty if sysfs does not say
     */
    public record GidEntry(int index, String gid, String transport, String interfaceName) {
        /** One clause for people: {@code INDEX GID (TRANSPORT, INTERFACE)}. */
        public String text() {
            String on = interfaceName.isEmpty() ? "" : ", " + interfaceName;
            return index + " " + gid + " (" + transport + on + ")";
        }
    }

    /** Device and number as tools write them: {@code mlx5_0/1}. */
    public String name() {
        return device + "/" + number;
    }

    /**
     * All ports of all devices.
     *
     * @param devices as {@code /sys/class/infiniband}; nothing there means none
     */
    public static List<PortStatus> all(Path devices) {
        return RdmaPort.all(devices).stream().map(PortStatus::of).toList();
    }

    private static PortStatus of(RdmaPort port) {
        List<GidEntry> gids =
                port.gids().stream()
                        .map(
                                gid ->
                                        new GidEntry(
                                                gid.index(),
                                                gid.text(),
                                                port.transport(gid),
                                                gid.interfaceName()))
                        .toList();
        return new PortStatus(
                port.device(),
                port.number(),
                port.connects(),
                port.linkLayer(),
                port.state(),
                port.isActive(),
                port.rate(),
                port.firmware(),
                gids);
    }
}
