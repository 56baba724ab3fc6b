package io.sdp4j.policy;

/**
 * Shell patterns for program names, as libsdp took them from {@code fnmatch(3)}: {@code *}, {@code
 * ?}, {@code [a-z]}, {@code [!a-z]}, and a backslash before a character that stands for itself.
 */
final class Glob {
    private Glob() {}

    /**
     * Whether {@code pattern} names the program. A program answers to its whole name, to the simple
     * name of its main class, and to {@code java}, the only name libsdp could see: the rules people
     * already have say that.
     */
    static boolean matchesProgram(String pattern, String name) {
        if (pattern.equals("*") || matches(pattern, name) || matches(pattern, "java")) {
            return true;
        }
        int dot = name.lastIndexOf('.');
        return dot >= 0 && !name.endsWith(".jar") && matches(pattern, name.substring(dot + 1));
    }

    /**
     * Whether every name {@code later} matches is matched by {@code earlier}; false when not sure.
     */
    static boolean covers(String earlier, String later) {
        return earlier.equals("*")
                || earlier.equals(later)
                || (isLiteral(later) && matches(earlier, later));
    }

    private static boolean isLiteral(String pattern) {
        return pattern.chars().noneMatch(c -> "*?[\\".indexOf(c) >= 0);
    }

    /** Linear in practice and never exponential: only the last star is ever tried again. */
    static boolean matches(String pattern, String text) {
        int p = 0;
        int t = 0;
        int starPattern = -1;
        int starText = 0;
        while (t < text.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                starPattern = ++p;
                starText = t;
                continue;
            }
            int next = p < pattern.length() ? matchOne(pattern, p, text.charAt(t)) : -1;
            if (next >= 0) {
                p = next;
                t++;
            } else if (starPattern >= 0) {
                p = starPattern;
                t = ++starText;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    /**
     * The pattern's position behind the element at {@code p} if that matches {@code c}, else -1.
     */
    private static int matchOne(String pattern, int p, char c) {
        char first = pattern.charAt(p);
        if (first == '[') {
            int close = classEnd(pattern, p);
            if (close > 0) {
                return inClass(pattern, p + 1, close, c) ? close + 1 : -1;
            }
        } else if (first == '\\' && p + 1 < pattern.length()) {
            return pattern.charAt(p + 1) == c ? p + 2 : -1;
        }
        return first == '?' || first == c ? p + 1 : -1;
    }

    /**
     * Index of the bracket that ends the class opened at {@code p}, or -1: then it stands for
     * itself.
     */
    private static int classEnd(String pattern, int p) {
        int i = p + 1;
        if (i < pattern.length() && (pattern.charAt(i) == '!' || pattern.charAt(i) == '^')) {
            i++;
        }
        return pattern.indexOf(']', i + 1); // a bracket in the first place is a member
    }

    private static boolean inClass(String pattern, int from, int to, char c) {
        boolean negated = pattern.charAt(from) == '!' || pattern.charAt(from) == '^';
        boolean found = false;
        for (int i = negated ? from + 1 : from; i < to; i++) {
            char low = pattern.charAt(i);
            char high = low;
            if (i + 2 < to && pattern.charAt(i + 1) == '-') {
                high = pattern.charAt(i + 2);
                i += 2;
            }
            found |= c >= low && c <= high;
        }
        return found != negated;
    }
}
