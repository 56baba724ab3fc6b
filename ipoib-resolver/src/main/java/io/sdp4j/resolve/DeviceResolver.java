package io.sdp4j.resolve;

import java.io.Closeable;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Adds paths over RDMA devices behind the paths of another resolver. The kernel's route names an
 * interface and a source address; these two lead to a device, a port and a GID.
 *
 * <p>Sends no packet and never waits: the answer that no device leads to a destination takes
 * microseconds. The connection manager chooses the device itself when it connects. If several
 * devices are on one interface, there is a path for each, usable ones first, then by name.
 *
 * <p>If the kernel cannot be asked, there is one path without a device, and the connection manager
 * has to find the device.
 *
 * <p>Immutable apart from {@link NetworkWatch}. Thread-safe. {@link #close} ends the subscription
 * to the kernel's announcements; later questions are answered without it.
 */
public final class DeviceResolver implements FabricResolver, Closeable {
    /** Name of the fabric of RDMA devices. */
    public static final String VERBS = "verbs";

    private static final Path SYSFS = Path.of("/sys/class/infiniband");
    private static final List<FabricPath> UNKNOWN = List.of(FabricPath.usable(VERBS, "", 0, 0));

    /** The kernel's answer for a source address that no interface has. */
    private static final int EINVAL = 22;

    private static final int EACCES = 13;

    private final FabricResolver first;
    private final Path devices;
    private final NetworkWatch watch;

    /**
     * Resolves with a given kernel interface and directory.
     *
     * @param first resolver whose paths come first
     * @param netlink access to the kernel
     * @param devices one entry for each RDMA device, as {@code /sys/class/infiniband}
     */
    public DeviceResolver(FabricResolver first, Netlink netlink, Path devices) {
        this(first, netlink, devices, System::nanoTime);
    }

    /** As the other constructor, with a clock of the caller. */
    DeviceResolver(FabricResolver first, Netlink netlink, Path devices, LongSupplier nanoTime) {
        this.first = Objects.requireNonNull(first);
        this.devices = Objects.requireNonNull(devices);
        watch = new NetworkWatch(Objects.requireNonNull(netlink), devices, nanoTime);
    }

    /** Returns a resolver for this host's devices. */
    public static DeviceResolver behind(FabricResolver first, Netlink netlink) {
        return new DeviceResolver(first, netlink, SYSFS);
    }

    @Override
    public List<FabricPath> paths(InetAddress local, InetAddress remote) {
        List<FabricPath> all = new ArrayList<>(first.paths(local, remote));
        all.addAll(verbs(local, remote));
        return all;
    }

    @Override
    public void close() {
        watch.close();
    }

    private List<FabricPath> verbs(InetAddress local, InetAddress remote) {
        if (remote.isLoopbackAddress() || remote.isAnyLocalAddress()) {
            return no(PathCode.LOOPBACK, PathCode.LOOPBACK.sentence());
        }
        if (remote.isMulticastAddress()) {
            return no(PathCode.MULTICAST, PathCode.MULTICAST.sentence());
        }
        if (remote instanceof Inet6Address && remote.isLinkLocalAddress()) {
            return no(PathCode.LINK_LOCAL, PathCode.LINK_LOCAL.sentence());
        }
        try {
            HostNetwork known = watch.known();
            List<FabricPath> paths = known == null ? UNKNOWN : byRoute(known, local, remote);
            if (known != null && paths.getFirst().usable()) {
                return paths; // the device is still there: its port's state was just read
            }
            List<String> names = RdmaPort.names(devices);
            if (known != null && known.devices().equals(names)) {
                return paths;
            }
            return names.isEmpty()
                    ? no(PathCode.NO_DEVICE, PathCode.NO_DEVICE.sentence())
                    : byRoute(watch.network(names), local, remote);
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    private List<FabricPath> byRoute(HostNetwork network, InetAddress local, InetAddress remote)
            throws IOException {
        InetAddress from = local == null || local.isAnyLocalAddress() ? null : local;
        Route route;
        try {
            int scope = remote instanceof Inet6Address six ? six.getScopeId() : 0;
            route = watch.tables().route(remote, from, scope);
        } catch (NetlinkException e) {
            if (e.errno() == 0) {
                throw e;
            }
            return no(PathCode.NO_ROUTE, noRoute(remote, from, e.errno()));
        }
        if (!route.isUnicast() && !route.isLocal()) {
            return no(PathCode.NO_ROUTE, noRoute(remote, from, 0));
        }
        // the route to an own address leads to loopback; devices know the interface with the
        // address
        InterfaceInfo link =
                route.isLocal() ? network.linkOf(remote) : network.link(route.interfaceIndex());
        if (link == null) {
            return no(
                    PathCode.NOT_RDMA,
                    remote.getHostAddress()
                            + " is on no interface that could be on an RDMA device");
        }
        InterfaceInfo bound = from == null || route.isLocal() ? link : network.linkOf(from);
        if (bound != null && !bound.equals(link)) {
            return no(
                    PathCode.NO_ROUTE,
                    remote.getHostAddress()
                            + " is reached by "
                            + link.name()
                            + ", but "
                            + from.getHostAddress()
                            + " is an address of "
                            + bound.name());
        }
        InetAddress source = from != null ? from : route.isLocal() ? remote : route.source();
        return over(network, link, route, source, remote);
    }

    private static String noRoute(InetAddress remote, InetAddress from, int errno) {
        String to = "the kernel has no route to " + remote.getHostAddress();
        return switch (errno) {
            case EINVAL -> to + (from == null ? "" : " from " + from.getHostAddress());
            case EACCES -> "the kernel's routes prohibit " + remote.getHostAddress();
            default -> to;
        };
    }

    private static List<FabricPath> over(
            HostNetwork network,
            InterfaceInfo link,
            Route route,
            InetAddress source,
            InetAddress remote) {
        List<FabricPath> found = new ArrayList<>();
        List<InterfaceInfo> below = network.standingOn(link);
        for (RdmaPort port : network.ports()) {
            List<Gid> gids = network.gids().of(port);
            Gid gid = match(port, gids, link, source, below);
            if (gid != null) {
                found.add(path(port, gid, link, route, source));
            } else if (carries(gids, below)) {
                found.add(noGid(port, link, source));
            }
        }
        if (found.isEmpty()) {
            return no(
                    PathCode.NOT_RDMA,
                    remote.getHostAddress()
                            + " is reached by "
                            + link.name()
                            + ", which is not on an RDMA device");
        }
        found.sort(Comparator.comparing(path -> !path.usable()));
        return found;
    }

    /** Returns the GID that connections from {@code source} by {@code link} would have, or null. */
    private static Gid match(
            RdmaPort port,
            List<Gid> gids,
            InterfaceInfo link,
            InetAddress source,
            List<InterfaceInfo> below) {
        if (port.iwarp()) {
            return rnic(gids, link, below);
        }
        if (port.isInfiniBand()) {
            return link.isIpoib() ? equal(gids, link.ipoibGid(), null) : null;
        }
        return source == null ? null : equal(gids, Gid.of(source), link.name());
    }

    /**
     * Returns the GID of an RNIC if the RNIC is below {@code link}, else null. An RNIC has one
     * entry, its MAC address; newer kernels also name the interface. A VLAN or bond has the MAC
     * address of a link below it.
     */
    private static Gid rnic(List<Gid> gids, InterfaceInfo link, List<InterfaceInfo> below) {
        if (gids.isEmpty()) {
            return null;
        }
        Gid gid = gids.getFirst();
        boolean named = !gid.interfaceName().isEmpty();
        boolean mine =
                named
                        ? gid.interfaceName().equals(link.name())
                        : below.stream().anyMatch(l -> gid.isMac(l.address()));
        return mine ? gid : null;
    }

    /**
     * Returns the entry with these bytes, or null. Prefers RoCE v2 to v1, as the connection manager
     * does.
     */
    private static Gid equal(List<Gid> gids, byte[] bytes, String interfaceName) {
        Gid best = null;
        for (Gid gid : gids) {
            boolean here = interfaceName == null || interfaceName.equals(gid.interfaceName());
            if (here
                    && Arrays.equals(gid.bytes(), bytes)
                    && (best == null || (gid.isV2() && !best.isV2()))) {
                best = gid;
            }
        }
        return best;
    }

    /** Whether a port's GID table names one of the links, as on RoCE. */
    private static boolean carries(List<Gid> gids, List<InterfaceInfo> links) {
        return gids.stream()
                .anyMatch(g -> links.stream().anyMatch(l -> l.name().equals(g.interfaceName())));
    }

    private static FabricPath path(
            RdmaPort port, Gid gid, InterfaceInfo link, Route route, InetAddress source) {
        int partition = port.isInfiniBand() ? link.ipoibPartition() : 0;
        RdmaRoute rdma =
                new RdmaRoute(
                        link.name(),
                        link.mtuBytes(),
                        link.vlan(),
                        partition,
                        HexFormat.ofDelimiter(":").formatHex(link.address()),
                        source,
                        route.gateway(),
                        port.linkLayer(),
                        port.transport(gid),
                        gid.index(),
                        gid.text());
        PathCode code = PathCode.USABLE;
        String reason = "";
        if (!link.isRunning()) {
            code = PathCode.LINK_DOWN;
            reason = link.name() + (link.isUp() ? " has no carrier" : " is switched off");
        } else if (!port.isActive()) {
            code = PathCode.PORT_DOWN;
            String state = port.state();
            reason =
                    where(port)
                            + " is "
                            + (state.isEmpty() ? "in no state that sysfs tells" : state);
        } else if (partition != 0 && !port.isIn(partition)) {
            code = PathCode.NO_PARTITION;
            reason =
                    where(port)
                            + " is not in partition "
                            + rdma.partitionText()
                            + ", which is that of "
                            + link.name();
        }
        return new FabricPath(
                VERBS,
                port.device(),
                port.number(),
                port.mtuBytes(link),
                code,
                reason,
                Optional.of(rdma));
    }

    private static FabricPath noGid(RdmaPort port, InterfaceInfo link, InetAddress source) {
        String of = source == null ? "the source address" : source.getHostAddress();
        return new FabricPath(
                VERBS,
                port.device(),
                port.number(),
                port.mtuBytes(link),
                PathCode.NO_GID,
                where(port) + " has no GID for " + of + " on " + link.name(),
                Optional.empty());
    }

    private static String where(RdmaPort port) {
        return port.device() + " port " + port.number();
    }

    private static List<FabricPath> no(PathCode code, String reason) {
        return List.of(FabricPath.unusable(VERBS, code, reason));
    }
}
