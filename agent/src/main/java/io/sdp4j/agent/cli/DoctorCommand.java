package io.sdp4j.agent.cli;

import io.sdp4j.agent.Json;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
            paramLabel = "HOST",
            description = "Also say what could carry connections to this host.")
    private String peer = "";

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
        checks.addAll(RdmaChecks.system().all());
        if (!peer.isEmpty()) {
            checks.addAll(RdmaChecks.peer(peer));
        }
        checks.add(SelfTestCheck.run());
        print(checks);
        return checks.stream().anyMatch(c -> c.verdict() == Check.Verdict.FAIL)
                ? Exit.FAILED
                : Exit.OK;
    }

    private void print(List<Check> checks) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            List<Object> list = new ArrayList<>();
            for (Check check : checks) {
                Map<String, Object> map = new LinkedHashMap<>();
                map.put("check", check.name());
                map.put("verdict", check.verdict().name().toLowerCase(Locale.ROOT));
                map.put("found", check.found());
                map.put("advice", check.advice());
                list.add(map);
            }
            out.println(Json.text(Map.of("checks", list)));
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
