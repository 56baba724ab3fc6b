package io.sdp4j.agent.cli;

import io.sdp4j.resolve.FabricPath;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Which address of this host each RDMA port can be reached by from this very host. */
final class OwnAddresses {
    /**
     * An address.
     *
     * @param path over the port, with what the resolver knows of it
     * @param others ports that the same address may lead over
     */
    record Own(InetAddress address, FabricPath path, List<String> others) {}

    private OwnAddresses() {}

    /** Those of this host; empty if it does not say. */
    static List<InetAddress> ofThisHost() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .toList();
        } catch (SocketException e) {
            return List.of();
        }
    }

    /**
     * One address for each port that has one: IPv4 first; never one of loopback or of a single
     * link, which means nothing without its interface.
     *
     * @param paths what the resolver says about an address
     * @return by port, as {@code DEVICE/NUMBER}
     */
    static Map<String, Own> byPort(
            List<InetAddress> own, Function<InetAddress, List<FabricPath>> paths) {
        Map<String, Own> found = new HashMap<>();
        own.stream()
                .filter(a -> !a.isLoopbackAddress() && !a.isLinkLocalAddress())
                .sorted(Comparator.comparing(a -> !(a instanceof Inet4Address)))
                .forEach(address -> add(address, paths.apply(address), found));
        return found;
    }

    private static void add(InetAddress address, List<FabricPath> paths, Map<String, Own> found) {
        List<FabricPath> devices =
                paths.stream()
                        .filter(p -> Paths.isRdma(p) && p.usable() && !p.device().isEmpty())
                        .toList();
        for (FabricPath path : devices) {
            List<String> others =
                    new ArrayList<>(devices.stream().map(OwnAddresses::port).toList());
            others.remove(port(path));
            found.putIfAbsent(port(path), new Own(address, path, others));
        }
    }

    private static String port(FabricPath path) {
        return path.device() + "/" + path.port();
    }
}
