package io.sdp4j.bench;

import static io.sdp4j.bench.Bar.Kind.AT_MOST;
import static io.sdp4j.bench.Bar.Kind.AT_MOST_EVERY_RUN;
import static io.sdp4j.bench.Bar.Kind.IN_TURN;
import static io.sdp4j.bench.Bar.Kind.MORE_BY_AT_MOST;
import static io.sdp4j.bench.Bar.Kind.SPEEDUP;
import static io.sdp4j.bench.Bar.Kind.SPEEDUP_EVERY_ROUND;
import static io.sdp4j.bench.Bar.Kind.SPREAD;
import static io.sdp4j.bench.Bar.Kind.TIMES_AS_LONG;

/**
 * The bar of a row: a comparison of one metric between a configuration and a base.
 *
 * @param what the words of the verdict
 * @param metric which number of a run
 * @param subject whose number
 * @param base compared with whose; ignored where the kind compares with nothing
 * @param baseMetric which of its numbers
 * @param kind how
 * @param limit the least (speed-ups) or the most (the others) that passes
 */
record Bar(
        String what,
        String metric,
        Config subject,
        Config base,
        String baseMetric,
        Kind kind,
        double limit) {
    /** How a bar looks at its numbers. */
    enum Kind {
        /** Median of the base over the median of the subject, the other way round for rates. */
        SPEEDUP,
        /**
         * Median of the ratios of slices that were measured one right after the other: for what
         * must hardly differ, so that the machine's good and bad minutes count for both.
         */
        IN_TURN,
        /** The least such ratio of any one round: for what must never be worse. */
        SPEEDUP_EVERY_ROUND,
        /** Median of the subject over the median of the base. */
        TIMES_AS_LONG,
        /** Highest over lowest of all the subject's runs. */
        SPREAD,
        /** Median of the subject less the median of the base. */
        MORE_BY_AT_MOST,
        /** Median of the subject. */
        AT_MOST,
        /** Highest of all the subject's runs. */
        AT_MOST_EVERY_RUN
    }

    /**
     * Reads the name of one of the methods below and its arguments, as {@code spread p50 SHM 2}.
     */
    static Bar parse(String text) {
        String[] words = text.split(" ", -1);
        String metric = words[1];
        Config subject = Config.valueOf(words[2]);
        if (words[0].equals("below")) {
            return below(metric, subject, words[3], Config.valueOf(words[4]));
        }
        double limit = Double.parseDouble(words[words.length - 1]);
        if (words.length == 4) {
            return switch (words[0]) {
                case "spread" -> spread(metric, subject, limit);
                case "atMost" -> atMost(metric, subject, limit);
                case "neverAbove" -> neverAbove(metric, subject, limit);
                default -> throw new IllegalArgumentException(text);
            };
        }
        Config base = Config.valueOf(words[3]);
        return switch (words[0]) {
            case "faster" -> faster(metric, subject, base, limit);
            case "fasterInTurn" -> fasterInTurn(metric, subject, base, limit);
            case "neverSlower" -> neverSlower(metric, subject, base, limit);
            case "timesAsLong" -> timesAsLong(metric, subject, base, limit);
            case "moreByAtMost" -> moreByAtMost(metric, subject, base, limit);
            default -> throw new IllegalArgumentException(text);
        };
    }

    static Bar faster(String metric, Config subject, Config base, double limit) {
        return new Bar(metric, metric, subject, base, metric, SPEEDUP, limit);
    }

    /** As {@link #faster}, beside another number of the base. */
    static Bar below(String metric, Config subject, String baseMetric, Config base) {
        String what = metric + " beside " + baseMetric;
        return new Bar(what, metric, subject, base, baseMetric, SPEEDUP, 1);
    }

    static Bar fasterInTurn(String metric, Config subject, Config base, double limit) {
        return new Bar(metric, metric, subject, base, metric, IN_TURN, limit);
    }

    static Bar neverSlower(String metric, Config subject, Config base, double limit) {
        return new Bar(
                metric + ", worst round",
                metric,
                subject,
                base,
                metric,
                SPEEDUP_EVERY_ROUND,
                limit);
    }

    static Bar timesAsLong(String metric, Config subject, Config base, double limit) {
        return new Bar(metric, metric, subject, base, metric, TIMES_AS_LONG, limit);
    }

    static Bar spread(String metric, Config subject, double limit) {
        return new Bar("spread of " + metric, metric, subject, subject, metric, SPREAD, limit);
    }

    static Bar moreByAtMost(String metric, Config subject, Config base, double limit) {
        return new Bar(metric, metric, subject, base, metric, MORE_BY_AT_MOST, limit);
    }

    static Bar atMost(String metric, Config subject, double limit) {
        return new Bar(
                metric + ", " + subject.title, metric, subject, subject, metric, AT_MOST, limit);
    }

    static Bar neverAbove(String metric, Config subject, double limit) {
        return new Bar(
                metric + ", worst run", metric, subject, subject, metric, AT_MOST_EVERY_RUN, limit);
    }

    /** Whether {@code value}, of this bar's kind, passes. */
    boolean passes(double value) {
        return switch (kind) {
            case SPEEDUP, IN_TURN, SPEEDUP_EVERY_ROUND -> value >= limit;
            case TIMES_AS_LONG, SPREAD, MORE_BY_AT_MOST, AT_MOST, AT_MOST_EVERY_RUN ->
                    value <= limit;
        };
    }

    /** The limit as the table prints it. */
    String limitText() {
        return switch (kind) {
            case SPEEDUP, IN_TURN, SPEEDUP_EVERY_ROUND -> "≥ " + Format.plain(limit) + "×";
            case TIMES_AS_LONG -> "≤ " + Format.plain(limit) + "× the time";
            case SPREAD -> "≤ " + Format.plain(limit) + "×";
            case MORE_BY_AT_MOST -> "≤ +" + Format.value(metric, limit);
            case AT_MOST, AT_MOST_EVERY_RUN -> "≤ " + Format.value(metric, limit);
        };
    }

    /** A value of this bar's kind as the table prints it. */
    String valueText(double value) {
        return switch (kind) {
            case MORE_BY_AT_MOST -> (value < 0 ? "" : "+") + Format.value(metric, value);
            case AT_MOST, AT_MOST_EVERY_RUN -> Format.value(metric, value);
            default -> Format.ratio(value);
        };
    }
}
