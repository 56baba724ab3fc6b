package io.sdp4j.linux;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Tells whether a uid identifies one user. In a user namespace the kernel shows one number, usually
 * 65534, for all users that have no number there; container images use the same number for the
 * ordinary user {@code nobody}.
 *
 * <p>Source: user_namespaces(7), proc_sys_kernel(5).
 *
 * @param overflow the number that may stand for many
 * @param complete whether every user has a number here, so that no number stands for many
 */
public record UidMap(long overflow, boolean complete) {
    /** 2^32 - 1 users; the last number means "none". */
    private static final long ALL = 0xFFFF_FFFFL;

    private static final long USUAL_OVERFLOW = 65534;

    /** Returns the map of this process, or the cautious answer if it cannot be read. Read once. */
    public static UidMap own() {
        return Own.MAP;
    }

    private static final class Own {
        static final UidMap MAP = read();
    }

    private static UidMap read() {
        long overflow = overflow(Path.of("/proc/sys/kernel/overflowuid"));
        try {
            return of(overflow, Files.readAllLines(Path.of("/proc/self/uid_map")));
        } catch (IOException e) {
            return new UidMap(overflow, false);
        }
    }

    /**
     * Returns the number in {@code file}. It must be taken in one read: a number in {@code
     * /proc/sys} ends where the first read ended, and {@code Files.readString} begins with a read
     * of one byte.
     */
    static long overflow(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] number = new byte[32];
            int len = in.read(number);
            return Long.parseLong(new String(number, 0, Math.max(len, 0), US_ASCII).strip());
        } catch (IOException | NumberFormatException e) {
            return USUAL_OVERFLOW;
        }
    }

    /**
     * @param lines lines of {@code /proc/self/uid_map}: first number here, first number outside,
     *     count
     */
    static UidMap of(long overflow, List<String> lines) {
        long mapped = 0;
        try {
            for (String line : lines) {
                mapped += Long.parseLong(line.strip().split("\\s+", 3)[2]);
            }
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            mapped = 0;
        }
        return new UidMap(overflow, mapped >= ALL);
    }

    /** Whether {@code uid} may be shown for a user that is not {@code uid}. */
    public boolean ambiguous(long uid) {
        return uid == overflow && !complete;
    }
}
