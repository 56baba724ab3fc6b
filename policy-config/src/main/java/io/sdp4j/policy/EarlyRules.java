package io.sdp4j.policy;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What the rules say of connections, for a JVM whose switch has not started: it need not start for
 * one that the rules keep on the kernel.
 */
public final class EarlyRules
        implements BiFunction<
                Map<String, String>, Consumer<String>, Function<InetSocketAddress, String>> {
    /** The key under which the options have what {@code com.sun.sdp.conf} said. */
    private static final String JDK_SDP = "com.sun.sdp.conf";

    /** For the shim, by name. */
    public EarlyRules() {}

    /**
     * Loads the rules.
     *
     * @param given the agent's options; under {@value #JDK_SDP} what the JDK's own switch was to
     *     read
     * @param sink takes one line for each thing the operator should know
     * @return the name of the {@link Verdict} for a connection to a resolved address; thread-safe
     */
    @Override
    public Function<InetSocketAddress, String> apply(
            Map<String, String> given, Consumer<String> sink) {
        Map<String, String> options = new HashMap<>(given);
        String jdkConf = options.remove(JDK_SDP);
        Settings settings = Settings.of(options, sink);
        Environment environment = Environment.system();
        return new Verdicts(
                PolicySource.open(
                        options.get(Setting.POLICY.option()),
                        jdkConf,
                        settings.flag(Setting.POLICY_REQUIRED),
                        PolicySource.programName(settings.text(Setting.PROGRAM), environment),
                        environment,
                        sink));
    }

    private record Verdicts(PolicySource source) implements Function<InetSocketAddress, String> {
        @Override
        public String apply(InetSocketAddress remote) {
            return source.current().decide(Role.CONNECT, remote).verdict().name();
        }
    }
}
