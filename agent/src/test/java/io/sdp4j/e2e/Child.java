package io.sdp4j.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * A started process: what it prints, with the time it came, its end, and its agent's report.
 *
 * <p>Two daemon threads read its output; {@code lines} is guarded by itself and notified.
 */
final class Child {
    private static final long LIMIT_SECONDS = 60;

    private final String name;
    private final Process process;
    private final Path report;
    private final Writer in;
    private final List<Line> lines = new ArrayList<>();

    /** How many of the lines were looked at; guarded by them. */
    private int seen;

    private final Thread outReader;
    private final Thread errReader;

    /** One printed line and when it was read, in {@link System#nanoTime()}. */
    private record Line(boolean error, String text, long nanos) {}

    Child(String name, Process process, Path report) {
        this.name = name;
        this.process = process;
        this.report = report;
        in = process.outputWriter(UTF_8);
        outReader = reader(process.inputReader(UTF_8), false);
        errReader = reader(process.errorReader(UTF_8), true);
    }

    private Thread reader(BufferedReader reader, boolean error) {
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try (reader) {
                                for (String text = reader.readLine();
                                        text != null;
                                        text = reader.readLine()) {
                                    synchronized (lines) {
                                        lines.add(new Line(error, text, System.nanoTime()));
                                        lines.notifyAll();
                                    }
                                }
                            } catch (IOException killed) {
                                // nothing more to come
                            }
                        });
    }

    /** The rest of the first line of standard output that starts with {@code prefix}. */
    String await(String prefix) throws InterruptedException {
        return awaitWithin(prefix, LIMIT_SECONDS);
    }

    /** As {@link #await}, of a program that takes its time. */
    String awaitWithin(String prefix, long seconds) throws InterruptedException {
        return awaitLine(prefix, seconds).text.substring(prefix.length()).strip();
    }

    /** Waits until a connection has moved; the log's level has to be {@code debug}. */
    void awaitMove() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(LIMIT_SECONDS)) // a busy machine moves late
                .until(() -> err().stream().anyMatch(line -> line.contains(" leaves TCP ")));
    }

    /** When that line came, in {@link System#nanoTime()}. */
    long awaitNanos(String prefix) throws InterruptedException {
        return awaitLine(prefix, LIMIT_SECONDS).nanos;
    }

    private Line awaitLine(String prefix, long seconds) throws InterruptedException {
        synchronized (lines) {
            seen = 0;
            return next(prefix, seconds);
        }
    }

    /** Waits for a line after those seen so far. */
    private Line next(String prefix, long seconds) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        synchronized (lines) {
            while (true) {
                while (seen < lines.size()) {
                    Line line = lines.get(seen++);
                    if (!line.error && line.text.startsWith(prefix)) {
                        return line;
                    }
                }
                boolean over = !outReader.isAlive() && !process.isAlive();
                long leftMs = (deadline - System.nanoTime()) / 1_000_000;
                if (over || leftMs <= 0) {
                    throw new AssertionError("no \"" + prefix + "\" from " + this);
                }
                lines.wait(Math.min(leftMs, 100)); // its end is not notified
            }
        }
    }

    /**
     * Sends {@code line} to its standard input; the next line it prints that was not yet asked for.
     */
    String ask(String line) throws IOException, InterruptedException {
        tell(line);
        return answer();
    }

    /** Sends {@code line} to its standard input. */
    void tell(String line) throws IOException {
        in.write(line + "\n");
        in.flush();
    }

    /** The next line it prints that was not yet asked for. */
    String answer() throws InterruptedException {
        return next("", LIMIT_SECONDS).text;
    }

    long pid() {
        return process.pid();
    }

    /** Ends its standard input. */
    void endInput() throws IOException {
        in.close();
    }

    /** Waits for its end and expects exit code 0; the {@code key=value} lines it printed. */
    Map<String, String> results() throws InterruptedException {
        return resultsWithin(LIMIT_SECONDS);
    }

    /** As {@link #results}, of a program that takes its time. */
    Map<String, String> resultsWithin(long seconds) throws InterruptedException {
        int exitCode = exitCodeWithin(seconds);
        if (exitCode != 0) {
            throw new AssertionError("exit code " + exitCode + " from " + this);
        }
        Map<String, String> results = new LinkedHashMap<>();
        for (String text : out()) {
            int equals = text.indexOf('=');
            if (equals > 0) {
                results.put(text.substring(0, equals), text.substring(equals + 1));
            }
        }
        return results;
    }

    int exitCode() throws InterruptedException {
        return exitCodeWithin(LIMIT_SECONDS);
    }

    private int exitCodeWithin(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new AssertionError("no end of " + this);
        }
        outReader.join();
        errReader.join();
        return process.exitValue();
    }

    List<String> out() {
        return texts(false);
    }

    List<String> err() {
        return texts(true);
    }

    private List<String> texts(boolean error) {
        synchronized (lines) {
            return lines.stream().filter(l -> l.error == error).map(Line::text).toList();
        }
    }

    /** Asks it to end (SIGTERM) and waits until it has. */
    void terminate() throws InterruptedException {
        process.destroy();
        exitCode();
    }

    /** SIGKILL; returns when it is dead. */
    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Its agent's report at its end. */
    AgentReport report() throws IOException {
        if (!Files.exists(report)) {
            throw new AssertionError("no report from " + this);
        }
        return AgentReport.read(report);
    }

    @Override
    public String toString() {
        synchronized (lines) {
            StringBuilder text = new StringBuilder(name);
            text.append(process.isAlive() ? " (running)" : " (ended " + process.exitValue() + ")");
            for (Line line : lines) {
                text.append(line.error ? "\n  ! " : "\n  | ").append(line.text);
            }
            return text.toString();
        }
    }
}
