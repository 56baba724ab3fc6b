package io.sdp4j.agent.cli;

import io.sdp4j.agent.AgentSettings;
import io.sdp4j.agent.Json;
import io.sdp4j.agent.plugin.Plugins;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Explanation;
import io.sdp4j.policy.Lint;
import io.sdp4j.policy.Nearest;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.PolicySource;
import io.sdp4j.policy.Role;
import io.sdp4j.policy.Rule;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.HostResolver;
import io.sdp4j.resolve.PathCode;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells the rules' verdict on one connection or listener, and the consequence on this machine. */
@Command(
        name = "explain",
        description = "Say which rule decides about an address, and what the switch would do.",
        footer = {
            "",
            "Nothing is connected. Exit code 0; 1 when the rule file is refused or --lint finds"
                    + " something."
        })
final class ExplainCommand extends Subcommand {
    private static final List<String> ROLES = List.of("connect", "client", "listen", "server");

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Rule file; without it, the one an agent would find.")
    private String file = "";

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            converter = RoleWord.class,
            description = "connect or client (default), listen or server.")
    private Role role = Role.CONNECT;

    @Option(
            names = "--program",
            paramLabel = "NAME",
            description = "Name that program patterns are compared with (default: java).")
    private String program = "java";

    @Option(
            names = "--plugins",
            paramLabel = "DIR",
            description = "Directory with plug-ins, as the setting sdp4j.plugins names it.")
    private String directory = AgentSettings.pluginsOfThisJvm();

    private Plugins plugins;

    @Option(names = "--lint", description = "Also list rules that cannot mean what they say.")
    private boolean lint;

    @Parameters(
            arity = "0..1",
            paramLabel = "HOST:PORT",
            description = "The address; an IPv6 address stands in brackets.")
    private String address;

    @Override
    public Integer call() {
        if (address == null && !lint) {
            throw wrong("give HOST:PORT, or --lint");
        }
        List<String> notes = new ArrayList<>();
        plugins = Plugins.of(directory, notes::add);
        PolicySource source = PolicySource.open(file, program, notes::add);
        Policy policy = source.get();
        List<Lint> lints = lint ? policy.lint() : List.of();
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("rules", source.origin());
        result.put("notes", notes);
        if (address != null) {
            explain(policy, result);
        }
        List<String> found = new ArrayList<>(source.problems());
        lints.forEach(one -> found.add(one.sentence()));
        if (lint) {
            found.addAll(unknownFabrics(policy));
            result.put("lint", found);
        }
        print(result);
        boolean refused = source.file() != null && source.generation() == 0;
        return refused || (lint && !found.isEmpty()) ? Exit.FAILED : Exit.OK;
    }

    /** The words that rules use for roles. */
    static final class RoleWord implements CommandLine.ITypeConverter<Role> {
        @Override
        public Role convert(String word) {
            try {
                return Role.of(word);
            } catch (IllegalArgumentException wrong) {
                throw new CommandLine.TypeConversionException(
                        wrong.getMessage() + Nearest.question(word, ROLES));
            }
        }
    }

    /** Rules that name a fabric which neither this build nor a plug-in has. */
    private List<String> unknownFabrics(Policy policy) {
        List<String> known = new ArrayList<>(List.of(HostResolver.SHM, DeviceResolver.VERBS));
        known.addAll(plugins.names());
        List<String> found = new ArrayList<>();
        for (Rule rule : policy.rules()) {
            for (String fabric : rule.decision().fabrics()) {
                if (!known.contains(fabric)) {
                    found.add(
                            rule
                                    + " names fabric '"
                                    + fabric
                                    + "', which this build does not have: use "
                                    + String.join(" or ", known)
                                    + Nearest.question(fabric, known));
                }
            }
        }
        return found;
    }

    private void explain(Policy policy, Map<String, Object> result) {
        InetSocketAddress target = target();
        Explanation explanation = policy.explain(role, program, target);
        Decision decision = explanation.decision();
        result.put("decision", decision.verdict().word());
        result.put("rule", decision.rule());
        result.put("origin", decision.origin());
        result.put("why", explanation.sentence());
        result.put("near", explanation.near().stream().map(Explanation.Near::sentence).toList());
        List<String> steps = new ArrayList<>();
        result.put("steps", steps);
        List<Map<String, Object>> details = new ArrayList<>();
        result.put("end", steps(decision, target, steps, details));
        result.put("paths", details);
    }

    /** Lists what the switch would try, in order, and returns where it would end. */
    private String steps(
            Decision decision,
            InetSocketAddress target,
            List<String> steps,
            List<Map<String, Object>> details) {
        if (!decision.verdict().offloads()) {
            steps.add("kernel TCP");
            return "kernel TCP";
        }
        boolean only = decision.verdict() == io.sdp4j.policy.Verdict.OFFLOAD_ONLY;
        String otherwise = only ? "an error, the rule allows nothing else" : "kernel TCP";
        boolean group = target.getAddress().isMulticastAddress();
        if (role == Role.CONNECT && (target.getPort() == 0 || group)) {
            steps.add((group ? "a multicast address" : "port 0") + " has no listener");
            steps.add(otherwise);
            return otherwise;
        }
        boolean reachable = false;
        boolean byRdma = false;
        boolean byShm = false;
        for (FabricPath path : paths(decision, target)) {
            reachable |= path.usable() && !Paths.isRdma(path);
            byRdma |= path.usable() && Paths.isRdma(path);
            byShm |= path.usable() && path.fabric().equals(HostResolver.SHM);
            steps.add(Paths.sentence(path));
            details.add(Paths.json(path));
        }
        for (OffloadProvider protocol : plugins.protocols()) {
            if (decision.fabrics().isEmpty() || decision.fabrics().contains(protocol.name())) {
                reachable = true; // as far as can be known without asking the peer
                steps.add(protocol.name() + ", a protocol of a plug-in, if it finds the peer");
            }
        }
        steps.add(otherwise);
        if (!reachable) {
            return byRdma
                    ? otherwise + "; " + Paths.ON_REQUEST + " on both hosts offloaded over RDMA"
                    : otherwise;
        }
        if (role == Role.LISTEN) {
            return only
                    ? "offloaded peers only; one that comes by TCP is turned away"
                    : "offloaded peers and kernel TCP, on one port";
        }
        String when =
                Settings.of(SwitchSettings.ALL, Map.of(), line -> {}).text(SwitchSettings.UPGRADE);
        try {
            UpgradePolicy _ = UpgradePolicy.of(when);
        } catch (IllegalArgumentException e) {
            when = SwitchSettings.UPGRADE.defaultText();
        }
        boolean later =
                !only
                        && byShm
                        && (decision.fabrics().isEmpty()
                                || decision.fabrics().getFirst().equals(HostResolver.SHM));
        String rest =
                when.equalsIgnoreCase("auto")
                        ? late(Runtime.getRuntime().availableProcessors())
                        : "";
        return (later ? "kernel TCP at first; offloaded by upgrade=" + when + rest : "offloaded")
                + " if the program that listens there runs under sdp4j and the same user, else "
                + otherwise;
    }

    /** Which connections {@code auto} lets leave TCP late, or never. */
    static String late(int processors) {
        return processors == 1
                ? " (with one processor blocking sockets only, after a minute)"
                : " (channels in selectors if they carry bulk or are quick)";
    }

    private List<FabricPath> paths(Decision decision, InetSocketAddress target) {
        List<FabricPath> found = Paths.to(target.getAddress(), plugins.fabrics());
        if (decision.fabrics().isEmpty()) {
            return found;
        }
        List<FabricPath> ordered = new ArrayList<>();
        List<String> protocols = plugins.protocols().stream().map(OffloadProvider::name).toList();
        for (String fabric : decision.fabrics()) {
            if (protocols.contains(fabric)) {
                continue; // comes behind
            }
            List<FabricPath> own = found.stream().filter(p -> p.fabric().equals(fabric)).toList();
            ordered.addAll(
                    own.isEmpty()
                            ? List.of(
                                    FabricPath.unusable(
                                            fabric,
                                            PathCode.NO_FABRIC,
                                            PathCode.NO_FABRIC.sentence()))
                            : own);
        }
        return ordered;
    }

    private InetSocketAddress target() {
        String text = address.startsWith("*:") ? "0.0.0.0" + address.substring(1) : address;
        try {
            return PeerCheck.address(text, true);
        } catch (UnknownHostException e) {
            throw wrong("unknown host in " + address);
        } catch (IllegalArgumentException e) {
            throw wrong("expected HOST:PORT, found " + address);
        }
    }

    private void print(Map<String, Object> result) {
        PrintWriter out = out();
        if (json) {
            out.println(Json.text(result));
            return;
        }
        out.println("Rules: " + result.get("rules"));
        lines(out, "", result.get("notes"));
        if (result.containsKey("why")) {
            out.println(result.get("why"));
            lines(out, "  near miss: ", result.get("near"));
            out.println("On this machine, in this order:");
            lines(out, "  - ", result.get("steps"));
            out.println("Ends: " + result.get("end"));
        }
        if (result.get("lint") instanceof List<?> list) {
            out.println(list.isEmpty() ? "Lint: nothing" : "Lint:");
            lines(out, "  - ", list);
        }
    }

    private static void lines(PrintWriter out, String prefix, Object list) {
        if (list instanceof List<?> lines) {
            lines.forEach(line -> out.println(prefix + line));
        }
    }
}
