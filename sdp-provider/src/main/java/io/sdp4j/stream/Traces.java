package io.sdp4j.stream;

import io.sdp4j.policy.Settings;
import io.sdp4j.trace.TraceWriter;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Begins traces, if the settings want them. Thread-safe. */
final class Traces {
    private static final Logger LOG = LoggerFactory.getLogger(Traces.class);

    /**
     * By file: providers of one process share a trace, because a new file would take the place of
     * the old one.
     */
    private static final Map<String, Optional<TraceWriter>> BEGUN = new ConcurrentHashMap<>();

    private Traces() {}

    /**
     * The trace of this process, whose file is made the first time; null = there is none. If the
     * file cannot be made, the log says so once and nothing is traced.
     */
    static TraceWriter writer(Settings settings) {
        String name = settings.text(SdpSettings.TRACE);
        if (name.isEmpty()) {
            return null;
        }
        long process = ProcessHandle.current().pid();
        return BEGUN.computeIfAbsent(
                        name.replace("%p", Long.toString(process)),
                        file -> begin(file, process, settings))
                .orElse(null);
    }

    private static Optional<TraceWriter> begin(String file, long process, Settings settings) {
        try {
            return Optional.of(createUninterrupted(file, process, settings));
        } catch (IOException | InvalidPathException | UnsupportedOperationException e) {
            LOG.warn(
                    "no trace is written: {}: {}; name a file in a directory that this user can"
                            + " write to",
                    file,
                    e.toString());
            return Optional.empty();
        }
    }

    /**
     * Creates the trace despite interrupts of the application's thread, which close the file's
     * channel.
     */
    private static TraceWriter createUninterrupted(String file, long process, Settings settings)
            throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                interrupted |= Thread.interrupted();
                try {
                    return create(file, process, settings);
                } catch (ClosedByInterruptException e) {
                    // once more
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static TraceWriter create(String file, long process, Settings settings)
            throws IOException {
        Instant now = Clock.systemUTC().instant();
        return TraceWriter.create(
                Path.of(file).toAbsolutePath(),
                settings.longValue(SdpSettings.TRACE_LIMIT_MB) << 20,
                settings.intValue(SdpSettings.TRACE_PAYLOAD_BYTES),
                TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano(),
                System.nanoTime(),
                process);
    }
}
