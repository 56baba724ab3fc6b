package io.sdp4j.resolve;

import java.nio.file.Path;
import java.util.List;

/**
 * The status of a port of an RDMA device, for people.
 *
 * @param device its name
 * @param number 1-based
 * @param connects whether the kernel's connection manager serves the device: adapters of InfiniBand
 *     and Ethernet (CA) and of iWARP (RNIC), but not those without reliable connections, such as
 *     EFA
 * @param linkLayer InfiniBand or Ethernet; empty if sysfs does not say
 * @param state in sysfs's words: ACTIVE, DOWN, INIT and so on
 * @param active whether connections can use it
 * @param rate in sysfs's words, such as {@code 100 Gb/sec (4X EDR)}; empty if sysfs does not say
 * @param firmware version of the device's firmware; empty if sysfs does not say
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
    /** Makes the list immutable. */
    public PortStatus {
        gids = List.copyOf(gids);
    }

    /**
     * An entry of the GID table.
     *
     * @param index from 0
     * @param gid as text
     * @param transport InfiniBand, RoCE v1, RoCE v2 or iWARP
     * @param interfaceName the network interface that the entry belongs to; empty if sysfs does not
     *     say
     */
    public record GidEntry(int index, String gid, String transport, String interfaceName) {
        /** One clause for people: {@code INDEX GID (TRANSPORT, INTERFACE)}. */
        public String text() {
            String on = interfaceName.isEmpty() ? "" : ", " + interfaceName;
            return index + " " + gid + " (" + transport + on + ")";
        }
    }

    /** Returns device and number as RDMA tools write them: {@code mlx5_0/1}. */
    public String name() {
        return device + "/" + number;
    }

    /**
     * Returns all ports of all devices.
     *
     * @param devices a directory like {@code /sys/class/infiniband}; if it is missing or empty,
     *     there are no devices
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
