package io.sdp4j.agent;

import io.sdp4j.policy.Environment;
import io.sdp4j.policy.PolicySource;
import io.sdp4j.policy.Settings;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Finds errors of options, properties and rule file when a JVM starts, long before its first
 * socket, so that operators read them at the top of the output.
 *
 * <p>The lines are the same, word for word, as those of {@link Settings} and {@link PolicySource}
 * later. Needs only the rules and the declarations of settings, and keeps the rules. Resolves no
 * host name (an unknown one is reported at the first socket) and does not load {@link InetAddress},
 * whose start fixes properties that the application may still set.
 */
public final class StartCheck
        implements BiFunction<Map<String, String>, String, List<String>>,
                BooleanSupplier,
                Supplier<Object[]> {
    /** {@link PolicySource#state} of the checked rules; a bad file of later does not end them. */
    static volatile Object[] rules;

    private boolean requires;

    /** Called by the shim through reflection. */
    public StartCheck() {}

    /**
     * Returns the lines to print; empty if all is well or the settings say {@code quiet}.
     *
     * @param options the agent's options
     * @param jdkConf the value of {@code com.sun.sdp.conf}, or null
     */
    @Override
    public List<String> apply(Map<String, String> options, String jdkConf) {
        Lines lines = new Lines();
        Settings settings = Settings.of(AgentSettings.ALL, options, lines);
        AgentSettings.upgrade(settings, lines);
        Environment system = Environment.system();
        Environment environment =
                new Environment(
                        system.property(),
                        system.variable(),
                        system.files(),
                        system.nanoTime(),
                        null);
        PolicySource source =
                PolicySource.open(options, jdkConf, settings, environment, lines, null);
        rules = source.state();
        requires = source.get().canRequireOffload();
        return settings.flag(AgentSettings.QUIET) ? List.of() : lines.found;
    }

    /** Whether the checked rules may require offload for some connections. */
    @Override
    public boolean getAsBoolean() {
        return requires;
    }

    /** Returns the rules that were checked, for {@link Agent#start}; null if there is no file. */
    @Override
    public Object[] get() {
        return rules;
    }

    private static final class Lines implements Consumer<String> {
        final List<String> found = new ArrayList<>();

        @Override
        public void accept(String line) {
            found.add(line);
        }
    }
}
