package io.sdp4j.policy;

import java.util.List;
import java.util.Locale;

/**
 * One knob, declared by the module that it belongs to, in that module's class of settings. Modules
 * that stand on others list theirs, too; the tables in docs/settings.md and
 * docs/internal-settings.md are made from the agent's list.
 *
 * <p>Shape: {@code sdp4j.<area>.<noun>[.<unit>]}, unit last, both as a system property and, with or
 * without {@code sdp4j.}, as an agent option. Numbers are whole; their range includes both ends.
 * Settings that an operator need not decide about begin with {@code sdp4j.internal.<area>} and may
 * change without notice.
 */
public final class Setting {
    private enum Kind {
        TEXT,
        CHOICE,
        FLAG,
        /** A flag that may also be left to the program. */
        AUTO,
        NUMBER
    }

    static final String PREFIX = "sdp4j.";
    static final String INTERNAL = PREFIX + "internal.";

    private final String id;
    private final Kind kind;
    private final String fallback;
    private final long min;
    private final long max;
    private final String choices; // with commas between
    private final String unit;
    private final String help;

    private Setting(
            String id,
            Kind kind,
            String fallback,
            long min,
            long max,
            String choices,
            String unit,
            String help) {
        this.id = id;
        this.kind = kind;
        this.fallback = fallback;
        this.min = min;
        this.max = max;
        this.choices = choices;
        this.unit = unit;
        this.help = help;
    }

    /** Any text; empty: not set. */
    public static Setting text(String id, String fallback, String unit) {
        return new Setting(id, Kind.TEXT, fallback, 0, 0, "", unit, "");
    }

    /**
     * One of some words.
     *
     * @param choices lower case, with {@code ", "} between them
     */
    public static Setting choice(String id, String choices, String fallback) {
        return new Setting(id, Kind.CHOICE, fallback, 0, 0, choices, "", "");
    }

    /** On or off. */
    public static Setting flag(String id, boolean fallback) {
        return new Setting(id, Kind.FLAG, Boolean.toString(fallback), 0, 1, "true, false", "", "");
    }

    /** On, off or, by default, left to the program; read as text. */
    public static Setting flagOrAuto(String id) {
        return new Setting(id, Kind.AUTO, "auto", 0, 1, "auto, true, false", "", "");
    }

    /** A whole number, {@code min} and {@code max} included. */
    public static Setting number(String id, long fallback, long min, long max, String unit) {
        return new Setting(id, Kind.NUMBER, Long.toString(fallback), min, max, "", unit, "");
    }

    /** The same, described in one sentence. */
    public Setting help(String sentence) {
        return new Setting(id, kind, fallback, min, max, choices, unit, sentence);
    }

    /** The system property; without {@code sdp4j.} also the agent option. */
    public String id() {
        return id;
    }

    /** The short form for agent options. */
    public String option() {
        return id.substring(PREFIX.length());
    }

    /** Unit or kind of the value; empty when it needs no unit. */
    public String unit() {
        return unit;
    }

    /** The default as text; empty: not set. */
    public String defaultText() {
        return fallback;
    }

    /** Accepted values, for people. */
    public String range() {
        return switch (kind) {
            case TEXT -> "any";
            case CHOICE, FLAG, AUTO -> choices;
            case NUMBER -> min + " to " + max;
        };
    }

    /** One sentence. */
    public String help() {
        return help;
    }

    boolean isNumeric() {
        return kind == Kind.NUMBER || kind == Kind.FLAG;
    }

    boolean isFlag() {
        return kind == Kind.FLAG;
    }

    /** The value as it will be kept, or null when it is not acceptable. */
    String accepted(String text) {
        String word = text.strip();
        String lower = word.toLowerCase(Locale.ROOT);
        return switch (kind) {
            case TEXT -> word;
            case CHOICE -> List.of(choices.split(", ")).contains(lower) ? lower : null;
            case FLAG -> flag(lower);
            case AUTO -> lower.equals("auto") ? lower : flag(lower);
            case NUMBER -> number(word);
        };
    }

    private static String flag(String lower) {
        return switch (lower) {
            case "", "true", "on", "yes", "1" -> "true";
            case "false", "off", "no", "0" -> "false";
            default -> null;
        };
    }

    private String number(String word) {
        try {
            long value = Long.parseLong(word);
            return value >= min && value <= max ? Long.toString(value) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
