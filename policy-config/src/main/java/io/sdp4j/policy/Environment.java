package io.sdp4j.policy;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Everything a {@link PolicySource} reads, so that a test can give it something else.
 *
 * @param property a system property, or null
 * @param variable an environment variable, or null
 * @param files rule files
 * @param nanoTime a clock as {@link System#nanoTime}
 * @param hosts resolves host names; null: each counts as known, and none is looked up
 */
public record Environment(
        UnaryOperator<String> property,
        UnaryOperator<String> variable,
        FileAccess files,
        LongSupplier nanoTime,
        HostLookup hosts) {
    /** Larger files are not rules. */
    static final int MAX_FILE_BYTES = 4 << 20;

    /**
     * Distinguishes one state of a file from another.
     *
     * @param modifiedNanos time of the last change, in ns since 1970
     * @param sizeBytes its size
     * @param identity its inode, or null where there is none
     */
    public record Stamp(long modifiedNanos, long sizeBytes, Object identity) {}

    /** Reads rule files. */
    public interface FileAccess {
        /**
         * The state of a file.
         *
         * @throws java.nio.file.NoSuchFileException when there is none
         * @throws IOException when it cannot be looked at or is not a regular file
         */
        Stamp stamp(String file) throws IOException;

        /**
         * All of its text; bytes that are not UTF-8 become replacement characters.
         *
         * @throws IOException when it cannot be read or is too large
         */
        String read(String file) throws IOException;
    }

    /** The environment of this JVM. */
    public static Environment system() {
        return new Environment(
                new SystemProperties(),
                new SystemVariables(),
                new SystemFiles(),
                new SystemClock(),
                HostLookup.SYSTEM);
    }

    /** The group that is no program's, so that none counts, interrupts or awaits its threads. */
    public static ThreadGroup topGroup() {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        return top;
    }

    // Classes where lambdas would do: the first lambda of a JVM costs its start tens of
    // milliseconds.

    private static final class SystemProperties implements UnaryOperator<String> {
        @Override
        public String apply(String name) {
            return Settings.systemProperty(name);
        }
    }

    private static final class SystemVariables implements UnaryOperator<String> {
        @Override
        public String apply(String name) {
            return System.getenv(name);
        }
    }

    private static final class SystemClock implements LongSupplier {
        @Override
        public long getAsLong() {
            return System.nanoTime();
        }
    }

    private static final class SystemFiles implements FileAccess {
        @Override
        public Stamp stamp(String file) throws IOException {
            BasicFileAttributes a = Files.readAttributes(Path.of(file), BasicFileAttributes.class);
            if (!a.isRegularFile()) {
                throw new IOException("it is not a regular file"); // a pipe would never end
            }
            return new Stamp(a.lastModifiedTime().to(TimeUnit.NANOSECONDS), a.size(), a.fileKey());
        }

        @Override
        public String read(String file) throws IOException {
            // No channel: it would close when the thread is interrupted, and start a JVM's
            // channels.
            // absolute: a File would be sought where the process is, not where stamp looks
            File wanted = Path.of(file).toAbsolutePath().toFile();
            try (InputStream in = new FileInputStream(wanted)) {
                byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
                if (bytes.length > MAX_FILE_BYTES) {
                    throw new IOException("it is larger than " + MAX_FILE_BYTES + " bytes");
                }
                return new String(bytes, StandardCharsets.UTF_8);
            } catch (FileNotFoundException e) {
                throw wanted.exists() && !wanted.canRead() ? new AccessDeniedException(file) : e;
            }
        }
    }
}
