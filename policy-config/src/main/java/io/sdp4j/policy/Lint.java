package io.sdp4j.policy;

/**
 * Something in a rule file that is legal but cannot mean what its author wants.
 *
 * @param rule the rule
 * @param detail the why, as the end of a sentence
 */
public record Lint(Rule rule, String detail) {
    /** One line: where, which rule, why. */
    public String sentence() {
        return rule.decision().origin() + ": '" + rule.decision().rule() + "' " + detail;
    }
}
