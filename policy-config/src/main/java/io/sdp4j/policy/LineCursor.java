package io.sdp4j.policy;

import java.util.Locale;

/** Reads one line of a rule file from left to right and knows where it is. */
final class LineCursor {
    private final String file;
    private final int line;
    private final String text;
    private int at;

    /** The comment, and white space round what is left, are not part of the line. */
    LineCursor(String file, int line, String raw) {
        this.file = file;
        this.line = line;
        int hash = raw.indexOf('#');
        int end = hash < 0 ? raw.length() : hash;
        while (end > 0 && isBlank(raw.charAt(end - 1))) {
            end--;
        }
        text = raw.substring(0, end);
        skipBlanks();
    }

    /** Ends the parsing of a line. */
    static final class Bad extends Exception {
        private static final long serialVersionUID = 1L;
        final transient RuleError error;

        Bad(RuleError error) {
            super(error.message(), null, false, false);
            this.error = error;
        }
    }

    /** A byte order mark is blank: some editors put one in front of the first line. */
    private static boolean isBlank(char c) {
        return c <= ' ' || c == '\ufeff';
    }

    private void skipBlanks() {
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
    }

    boolean atEnd() {
        return at == text.length();
    }

    /** 1-based column of what is read next. */
    int column() {
        return at + 1;
    }

    /** The line without comment and surrounding blanks. */
    String source() {
        return text.strip();
    }

    /** Returns the next word, and moves behind it and the blanks that follow; empty at the end. */
    String word() {
        int from = at;
        while (at < text.length() && !isBlank(text.charAt(at))) {
            at++;
        }
        String word = text.substring(from, at);
        skipBlanks();
        return word;
    }

    /** The next characters up to a blank or {@code stop}; brackets hide {@code stop}. */
    String until(char stop) {
        int from = at;
        boolean inBrackets = false;
        while (at < text.length() && !isBlank(text.charAt(at))) {
            char c = text.charAt(at);
            if (c == stop && !inBrackets) {
                break;
            }
            inBrackets = c == '[' || (inBrackets && c != ']');
            at++;
        }
        String found = text.substring(from, at);
        skipBlanks();
        return found;
    }

    /** Moves over {@code c} and the blanks that follow, if it is next. */
    boolean take(char c) {
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            skipBlanks();
            return true;
        }
        return false;
    }

    /** The rest of the line. */
    String rest() {
        return text.substring(at);
    }

    boolean is(String word, String keyword) {
        return word.toLowerCase(Locale.ROOT).equals(keyword);
    }

    Bad bad(int column, String found, String expected) {
        return new Bad(new RuleError(file, line, column, found, expected));
    }

    String origin() {
        return file + ":" + line;
    }
}
