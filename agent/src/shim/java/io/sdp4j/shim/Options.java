package io.sdp4j.shim;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The text after {@code -javaagent:sdp4j-agent.jar=}.
 *
 * {@snippet lang = text :
 *  options = [ option *( "," option ) ]
 *  option  = key [ "=" value ]        ; in both, "\" makes the next character an ordinary one
 * }
 *
 * A key without a value is a flag that is switched on. Of a repeated key the last value holds. A
 * key may also be the name of the system property; its prefix {@code sdp4j.} is removed. The switch
 * checks keys and values when it starts.
 */
final class Options {
    private static final String PREFIX = "sdp4j.";

    /** Those of this JVM, also with values that the start adds for the switch. */
    static volatile Map<String, String> given = Map.of();

    private Options() {}

    /**
     * Splits the text. Never fails.
     *
     * @param text may be null or empty: no options
     */
    static Map<String, String> parse(String text) {
        Map<String, String> found = new LinkedHashMap<>();
        StringBuilder part = new StringBuilder();
        String key = null;
        int length = text == null ? 0 : text.length();
        for (int i = 0; i <= length; i++) {
            char c = i < length ? text.charAt(i) : ',';
            if (c == '\\' && i + 1 < length) {
                part.append(text.charAt(++i));
            } else if (c == '=' && key == null) {
                key = part.toString().strip();
                part.setLength(0);
            } else if (c == ',') {
                String last = part.toString().strip();
                String name = key == null ? last : key;
                if (!name.isEmpty()) {
                    found.put(withoutPrefix(name), key == null ? "" : last);
                }
                key = null;
                part.setLength(0);
            } else {
                part.append(c);
            }
        }
        return found;
    }

    private static String withoutPrefix(String name) {
        return name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
    }

    /** Returns one of the few settings that are read before there are Settings. */
    static boolean flag(String name, boolean byDefault) {
        boolean property = flagOf(System.getProperty("sdp4j.".concat(name)), byDefault);
        return flagOf(given.get(name), property);
    }

    /** The same words as {@code Settings}: any other counts as not given. */
    private static boolean flagOf(String text, boolean otherwise) {
        return switch (text == null ? "none" : text.strip().toLowerCase(Locale.ROOT)) {
            case "", "true", "on", "yes", "1" -> true;
            case "false", "off", "no", "0" -> false;
            default -> otherwise;
        };
    }

    /** Returns the text of a setting as it was given, or null. */
    static String setting(String name) {
        String text = given.get(name);
        return text != null ? text : System.getProperty("sdp4j.".concat(name));
    }
}
