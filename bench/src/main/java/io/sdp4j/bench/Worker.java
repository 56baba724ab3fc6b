package io.sdp4j.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A JVM that obeys one-line commands with one-line answers.
 *
 * <p>It ends when its standard input does, so also when this process dies. For one thread, beside
 * two daemons that read its output.
 */
final class Worker implements AutoCloseable {
    private static final int KEPT_ERROR_LINES = 20;

    private final String name;
    private final Process process;
    private final Writer in;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    /** Last lines of standard error; guarded by itself. */
    private final Deque<String> errors = new ArrayDeque<>();

    Worker(String name, List<String> command) throws IOException {
        this.name = name;
        process = new ProcessBuilder(command).start();
        in = process.outputWriter(UTF_8);
        lines(process.inputReader(UTF_8), answers::add);
        lines(
                process.errorReader(UTF_8),
                line -> {
                    synchronized (errors) {
                        errors.add(line);
                        if (errors.size() > KEPT_ERROR_LINES) {
                            errors.remove();
                        }
                    }
                });
    }

    private static void lines(BufferedReader reader, Consumer<String> onLine) {
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try (reader) {
                                reader.lines().forEach(onLine);
                            } catch (IOException | UncheckedIOException killed) {
                                // no more lines from this worker
                            }
                        });
    }

    /** The next line that starts with {@code prefix}, without it. */
    String expect(String prefix, long timeoutMs) throws IOException, InterruptedException {
        String line = answers.poll(timeoutMs, TimeUnit.MILLISECONDS);
        if (line == null || !line.startsWith(prefix)) {
            String problem =
                    line != null
                            ? "said: " + line
                            : process.isAlive()
                                    ? "did not answer within " + timeoutMs + " ms"
                                    : "died with exit code " + process.exitValue();
            throw new IOException(name + " " + problem + errorText());
        }
        return line.substring(prefix.length()).strip();
    }

    /** Sends {@code command} and gives the answer after {@code ok}. */
    String ask(String command, long timeoutMs) throws IOException, InterruptedException {
        in.write(command + "\n");
        in.flush();
        return expect("ok", timeoutMs);
    }

    /** Its latest standard error, on lines of their own; empty if nothing. */
    String errorText() {
        synchronized (errors) {
            return errors.isEmpty() ? "" : "\n    | " + String.join("\n    | ", errors);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Lets it end by itself, so that its agent can write a report; kills it when it does not. */
    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException gone) {
            // it has ended already
        }
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException stop) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Ends it at once. */
    void kill() {
        process.destroyForcibly();
    }
}
