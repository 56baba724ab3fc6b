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
import java.util.function.Supplier;

/**
 * Gives verdicts on connections in a JVM whose switch has not started. The switch need not start
 * for a connection that the rules keep on the kernel.
 */
public final class EarlyRules
        implements BiFunction<
                Map<String, String>,
                Consumer<String>,
                BiFunction<InetSocketAddress, InetSocketAddress, String>> {
    /** The key under which the options have the value of {@code com.sun.sdp.conf}. */
    private static final String JDK_SDP = "com.sun.sdp.conf";

    /**
     * Instead of a verdict: the switch must try offload first, and TCP may carry the connection.
     */
    private static final String SWITCH = "SWITCH";

    /** Instead of {@link Verdict#KERNEL}: the rule file was refused. */
    private static final String NO_RULES = "NO_RULES";

    /** Called by the shim through reflection. */
    public EarlyRules() {}

    /**
     * Loads the rules.
     *
     * @param given the agent's options; under {@value #JDK_SDP} the value that the JDK's own switch
     *     was to read
     * @param sink takes one line for each thing that the operator should know
     * @return a thread-safe function that returns the name of the {@link Verdict} for a connection
     *     from the address that a program has bound its socket to, or null, to another address;
     *     {@value #SWITCH} if the connection's rule prefers another fabric to shared memory. With
     *     null as the second address, the verdict is that for a listener bound to the first. With
     *     null for both it is {@link Verdict#OFFLOAD_ONLY} if any connection may get that verdict.
     *     {@value #NO_RULES} stands for connections and listeners that are on the kernel for lack
     *     of a rule file. It is also a {@code Supplier} of the rules in force, for {@link
     *     Agent#start}
     */
    @Override
    public BiFunction<InetSocketAddress, InetSocketAddress, String> apply(
            Map<String, String> given, Consumer<String> sink) {
        Map<String, String> options = new HashMap<>(given);
        String jdkConf = options.remove(JDK_SDP);
        Settings settings = Settings.of(AgentSettings.ALL, options, sink);
        return new Verdicts(
                PolicySource.open(
                        options, jdkConf, settings, Environment.system(), sink, StartCheck.rules));
    }

    private record Verdicts(PolicySource source)
            implements BiFunction<InetSocketAddress, InetSocketAddress, String>,
                    Supplier<Object[]> {
        @Override
        public Object[] get() {
            return source.state();
        }

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

        /**
         * Whether the rule prefers another fabric, so that the connection does not begin on the
         * kernel.
         */
        private static boolean prefersAnother(Decision decision) {
            return decision.verdict() == Verdict.OFFLOAD_FIRST
                    && !decision.fabrics().isEmpty()
                    && !decision.fabrics().getFirst().equals(HostResolver.SHM);
        }
    }
}
