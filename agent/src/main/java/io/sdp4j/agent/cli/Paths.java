package io.sdp4j.agent.cli;

import io.sdp4j.fabric.FabricFactory;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.HostResolver;
import io.sdp4j.resolve.LocalAddresses;
import io.sdp4j.stream.KernelNetlink;
import io.sdp4j.stream.PluginFabric;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The paths from this machine to an address, in words for people and for programs. */
final class Paths {
    /** Condition for RDMA devices. */
    static final String ON_REQUEST = "with sdp4j.verbs.enabled=true";

    private Paths() {}

    /**
     * Facts from the kernel, the devices and the addresses of this machine, and what fabrics of
     * plug-ins say; sends nothing.
     */
    static List<FabricPath> to(InetAddress address, List<FabricFactory> plugins) {
        try (DeviceResolver resolver = resolver()) {
            return PluginFabric.behind(resolver, plugins).paths(null, address);
        }
    }

    /** Reads everything anew for each question. */
    static DeviceResolver resolver() {
        return DeviceResolver.behind(
                new HostResolver(LocalAddresses.system()), new KernelNetlink(null));
    }

    static boolean isRdma(FabricPath path) {
        return path.fabric().equals(DeviceResolver.VERBS);
    }

    static String sentence(FabricPath path) {
        StringBuilder text = new StringBuilder("sdp over ").append(path.fabric());
        if (!path.usable()) {
            return text.append(": not possible, ").append(path.reason()).toString();
        }
        if (isRdma(path)) {
            text.append(", ").append(ON_REQUEST).append(": ");
            text.append(
                    path.device().isEmpty()
                            ? "the connection manager finds the device"
                            : path.device() + " port " + path.port());
            path.rdma().ifPresent(rdma -> text.append(", ").append(rdma.sentence()));
            if (path.mtuBytes() != 0) {
                text.append(", MTU ").append(path.mtuBytes());
            }
        }
        return text.toString();
    }

    static Map<String, Object> json(FabricPath path) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("fabric", path.fabric());
        map.put("usable", path.usable());
        map.put("code", path.code().name());
        map.put("reason", path.reason());
        if (!path.device().isEmpty()) {
            map.put("device", path.device());
            map.put("port", path.port());
            map.put("mtuBytes", path.mtuBytes());
        }
        path.rdma()
                .ifPresent(
                        rdma -> {
                            map.put("interface", rdma.interfaceName());
                            map.put("interfaceMtuBytes", rdma.interfaceMtuBytes());
                            map.put("vlan", rdma.vlan());
                            map.put("partition", rdma.partitionText());
                            map.put("hardwareAddress", rdma.hardwareAddress());
                            map.put("source", text(rdma.source()));
                            map.put("gateway", text(rdma.gateway()));
                            map.put("linkLayer", rdma.linkLayer());
                            map.put("transport", rdma.transport());
                            map.put("gidIndex", rdma.gidIndex());
                            map.put("gid", rdma.gid());
                        });
        return map;
    }

    private static String text(InetAddress address) {
        return address == null ? "" : address.getHostAddress();
    }
}
