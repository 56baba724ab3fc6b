package io.sdp4j.agent.cli;

import io.sdp4j.agent.Json;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.PortStatus;
import io.sdp4j.resolve.RdmaRoute;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Looks at everything offload needs on this machine; one verdict per line, with what to do. */
@Command(
        name = "doctor",
        description =
                "Check this machine, or a JVM; the verdict first, then one line for each thing looked"
                        + " at, with what to do about it.",
        footer = {"", "Exit code 0: nothing stands in the way; 1: at least one line says FAIL."})
final class DoctorCommand extends Subcommand {
    private static final int QUICK_BLOCKS = 10;
    private static final int DEVICE_BLOCKS = 16; // 1 MiB

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Rule file to check; without it, the one an agent would find.")
    private String file = "";

    @Option(
            names = {"--class-path", "-cp"},
            paramLabel = "PATH",
            description =
                    "Class path of an application, searched for transports that bypass Java's"
                            + " sockets.")
    private String classPath = "";

    @Option(
            names = "--peer",
            paramLabel = "HOST[:PORT]",
            description = "Also say what would carry connections to this host; none is made.")
    private String peer = "";

    @Option(
            names = "--device-seconds",
            paramLabel = "S",
            description =
                    "Longest wait for the connection of an RDMA port's self-test, and for its next"
                            + " bytes (default: 2).")
    private double deviceSeconds = 2;

    @Option(
            names = "--quick",
            description =
                    "Send a few blocks only in the self-test, and make no connection over RDMA"
                            + " ports.")
    private boolean quick;

    @Option(
            names = "--pid",
            paramLabel = "PID",
            description =
                    "Look at a JVM that runs instead: whether the agent is in it, and where its"
                            + " connections run.")
    private long pid;

    @Override
    public Integer call() throws InterruptedException {
        List<Check> checks = given("--pid") ? ProcessChecks.of(pid) : machine();
        print(checks);
        return worst(checks) == Check.Verdict.FAIL ? Exit.FAILED : Exit.OK;
    }

    private List<Check> machine() throws InterruptedException {
        List<Check> checks = new ArrayList<>();
        checks.add(MachineChecks.jdk());
        checks.add(MachineChecks.nativeAccess());
        checks.add(MachineChecks.memlock());
        checks.add(MachineChecks.memfd());
        checks.add(MachineChecks.rendezvous());
        checks.add(MachineChecks.rules(file));
        checks.add(MachineChecks.jdkSdp());
        checks.add(NettyCheck.of(classPath));
        RdmaChecks rdma = RdmaChecks.system();
        checks.addAll(rdma.all());
        checks.addAll(quick ? skipped(rdma.ports()) : deviceTests(rdma.ports()));
        if (!peer.isEmpty()) {
            checks.addAll(PeerCheck.of(peer, file));
        }
        checks.add(SelfTestCheck.ofThisHost().run(quick ? QUICK_BLOCKS : Integer.MAX_VALUE));
        return checks;
    }

    private static Check.Verdict worst(List<Check> checks) {
        return checks.stream().map(Check::verdict).max(Comparator.naturalOrder()).orElseThrow();
    }

    /** All in one sentence. */
    static String summary(List<Check> checks) {
        Check.Verdict worst = worst(checks);
        String named =
                checks.stream()
                        .filter(c -> c.verdict() == worst)
                        .map(Check::name)
                        .collect(Collectors.joining(", "));
        return switch (worst) {
            case FAIL -> "FAIL: connections stay on kernel TCP, or fail; mend: " + named;
            case WARN -> "WARN: not everything is as it should be; look at: " + named;
            case OK, SKIP -> "OK: nothing stands in the way of offload";
        };
    }

    private static List<Check> skipped(List<PortStatus> ports) {
        return ports.stream()
                .filter(p -> p.connects() && p.active())
                .map(p -> Check.skip("self-test " + p.name(), "left out by --quick"))
                .toList();
    }

    /** One after the other, so that none is in the way of another. */
    private List<Check> deviceTests(List<PortStatus> ports) throws InterruptedException {
        List<PortStatus> tested = ports.stream().filter(p -> p.connects() && p.active()).toList();
        if (tested.isEmpty()) {
            return List.of();
        }
        Map<String, OwnAddresses.Own> addresses;
        try (DeviceResolver resolver = Paths.resolver()) {
            addresses =
                    OwnAddresses.byPort(OwnAddresses.ofThisHost(), a -> resolver.paths(null, a));
        }
        List<Check> checks = new ArrayList<>();
        for (PortStatus port : tested) {
            OwnAddresses.Own own = addresses.get(port.name());
            checks.add(
                    own == null
                            ? SelfTestCheck.withoutAddress(port)
                            : new SelfTestCheck(
                                            port.name(),
                                            own.path().rdma().map(RdmaRoute::transport).orElse(""),
                                            own.address(),
                                            own.others(),
                                            Math.clamp((long) (deviceSeconds * 1000), 1, 3_600_000))
                                    .run(DEVICE_BLOCKS));
        }
        return checks;
    }

    private void print(List<Check> checks) {
        PrintWriter out = out();
        if (json) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("verdict", worst(checks).name().toLowerCase(Locale.ROOT));
            result.put("summary", summary(checks));
            result.put("checks", checks.stream().map(Check::json).toList());
            out.println(Json.text(result));
            return;
        }
        out.println(summary(checks));
        out.println();
        for (Check check : checks) {
            String advice = check.advice().isEmpty() ? "" : "; " + check.advice();
            out.printf(
                    Locale.ROOT,
                    "%-4s  %-20s %s%s%n",
                    check.verdict(),
                    check.name(),
                    check.found(),
                    advice);
        }
    }
}
