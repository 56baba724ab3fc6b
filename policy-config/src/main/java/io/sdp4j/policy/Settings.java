package io.sdp4j.policy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;

/**
 * The values of some modules' {@link Setting}s, read once.
 *
 * <p>Shape: immutable after construction; the getters allocate nothing. An agent option goes before
 * a system property. A value that is not acceptable is reported in one line and not used; nothing
 * here throws because of what a user wrote.
 */
public final class Settings {
    private final Map<Setting, Value> values = new HashMap<>();

    /** A number or flag has its text parsed; any other has the number 0. */
    private record Value(String text, long number) {}

    private Settings(List<Setting> known) {
        for (Setting setting : known) {
            put(setting, setting.defaultText());
        }
    }

    /** Every setting at its default. */
    public static Settings defaults(List<Setting> known) {
        return new Settings(known);
    }

    /** One list of several, in their order. */
    @SafeVarargs
    public static List<Setting> join(List<Setting>... lists) {
        List<Setting> joined = new ArrayList<>();
        for (List<Setting> list : lists) {
            joined.addAll(list);
        }
        return List.copyOf(joined);
    }

    /**
     * Reads settings.
     *
     * @param known all that there are; another name is unknown
     * @param agentOptions keys with or without {@code sdp4j.}; no value: a flag that is on
     * @param properties the system properties
     * @param sink takes one line for each value or key that is no good
     */
    public static Settings of(
            List<Setting> known,
            Map<String, String> agentOptions,
            Properties properties,
            Consumer<String> sink) {
        Map<String, String> options = new LinkedHashMap<>();
        for (Map.Entry<String, String> option : agentOptions.entrySet()) {
            String key = option.getKey();
            options.put(
                    key.startsWith(Setting.PREFIX) ? key : Setting.PREFIX + key, option.getValue());
        }
        Settings settings = new Settings(known);
        for (Setting setting : known) {
            String option = options.remove(setting.id());
            String property = properties.getProperty(setting.id());
            if (option == null || !settings.take(setting, option, "agent option", sink)) {
                if (property != null) {
                    settings.take(setting, property, "system property", sink);
                }
            }
        }
        List<String> ids = ids(known);
        for (String unknown : options.keySet()) {
            String question = question(unknown, ids);
            sink.accept(
                    "sdp4j: agent option '"
                            + printable(unknown)
                            + "' is unknown, ignored"
                            + question);
        }
        askForProperties(properties, ids, sink);
        return settings;
    }

    private static List<String> ids(List<Setting> known) {
        List<String> ids = new ArrayList<>();
        for (Setting setting : known) { // no lambda: the first one costs a start milliseconds
            ids.add(setting.id());
        }
        return ids;
    }

    /**
     * Suggests a setting for an unknown name: an internal one may be given without that word, as
     * some were once called.
     */
    private static String question(String name, List<String> ids) {
        String internal = Setting.INTERNAL + name.substring(Setting.PREFIX.length());
        return ids.contains(internal)
                ? "; did you mean '" + internal + "'?"
                : Nearest.question(name, ids);
    }

    /**
     * Reports unknown properties, but only names near a setting: a property of this prefix may
     * belong to other software.
     */
    private static void askForProperties(
            Properties properties, List<String> ids, Consumer<String> sink) {
        for (String name : properties.stringPropertyNames()) {
            if (name.startsWith(Setting.PREFIX) && !ids.contains(name)) {
                String question = question(name, ids);
                if (!question.isEmpty()) {
                    sink.accept(
                            "sdp4j: system property '"
                                    + printable(name)
                                    + "' is unknown, ignored"
                                    + question);
                }
            }
        }
    }

    /** The settings of this JVM. */
    public static Settings of(
            List<Setting> known, Map<String, String> agentOptions, Consumer<String> sink) {
        return of(known, agentOptions, System.getProperties(), sink);
    }

    private boolean take(Setting setting, String text, String source, Consumer<String> sink) {
        String accepted = setting.accepted(text);
        if (accepted == null) {
            sink.accept(
                    String.format(
                            Locale.ROOT,
                            "sdp4j: %s %s: found '%s', expected %s; not used",
                            source,
                            setting.id(),
                            printable(text),
                            setting.range()));
            return false;
        }
        put(setting, accepted);
        return true;
    }

    private void put(Setting setting, String accepted) {
        long number = 0;
        if (setting.isFlag()) {
            number = accepted.equals("true") ? 1 : 0;
        } else if (setting.isNumeric()) {
            number = Long.parseLong(accepted);
        }
        values.put(setting, new Value(accepted, number));
    }

    private static String printable(String text) {
        String shown = text.length() > 80 ? text.substring(0, 80) + "..." : text;
        return shown.replaceAll("\\p{Cntrl}", "?");
    }

    /**
     * The value of a number, in the setting's unit.
     *
     * @throws IllegalArgumentException when the setting is not a number
     */
    public long longValue(Setting setting) {
        require(setting.isNumeric() && !setting.isFlag(), setting);
        return value(setting).number;
    }

    /** The value of a number that fits an int; all of them do. */
    public int intValue(Setting setting) {
        return (int) longValue(setting);
    }

    /**
     * Whether a flag is on.
     *
     * @throws IllegalArgumentException when the setting is not a flag
     */
    public boolean flag(Setting setting) {
        require(setting.isFlag(), setting);
        return value(setting).number != 0;
    }

    /** The value as text; empty when there is none. */
    public String text(Setting setting) {
        return value(setting).text;
    }

    private Value value(Setting setting) {
        Value value = values.get(setting);
        if (value == null) {
            throw new IllegalArgumentException(setting.id() + " was not read");
        }
        return value;
    }

    private static void require(boolean condition, Setting setting) {
        if (!condition) {
            throw new IllegalArgumentException(setting.id() + " is of another kind");
        }
    }

    /** A system property; here, because settings are the only place that reads them. */
    static String systemProperty(String name) {
        try {
            return System.getProperty(name);
        } catch (RuntimeException e) {
            return null;
        }
    }
}
