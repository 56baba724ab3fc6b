package io.sdp4j.policy;

import java.util.ArrayList;
import java.util.List;

/**
 * The text of a rule file, parsed: either rules, or the errors that keep it from being used.
 *
 * <p>Two dialects, told apart by the first line that begins with a word of either:
 *
 * {@snippet lang = text :
 *  LIBSDP  log [min-level N] [destination stderr|syslog|file NAME]
 *          use both|tcp|sdp|direct  server|listen|client|connect  PROGRAM-GLOB
 *              ADDRESS[/PREFIX]|HOST|*:PORT[-PORT]|*  [fabric=NAME,..] [timeout=N(us|ms|s)]
 *  JDK     bind|connect  ADDRESS[/PREFIX]|HOST|*  PORT[-PORT]   a port may be * or left out
 * }
 *
 * An IPv6 address stands in brackets in the libsdp dialect. In both, {@code #} starts a comment
 * anywhere and words ignore case. First match wins. Without a matching rule the verdict is {@link
 * Verdict#OFFLOAD_FIRST} in the libsdp dialect; in the JDK's a matching rule means that, and the
 * rest is {@link Verdict#KERNEL}. {@code log} lines are checked and otherwise ignored.
 *
 * <p>A host name stands for all its addresses at the time of loading. An unknown one makes a rule
 * that does not match, or, if it allows nothing but offload, one that matches every address; and a
 * {@link Lint}. In the JDK's dialect it is an error, as there.
 *
 * <p>Parsing never throws for any text. One error refuses the file as a whole, and all errors are
 * listed (up to {@value #MAX_ERRORS}). A file holds at most {@value #MAX_RULES} rules. Immutable.
 *
 * <p>Source: libsdp's config_parser.y and libsdp.conf; sun.net.sdp.SdpProvider of JDK 25;
 * docs/jdk-contract.md 7.
 *
 * @param dialect of the file
 * @param rules in file order; empty when there is any error
 * @param errors in file order
 */
public record RuleFile(Dialect dialect, List<Rule> rules, List<RuleError> errors) {
    /** Grammar of a file. */
    public enum Dialect {
        /** {@code use …} and {@code log …} lines. */
        LIBSDP,
        /** {@code bind …} and {@code connect …} lines. */
        JDK
    }

    /** After this many errors the rest of a file is not looked at. */
    static final int MAX_ERRORS = 100;

    /** Bounds the memory a file can cost. */
    static final int MAX_RULES = 20_000;

    /** Copies the lists. */
    public RuleFile {
        rules = List.copyOf(rules);
        errors = List.copyOf(errors);
    }

    /** Parses {@code text}; a file without any rule is taken for the libsdp dialect. */
    public static RuleFile parse(String file, String text, HostLookup hosts) {
        return parse(file, text, hosts, Dialect.LIBSDP);
    }

    /**
     * Parses a rule file.
     *
     * @param file its name, used in messages and origins only
     * @param text all of it
     * @param hosts resolves host names
     * @param whenSilent the dialect of a file whose words do not tell, such as an empty one
     */
    public static RuleFile parse(String file, String text, HostLookup hosts, Dialect whenSilent) {
        List<String> lines = lines(text);
        Dialect dialect = whenSilent;
        for (String line : lines) {
            LineCursor cursor = new LineCursor(file, 1, line);
            String first = cursor.word();
            if (cursor.is(first, "use") || cursor.is(first, "log")) {
                dialect = Dialect.LIBSDP;
                break;
            }
            if (cursor.is(first, "bind") || cursor.is(first, "connect")) {
                dialect = Dialect.JDK;
                break;
            }
        }
        List<Rule> rules = new ArrayList<>();
        List<RuleError> errors = new ArrayList<>();
        for (int i = 0; i < lines.size() && errors.size() < MAX_ERRORS; i++) {
            LineCursor cursor = new LineCursor(file, i + 1, lines.get(i));
            try {
                Rule rule =
                        dialect == Dialect.LIBSDP
                                ? LibsdpLine.parse(cursor, hosts)
                                : JdkLine.parse(cursor, hosts);
                if (rule != null && rules.size() == MAX_RULES) {
                    throw cursor.bad(
                            1, cursor.source(), "at most " + MAX_RULES + " rules in a file");
                }
                if (rule != null) {
                    rules.add(rule);
                }
            } catch (LineCursor.Bad bad) {
                errors.add(bad.error);
            }
        }
        return new RuleFile(dialect, errors.isEmpty() ? rules : List.of(), errors);
    }

    /** Lines end with a line feed, a carriage return, or both. */
    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\r') {
                lines.add(text.substring(from, i));
                i += c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n' ? 1 : 0;
                from = i + 1;
            }
        }
        if (from < text.length()) {
            lines.add(text.substring(from));
        }
        return lines;
    }

    /** Whether the file can be used. */
    public boolean ok() {
        return errors.isEmpty();
    }

    /**
     * The rules as one program sees them.
     *
     * @throws IllegalStateException when the file has errors
     */
    public Policy policy(String programName) {
        if (!ok()) {
            throw new IllegalStateException(errors.getFirst().message());
        }
        boolean jdk = dialect == Dialect.JDK;
        Verdict otherwise = jdk ? Verdict.KERNEL : Verdict.OFFLOAD_FIRST;
        String says = "no rule matches: " + otherwise.word();
        List<Rule> inForce = new ArrayList<>();
        for (Rule rule : rules) { // no lambda: the first one costs a start milliseconds
            inForce.add(rule.inForce());
        }
        return new Policy(
                List.copyOf(inForce),
                programName,
                Decision.of(otherwise, says, Decision.DEFAULT_ORIGIN),
                !jdk);
    }
}
