package io.sdp4j.resolve;

import java.nio.file.Path;
import java.util.List;

/**
 * A port of an RDMA device as people want to see it.
 *
 * @param device its name
 * @param number 1-based
 * @param linkLayer InfiniBand or Ethernet; empty if sysfs does not say
 * @param state as sysfs words it: ACTIVE, DOWN, INIT and so on
 * @param active whether connections can use it
 * @param gids the entries that are not empty, each as {@code INDEX GID (TRANSPORT, INTERFACE)}
 */
public record PortStatus(
        String device,
        int number,
        String linkLayer,
        String state,
        boolean active,
        List<String> gids) {
    /** No change later. */
    public PortStatus {
        gids = List.copyOf(gids);
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
        List<String> gids = port.gids().stream().map(gid -> text(port, gid)).toList();
        return new PortStatus(
                port.device(),
                port.number(),
                port.linkLayer(),
                port.state(),
                port.isActive(),
                gids);
    }

    private static String text(RdmaPort port, Gid gid) {
        String on = gid.interfaceName().isEmpty() ? "" : ", " + gid.interfaceName();
        return gid.index() + " " + gid.text() + " (" + port.transport(gid) + on + ")";
    }
}
