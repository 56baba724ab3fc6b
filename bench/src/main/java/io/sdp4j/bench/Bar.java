package io.sdp4j.bench;

import java.util.stream.Stream;

/**
 * The bar of a row: a comparison of one metric between a configuration and a base.
 *
 * @param metric which number of a run
 * @param subject whose number
 * @param base compared with whose; the same where the kind compares with nothing
 * @param baseMetric which of its numbers
 * @param kind how
 * @param limit the least (speed-ups) or the most (the others) that passes
 */
record Bar(String metric, Config subject, Config base, String baseMetric, Kind kind, double limit) {
    /** How a bar looks at its numbers. */
    enum Kind {
        /** Median of the base over the median of the subject, the other way round for rates. */
        SPEEDUP("faster"),
        /**
         * Median of the ratios of slices that were measured one right after the other: for what
         * must hardly differ, so that the machine's good and bad minutes count for both.
         */
        IN_TURN("fasterInTurn"),
        /** The least such ratio of any one round: for what must never be worse. */
        SPEEDUP_EVERY_ROUND("neverSlower"),
        /** Median of the subject over the median of the base. */
        TIMES_AS_LONG("timesAsLong"),
        /** Highest over lowest of all the subject's runs. */
        SPREAD("spread"),
        /** Median of the subject less the median of the base. */
        MORE_BY_AT_MOST("moreByAtMost"),
        /** Median of the subject. */
        AT_MOST("atMost"),
        /** Highest of all the subject's runs. */
        AT_MOST_EVERY_RUN("neverAbove");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        private boolean comparesWithNothing() {
            return this == SPREAD || this == AT_MOST || this == AT_MOST_EVERY_RUN;
        }
    }

    /**
     * Reads the word of a kind, the metric, the configurations and the limit, as {@code faster p50
     * SHM TCP 2} and {@code spread p50 SHM 2}; or {@code below p999 SHM p50 TCP}: faster than
     * another number of the base.
     */
    static Bar parse(String text) {
        String[] words = text.split(" ", -1);
        String metric = words[1];
        Config subject = Config.valueOf(words[2]);
        if (words[0].equals("below")) {
            return new Bar(metric, subject, Config.valueOf(words[4]), words[3], Kind.SPEEDUP, 1);
        }
        Kind kind =
                Stream.of(Kind.values())
                        .filter(k -> k.word.equals(words[0]))
                        .filter(k -> words.length == (k.comparesWithNothing() ? 4 : 5))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(text));
        Config base = kind.comparesWithNothing() ? subject : Config.valueOf(words[3]);
        double limit = Double.parseDouble(words[words.length - 1]);
        return new Bar(metric, subject, base, metric, kind, limit);
    }

    /** The words of the verdict. */
    String what() {
        return switch (kind) {
            case SPEEDUP_EVERY_ROUND -> metric + ", worst round";
            case AT_MOST_EVERY_RUN -> metric + ", worst run";
            case SPREAD -> "spread of " + metric;
            case AT_MOST -> metric + ", " + subject.title;
            default -> metric.equals(baseMetric) ? metric : metric + " beside " + baseMetric;
        };
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
