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

/**
 * Errors of options, properties and rule file, found when a JVM starts and long before its first
 * socket, so that operators read them at the top of the output.
 *
 * <p>The same lines, word for word, that {@link Settings} and {@link PolicySource} give later.
 * Needs rules and declarations of settings alone and keeps nothing. Asks for no host name (an
 * unknown one is told at the first socket) and leaves {@link InetAddress} alone, whose start fixes
 * what the application may still want to set.
 */
public final class StartCheck
        implements BiFunction<Map<String, String>, String, List<String>>, BooleanSupplier {
    private boolean requires;

    /** For the shim, by name. */
    public StartCheck() {}

    /**
     * The lines to print; empty if all is well or the settings say {@code quiet}.
     *
     * @param options the agent's options
     * @param jdkConf value of {@code com.sun.sdp.conf}, or null
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
        PolicySource source = PolicySource.open(options, jdkConf, settings, environment, lines);
        requires = source.get().canRequireOffload();
        return settings.flag(AgentSettings.QUIET) ? List.of() : lines.found;
    }

    /** Whether, by what was checked, there may be connections that must be offloaded. */
    @Override
    public boolean getAsBoolean() {
        return requires;
    }

    private static final class Lines implements Consumer<String> {
        final List<String> found = new ArrayList<>();

        @Override
        public void accept(String line) {
            found.add(line);
        }
    }
}
