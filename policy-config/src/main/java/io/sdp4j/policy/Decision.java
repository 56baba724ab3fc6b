package io.sdp4j.policy;

import java.util.List;
import java.util.Objects;

/**
 * The verdict on one connection or listener, and the rule that gave it.
 *
 * <p>Shape: immutable, made once per rule when the file is read and handed out by reference, so
 * that deciding allocates nothing.
 *
 * @param verdict the verdict
 * @param fabrics names of fabrics in the order to try them; empty: any, in the switch's order
 * @param connectTimeoutNanos cap of the offload attempt in ns, more than 0; -1: the default of the
 *     settings
 * @param rule the rule as it stands in its file, without comment, or words that stand for it
 * @param origin {@code file:line}, or {@link #DEFAULT_ORIGIN}
 */
public record Decision(
        Verdict verdict,
        List<String> fabrics,
        long connectTimeoutNanos,
        String rule,
        String origin) {
    /** {@link #origin} of a decision that no rule made. */
    public static final String DEFAULT_ORIGIN = "default";

    private static final String REFUSED_ORIGIN = "no rules";

    /** Copies the list. */
    public Decision {
        Objects.requireNonNull(verdict);
        Objects.requireNonNull(rule);
        Objects.requireNonNull(origin);
        fabrics = List.copyOf(fabrics);
        if (connectTimeoutNanos <= 0 && connectTimeoutNanos != -1) {
            throw new IllegalArgumentException("connectTimeoutNanos " + connectTimeoutNanos);
        }
    }

    /** A decision with no fabric preference and the default time-out. */
    public static Decision of(Verdict verdict, String rule, String origin) {
        return new Decision(verdict, List.of(), -1, rule, origin);
    }

    /** The decision while the rule file is refused and there are no earlier rules. */
    static Decision withoutRules(Verdict verdict, String why) {
        return of(verdict, why, REFUSED_ORIGIN);
    }

    /** Whether it keeps a connection on the kernel because the rule file was refused. */
    public boolean lacksRules() {
        return verdict == Verdict.KERNEL && origin.equals(REFUSED_ORIGIN);
    }

    @Override
    public String toString() {
        return rule + " (" + origin + ")";
    }
}
