package io.sdp4j.agent;

import io.sdp4j.policy.Settings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The lines that an operator must see without having asked for a log: on standard error, because
 * standard output belongs to the application. Thread-safe.
 */
final class Console implements Consumer<String> {
    private static final String PREFIX = "sdp4j: ";

    private final boolean quiet;

    /** Lines that were printed when the JVM started; each is left out once. */
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    private Console(boolean quiet, String told) {
        this.quiet = quiet;
        this.told.addAll(List.of(told.split("\n", -1)));
    }

    /**
     * Silent if the options or the properties say so; their other mistakes are not looked at.
     *
     * @param told lines that were printed already
     */
    static Console of(Map<String, String> options, String told) {
        return new Console(
                Settings.of(AgentSettings.ALL, options, line -> {}).flag(AgentSettings.QUIET),
                told);
    }

    @Override
    public void accept(String line) {
        if (!quiet && !told.remove(line)) {
            System.err.println(line.startsWith(PREFIX) ? line : PREFIX + line);
        }
    }
}
