package io.sdp4j.policy;

/**
 * Small checks of words, coded by hand, because rules are read while a JVM starts, where the first
 * regular expression, stream or lambda costs more than a whole rule file.
 */
final class Words {
    static final String LETTERS_AND_DIGITS =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

    static final String HEX = "0123456789abcdefABCDEF";

    private Words() {}

    /** Whether the text has a character, and none but those of {@code alphabet}. */
    static boolean only(String text, String alphabet) {
        for (int i = 0; i < text.length(); i++) {
            if (alphabet.indexOf(text.charAt(i)) < 0) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** The value of a run of digits that is not above {@code max}; -1 for anything else. */
    static long number(String text, long max) {
        if (text.length() > 18 || !only(text, "0123456789")) {
            return -1;
        }
        long value = Long.parseLong(text);
        return value <= max ? value : -1;
    }
}
