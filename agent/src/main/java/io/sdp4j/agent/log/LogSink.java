package io.sdp4j.agent.log;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.slf4j.event.Level;

/**
 * Writes the records of the agent's layer: to the {@link System.Logger} named {@code io.sdp4j}, or
 * to a file.
 *
 * <p>Neither is touched before the first record that passes the level, because a logging system
 * that is initialised too early breaks application servers. The file is written by the thread that
 * logs, everything else by {@link LogThread}. While that thread writes a record, records that it
 * logs itself are dropped: the application's logging may use sockets, which log.
 *
 * <p>Records below {@code warn} pass only if the operator has asked for them. If the System.Logger
 * would not write them, like that of a plain JVM, they go to standard error.
 *
 * <p>Settings are published by volatile writes before the switch starts. Thread-safe.
 */
public final class LogSink {
    /** Level number that no record reaches. */
    private static final int OFF = Integer.MAX_VALUE;

    private static final int WRITABLE_BY_OTHERS = 0_022;

    private static final LogThread LATER = new LogThread();

    private static volatile int threshold = Level.WARN.toInt();
    private static volatile String file = "";
    private static volatile boolean silent;
    private static volatile PrintStream stream;

    private LogSink() {}

    /**
     * Sets the level and the target.
     *
     * @param level one of off, error, warn, info, debug, trace
     * @param target file to append to, {@code %p} standing for the process id; empty: {@link
     *     System.Logger}
     * @param quiet whether standard error gets no line when the file cannot be opened
     */
    public static void configure(String level, String target, boolean quiet) {
        silent = quiet;
        threshold =
                level.equals("off") ? OFF : Level.valueOf(level.toUpperCase(Locale.ROOT)).toInt();
        file = target;
    }

    static boolean enabled(Level level) {
        return level.toInt() >= threshold;
    }

    static void write(Level level, String name, String message, Throwable thrown) {
        if (!enabled(level) || LATER.isCurrent()) {
            return;
        }
        Instant now = Instant.now();
        if (file.isEmpty()) {
            LATER.add(() -> writeToOthers(now, level, name, message, thrown));
            return;
        }
        try {
            stream().print(line(now, level, name, message, thrown));
        } catch (IOException | InvalidPathException e) {
            threshold = OFF;
            if (!silent) {
                String why = "sdp4j: nothing is logged, the log file cannot be opened: " + e;
                print(why);
            }
        } catch (RuntimeException e) {
            threshold = OFF; // no failure may reach a socket call
        }
    }

    /** Prints a line on standard error, which may be a stream of the application's, and block. */
    public static void print(String line) {
        LATER.add(
                () -> {
                    try {
                        System.err.println(line);
                    } catch (RuntimeException | LinkageError e) {
                        // the application's stream is broken
                    }
                });
    }

    private static void writeToOthers(
            Instant at, Level level, String name, String message, Throwable thrown) {
        try {
            if (level.toInt() < Level.WARN.toInt()
                    && !SystemLog.LOGGER.isLoggable(SystemLog.level(level))) {
                System.err.print("sdp4j: " + line(at, level, name, message, thrown));
            } else {
                SystemLog.LOGGER.log(SystemLog.level(level), message, thrown);
            }
        } catch (RuntimeException | LinkageError e) {
            threshold = OFF; // the application's logging is broken
        }
    }

    /** Writes how many records were dropped. Called on the thread that writes. */
    static void writeDropped(long count) {
        String says = count + " log records were dropped: logging is too slow";
        writeToOthers(Instant.now(), Level.WARN, LogSink.class.getName(), says, null);
    }

    /** Waits until all records are written. Returns false if the time was too short. */
    static boolean await(long nanos) {
        return LATER.await(nanos);
    }

    private static PrintStream stream() throws IOException {
        PrintStream open = stream;
        if (open == null) {
            synchronized (LogSink.class) {
                open = stream;
                if (open == null) {
                    String pid = Long.toString(ProcessHandle.current().pid());
                    Path path = Path.of(file.replace("%p", pid));
                    open = new PrintStream(open(path), true, StandardCharsets.UTF_8);
                    stream = open;
                }
            }
        }
        return open;
    }

    /**
     * Opens {@code path} to append to it. A link is followed, or a FIFO waited for, only in a
     * directory to which no user but this one and root can write: in {@code /dev}, as for {@code
     * /dev/stderr}, but not in {@code /tmp}. Elsewhere the file must be new, or a regular file of
     * this user or root.
     */
    static OutputStream open(Path path) throws IOException {
        if (onlyOurs(path.toAbsolutePath().getParent())) {
            return Files.newOutputStream(
                    path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        try {
            return Files.newOutputStream(
                    path, StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
        } catch (FileAlreadyExistsException e) {
            Map<String, Object> a =
                    Files.readAttributes(path, "unix:isRegularFile,uid", LinkOption.NOFOLLOW_LINKS);
            if (!(boolean) a.get("isRegularFile") || !ours(a)) {
                throw new IOException(
                        path
                                + " is there, where other users can put something, and is not a"
                                + " regular file of this user or root",
                        e);
            }
            return Files.newOutputStream(
                    path, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /**
     * Whether no user but this one and root can have put something into a directory; false for
     * null.
     */
    public static boolean onlyOurs(Path directory) {
        if (directory == null) {
            return false;
        }
        try {
            Map<String, Object> a = Files.readAttributes(directory, "unix:mode,uid");
            return ((int) a.get("mode") & WRITABLE_BY_OTHERS) == 0 && ours(a);
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * Whether the owner is this user or root, who is 0 in each user namespace. The owner of {@code
     * /proc} may have the number that stands for all users without one.
     */
    private static boolean ours(Map<String, Object> attributes) throws IOException {
        Object uid = attributes.get("uid");
        return uid.equals(0) || uid.equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    private static String line(
            Instant at, Level level, String name, String message, Throwable thrown) {
        StringWriter out = new StringWriter();
        out.append(at.toString()).append(' ').append(level.name()).append(' ');
        out.append(name.substring(name.lastIndexOf('.') + 1)).append(": ");
        out.append(message).append(System.lineSeparator());
        if (thrown != null) {
            thrown.printStackTrace(new PrintWriter(out, true));
        }
        return out.toString();
    }

    /** Initialised at the first record. */
    private static final class SystemLog {
        static final System.Logger LOGGER = System.getLogger("io.sdp4j");

        private SystemLog() {}

        static System.Logger.Level level(Level level) {
            return switch (level) {
                case ERROR -> System.Logger.Level.ERROR;
                case WARN -> System.Logger.Level.WARNING;
                case INFO -> System.Logger.Level.INFO;
                case DEBUG -> System.Logger.Level.DEBUG;
                case TRACE -> System.Logger.Level.TRACE;
            };
        }
    }
}
