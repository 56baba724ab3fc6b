package io.sdp4j.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The lines that an operator must see without having asked for a log: on standard error, because
 * standard output belongs to the application. Lines that come before it is known whether the
 * operator wants to see any are held back. Thread-safe; {@code this} guards every field.
 */
final class Console implements Consumer<String> {
    private static final String PREFIX = "sdp4j: ";

    /** Lines that were printed when the JVM started; each is left out once. */
    private final List<String> told;

    private List<String> held = new ArrayList<>(); // null once it is known
    private boolean quiet;

    /**
     * @param told lines that were printed already
     */
    Console(String told) {
        this.told = new ArrayList<>(List.of(told.split("\n", -1)));
    }

    /** The settings have been read; once. */
    synchronized void start(boolean quiet) {
        List<String> lines = held;
        this.quiet = quiet;
        held = null;
        for (String line : lines) {
            accept(line);
        }
    }

    @Override
    public synchronized void accept(String line) {
        if (held != null) {
            held.add(line);
        } else if (!quiet && !told.remove(line)) {
            System.err.println(line.startsWith(PREFIX) ? line : PREFIX + line);
        }
    }
}
