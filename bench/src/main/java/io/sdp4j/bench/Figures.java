package io.sdp4j.bench;

import static io.sdp4j.bench.Config.DEFAULTS;
import static io.sdp4j.bench.Config.PARKED;
import static io.sdp4j.bench.Config.SHM;
import static io.sdp4j.bench.Config.TCP;
import static io.sdp4j.bench.Config.UNIX;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * The figures of the documents, drawn from committed results: each as SVG for a light and for a
 * dark page.
 *
 * <p>Shape: a figure is a name and a chart for a style; all numbers are those that {@link Table}
 * prints.
 *
 * @param results folder of the results, as {@code --json} keeps them
 */
record Figures(Path results) {
    private static final String P50 = "p50";
    private static final double THOUSAND = 1e3;
    private static final double GIGA = 1e9;

    /** When round trips were counted, in ms since connect. */
    private static final List<Integer> COUNTED = List.of(250, 500, 1000, 2000, 4000);

    /** Before the digest of the results, in the comment at the end of a figure. */
    static final String FROM = "results ";

    /** Before the measures of text. */
    static final String TEXT = ", text measures ";

    private static final List<Suite> SOURCES = List.of(Suite.NET, Suite.NIO, Suite.COLD);

    /**
     * Draws all of them.
     *
     * @param results folder of the results, as {@code --json} keeps them
     * @param figures folder to draw into
     * @return what was drawn
     */
    static List<Path> draw(Path results, Path figures) throws IOException {
        System.setProperty("java.awt.headless", "true");
        Files.createDirectories(figures);
        Figures from = new Figures(results);
        List<Path> drawn = new ArrayList<>();
        for (FigureStyle style : FigureStyle.values()) {
            for (Map.Entry<String, Chart<?, ?>> figure : from.charts(style).entrySet()) {
                Path file = figures.resolve(figure.getKey() + style.suffix());
                String told = FROM + from.digest() + TEXT + FigureStyle.font();
                Files.writeString(file, FigureStyle.svg(figure.getValue(), told));
                drawn.add(file);
            }
        }
        return drawn;
    }

    /** Tells one set of results from another. */
    private String digest() throws IOException {
        CRC32 sum = new CRC32();
        for (Suite suite : SOURCES) {
            sum.update(Files.readAllBytes(file(suite)));
        }
        return Long.toHexString(sum.getValue());
    }

    private Path file(Suite suite) {
        return results.resolve(suite.id() + ".json");
    }

    private Map<String, Chart<?, ?>> charts(FigureStyle style) throws IOException {
        Map<String, Chart<?, ?>> charts = new LinkedHashMap<>();
        charts.put("first-seconds", firstSeconds(style));
        charts.put("round-trips", roundTrips(style));
        charts.put("streams", streams(style));
        charts.put("channels", channels(style));
        return charts;
    }

    private Chart<?, ?> firstSeconds(FigureStyle style) throws IOException {
        Results measured = read(Suite.COLD);
        Row row = Suite.COLD.row("cold64");
        XYChart chart =
                style.lines(
                        "Round trips of 64 B since connect, two fresh JVMs",
                        "seconds since connect",
                        "round trips made");
        chart.getStyler().setXAxisMin(0.0).setXAxisMax(4.1);
        chart.setCustomYAxisTickLabelsFormatter(Figures::count);
        double[] seconds = COUNTED.stream().mapToDouble(ms -> ms / THOUSAND).toArray();
        for (Config config : List.of(TCP, DEFAULTS)) {
            int number = 0;
            for (Results.Run run : measured.runs(row, config)) {
                double[] made =
                        COUNTED.stream().mapToDouble(ms -> run.metrics().get("by" + ms)).toArray();
                XYSeries one = chart.addSeries(config.id + number++, seconds, made);
                line(one, style.faint(config), 1.2f).setMarker(SeriesMarkers.NONE);
                one.setShowInLegend(false);
            }
        }
        for (Config config : List.of(TCP, DEFAULTS)) {
            double[] made =
                    COUNTED.stream()
                            .mapToDouble(ms -> measured.overall(row, config, "by" + ms))
                            .toArray();
            line(chart.addSeries(config.title, seconds, made), style.color(config), 3);
        }
        return chart;
    }

    private Chart<?, ?> roundTrips(FigureStyle style) throws IOException {
        Results measured = read(Suite.NET);
        XYChart chart =
                style.lines(
                        "Round trip between two warm JVMs, median",
                        "bytes of a message (measured: 64, 4 Ki, 64 Ki)",
                        "µs there and back");
        chart.getStyler().setXAxisLogarithmic(true).setYAxisMin(0.1).setYAxisMax(200.0);
        chart.setCustomYAxisTickLabelsFormatter(Format::plain);
        chart.setCustomXAxisTickLabelsFormatter(Figures::count);
        double[] sizes = {64, 4 << 10, 64 << 10};
        List<String> rows = List.of("rtt64", "rtt4k", "rtt64k");
        for (Config config : List.of(TCP, UNIX, SHM)) {
            double[] micros =
                    rows.stream()
                            .mapToDouble(
                                    id ->
                                            measured.overall(Suite.NET.row(id), config, P50)
                                                    / THOUSAND)
                            .toArray();
            line(chart.addSeries(config.title, sizes, micros), style.color(config), 3);
        }
        return chart;
    }

    private Chart<?, ?> streams(FigureStyle style) throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        rows.put("64 KiB writes", "stream64k");
        rows.put("1 MiB writes", "stream1m");
        CategoryChart chart = style.bars("One-way stream between two warm JVMs", "GB/s");
        bars(chart, style, Suite.NET, rows, "bytes", GIGA, List.of(TCP, UNIX, SHM));
        return chart;
    }

    private Chart<?, ?> channels(FigureStyle style) throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        rows.put("blocking channel", "channel-rtt64");
        rows.put("selector loop", "selector-rtt64");
        rows.put("selector loop, spinning off", "selector-rtt64-parked");
        rows.put("Netty NIO", "netty-rtt64");
        CategoryChart chart = style.bars("Round trip of 64 B over channels, median", "µs");
        bars(chart, style, Suite.NIO, rows, P50, THOUSAND, List.of(TCP, SHM));
        return chart;
    }

    private void bars(
            CategoryChart chart,
            FigureStyle style,
            Suite suite,
            Map<String, String> rows,
            String metric,
            double unit,
            List<Config> configs)
            throws IOException {
        Results measured = read(suite);
        for (Config config : configs) {
            List<Double> values = new ArrayList<>();
            for (String id : rows.values()) {
                Row row = suite.row(id);
                Config as = row.configs().contains(config) ? config : PARKED;
                values.add(Double.valueOf(Format.digits(measured.overall(row, as, metric) / unit)));
            }
            chart.addSeries(config.title, List.copyOf(rows.keySet()), values)
                    .setFillColor(style.color(config));
        }
    }

    private static XYSeries line(XYSeries series, Color color, float width) {
        series.setLineColor(color);
        series.setMarkerColor(color);
        series.setMarker(SeriesMarkers.CIRCLE);
        series.setLineStyle(new BasicStroke(width, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
        return series;
    }

    private static String count(double number) {
        return number >= 1e6
                ? Format.plain(number / 1e6) + " M"
                : number >= 1e3 ? Format.plain(number / 1e3) + " k" : Format.plain(number);
    }

    /** The results of a suite's run, as kept by {@code --json}. */
    private Results read(Suite suite) throws IOException {
        JsonNode all = new ObjectMapper().readTree(file(suite).toFile());
        Results read = new Results();
        for (JsonNode row : all.get("rows")) {
            for (Map.Entry<String, JsonNode> runs : row.get("runs").properties()) {
                for (JsonNode run : runs.getValue()) {
                    Map<String, Double> metrics = new HashMap<>();
                    run.properties().forEach(m -> metrics.put(m.getKey(), m.getValue().asDouble()));
                    int round = run.get("round").asInt();
                    read.add(
                            suite.row(row.get("id").asText()),
                            config(runs.getKey()),
                            new Results.Run(round, metrics));
                }
            }
        }
        return read;
    }

    private static Config config(String id) {
        return Stream.of(Config.values())
                .filter(config -> config.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no configuration " + id));
    }
}
