package io.sdp4j.agent.cli;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.sdp4j.agent.JsonReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * The doctor's looks at a JVM that runs. The JVM is asked by its attach mechanism, as {@code jcmd}
 * does; the agent is not installed where it is not yet.
 */
final class ProcessChecks {
    private static final int WANTED_JDK = 25;

    /** Where an agent that is asked for its report puts it. */
    private static final String REPORT = "io.sdp4j.report";

    /** Reasons of connections that are where they should be, or where most programs connect. */
    private static final Set<String> FINE =
            Set.of(
                    "OFFLOADED",
                    "RULE_TCP",
                    "RULE_DIRECT",
                    "KERNEL_SCOPE",
                    "PROXY",
                    "SWITCH_OFF",
                    "YOUNG",
                    "NOT_WORTH",
                    "NOT_LOCAL",
                    "ACCEPTED_TCP");

    private ProcessChecks() {}

    /** Stops at the first look that fails: the next ones need what it has found. */
    static List<Check> of(long pid) {
        if (pid <= 0 || ProcessHandle.of(pid).isEmpty()) {
            return List.of(
                    Check.fail("process", "there is no process " + pid, "jcmd -l lists the JVMs"));
        }
        if (ModuleLayer.boot().findModule("jdk.attach").isEmpty()) {
            return List.of(
                    Check.fail(
                            "process",
                            "this Java runtime has no module jdk.attach",
                            "run the doctor with a JDK"));
        }
        List<Check> checks = new ArrayList<>();
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            try {
                Properties properties = machine.getSystemProperties();
                checks.add(java(pid, properties));
                if (checks.getLast().verdict() == Check.Verdict.OK) {
                    checks.addAll(agent(machine));
                }
            } finally {
                machine.detach();
            }
        } catch (AgentLoadException e) {
            checks.add(
                    Check.fail(
                            "agent",
                            pid + " cannot be asked: " + e.getMessage(),
                            "with -XX:-EnableDynamicAgentLoading it answers no doctor: read its JMX"
                                    + " bean io.sdp4j:type=Switch, or use report=FILE; else see"
                                    + " that it may read "
                                    + Place.agentJar()));
        } catch (AttachNotSupportedException | AgentInitializationException | IOException e) {
            checks.add(
                    Check.fail(
                            "process",
                            pid + " cannot be asked: " + e.getMessage(),
                            "it must be a JVM without -XX:+DisableAttachMechanism; run the doctor"
                                    + " as its user"
                                    + user(pid)));
        }
        return checks;
    }

    private static String user(long pid) {
        return ProcessHandle.of(pid).flatMap(p -> p.info().user()).map(u -> ", " + u).orElse("");
    }

    private static Check java(long pid, Properties properties) {
        String version = properties.getProperty("java.specification.version", "0");
        String found =
                pid
                        + " runs "
                        + properties.getProperty("sun.java.command", "a program without a name")
                        + " on Java "
                        + properties.getProperty("java.version", version);
        boolean old = version.contains(".") || Integer.parseInt(version) < WANTED_JDK;
        return old
                ? Check.fail("process", found, "start it with Java " + WANTED_JDK + " or newer")
                : Check.ok("process", found);
    }

    private static List<Check> agent(VirtualMachine machine)
            throws IOException, AgentLoadException, AgentInitializationException {
        Path jar = AgentOptions.nameable(Place.agentJar());
        machine.loadAgent(jar.toString(), "report.now=");
        String report = machine.getSystemProperties().getProperty(REPORT);
        if (report == null) {
            return List.of(
                    Check.fail(
                            "agent",
                            "not in this process",
                            ("start it with -javaagent:%s, or load it for new sockets: jcmd %s"
                                            + " JVMTI.agent_load %s")
                                    .formatted(jar, machine.id(), jar)));
        }
        return ofReport(report);
    }

    /** The statements of the agent in a process. */
    static List<Check> ofReport(String text) {
        if (text.isEmpty()) {
            return List.of(
                    Check.fail(
                            "agent",
                            "in this process, and cannot tell where its connections run",
                            "its standard error says why"));
        }
        Map<?, ?> report = (Map<?, ?>) JsonReader.parse(text);
        Object off = report.get("off");
        Check agent =
                off == null
                        ? Check.ok("agent", "in this process")
                        : Check.fail(
                                "agent",
                                "in this process, and off: " + off,
                                "mend that and start the process again");
        return List.of(agent, connections(report));
    }

    /** A report's statements about the connections. */
    static Check connections(Map<?, ?> report) {
        Map<?, ?> made = (Map<?, ?>) report.get("connections");
        Map<?, ?> accepted = (Map<?, ?>) report.get("accepted");
        long offloaded = sum(made.get("offloaded")) + sum(accepted.get("offloaded"));
        long onKernel = sum(made.get("kernel")) + (Long) accepted.get("kernel");
        String found =
                "%s were offloaded, %s stayed on TCP, by reason: %s"
                        .formatted(offloaded, onKernel, report.get("reasons"));
        Map<?, ?> reasons = (Map<?, ?>) report.get("reasons");
        if (reasons.containsKey("NO_RULES")) {
            return Check.fail(
                    "connections",
                    found,
                    "the rule file was refused: 'explain --lint' says why; sockets and listeners"
                            + " made after it is mended obey it, and these stay in the count");
        }
        if (offloaded + onKernel == 0) {
            return Check.ok("connections", "none yet");
        }
        return FINE.containsAll(reasons.keySet())
                ? Check.ok("connections", found)
                : Check.warn("connections", found, "the reasons are explained in docs/report.md");
    }

    private static long sum(Object counts) {
        return ((Map<?, ?>) counts).values().stream().mapToLong(n -> (Long) n).sum();
    }
}
