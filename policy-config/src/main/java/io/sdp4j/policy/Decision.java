package io.sdp4j.policy;

import java.util.List;
import java.util.Objects;

/**
 * The verdict on one connection or listener, and the rule that gave it.
 *
 * <p>Shape: immutable, made once per rule when the file is read and handed out by reference, so
 * that deciding allocates nothing. Two decisions are equal only when they are the same object.
 */
public final class Decision {
    /** {@link #origin} of a decision that no rule made. */
    public static final String DEFAULT_ORIGIN = "default";

    private final Verdict verdict;
    private final List<String> fabrics;
    private final long connectTimeoutNanos;
    private final String rule;
    private final String origin;

    private Decision(
            Verdict verdict,
            List<String> fabrics,
            long connectTimeoutNanos,
            String rule,
            String origin) {
        this.verdict = Objects.requireNonNull(verdict);
        this.fabrics = List.copyOf(fabrics);
        this.connectTimeoutNanos = connectTimeoutNanos;
        this.rule = Objects.requireNonNull(rule);
        this.origin = Objects.requireNonNull(origin);
    }

    /**
     * A decision with no fabric preference and the default time-out.
     *
     * @param rule source text of the rule, or words that stand for it
     * @param origin {@code file:line}, or {@link #DEFAULT_ORIGIN}
     */
    public static Decision of(Verdict verdict, String rule, String origin) {
        return new Decision(verdict, List.of(), -1, rule, origin);
    }

    /**
     * A decision with every part given.
     *
     * @param fabrics names of fabrics in the order to try them; empty: any, in the switch's order
     * @param connectTimeoutNanos cap of the offload attempt in ns, more than 0; -1: the default
     */
    public static Decision of(
            Verdict verdict,
            List<String> fabrics,
            long connectTimeoutNanos,
            String rule,
            String origin) {
        if (connectTimeoutNanos <= 0 && connectTimeoutNanos != -1) {
            throw new IllegalArgumentException("connectTimeoutNanos " + connectTimeoutNanos);
        }
        return new Decision(verdict, fabrics, connectTimeoutNanos, rule, origin);
    }

    /** The verdict. */
    public Verdict verdict() {
        return verdict;
    }

    /** Fabrics in the order the rule prefers them; empty: any. */
    public List<String> fabrics() {
        return fabrics;
    }

    /** Longest time the offload attempt may take, in ns; -1: the default of the settings. */
    public long connectTimeoutNanos() {
        return connectTimeoutNanos;
    }

    /** The rule as it stands in its file, without comment. */
    public String rule() {
        return rule;
    }

    /** Where the rule stands: {@code file:line}, or {@value #DEFAULT_ORIGIN}. */
    public String origin() {
        return origin;
    }

    @Override
    public String toString() {
        return rule + " (" + origin + ")";
    }
}
