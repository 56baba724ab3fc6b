package io.sdp4j.policy;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * One thing wrong in a rule file.
 *
 * @param file the file as its owner named it
 * @param line 1-based
 * @param column 1-based, in characters
 * @param found the text that stands there
 * @param expected what should stand there
 */
public record RuleError(String file, int line, int column, String found, String expected) {
    private static final Pattern LIST = Pattern.compile("^one of |, | or ");
    private static final Pattern QUOTED = Pattern.compile("'([^']+)'");
    private static final Pattern OPTION = Pattern.compile("[a-z]+=");

    /**
     * {@code file:line:column: found 'x', expected y}, on one line and without control characters.
     */
    public String message() {
        String place = file + ":" + line + ":" + column;
        return place + ": found " + printable(found) + ", expected " + expected + question();
    }

    /** The word that was meant: one of a list, one in quotes, or the name of an option. */
    private String question() {
        List<String> options = OPTION.matcher(expected).results().map(MatchResult::group).toList();
        if (!options.isEmpty()) {
            return Nearest.question(found.substring(0, found.indexOf('=') + 1), options);
        }
        List<String> quoted = QUOTED.matcher(expected).results().map(r -> r.group(1)).toList();
        return Nearest.question(found, quoted.isEmpty() ? List.of(LIST.split(expected)) : quoted);
    }

    @Override
    public String toString() {
        return message();
    }

    /**
     * A file may hold anything, terminal escapes included; our excerpts of it are harmless and
     * short.
     */
    private static String printable(String text) {
        if (text.isEmpty()) {
            return "end of line";
        }
        StringBuilder out = new StringBuilder("'");
        int shown = Math.min(text.length(), 60);
        for (int i = 0; i < shown; i++) {
            char c = text.charAt(i);
            out.append(
                    Character.isISOControl(c) || Character.getType(c) == Character.FORMAT
                            ? '?'
                            : c);
        }
        return out.append(shown < text.length() ? "...'" : "'").toString();
    }
}
