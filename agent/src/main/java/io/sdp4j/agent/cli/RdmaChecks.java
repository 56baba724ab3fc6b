package io.sdp4j.agent.cli;

import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.PortStatus;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The doctor's looks at RDMA: one line where there is no device; where there is one, a line for
 * each port, then what stands between it and a program. Opens no device and sends nothing.
 *
 * @param root the directory that {@code sys}, {@code dev} and the libraries are below
 * @param memlock limit in bytes, or "unlimited"; empty if it is not known
 */
record RdmaChecks(Path root, String memlock) {
    /** Buffers of some hundred connections. */
    private static final long WANTED_BYTES = 64L << 20;

    private static final int GIDS_SHOWN = 4;
    private static final List<String> LIBRARIES = List.of("librdmacm.so.1", "libibverbs.so.1");
    private static final List<String> LIBRARY_FOLDERS =
            List.of(
                    "lib",
                    "lib64",
                    "usr/lib",
                    "usr/lib64",
                    "usr/local/lib",
                    "lib/x86_64-linux-gnu",
                    "lib/aarch64-linux-gnu",
                    "usr/lib/x86_64-linux-gnu",
                    "usr/lib/aarch64-linux-gnu");

    static RdmaChecks system() {
        return new RdmaChecks(Path.of("/"), MachineChecks.memlockLimit());
    }

    List<Check> all() {
        List<PortStatus> ports = PortStatus.all(root.resolve("sys/class/infiniband"));
        if (ports.isEmpty()) {
            return List.of(
                    Check.ok(
                            "RDMA devices",
                            "none; connections inside this host use shared memory"));
        }
        List<Check> checks = new ArrayList<>();
        ports.forEach(port -> checks.add(port(port)));
        checks.add(memory());
        checks.add(libraries());
        checks.add(deviceFiles());
        return checks;
    }

    private static Check port(PortStatus port) {
        String name = "RDMA " + port.device() + "/" + port.number();
        List<String> gids = port.gids();
        int more = gids.size() - GIDS_SHOWN;
        String found =
                port.linkLayer()
                        + ", "
                        + port.state()
                        + (gids.isEmpty() ? ", no GID" : ", GIDs ")
                        + String.join("; ", more > 0 ? gids.subList(0, GIDS_SHOWN) : gids)
                        + (more > 0 ? "; and " + more + " more" : "");
        if (!port.active()) {
            String advice =
                    port.linkLayer().equals("InfiniBand")
                            ? "the port is not active: look at the cable and the subnet manager"
                            : "the port is not active: look at the cable and switch the interface"
                                    + " on";
            return Check.warn(name, found, advice);
        }
        return Check.ok(name, found + "; used " + Paths.ON_REQUEST);
    }

    private Check memory() {
        String name = "RDMA memory";
        if (memlock.isEmpty() || memlock.equals("unlimited")) {
            return Check.ok(name, "registered memory is not limited");
        }
        String found = "locked memory is limited to " + memlock + " bytes";
        return Long.parseLong(memlock) >= WANTED_BYTES
                ? Check.ok(name, found)
                : Check.warn(
                        name,
                        found + ", so there is room for few connections",
                        "raise it: LimitMEMLOCK=infinity in the unit, or memlock in"
                                + " /etc/security/limits.conf");
    }

    private Check libraries() {
        List<String> missing =
                LIBRARIES.stream()
                        .filter(
                                library ->
                                        LIBRARY_FOLDERS.stream()
                                                .map(f -> root.resolve(f).resolve(library))
                                                .noneMatch(Files::exists))
                        .toList();
        return missing.isEmpty()
                ? Check.ok("RDMA libraries", String.join(" and ", LIBRARIES) + " are there")
                : Check.warn(
                        "RDMA libraries",
                        String.join(" and ", missing) + " not found in the usual places",
                        "install them: librdmacm1 and ibverbs-providers, or rdma-core");
    }

    private Check deviceFiles() {
        String name = "RDMA access";
        Path file = root.resolve("dev/infiniband/rdma_cm");
        if (!Files.exists(file)) {
            return Check.warn(
                    name, "/dev/infiniband/rdma_cm is not there", "load it: modprobe rdma_ucm");
        }
        return Files.isReadable(file) && Files.isWritable(file)
                ? Check.ok(name, "/dev/infiniband/rdma_cm can be opened")
                : Check.warn(
                        name,
                        "/dev/infiniband/rdma_cm is not for this user",
                        "give it mode 666 by a udev rule, as rdma-core does");
    }

    /** What would carry a connection to a peer, as far as this host knows. */
    static List<Check> peer(String host) {
        InetAddress address;
        try {
            address = InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            return List.of(Check.warn("peer", host + " is not known", "give a host or an address"));
        }
        List<Check> checks = new ArrayList<>();
        boolean any = false;
        for (FabricPath path : Paths.to(address)) {
            checks.add(Check.ok("peer " + host, Paths.sentence(path)));
            any |= path.usable();
        }
        if (!any) {
            checks.add(Check.ok("peer " + host, "kernel TCP, because nothing else leads there"));
        }
        return checks;
    }
}
