package io.sdp4j.agent.cli;

import io.sdp4j.agent.JsonReader;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.PortStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The doctor's self-test, of this host as it is or of one RDMA port: a program that knows nothing
 * of sdp4j, run for a second under the agent in a JVM of its own. A driver's library that crashes
 * or never returns takes nothing else with it, and nothing is left over.
 *
 * @param port as tools write it, such as {@code mlx5_0/1}; empty: what the host offers by itself
 * @param transport InfiniBand, RoCE v2 and so on; empty without a port
 * @param address of this host, on the port
 * @param others ports that the connection manager may take as well, for the same address
 * @param millis longest wait for the connection, and for one block
 */
record SelfTestCheck(
        String port, String transport, InetAddress address, List<String> others, long millis) {
    /** For a JVM to start and to open the fabric: that much is not the device's fault. */
    private static final long START_MILLIS = 60_000;

    /** For the transfer, and for the JVM to end. */
    private static final long GRACE_MILLIS = 3_000;

    /** The question is whether it works, not whether the machine is busy. */
    private static final long PATIENCE_MILLIS = 30_000;

    private static final String MAIN = "io.sdp4j.shim.SelfTest";
    private static final String STEP = "step";
    private static final String NAME = "self-test";

    /**
     * How the program ended.
     *
     * @param exit code; -1 = it did not end, and was killed
     * @param values what it printed
     * @param errors its standard error
     * @param report what its agent reports; empty: nothing
     */
    record Outcome(int exit, Map<String, String> values, String errors, Map<?, ?> report) {}

    /** The test of this host as it is, through loopback. */
    static SelfTestCheck ofThisHost() {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        return new SelfTestCheck("", "", loopback, List.of(), PATIENCE_MILLIS);
    }

    /** The finding about a port that cannot be tested. */
    static Check withoutAddress(PortStatus port) {
        String on =
                port.gids().stream()
                        .map(PortStatus.GidEntry::interfaceName)
                        .filter(name -> !name.isEmpty())
                        .findFirst()
                        .orElse(
                                port.linkLayer().equals("InfiniBand")
                                        ? "its IPoIB interface"
                                        : "its interface");
        return Check.warn(
                NAME + " " + port.name(),
                "not run: no address of this host leads over the port",
                "give " + on + " an IP address: ip address add ADDRESS/PREFIX dev INTERFACE");
    }

    /**
     * @param blocks the most to send, as far as a second allows
     */
    Check run(int blocks) throws InterruptedException {
        try {
            Path folder = Files.createTempDirectory("sdp4j-doctor");
            Path rules = folder.resolve("rules.conf");
            Path report = folder.resolve("report.json");
            try {
                String fabric = port.isEmpty() ? "" : " fabric=" + DeviceResolver.VERBS;
                Files.writeString(
                        rules,
                        "use sdp server * *:*%s%nuse sdp client * *:*%s timeout=%sms%n"
                                .formatted(
                                        fabric, fabric, Long.toString(millis))); // digits of ASCII
                return run(rules, report, blocks);
            } finally {
                for (Path file : List.of(rules, report, folder)) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            return Check.fail(name(), "cannot be run: " + e, "look at the temporary directory");
        }
    }

    private Check run(Path rules, Path report, int blocks)
            throws IOException, InterruptedException {
        Path jar = Place.agentJar();
        Map<String, String> options = new LinkedHashMap<>();
        options.put("policy", rules.toString());
        options.put("report", report.toString());
        if (!port.isEmpty()) {
            options.put("verbs.enabled", "true");
            options.put("shm.enabled", "false");
        }
        try (Child child =
                Child.java(
                        List.of(
                                AgentOptions.javaAgent(jar, options),
                                "-cp",
                                jar.toString(),
                                MAIN,
                                Integer.toString(blocks),
                                address.getHostAddress(),
                                Long.toString(millis)))) {
            child.await((STEP + "=connect")::equals, START_MILLIS);
            int exit = child.exitCode(2 * millis + GRACE_MILLIS);
            Map<?, ?> told =
                    Files.exists(report)
                            ? (Map<?, ?>) JsonReader.parse(Files.readString(report))
                            : Map.of();
            String errors = String.join(" | ", child.errors());
            return verdict(new Outcome(exit, child.values(), errors, told));
        }
    }

    private String name() {
        return port.isEmpty() ? NAME : NAME + " " + port;
    }

    /** The finding about an outcome. */
    Check verdict(Outcome outcome) {
        Map<String, String> values = outcome.values;
        Map<String, Object> details = new LinkedHashMap<>();
        if (!port.isEmpty()) {
            details.put("port", port);
            details.put("address", address.getHostAddress());
        }
        if (outcome.exit == Exit.OK) {
            return carried(values.getOrDefault("bytes", "0"), outcome, details);
        }
        String step = values.getOrDefault(STEP, "start");
        details.put(STEP, step);
        String during =
                switch (step) {
                    case "listen" -> "listening";
                    case "connect" -> "connecting";
                    case "transfer" -> "sending and comparing";
                    case "close" -> "closing";
                    default -> "starting";
                };
        String failed = values.get("failed");
        if (outcome.exit == -1 && failed == null) {
            return Check.fail(
                            name(),
                            during + ": no end in time, killed",
                            port.isEmpty()
                                    ? "run " + MAIN + " by hand"
                                    : "the driver does not answer: look at dmesg")
                    .with(details);
        }
        if (failed == null) {
            return Check.fail(
                            name(),
                            during
                                    + ": the JVM ended with "
                                    + outcome.exit
                                    + (outcome.errors.isEmpty() ? "" : " " + outcome.errors),
                            port.isEmpty()
                                    ? "run " + MAIN + " by hand"
                                    : "a driver's library crashed, if it is not sdp4j itself: see"
                                            + " dmesg and the versions of rdma-core and the kernel")
                    .with(details);
        }
        String reason = values.getOrDefault("reason", "");
        details.put("reason", reason);
        // without a reason: they may say why the switch is off
        String errors = reason.isEmpty() && !outcome.errors.isEmpty() ? " " + outcome.errors : "";
        String found = during + " failed: " + failed + errors;
        String cure = cure(step, reason, failed);
        // without the fabric programs have TCP, and RDMA is off unless they ask for it
        boolean closed = step.equals("listen") && reason.equals(ReasonCode.UNAVAILABLE.name());
        return (closed && !port.isEmpty()
                        ? Check.warn(name(), found, cure)
                        : Check.fail(name(), found, cure))
                .with(details);
    }

    private Check carried(String bytes, Outcome outcome, Map<String, Object> details) {
        Set<?> fabrics =
                outcome.report.get("connections") instanceof Map<?, ?> connections
                                && connections.get("offloaded") instanceof Map<?, ?> offloaded
                        ? offloaded.keySet()
                        : Set.of();
        details.put("bytes", Long.parseLong(bytes));
        if (fabrics.isEmpty()) {
            return Check.fail(
                            name(),
                            bytes
                                    + " bytes arrived, but on kernel TCP: "
                                    + outcome.report.get("reasons")
                                    + (outcome.errors.isEmpty() ? "" : " " + outcome.errors),
                            "the reasons are explained in docs/report.md")
                    .with(details);
        }
        String through = port.isEmpty() ? "" : " through " + address.getHostAddress();
        String unsure =
                others.isEmpty()
                        ? ""
                        : "; it may have been " + String.join(" or ", others) + " as well";
        return Check.ok(
                        name(),
                        bytes + " bytes over " + fabrics + through + ", all intact" + unsure)
                .with(details);
    }

    private String cure(String step, String reason, String failed) {
        String explained = "the reason " + reason + " is explained in docs/report.md";
        if (port.isEmpty()) {
            return reason.isEmpty() ? "run " + MAIN + " by hand" : explained;
        }
        if (reason.equals(ReasonCode.MEMORY.name())) {
            return failed.contains("locked memory")
                    ? "raise the limit of locked memory: LimitMEMLOCK=infinity in the unit, or"
                            + " memlock in /etc/security/limits.conf"
                    : explained;
        }
        String by = address.getHostAddress();
        return switch (step) {
            case "listen" -> "if another program has the port, it is in: rdma resource show cm_id";
            case "connect" ->
                    switch (transport) {
                        case "iWARP" -> "a firewall must let TCP to " + by + " pass";
                        case "InfiniBand" -> "is there a subnet manager (sminfo), is IPoIB up?";
                        default -> "a firewall must let UDP port 4791 to " + by + " pass";
                    };
            default ->
                    "look at dmesg, and whether \"rping -s\" and \"rping -c -a "
                            + by
                            + "\" can do it";
        };
    }
}
