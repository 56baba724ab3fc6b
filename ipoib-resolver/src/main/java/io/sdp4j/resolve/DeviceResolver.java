package io.sdp4j.resolve;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Adds the way over RDMA devices to those of another resolver, behind them.
 *
 * <p>What this says is only whether asking the connection manager makes sense: there is a device,
 * and the destination is an address that a device could lead to. Which device does is the
 * connection manager's answer, without a packet sent where no route leads over one.
 *
 * <p>Shape: immutable; looks at sysfs at each call, one directory, because devices come and go. Any
 * number of threads.
 */
public final class DeviceResolver implements FabricResolver {
    /** Name of the fabric of RDMA devices. */
    public static final String VERBS = "verbs";

    private static final List<FabricPath> USABLE = List.of(FabricPath.usable(VERBS, "", 0, 0));

    private final FabricResolver first;
    private final Path devices;

    /**
     * Resolves by what is in a directory.
     *
     * @param first whose paths come first
     * @param devices one entry for each RDMA device
     */
    public DeviceResolver(FabricResolver first, Path devices) {
        this.first = Objects.requireNonNull(first);
        this.devices = Objects.requireNonNull(devices);
    }

    /** Resolves by this host's devices. */
    public static DeviceResolver behind(FabricResolver first) {
        return new DeviceResolver(first, Path.of("/sys/class/infiniband"));
    }

    @Override
    public List<FabricPath> paths(InetAddress local, InetAddress remote) {
        List<FabricPath> all = new ArrayList<>(first.paths(local, remote));
        all.addAll(verbs(remote));
        return all;
    }

    private List<FabricPath> verbs(InetAddress remote) {
        if (remote.isLoopbackAddress() || remote.isAnyLocalAddress()) {
            return no("loopback addresses are not on RDMA devices");
        }
        if (remote.isMulticastAddress()) {
            return no("multicast has no connections");
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(devices)) {
            return entries.iterator().hasNext() ? USABLE : no("no RDMA device is present");
        } catch (IOException e) {
            return no("no RDMA device is present");
        }
    }

    private static List<FabricPath> no(String reason) {
        return List.of(FabricPath.unusable(VERBS, reason));
    }
}
