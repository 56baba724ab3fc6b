package io.sdp4j.agent;

import io.sdp4j.agent.log.LogSink;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/**
 * Prints the lines that an operator must see without having asked for a log: on standard error,
 * because standard output belongs to the application, and in the log's file if there is one. A
 * thread of the log prints them, as locks may be held. Lines that come before the settings say
 * whether to print any are held back. Thread-safe; {@code this} guards every field.
 */
final class Console implements Consumer<String> {
    private static final String PREFIX = "sdp4j: ";

    /** Lines that were printed before the switch started; each is left out once. */
    private final List<String> told;

    private List<String> held = new ArrayList<>(); // null once start has been called
    private boolean quiet;
    private boolean logged;

    /**
     * @param told lines that were printed already
     */
    Console(String told) {
        this.told = new ArrayList<>(List.of(told.split("\n", -1)));
    }

    /**
     * Ends the holding back, as the settings have been read. Called once.
     *
     * @param quiet whether nothing is printed on standard error
     * @param logged whether the log, which is configured by now, has a file of its own that gets
     *     the lines, too
     */
    synchronized void start(boolean quiet, boolean logged) {
        List<String> lines = held;
        this.quiet = quiet;
        this.logged = logged;
        held = null;
        for (String line : lines) {
            accept(line);
        }
    }

    @Override
    public synchronized void accept(String line) {
        if (held != null) {
            held.add(line);
            return;
        }
        if (logged) {
            String bare = line.startsWith(PREFIX) ? line.substring(PREFIX.length()) : line;
            LoggerFactory.getLogger(Console.class).warn(bare);
        }
        if (!quiet && !told.remove(line)) {
            LogSink.print(line.startsWith(PREFIX) ? line : PREFIX + line);
        }
    }
}
