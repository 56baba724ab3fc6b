package io.sdp4j.resolve;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * State of this host at one moment: links, addresses, ports of RDMA devices. Immutable apart from
 * the GID tables.
 *
 * @param links by index
 * @param addresses the index of each address's link
 * @param devices names of the RDMA devices
 */
record HostNetwork(
        Map<Integer, InterfaceInfo> links,
        Map<InetAddress, Integer> addresses,
        List<String> devices,
        List<RdmaPort> ports,
        GidTables gids) {
    /** Deepest stack of links, such as bonds on VLANs on bonds; a deeper one is an error. */
    private static final int MAX_DEPTH = 8;

    static HostNetwork of(
            List<InterfaceInfo> links,
            List<RouteMessages.OwnAddress> addresses,
            List<String> devices,
            List<RdmaPort> ports,
            GidTables gids) {
        Map<Integer, InterfaceInfo> byIndex = new LinkedHashMap<>();
        links.forEach(link -> byIndex.put(link.index(), link));
        Map<InetAddress, Integer> byAddress = new HashMap<>();
        addresses.forEach(a -> byAddress.putIfAbsent(a.address(), a.interfaceIndex()));
        return new HostNetwork(byIndex, byAddress, devices, ports, gids);
    }

    /** Returns the link with that index, or null. */
    InterfaceInfo link(int index) {
        return links.get(index);
    }

    /** Returns the link that has an address of this host, or null. */
    InterfaceInfo linkOf(InetAddress address) {
        Integer index = addresses.get(address);
        return index == null ? null : links.get(index);
    }

    /** Returns {@code link} and every link below it: a VLAN's lower link, a bond's members. */
    List<InterfaceInfo> standingOn(InterfaceInfo link) {
        List<InterfaceInfo> found = new ArrayList<>();
        collect(link, MAX_DEPTH, found);
        return found;
    }

    private void collect(InterfaceInfo link, int depth, List<InterfaceInfo> found) {
        if (depth == 0 || found.contains(link)) {
            return;
        }
        found.add(link);
        InterfaceInfo lower = links.get(link.lower());
        if (lower != null) {
            collect(lower, depth - 1, found);
        }
        for (InterfaceInfo member : links.values()) {
            if (member.master() == link.index()) {
                collect(member, depth - 1, found);
            }
        }
    }
}
