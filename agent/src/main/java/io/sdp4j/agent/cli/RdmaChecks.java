package io.sdp4j.agent.cli;

import io.sdp4j.resolve.PortStatus;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The doctor's looks at RDMA: one line where there is no device; where there is one, a line for
 * each port, then what stands between it and a program. Opens no device and sends nothing.
 *
 * @param root the directory that {@code sys}, {@code dev} and the libraries are below
 * @param limits of this process
 */
record RdmaChecks(Path root, ProcessLimits limits) {
    /** Buffers of some hundred connections. */
    private static final long WANTED_BYTES = 64L << 20;

    /**
     * At most: the completion channel and an eventfd; one more beside a selector; at the client the
     * socket that holds the port.
     */
    private static final int FILES_OF_A_CONNECTION = 4;

    private static final int GIDS_SHOWN = 4;
    private static final List<String> LIBRARIES = List.of("librdmacm.so.1", "libibverbs.so.1");
    private static final String[] LIBRARY_FOLDERS =
            ("lib lib64 usr/lib usr/lib64 usr/local/lib lib/x86_64-linux-gnu lib/aarch64-linux-gnu"
                            + " usr/lib/x86_64-linux-gnu usr/lib/aarch64-linux-gnu")
                    .split(" ", -1);

    /** Modules that may be loaded for RDMA; those built into the kernel are not listed by it. */
    private static final String[] MODULES =
            ("ib_core ib_cm iw_cm rdma_cm rdma_ucm ib_uverbs ib_umad ib_ipoib mlx4_ib mlx5_ib irdma"
                            + " bnxt_re qedr iw_cxgb4 hns_roce_hw_v2 ocrdma vmw_pvrdma erdma mana_ib"
                            + " efa hfi1 rdma_rxe siw")
                    .split(" ", -1);

    static RdmaChecks system() {
        return new RdmaChecks(Path.of("/"), ProcessLimits.own());
    }

    List<PortStatus> ports() {
        return PortStatus.all(root.resolve("sys/class/infiniband"));
    }

    List<Check> all() {
        List<PortStatus> ports = ports();
        if (ports.isEmpty()) {
            return List.of(
                    Check.ok(
                            "RDMA devices",
                            "none; connections inside this host use shared memory"));
        }
        List<Check> checks = new ArrayList<>();
        ports.forEach(port -> checks.add(port(port)));
        checks.add(modules());
        checks.add(libraries());
        checks.add(deviceFiles(ports));
        checks.add(memory());
        checks.add(openFiles());
        return checks;
    }

    private static Check port(PortStatus port) {
        String name = "RDMA " + port.name();
        List<String> gids = port.gids().stream().map(PortStatus.GidEntry::text).toList();
        int more = gids.size() - GIDS_SHOWN;
        String found =
                port.linkLayer()
                        + ", "
                        + port.state()
                        + (port.rate().isEmpty() ? "" : ", " + port.rate())
                        + (port.firmware().isEmpty() ? "" : ", firmware " + port.firmware())
                        + (gids.isEmpty() ? ", no GID" : ", GIDs ")
                        + String.join("; ", more > 0 ? gids.subList(0, GIDS_SHOWN) : gids)
                        + (more > 0 ? "; and " + more + " more" : "");
        Map<String, Object> details = details(port);
        if (!port.connects()) {
            return Check.warn(
                            name,
                            found + "; a device without reliable connections, as EFA is: not used",
                            "")
                    .with(details);
        }
        if (!port.active()) {
            String advice =
                    port.linkLayer().equals("InfiniBand")
                            ? "the port is not active: look at the cable and the subnet manager"
                            : "the port is not active: look at the cable and switch the interface"
                                    + " on";
            return Check.warn(name, found, advice).with(details);
        }
        return Check.ok(name, found + "; used " + Paths.ON_REQUEST).with(details);
    }

    private static Map<String, Object> details(PortStatus port) {
        List<Object> gids = new ArrayList<>();
        for (PortStatus.GidEntry gid : port.gids()) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("index", gid.index());
            entry.put("gid", gid.gid());
            entry.put("transport", gid.transport());
            entry.put("interface", gid.interfaceName());
            gids.add(entry);
        }
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("device", port.device());
        details.put("port", port.number());
        details.put("connects", port.connects());
        details.put("linkLayer", port.linkLayer());
        details.put("state", port.state());
        details.put("active", port.active());
        details.put("rate", port.rate());
        details.put("firmware", port.firmware());
        details.put("gids", gids);
        return details;
    }

    /** Whether the kernel lets programs in, by what it shows of itself: modules may be built in. */
    private Check modules() {
        String name = "RDMA modules";
        List<String> loaded =
                Stream.of(MODULES)
                        .filter(m -> Files.exists(root.resolve("sys/module").resolve(m)))
                        .toList();
        Map<String, Object> details = Map.of("loaded", loaded);
        List<String> missing = new ArrayList<>();
        if (!Files.exists(root.resolve("sys/class/misc/rdma_cm"))) {
            missing.add("rdma_ucm");
        }
        if (entries(root.resolve("sys/class/infiniband_verbs")).isEmpty()) {
            missing.add("ib_uverbs");
        }
        String list = loaded.isEmpty() ? "" : " (" + String.join(", ", loaded) + ")";
        if (!missing.isEmpty()) {
            String wanted = String.join(" and ", missing);
            return Check.warn(
                            name,
                            "the kernel has no " + wanted + list,
                            "load it: modprobe -a "
                                    + String.join(" ", missing)
                                    + ", and for good in /etc/modules-load.d")
                    .with(details);
        }
        return Check.ok(name, "the kernel serves rdma_cm and verbs to programs" + list)
                .with(details);
    }

    private Check memory() {
        String name = "RDMA memory";
        if (limits.memlock().isEmpty() || limits.memlock().equals("unlimited")) {
            return Check.ok(name, "locked memory is not limited");
        }
        String found = "locked memory is limited to " + limits.memlock() + " bytes";
        return Long.parseLong(limits.memlock()) >= WANTED_BYTES
                ? Check.ok(name, found)
                : Check.warn(
                        name,
                        found + ", so there is room for few connections",
                        "raise it: LimitMEMLOCK=infinity in the unit, or memlock in"
                                + " /etc/security/limits.conf");
    }

    private Check openFiles() {
        String name = "RDMA descriptors";
        if (limits.openFiles().isEmpty() || limits.openFiles().equals("unlimited")) {
            return Check.ok(name, "open files are not limited");
        }
        long files = Long.parseLong(limits.openFiles());
        String found =
                files
                        + " open files, room for "
                        + files / FILES_OF_A_CONNECTION
                        + " connections over RDMA or more";
        return Check.ok(name, found);
    }

    private Check libraries() {
        List<String> missing =
                LIBRARIES.stream()
                        .filter(
                                library ->
                                        Stream.of(LIBRARY_FOLDERS)
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

    /** One for the connection manager, one for each device. */
    private Check deviceFiles(List<PortStatus> ports) {
        String name = "RDMA access";
        List<String> files = new ArrayList<>();
        files.add("rdma_cm");
        Path verbs = root.resolve("sys/class/infiniband_verbs");
        for (String entry : entries(verbs)) {
            String device = line(verbs.resolve(entry).resolve("ibdev"));
            if (ports.stream().anyMatch(p -> p.device().equals(device) && p.connects())) {
                files.add(entry);
            }
        }
        Path directory = root.resolve("dev/infiniband");
        for (String file : files) {
            Path path = directory.resolve(file);
            String shown = "/dev/infiniband/" + file;
            if (!Files.exists(path)) {
                return Check.warn(
                        name,
                        shown + " is not there",
                        "if the modules are loaded, this container was not given it: --device"
                                + " /dev/infiniband");
            }
            if (!Files.isReadable(path) || !Files.isWritable(path)) {
                return Check.warn(
                        name,
                        shown + " is not for this user",
                        "give it mode 666 by a udev rule, as rdma-core does");
            }
        }
        return Check.ok(
                name,
                "this user may open /dev/infiniband/"
                        + (files.size() == 1
                                ? files.getFirst()
                                : "{" + String.join(",", files) + "}"));
    }

    private static List<String> entries(Path directory) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "uverbs*")) {
            entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
        } catch (IOException e) {
            return List.of();
        }
        names.sort(null);
        return names;
    }

    private static String line(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
