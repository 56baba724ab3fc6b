package io.sdp4j.bench;

import io.sdp4j.bench.Results.Verdict;
import java.util.ArrayList;
import java.util.List;

/** The results as a Markdown table: medians with their lowest and highest, ratios, bars. */
final class Table {
    private Table() {}

    static String markdown(Results results) {
        StringBuilder out = new StringBuilder();
        boolean unix = false;
        for (Row row : results.rows()) {
            unix |= row.configs().contains(Config.UNIX);
        }
        String column = unix ? " AF_UNIX |" : "";
        out.append("| what | kernel TCP |" + column + " sdp4j | result (by round) | bar | |\n");
        out.append("|---|---|---|---|---|---|").append(unix ? "---|\n" : "\n");
        for (Row row : results.rows()) {
            boolean shm = row.configs().contains(Config.SHM);
            Config subject = shm ? Config.SHM : row.configs().getLast();
            String cells =
                    "| "
                            + row.title()
                            + " | "
                            + cell(results, row, row.configs().getFirst())
                            + " | "
                            + (unix ? cell(results, row, Config.UNIX) + " | " : "")
                            + cell(results, row, subject)
                            + " | ";
            for (Bar bar : row.bars()) {
                out.append(cells).append(result(results.verdict(row, bar))).append(" |\n");
                cells = unix ? "| | | | | " : "| | | | ";
            }
        }
        return out.toString();
    }

    /** The same where more than two are compared: a line for each bar, naming what it compares. */
    static String wide(Results results) {
        StringBuilder out = new StringBuilder();
        out.append("| what | measured | result (by round) | bar | |\n|---|---|---|---|---|\n");
        for (Row row : results.rows()) {
            List<String> measured = new ArrayList<>();
            for (Config config : row.configs()) {
                measured.add(config.title + " " + cell(results, row, config));
            }
            String cells = "| " + row.title() + " | " + String.join("; ", measured) + " | ";
            for (Bar bar : row.bars()) {
                String against = bar.base() == bar.subject() ? "" : " against " + bar.base().title;
                out.append(cells).append(bar.subject().title).append(against).append(": ");
                out.append(result(results.verdict(row, bar))).append(" |\n");
                cells = "| | | ";
            }
        }
        return out.toString();
    }

    /** The same where a row has many figures: a line for each bar, with both its figures. */
    static String byFigure(Results results) {
        StringBuilder out = new StringBuilder();
        out.append("| what | kernel TCP | sdp4j | result (by round) | bar | |\n");
        out.append("|---|---|---|---|---|---|\n");
        for (Row row : results.rows()) {
            String what = row.title();
            Config last = row.bars().getFirst().subject();
            for (Bar bar : row.bars()) {
                if (bar.subject() != last) {
                    last = bar.subject();
                    what = last.title;
                }
                out.append("| ").append(what).append(" | ");
                out.append(cell(results, row, bar.base(), bar.baseMetric())).append(" | ");
                out.append(cell(results, row, bar.subject(), bar.metric())).append(" | ");
                out.append(result(results.verdict(row, bar))).append(" |\n");
                what = "";
            }
        }
        return out.toString();
    }

    private static String cell(Results results, Row row, Config config) {
        return cell(results, row, config, row.metric());
    }

    private static String cell(Results results, Row row, Config config, String metric) {
        double[] values = results.sorted(row, config, metric);
        if (values.length == 0) {
            return row.configs().contains(config) ? "–" : "";
        }
        return Format.value(metric, results.overall(row, config, metric))
                + " ("
                + Format.value(metric, values[0])
                + " … "
                + Format.value(metric, values[values.length - 1])
                + ")";
    }

    private static String result(Verdict verdict) {
        Bar bar = verdict.bar();
        String bounds = bar.what() + " " + bar.limitText();
        if (Double.isNaN(verdict.value())) {
            return verdict.objection() + " | " + bounds + " | **missed**";
        }
        String value = bar.what() + " " + bar.valueText(verdict.value());
        if (bar.kind() != Bar.Kind.SPREAD && bar.kind() != Bar.Kind.SPEEDUP_EVERY_ROUND) {
            value +=
                    " ("
                            + bar.valueText(verdict.lowest())
                            + " … "
                            + bar.valueText(verdict.highest())
                            + ")";
        }
        String outcome = verdict.passed() ? "reached" : "**missed**";
        if (verdict.objection() != null) {
            outcome += ": " + verdict.objection();
        }
        return value + " | " + bounds + " | " + outcome;
    }
}
