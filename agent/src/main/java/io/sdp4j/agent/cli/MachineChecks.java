package io.sdp4j.agent.cli;

import io.sdp4j.fabric.shm.Diagnosis;
import io.sdp4j.fabric.shm.ShmConfig;
import io.sdp4j.fabric.shm.ShmSettings;
import io.sdp4j.policy.Lint;
import io.sdp4j.policy.PolicySource;
import io.sdp4j.policy.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The doctor's looks at the machine, the environment and the rules. Nothing here changes anything.
 */
final class MachineChecks {
    private static final List<String> OPTION_VARIABLES =
            List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    private MachineChecks() {}

    static Check jdk() {
        String version = System.getProperty("java.vendor.version", "") + " " + Runtime.version();
        String found = version.strip() + " in " + System.getProperty("java.home");
        if (ModuleLayer.boot().findModule("java.instrument").isEmpty()) {
            return Check.fail(
                    "JDK", found + ", without java.instrument", "add that module to the image");
        }
        return Check.ok("JDK", found);
    }

    static Check nativeAccess() {
        String variable = variableWith("--illegal-native-access=deny");
        return variable == null
                ? Check.ok("native access", "granted by the agent to its own modules only")
                : Check.warn(
                        "native access",
                        variable + " denies it, so nothing is offloaded within this host",
                        "remove --illegal-native-access=deny");
    }

    /** Registered memory counts against this limit; shared memory does not. */
    static Check memlock() {
        String soft = ProcessLimits.own().memlock();
        if (soft.isEmpty()) {
            return Check.skip("memlock", "no limit known; only RDMA devices need locked memory");
        }
        return Check.ok(
                "memlock",
                (soft.equals("unlimited") ? soft : soft + " bytes")
                        + "; only RDMA devices need locked memory");
    }

    static Check memfd() {
        return memfd(Diagnosis.of(ShmConfig.defaults()));
    }

    /** One is made, sealed and mapped: a kernel that knows the call may still refuse it. */
    static Check memfd(List<Diagnosis.Fact> facts) {
        String name = "memfd";
        for (Diagnosis.Fact fact : facts) {
            if (fact.name().equals(name)) {
                return fact.good()
                        ? Check.ok(name, fact.text())
                        : Check.fail(
                                name,
                                fact.text() + ", so nothing is offloaded within this host",
                                "allow it (a container's seccomp profile may forbid it)");
            }
        }
        return Check.skip(name, "not looked for: " + facts.getFirst().text());
    }

    /** Where processes of this user meet; it is made when it is needed. */
    static Check rendezvous() {
        Diagnosis.Fact access = Diagnosis.of(ShmConfig.defaults()).getFirst();
        if (!access.good()) {
            return Check.skip("rendezvous", "not looked for: " + access.text());
        }
        String directory = Settings.of(ShmSettings.ALL, Map.of(), line -> {}).text(ShmSettings.DIR);
        ShmConfig config = ShmConfig.defaults();
        if (!directory.isEmpty()) {
            config = config.withDirectory(AgentOptions.path(ShmSettings.DIR.id(), directory));
        }
        return rendezvous(Diagnosis.meetingPlace(config));
    }

    /** Another user's file is no fault of ours as long as there is another place. */
    static Check rendezvous(Diagnosis.MeetingPlace place) {
        String name = "rendezvous";
        String advice =
                "have it removed, or set sdp4j.shm.dir to a directory that only this user can"
                        + " write to";
        String passed = String.join("; ", place.passedOver());
        if (place.directory() == null) {
            return Check.fail(name, passed.isEmpty() ? place.text() : passed, advice);
        }
        return passed.isEmpty()
                ? Check.ok(name, place.text())
                : Check.warn(name, place.text() + "; not used: " + passed, advice);
    }

    static Check rules(String file) {
        List<String> notes = new ArrayList<>();
        PolicySource source = PolicySource.open(file, "java", notes::add);
        if (source.generation() == 0 && !notes.isEmpty()) {
            return Check.fail(
                    "rules",
                    String.join("; ", notes),
                    source.file() == null ? "name a file" : "mend the file");
        }
        List<Lint> lints = source.get().lint();
        String found = source.origin();
        if (!lints.isEmpty()) {
            return Check.warn(
                    "rules",
                    found + ": " + lints.getFirst().sentence(),
                    lints.size() > 1
                            ? "see all " + lints.size() + " with explain --lint"
                            : "see explain --lint");
        }
        return Check.ok("rules", found);
    }

    /**
     * A leftover of the JDK's own SDP switch breaks matching sockets wherever the agent is not on.
     */
    static Check jdkSdp() {
        String variable = variableWith("com.sun.sdp.conf");
        return variable == null
                ? Check.ok("com.sun.sdp.conf", "not set in the environment")
                : Check.warn(
                        "com.sun.sdp.conf",
                        variable
                                + " sets it: the agent takes it over as its rules, but a JVM"
                                + " without the agent fails on every matching socket",
                        "use sdp4j.policy instead");
    }

    /** The first variable with options for JVMs that has this text; or null. */
    private static String variableWith(String text) {
        return OPTION_VARIABLES.stream()
                .filter(v -> System.getenv().getOrDefault(v, "").contains(text))
                .findFirst()
                .orElse(null);
    }
}
