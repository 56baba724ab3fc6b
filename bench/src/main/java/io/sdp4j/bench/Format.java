package io.sdp4j.bench;

import java.util.Locale;

/** Numbers as the table prints them. */
final class Format {
    private Format() {}

    /** Whether more of {@code metric} is better: the rates. */
    static boolean higherIsBetter(String metric) {
        return (metric.startsWith("by") && !metric.equals("bytes"))
                || metric.equals("writes")
                || metric.equals("bytes")
                || metric.startsWith("requests");
    }

    /** A value with the unit of its metric. */
    static String value(String metric, double value) {
        return switch (metric) {
            case "p50", "p99", "p999" -> digits(value / 1000) + " µs";
            case "p50-first", "p99-first", "p50-last", "p99-last" -> digits(value / 1e6) + " ms";
            case "requests" -> digits(value / 1e3) + " k/s";
            case "requests-first", "requests-next", "requests-last" -> digits(value) + " /s";
            case "cpu-first", "cpu-next", "cpu-last", "cpu-trip" -> digits(value / 1e3) + " CPU µs";
            case "cpu-idle" -> digits(value / 1e6) + " CPU ms/s";
            case "switches" -> digits(value) + " /s";
            case "writes" -> digits(value / 1e6) + " M/s";
            case "bytes" -> digits(value / 1e9) + " GB/s";
            case "cpu" -> digits(value) + " CPU s/GB";
            case "wall", "connect", "listen", "exit", "cpu-time", "start" ->
                    String.format(Locale.ROOT, "%.0f ms", value);
            case "memory" -> digits(value / (1 << 20)) + " MiB";
            case "crowd" -> ratio(value);
            case "alloc" -> String.format(Locale.ROOT, "%.2f B", value);
            default -> digits(value);
        };
    }

    static String ratio(double value) {
        return digits(value) + "×";
    }

    /** As short as it is exact. */
    static String plain(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }

    /** Three digits that matter. */
    static String digits(double value) {
        double size = Math.abs(value);
        String pattern = size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, pattern, value);
    }
}
