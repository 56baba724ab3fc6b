package io.sdp4j.fabric.shm;

import java.nio.file.Path;

/**
 * Settings of the shared-memory fabric.
 *
 * @param directory directory whose subdirectory {@code sdp4j-UID} holds the listeners; null = the
 *     usual places, see {@link RendezvousDirectories}
 * @param spinMaxNanos longest busy wait before a thread sleeps; 0 = never spin
 * @param spinnersMax most threads of this process that spin at once
 * @param memoryMaxBytes most shared memory of all connections together; a connection counts 16 KiB
 *     of each buffer, and the whole buffers once it sends long messages
 * @param sleepTogether whether two threads that only wait for each other, and do not spin, may
 *     sleep on one processor
 */
public record ShmConfig(
        Path directory,
        long spinMaxNanos,
        int spinnersMax,
        long memoryMaxBytes,
        boolean sleepTogether) {
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

    /**
     * Returns the defaults: 20 us of spinning on all cores but one, 16 GiB of memory, sleeping
     * together.
     */
    public static ShmConfig defaults() {
        int cores = Runtime.getRuntime().availableProcessors();
        return new ShmConfig(null, cores > 1 ? 20_000 : 0, cores - 1, 16L << 30, true);
    }

    public ShmConfig withDirectory(Path other) {
        return new ShmConfig(other, spinMaxNanos, spinnersMax, memoryMaxBytes, sleepTogether);
    }

    public ShmConfig withSpin(long maxNanos, int max) {
        return new ShmConfig(directory, maxNanos, max, memoryMaxBytes, sleepTogether);
    }
}
