package io.sdp4j.agent.cli;

import io.sdp4j.agent.Json;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.PortStatus;
import io.sdp4j.resolve.RdmaRoute;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Looks at everything offload needs on this machine; one verdict per line, with what to do. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Check this machine; one verdict per line, with what to do about it.",
        footer = {"", "Exit code 0: nothing stands in the way; 1: at least one line says FAIL."})
final class DoctorCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

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
            description = "Longest time for the self-test of one RDMA port (default: 2).")
    private double deviceSeconds = 2;

    @Override
    public Integer call() throws InterruptedException {
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
        checks.addAll(deviceTests(rdma.ports()));
        if (!peer.isEmpty()) {
            checks.addAll(PeerCheck.of(peer, file));
        }
        checks.add(SelfTestCheck.run());
        print(checks);
        return checks.stream().anyMatch(c -> c.verdict() == Check.Verdict.FAIL)
                ? Exit.FAILED
                : Exit.OK;
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
                            ? DeviceTestCheck.withoutAddress(port)
                            : new DeviceTestCheck(
                                            port.name(),
                                            own.path().rdma().map(RdmaRoute::transport).orElse(""),
                                            own.address(),
                                            own.others())
                                    .run((long) (deviceSeconds * 1000)));
        }
        return checks;
    }

    private void print(List<Check> checks) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.text(Map.of("checks", checks.stream().map(Check::json).toList())));
            return;
        }
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
