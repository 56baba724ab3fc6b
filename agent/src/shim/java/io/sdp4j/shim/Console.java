package io.sdp4j.shim;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Lines of the shim for the operator, on standard error. They wait until their thread holds no lock
 * of ours; see {@link #printSaid}.
 */
final class Console {
    private static final ConcurrentLinkedQueue<String> SAID = new ConcurrentLinkedQueue<>();

    private Console() {}

    /** Prints a line for the operator, unless the agent is told to be quiet. */
    static void say(String line) {
        sayLater(line);
        printSaid();
    }

    /** The same, for a thread that holds a lock which only it knows. */
    static void sayLater(String line) {
        if (!Options.flag("quiet", false)) {
            SAID.add("sdp4j: ".concat(line));
        }
    }

    /**
     * Prints the lines that wait, unless the caller holds a lock of ours: standard error may be the
     * program's, and open a socket to write to.
     */
    static void printSaid() {
        if (SAID.isEmpty()
                || Thread.holdsLock(Boot.LOCK)
                || Thread.holdsLock(EarlyMakers.LOCK)
                || Thread.holdsLock(Boot.CHANNELS_LOCK)) {
            return;
        }
        try {
            for (String line = SAID.poll(); line != null; line = SAID.poll()) {
                System.err.println(line);
            }
        } catch (RuntimeException | LinkageError e) {
            // the program's stream is broken, which no socket may suffer from
        }
    }

    /** Has {@link #printSaid} print a line as it is. */
    static void add(String line) {
        SAID.add(line);
    }

    /** Returns the innermost message of ours, or the text of the exception. */
    static String cause(Throwable t) {
        Throwable c = t;
        while ((c instanceof InvocationTargetException || c instanceof ExceptionInInitializerError)
                && c.getCause() != null) {
            c = c.getCause();
        }
        return c instanceof IllegalStateException || c instanceof IllegalArgumentException
                ? c.getMessage()
                : c.toString();
    }
}
