package io.sdp4j.agent.cli;

import io.sdp4j.agent.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Two unmodified programs in two JVMs, first on kernel TCP, then with the agent, side by side. */
@Command(
        name = "demo",
        description =
                "Run two unmodified programs on kernel TCP, then with the agent, check every byte and"
                        + " compare.",
        footer = {
            "",
            "Exit code 0: every byte arrived in both runs and the second one was offloaded; 1: not."
        })
final class DemoCommand extends Subcommand {
    private static final String RULES = "use both server * *:*\nuse both client * *:*\n";

    /** How much longer is measured where the usual time says little. */
    private static final int LONGER = 2;

    /** Of the processors, how many may have work before the machine counts as busy. */
    private static final double BUSY_SHARE = 0.75;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "1.2",
            description =
                    "Length of each measured part (default: ${DEFAULT-VALUE}, and twice as long"
                            + " on a busy machine, or where that was too short).")
    private double seconds;

    @Option(
            names = "--bytes",
            paramLabel = "N",
            defaultValue = "67108864",
            description = "Bytes that are checked, each way (default: ${DEFAULT-VALUE}).")
    private long bytes;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!(seconds > 0 && seconds <= 3600) || bytes <= 0) {
            throw wrong("--seconds must be above 0, 3600 at most; --bytes above 0");
        }
        Path jar = Place.agentJar();
        Path samples = Place.builtJar("samples", StreamRun.SERVER);
        Path folder = folder();
        try {
            Path rules = Files.writeString(folder.resolve("demo.conf"), RULES);
            boolean adapts = !given("--seconds");
            Comparison pair =
                    adapts
                            ? adapting(
                                    seconds,
                                    busy(loadAverage(), processors()),
                                    this::progress,
                                    length -> measure(jar, samples, rules, folder, length))
                            : measure(jar, samples, rules, folder, seconds);
            return show(pair.kernel, pair.offload);
        } finally {
            for (Path file : List.of(folder.resolve("demo.conf"), folder)) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static Path folder() {
        try {
            return Files.createTempDirectory("sdp4j-demo");
        } catch (IOException e) {
            throw new Unavailable(
                    "no directory for temporary files: "
                            + Failures.reason(e)
                            + "; name one with -Djava.io.tmpdir=DIR in JAVA_TOOL_OPTIONS");
        }
    }

    /** One comparison, with parts of that length. */
    interface Measurement {
        Comparison of(double seconds) throws IOException, InterruptedException;
    }

    /**
     * Measures longer on a busy machine, and once more where the first comparison was too short.
     *
     * @param progress told why
     */
    static Comparison adapting(
            double seconds, boolean busy, Consumer<String> progress, Measurement measurement)
            throws IOException, InterruptedException {
        if (busy) {
            progress.accept("this machine is busy (load " + load() + "): each part takes longer");
            return measurement.of(seconds * LONGER);
        }
        Comparison pair = measurement.of(seconds);
        if (!pair.complete() || pair.faster()) {
            return pair;
        }
        progress.accept(
                "not faster in every respect: the JVMs may have been compiling still; once more,"
                        + " with longer parts");
        return measurement.of(seconds * LONGER);
    }

    /** The two runs of one comparison. */
    record Comparison(StreamRun.Result kernel, StreamRun.Result offload) {
        /** Whether there is anything to compare. */
        boolean complete() {
            return kernel.verified() && offload.verified() && offload.offloaded() > 0;
        }

        boolean faster() {
            return offload.rttP50Nanos() < kernel.rttP50Nanos()
                    && offload.megabytesPerSecond() > kernel.megabytesPerSecond();
        }
    }

    private Comparison measure(Path jar, Path samples, Path rules, Path folder, double length)
            throws IOException, InterruptedException {
        StreamRun runs = new StreamRun(samples, length, bytes, this::progress);
        return new Comparison(runs.kernel(), runs.offload(jar, rules, folder));
    }

    /** Whether other programs want the processors, too. */
    static boolean busy(double load, int processors) {
        return load > processors * BUSY_SHARE;
    }

    private static double loadAverage() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    private void progress(String what) {
        err().println(what);
    }

    private int show(StreamRun.Result kernel, StreamRun.Result offload) {
        PrintWriter out = out();
        boolean same = kernel.verified() && offload.verified();
        boolean moved = offload.offloaded() > 0;
        if (json) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("kernel", kernel.map());
            result.put("offload", offload.map());
            result.put("ratio", ratios(kernel, offload));
            result.put("verified", same);
            result.put("offloaded", moved);
            out.println(Json.text(result));
        } else {
            table(out, kernel, offload);
            out.println();
            out.println(sentence(kernel, offload, same, moved));
        }
        return same && moved ? Exit.OK : Exit.FAILED;
    }

    private static Map<String, Object> ratios(StreamRun.Result kernel, StreamRun.Result offload) {
        Map<String, Object> ratios = new LinkedHashMap<>();
        ratios.put("rtt_p50", kernel.rttP50Nanos() / offload.rttP50Nanos());
        ratios.put("rtt_p99", kernel.rttP99Nanos() / offload.rttP99Nanos());
        ratios.put("mb_per_s", offload.megabytesPerSecond() / kernel.megabytesPerSecond());
        ratios.put("cpu_s_per_gb", kernel.cpuSecondsPerGb() / offload.cpuSecondsPerGb());
        return ratios;
    }

    private static void table(PrintWriter out, StreamRun.Result kernel, StreamRun.Result offload) {
        String fabric = offload.fabric().isEmpty() ? "sdp4j" : "sdp4j (" + offload.fabric() + ")";
        out.printf(Locale.ROOT, "%-28s %14s %14s   %s%n", "", "kernel TCP", fabric, "ratio");
        double[] p50 = {kernel.rttP50Nanos() / 1e3, offload.rttP50Nanos() / 1e3};
        double[] p99 = {kernel.rttP99Nanos() / 1e3, offload.rttP99Nanos() / 1e3};
        double[] rate = {kernel.megabytesPerSecond(), offload.megabytesPerSecond()};
        double[] cpu = {kernel.cpuSecondsPerGb(), offload.cpuSecondsPerGb()};
        row(out, "round trip 64 B, p50", "%.2f us", p50, p50[0] / p50[1], "faster", "slower");
        row(out, "round trip 64 B, p99", "%.2f us", p99, p99[0] / p99[1], "faster", "slower");
        row(out, "stream, 64 KiB writes", "%.0f MB/s", rate, rate[1] / rate[0], "faster", "slower");
        row(out, "CPU per GB, both ends", "%.2f s", cpu, cpu[0] / cpu[1], "less", "more");
        out.printf(
                Locale.ROOT,
                "%-28s %14s %14s%n",
                "connections off/kernel",
                "0 / 1",
                offload.offloaded() + " / " + offload.onKernel());
        out.printf(
                Locale.ROOT,
                "%-28s %14s %14s%n",
                "SHA-256, both ends",
                kernel.verified() ? "equal" : "DIFFERENT",
                offload.verified() ? "equal" : "DIFFERENT");
    }

    private static void row(
            PrintWriter out,
            String what,
            String format,
            double[] pair,
            double ratio,
            String better,
            String worse) {
        out.printf(
                Locale.ROOT,
                "%-28s %14s %14s   %.1fx %s%n",
                what,
                String.format(Locale.ROOT, format, pair[0]),
                String.format(Locale.ROOT, format, pair[1]),
                ratio < 1 ? 1 / ratio : ratio,
                ratio < 1 ? worse : better);
    }

    /** The last line: the result, and the reason where it is less than was promised. */
    static String sentence(
            StreamRun.Result kernel, StreamRun.Result offload, boolean same, boolean moved) {
        if (!same) {
            return "FAILED: not every byte arrived as it was sent.";
        }
        if (!moved) {
            return "FAILED: with the agent the connection stayed on kernel TCP: "
                    + offload.reasons();
        }
        return String.format(
                        Locale.ROOT,
                        "The same two programs, unchanged: with the agent their connection left kernel TCP"
                                + " for %s, all %d MB in each direction arrived intact, and a 64-byte round trip"
                                + " took %.2f us instead of %.2f us.",
                        offload.fabric().equals("shm") ? "shared memory" : offload.fabric(),
                        offload.checkedBytes() / 2_000_000,
                        offload.rttP50Nanos() / 1e3,
                        kernel.rttP50Nanos() / 1e3)
                + caution(kernel, offload);
    }

    /** The cause that makes the offloaded run slower than it is later, where it was. */
    private static String caution(StreamRun.Result kernel, StreamRun.Result offload) {
        if (new Comparison(kernel, offload).faster()) {
            return offload.rttP99Nanos() <= kernel.rttP99Nanos()
                    ? ""
                    : " One round trip in a hundred took longer than over TCP: a reader that waits"
                            + " for long goes to sleep, and to wake it takes that time.";
        }
        return " Not all of it was faster: the JVMs were measured while they still compiled their"
                + " code, or other programs wanted the processors (load "
                + load()
                + "). Try again with --seconds=30, or on an idle machine.";
    }

    private static String load() {
        return String.format(Locale.ROOT, "%.1f on %d processors", loadAverage(), processors());
    }
}
