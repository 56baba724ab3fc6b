package io.sdp4j.agent;

import io.sdp4j.policy.Setting;
import io.sdp4j.policy.Settings;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The lines that an operator must see without having asked for a log: on standard error, because
 * standard output belongs to the application. Thread-safe.
 */
final class Console implements Consumer<String> {
    private static final String PREFIX = "sdp4j: ";

    private final boolean quiet;

    private Console(boolean quiet) {
        this.quiet = quiet;
    }

    /** Silent if the options or the properties say so; their other mistakes are not looked at. */
    static Console of(Map<String, String> options) {
        return new Console(Settings.of(options, line -> {}).flag(Setting.QUIET));
    }

    @Override
    public void accept(String line) {
        if (!quiet) {
            System.err.println(line.startsWith(PREFIX) ? line : PREFIX + line);
        }
    }
}
