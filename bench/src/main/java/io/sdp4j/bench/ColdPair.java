package io.sdp4j.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sdp4j.bench.cold.ShortChannel;
import io.sdp4j.bench.cold.ShortProgram;
import io.sdp4j.bench.cold.ShortServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Measurements that start both JVMs anew each time: the whole life of a pair is the slice. */
record ColdPair(Launch launch, Suite suite, Config config, int number) {
    private static final int START_TIMEOUT_MS = 60_000;
    private static final int PROGRAM_TIMEOUT_S = 60;

    /** Where the times of children that have ended stand in /proc/self/stat, from the name on. */
    private static final int CHILDREN_USER = 14;

    /**
     * One slice.
     *
     * @param counts what the agents report is added to
     */
    Map<String, Double> measure(Row row, Times times, Map<String, Long> counts)
            throws IOException, InterruptedException {
        if (row.work().equals(ColdRows.PROGRAM)) {
            return program(ShortProgram.class, counts);
        }
        if (row.work().equals(ColdRows.CHANNEL)) {
            return program(ShortChannel.class, counts);
        }
        if (row.work().startsWith(ColdRows.SERVER)) {
            return whole(ShortServer.class, row.work().substring(ColdRows.SERVER.length()), counts);
        }
        WorkerPair pair = new WorkerPair(launch, suite, config, number, suite.listens(row));
        try {
            Map<String, Double> metrics = pair.measure(row, times);
            metrics.put("start", pair.serverStartMs());
            pair.close(counts);
            return metrics;
        } catch (IOException | InterruptedException failed) {
            pair.kill();
            throw failed;
        }
    }

    private Map<String, Double> program(Class<?> main, Map<String, Long> counts)
            throws IOException, InterruptedException {
        Worker server =
                new Worker(
                        config.title + " server",
                        launch.command(config, 1, null, suite.serverProgram(), suite.listens()));
        try {
            String port = server.expect("READY", START_TIMEOUT_MS);
            return whole(main, port, counts);
        } finally {
            server.close();
        }
    }

    /** A whole process, which prints {@code WORD NANOSECONDS exit NANOTIME}. */
    private Map<String, Double> whole(Class<?> main, String argument, Map<String, Long> counts)
            throws IOException, InterruptedException {
        if (config.agent != Config.Agent.NONE) {
            // once more, for the counts: to write a report takes time of its own
            Path report = launch.file(config.id + "-" + number + "-program.json");
            String[] _ = run(launch.command(config, 0, report, main, argument));
            Reports.addFile(report, counts);
        }
        List<String> command = launch.command(config, 0, null, main, argument);
        long cpuBefore = childrenMs();
        long start = System.nanoTime();
        String[] words = run(command);
        long end = System.nanoTime();
        return Map.of(
                "wall",
                (end - start) / 1e6,
                words[0],
                Double.parseDouble(words[1]) / 1e6,
                "exit",
                (end - Long.parseLong(words[3])) / 1e6,
                "cpu-time",
                (double) (childrenMs() - cpuBefore));
    }

    /** Runs the program; returns its output. */
    private String[] run(List<String> command) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        if (!process.waitFor(PROGRAM_TIMEOUT_S, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(config.title + " program did not end");
        }
        String[] words = said.split(" ", -1);
        if (process.exitValue() != 0 || words.length != 4) {
            throw new IOException(config.title + " program said: " + said);
        }
        return words;
    }

    /** Processor time of this process's children that have ended, milliseconds, in steps of 10. */
    private static long childrenMs() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long jiffies =
                Long.parseLong(fields[CHILDREN_USER - 1]) + Long.parseLong(fields[CHILDREN_USER]);
        return jiffies * 10;
    }
}
