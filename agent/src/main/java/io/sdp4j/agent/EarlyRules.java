package io.sdp4j.agent;

import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Environment;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.PolicySource;
import io.sdp4j.policy.Role;
import io.sdp4j.policy.Settings;
import io.sdp4j.policy.Verdict;
import io.sdp4j.resolve.HostResolver;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Verdicts on connections, for a JVM whose switch has not started: it need not start for one that
 * the rules keep on the kernel.
 */
public final class EarlyRules
        implements BiFunction<
                Map<String, String>,
                Consumer<String>,
                BiFunction<InetSocketAddress, InetSocketAddress, String>> {
    /** The key under which the options have what {@code com.sun.sdp.conf} said. */
    private static final String JDK_SDP = "com.sun.sdp.conf";

    /** Instead of a verdict: TCP may carry it, and the switch is to try before. */
    private static final String SWITCH = "SWITCH";

    /** Instead of {@link Verdict#KERNEL}: the rule file was refused. */
    private static final String NO_RULES = "NO_RULES";

    /** For the shim, by name. */
    public EarlyRules() {}

    /**
     * Loads the rules.
     *
     * @param given the agent's options; under {@value #JDK_SDP} what the JDK's own switch was to
     *     read
     * @param sink takes one line for each thing the operator should know
     * @return the name of the {@link Verdict} for a connection from the address that a program has
     *     bound its socket to, or null, to another, or {@value #SWITCH} if its rule prefers another
     *     fabric to shared memory; with null for that, of a listener that is bound to the first;
     *     and with null for both, {@link Verdict#OFFLOAD_ONLY} if any connection could have that;
     *     {@value #NO_RULES} for what is on the kernel without a rule file; thread-safe
     */
    @Override
    public BiFunction<InetSocketAddress, InetSocketAddress, String> apply(
            Map<String, String> given, Consumer<String> sink) {
        Map<String, String> options = new HashMap<>(given);
        String jdkConf = options.remove(JDK_SDP);
        Settings settings = Settings.of(AgentSettings.ALL, options, sink);
        return new Verdicts(
                PolicySource.open(options, jdkConf, settings, Environment.system(), sink));
    }

    private record Verdicts(PolicySource source)
            implements BiFunction<InetSocketAddress, InetSocketAddress, String> {
        @Override
        public String apply(InetSocketAddress bound, InetSocketAddress remote) {
            Policy policy = source.get();
            if (remote == null && bound != null) {
                return word(policy.decide(Role.LISTEN, bound));
            }
            if (remote == null) {
                return (policy.canRequireOffload() ? Verdict.OFFLOAD_ONLY : Verdict.OFFLOAD_FIRST)
                        .name();
            }
            Decision decision = policy.decide(bound, remote);
            return prefersAnother(decision) ? SWITCH : word(decision);
        }

        private static String word(Decision decision) {
            return decision.lacksRules() ? NO_RULES : decision.verdict().name();
        }

        /** Whether the connection is not one that begins on the kernel, and moves. */
        private static boolean prefersAnother(Decision decision) {
            return decision.verdict() == Verdict.OFFLOAD_FIRST
                    && !decision.fabrics().isEmpty()
                    && !decision.fabrics().getFirst().equals(HostResolver.SHM);
        }
    }
}
