package io.sdp4j.agent.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A JVM started for a measurement: its standard output is read line by line, its standard error is
 * kept. Java options of the environment do not reach it, so that runs can be compared.
 *
 * <p>{@link #close} ends it if it still runs.
 */
final class Child implements AutoCloseable {
    private final Process process;
    private final List<String> lines = new ArrayList<>(); // guarded by this
    private final List<String> errors = new ArrayList<>(); // guarded by this
    private final Thread outReader;
    private final Thread errReader;
    private boolean ended; // guarded by this

    private Child(Process process) {
        this.process = process;
        outReader =
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> readOutput(process.inputReader(encoding())));
        errReader =
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> read(process.errorReader(encoding()), errors));
    }

    /** Starts {@code java} with these arguments. */
    static Child java(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Place.java());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        for (String name : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")) {
            builder.environment().remove(name);
        }
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            return new Child(process);
        } catch (IOException e) {
            throw new Unavailable("cannot start " + Place.java() + ": " + e.getMessage());
        }
    }

    private static Charset encoding() {
        return Charset.defaultCharset();
    }

    private void read(BufferedReader reader, List<String> into) {
        try (reader) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (this) {
                    into.add(line);
                    notifyAll();
                }
            }
        } catch (IOException e) {
            // the process was ended while we read
        }
    }

    private void readOutput(BufferedReader reader) {
        read(reader, lines);
        synchronized (this) {
            ended = true;
            notifyAll();
        }
    }

    /** The first line of output that fits; null when there is none in that time or at the end. */
    synchronized String await(Predicate<String> wanted, long timeoutMillis)
            throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        int seen = 0;
        while (true) {
            for (; seen < lines.size(); seen++) {
                if (wanted.test(lines.get(seen))) {
                    return lines.get(seen);
                }
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (ended || left <= 0) {
                return null;
            }
            wait(left);
        }
    }

    /** Waits for the end; -1 when it does not come in that time. */
    int exitCode(long timeoutMillis) throws InterruptedException {
        if (!process.waitFor(timeoutMillis, TimeUnit.MILLISECONDS)) {
            return -1;
        }
        outReader.join(timeoutMillis);
        errReader.join(timeoutMillis);
        return process.exitValue();
    }

    /** The {@code key=value} lines of its output so far. */
    synchronized Map<String, String> values() {
        Map<String, String> values = new HashMap<>();
        for (String line : lines) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        return values;
    }

    /** Its standard error so far. */
    synchronized List<String> errors() {
        return List.copyOf(errors);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
