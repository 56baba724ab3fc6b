package io.sdp4j.fabric.shm;

import java.nio.file.Path;

/**
 * Settings of the shared-memory fabric.
 *
 * @param directory listeners are found in {@code sdp4j-UID} in it; null = the usual places, see
 *     {@link RendezvousDirectories}
 * @param allowNative whether native calls may be used where the JVM grants them
 * @param spinMaxNanos longest busy wait before a thread sleeps; 0 = never spin
 * @param spinnersMax most threads of this process that spin at once
 * @param memoryMaxBytes most shared memory of all connections together, counted as if every page
 *     were used
 * @param sleepTogether whether two threads that only wait for each other may sleep on one processor
 *     where they do not spin
 * @param portable whether connections over files are offered and accepted, whose size and ends
 *     cannot be proven; without native calls there are no others
 */
public record ShmConfig(
        Path directory,
        boolean allowNative,
        long spinMaxNanos,
        int spinnersMax,
        long memoryMaxBytes,
        boolean sleepTogether,
        boolean portable) {
    /** With sleeping together, and without connections over files. */
    public ShmConfig(
            Path directory,
            boolean allowNative,
            long spinMaxNanos,
            int spinnersMax,
            long memoryMaxBytes) {
        this(directory, allowNative, spinMaxNanos, spinnersMax, memoryMaxBytes, true, false);
    }

    public ShmConfig {
        if (spinMaxNanos < 0 || spinMaxNanos > 1_000_000) {
            throw new IllegalArgumentException("spinMaxNanos " + spinMaxNanos);
        }
        if (spinnersMax < 0) {
            throw new IllegalArgumentException("spinnersMax " + spinnersMax);
        }
        if (memoryMaxBytes < 0) {
            throw new IllegalArgumentException("memoryMaxBytes " + memoryMaxBytes);
        }
    }

    /** Native where granted, 20 us of spinning on all cores but one, 16 GiB of address space. */
    public static ShmConfig defaults() {
        int cores = Runtime.getRuntime().availableProcessors();
        return new ShmConfig(null, true, cores > 1 ? 20_000 : 0, cores - 1, 16L << 30, true, false);
    }

    public ShmConfig withDirectory(Path other) {
        return new ShmConfig(
                other,
                allowNative,
                spinMaxNanos,
                spinnersMax,
                memoryMaxBytes,
                sleepTogether,
                portable);
    }

    public ShmConfig withNative(boolean allowed) {
        return new ShmConfig(
                directory,
                allowed,
                spinMaxNanos,
                spinnersMax,
                memoryMaxBytes,
                sleepTogether,
                portable);
    }

    public ShmConfig withSpin(long maxNanos, int max) {
        return new ShmConfig(
                directory, allowNative, maxNanos, max, memoryMaxBytes, sleepTogether, portable);
    }

    public ShmConfig withMemory(long maxBytes) {
        return new ShmConfig(
                directory,
                allowNative,
                spinMaxNanos,
                spinnersMax,
                maxBytes,
                sleepTogether,
                portable);
    }

    public ShmConfig withSleepTogether(boolean allowed) {
        return new ShmConfig(
                directory,
                allowNative,
                spinMaxNanos,
                spinnersMax,
                memoryMaxBytes,
                allowed,
                portable);
    }

    public ShmConfig withPortable(boolean allowed) {
        return new ShmConfig(
                directory,
                allowNative,
                spinMaxNanos,
                spinnersMax,
                memoryMaxBytes,
                sleepTogether,
                allowed);
    }
}
