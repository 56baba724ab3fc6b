package io.sdp4j.agent.cli;

import io.sdp4j.agent.AgentSettings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/** Writes what the shim reads: the text after {@code -javaagent:sdp4j-agent.jar=}. Stateless. */
final class AgentOptions {
    private AgentOptions() {}

    /**
     * The whole JVM option.
     *
     * @throws Unavailable when the JVM would not find the jar
     */
    static String javaAgent(Path jar, Map<String, String> options) {
        StringBuilder out = new StringBuilder("-javaagent:").append(nameable(jar));
        char before = '=';
        for (Map.Entry<String, String> option : options.entrySet()) {
            out.append(before).append(option.getKey().replaceAll("[\\\\,=]", "\\\\$0"));
            out.append('=').append(option.getValue().replaceAll("[\\\\,]", "\\\\$0"));
            before = ',';
        }
        return out.toString();
    }

    /**
     * The jar, whose name the JVM ends at the first {@code =}.
     *
     * @throws Unavailable when there is one
     */
    static Path nameable(Path jar) {
        if (jar.toString().indexOf('=') >= 0) {
            throw new Unavailable(
                    "a JVM cannot load the agent from "
                            + jar
                            + ": no folder above it may have '=' in its name; move it");
        }
        return jar;
    }

    /**
     * A value as it means the same in a JVM that runs in another directory.
     *
     * @throws Unavailable when it is no name of a file in this locale
     */
    static String absolute(String key, String value) {
        return AgentSettings.isPath(key) && !value.isEmpty()
                ? path(key, value).toAbsolutePath().toString()
                : value;
    }

    /**
     * The value of an option or a setting as a path.
     *
     * @throws Unavailable when it is no name of a file in this locale
     */
    static Path path(String key, String value) {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new Unavailable(
                    key
                            + "="
                            + value
                            + " cannot be the name of a file here; with a letter beyond ASCII it"
                            + " needs a locale such as LC_ALL=C.UTF-8");
        }
    }

    /**
     * One word of {@code JAVA_TOOL_OPTIONS}: the JVM splits it at white space and takes quotes
     * away, but knows no escape.
     *
     * @throws Unavailable when the word cannot be written
     */
    static String quoted(String word) {
        boolean blank = word.chars().anyMatch(Character::isWhitespace);
        boolean single = word.indexOf('\'') >= 0;
        boolean twice = word.indexOf('"') >= 0;
        if (!blank && !single && !twice) {
            return word;
        }
        if (single && twice) {
            throw new Unavailable("JAVA_TOOL_OPTIONS cannot carry both kinds of quotes: " + word);
        }
        return single ? '"' + word + '"' : "'" + word + "'";
    }
}
