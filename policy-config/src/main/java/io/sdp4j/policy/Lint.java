package io.sdp4j.policy;

/**
 * Something in a rule file that is legal but cannot mean what its author wants.
 *
 * @param kind what is odd
 * @param rule the rule
 * @param detail the why, as the end of a sentence
 */
public record Lint(Kind kind, Rule rule, String detail) {
    /** Oddities of a rule. */
    public enum Kind {
        /** A host name that did not resolve when the file was loaded. */
        UNKNOWN_HOST,
        /** A port range whose end lies before its start. */
        EMPTY_PORT_RANGE,
        /** An address with a prefix has bits behind it, which do not count. */
        HOST_BITS,
        /** No socket can have such a port. */
        NEVER_MATCHES,
        /** An earlier rule takes everything this one could match. */
        SHADOWED,
        /** An option that its verdict or role makes meaningless. */
        NO_EFFECT
    }

    /** One line: where, which rule, why. */
    public String sentence() {
        return rule.decision().origin() + ": '" + rule.decision().rule() + "' " + detail;
    }
}
