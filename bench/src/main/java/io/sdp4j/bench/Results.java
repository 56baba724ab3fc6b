package io.sdp4j.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Everything measured: per row and configuration the runs of each round, and what the agents
 * reported. For one thread.
 */
final class Results {
    /** Name of what {@link HandOver} took beside a run, the longer of before and after. */
    static final String HAND_OVER = "handover";

    /** Name of what {@link Machine#stolenMs} grew by meanwhile. */
    static final String STOLEN = "stolen";

    /** One run: the round it belongs to and its numbers. */
    record Run(int round, Map<String, Double> metrics) {}

    /**
     * Result of one bar.
     *
     * @param value of the bar's kind; NaN when nothing was measured
     * @param lowest of the per-round values (of the runs, where a bar compares with nothing)
     * @param highest likewise
     * @param objection why it fails whatever the value, or null
     */
    record Verdict(Bar bar, double value, double lowest, double highest, String objection) {
        boolean passed() {
            return objection == null && bar.passes(value);
        }
    }

    private final Map<Row, Map<Config, List<Run>>> runs = new LinkedHashMap<>();
    private final Map<Config, Map<String, Long>> reported = new EnumMap<>(Config.class);
    private final List<String> failures = new ArrayList<>();
    private final List<Map<String, Object>> aside = new ArrayList<>();
    private long waitedMs;

    void add(Row row, Config config, Run run) {
        runs.computeIfAbsent(row, r -> new EnumMap<>(Config.class))
                .computeIfAbsent(config, c -> new ArrayList<>())
                .add(run);
    }

    void addFailure(Row row, Config config, String problem) {
        runs.computeIfAbsent(row, r -> new EnumMap<>(Config.class));
        failures.add(row.id() + ", " + config.title + ": " + problem);
    }

    /** Keeps a run that does not count, because the machine changed in it. */
    void setAside(Row row, Config config, Run run) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("row", row.id());
        one.put("config", config.id);
        one.putAll(forJson(run));
        aside.add(one);
    }

    /** How long was waited for the machine to become idle, in all. */
    void waited(long ms) {
        waitedMs = ms;
    }

    /** The machine's states while it was measured; empty if nothing. */
    String states() {
        double[] taken =
                runs.values().stream()
                        .flatMap(byConfig -> byConfig.values().stream())
                        .flatMap(List::stream)
                        .mapToDouble(run -> run.metrics().getOrDefault(HAND_OVER, Double.NaN))
                        .filter(nanos -> !Double.isNaN(nanos))
                        .sorted()
                        .toArray();
        if (taken.length == 0) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                "A bare hand-over between two processors took %.0f ns beside the middle one of %d"
                        + " slices, %.0f to %.0f beside all. %d were measured again, because that"
                        + " had changed or a processor was taken away meanwhile; %d s were waited"
                        + " for it to come back.",
                median(taken),
                taken.length,
                taken[0],
                taken[taken.length - 1],
                aside.size(),
                waitedMs / 1000);
    }

    /** For {@link ResultFile}: the slices set aside. */
    List<Map<String, Object>> asideForJson() {
        return aside;
    }

    private static Map<String, Object> forJson(Run run) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("round", run.round());
        one.putAll(new TreeMap<>(run.metrics()));
        return one;
    }

    Map<String, Long> reported(Config config) {
        return reported.computeIfAbsent(config, c -> new TreeMap<>());
    }

    List<String> failures() {
        return failures;
    }

    Iterable<Row> rows() {
        return runs.keySet();
    }

    List<Run> runs(Row row, Config config) {
        return runs.getOrDefault(row, Map.of()).getOrDefault(config, List.of());
    }

    /** All values of one metric, sorted; empty when nothing was measured. */
    double[] sorted(Row row, Config config, String metric) {
        double[] values =
                runs(row, config).stream()
                        .mapToDouble(run -> run.metrics().getOrDefault(metric, Double.NaN))
                        .toArray();
        Arrays.sort(values);
        return values;
    }

    static double median(double[] sorted) {
        int n = sorted.length;
        return n == 0
                ? Double.NaN
                : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }

    /**
     * The median over the rounds of each round's own value; NaN when nothing was measured. The
     * slices of a round stand for one longer measurement: times give their median, rates their
     * mean, which is what the whole would have given, and does not jump when the slices fall into
     * two groups.
     */
    double overall(Row row, Config config, String metric) {
        double[] values =
                byRound(row, config, metric).values().stream()
                        .mapToDouble(Double::doubleValue)
                        .sorted()
                        .toArray();
        return median(values);
    }

    /** Result of {@code bar} in {@code row}. */
    Verdict verdict(Row row, Bar bar) {
        double[] subject = sorted(row, bar.subject(), bar.metric());
        double[] base = sorted(row, bar.base(), bar.baseMetric());
        double[] perRound = perRound(row, bar);
        double lowest = perRound.length == 0 ? Double.NaN : perRound[0];
        double highest = perRound.length == 0 ? Double.NaN : perRound[perRound.length - 1];
        double value =
                switch (bar.kind()) {
                    case SPEEDUP, TIMES_AS_LONG, MORE_BY_AT_MOST ->
                            compare(
                                    bar,
                                    overall(row, bar.subject(), bar.metric()),
                                    overall(row, bar.base(), bar.baseMetric()));
                    case IN_TURN -> median(inTurn(row, bar));
                    case SPEEDUP_EVERY_ROUND -> lowest;
                    case AT_MOST_EVERY_RUN, SPREAD -> {
                        lowest = subject.length == 0 ? Double.NaN : subject[0];
                        highest = subject.length == 0 ? Double.NaN : subject[subject.length - 1];
                        yield bar.kind() == Bar.Kind.SPREAD ? highest / lowest : highest;
                    }
                    case AT_MOST -> overall(row, bar.subject(), bar.metric());
                };
        String objection = null;
        if (subject.length == 0 || base.length == 0) {
            objection = "nothing measured";
        } else if (failures.stream().anyMatch(f -> f.startsWith(row.id() + ","))) {
            objection = "a measurement failed";
        } else if (!row.isStartup()) {
            objection = Reports.objection(bar.subject(), reported(bar.subject()));
        }
        return new Verdict(bar, value, lowest, highest, objection);
    }

    private static double compare(Bar bar, double subject, double base) {
        return switch (bar.kind()) {
            case TIMES_AS_LONG -> subject / base;
            case MORE_BY_AT_MOST -> subject - base;
            case AT_MOST, AT_MOST_EVERY_RUN, SPREAD -> subject;
            case SPEEDUP, IN_TURN, SPEEDUP_EVERY_ROUND ->
                    Format.higherIsBetter(bar.metric()) ? subject / base : base / subject;
        };
    }

    /**
     * Ratios of the subject's slices to the base's of the same turn, sorted. Where one is missing
     * the turns do not fit any more, but then the bar fails anyway.
     */
    private double[] inTurn(Row row, Bar bar) {
        List<Run> subject = runs(row, bar.subject());
        List<Run> base = runs(row, bar.base());
        return IntStream.range(0, Math.min(subject.size(), base.size()))
                .mapToDouble(i -> compare(bar, value(subject.get(i), bar), value(base.get(i), bar)))
                .sorted()
                .toArray();
    }

    private static double value(Run run, Bar bar) {
        return run.metrics().getOrDefault(bar.metric(), Double.NaN);
    }

    private double[] perRound(Row row, Bar bar) {
        Map<Integer, Double> subject = byRound(row, bar.subject(), bar.metric());
        Map<Integer, Double> base = byRound(row, bar.base(), bar.baseMetric());
        return subject.keySet().stream()
                .filter(base::containsKey)
                .mapToDouble(round -> compare(bar, subject.get(round), base.get(round)))
                .sorted()
                .toArray();
    }

    private Map<Integer, Double> byRound(Row row, Config config, String metric) {
        Map<Integer, List<Double>> slices = new TreeMap<>();
        for (Run run : runs(row, config)) {
            slices.computeIfAbsent(run.round(), round -> new ArrayList<>())
                    .add(run.metrics().getOrDefault(metric, Double.NaN));
        }
        Map<Integer, Double> byRound = new TreeMap<>();
        slices.forEach(
                (round, values) -> {
                    double[] sorted =
                            values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
                    byRound.put(
                            round,
                            Format.higherIsBetter(metric)
                                    ? Arrays.stream(sorted).average().orElse(Double.NaN)
                                    : median(sorted));
                });
        return byRound;
    }

    /** For {@link ResultFile}. */
    List<Object> rowsForJson() {
        List<Object> rows = new ArrayList<>();
        for (Row row : runs.keySet()) {
            Map<String, Object> byConfig = new LinkedHashMap<>();
            for (Config config : row.configs()) {
                byConfig.put(config.id, runs(row, config).stream().map(Results::forJson).toList());
            }
            List<Object> verdicts = new ArrayList<>();
            for (Bar bar : row.bars()) {
                Verdict verdict = verdict(row, bar);
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("metric", bar.metric());
                one.put("subject", bar.subject().id);
                one.put("base", bar.base().id);
                if (!bar.baseMetric().equals(bar.metric())) {
                    one.put("base_metric", bar.baseMetric());
                }
                one.put("kind", bar.kind().name());
                one.put("value", verdict.value());
                one.put("lowest", verdict.lowest());
                one.put("highest", verdict.highest());
                one.put("limit", bar.limit());
                one.put("passed", verdict.passed());
                one.put("objection", verdict.objection());
                verdicts.add(one);
            }
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("id", row.id());
            one.put("title", row.title());
            one.put("metric", row.metric());
            one.put("runs", byConfig);
            one.put("verdicts", verdicts);
            rows.add(one);
        }
        return rows;
    }

    /** For {@link ResultFile}: the agents' reports, by configuration. */
    Map<String, Object> reportedForJson() {
        Map<String, Object> all = new LinkedHashMap<>();
        reported.forEach((config, counts) -> all.put(config.id, counts));
        return all;
    }
}
