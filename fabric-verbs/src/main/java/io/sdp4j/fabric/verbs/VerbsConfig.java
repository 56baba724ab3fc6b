package io.sdp4j.fabric.verbs;

/**
 * Resources and limits of a {@link VerbsFabric}.
 *
 * @param memoryMaxBytes registered memory of all queue pairs' buffers together
 * @param slabBytes memory is registered in pieces of this size, or smaller ones where a limit
 *     forbids it
 * @param cacheMaxBytes registrations of direct buffers that are kept for the next use, together;
 *     and so much again of those that a peer was lent for reading
 * @param keysKeepNanos longest time that a peer's key to a buffer which it was lent for reading is
 *     kept for the next time; 0 = the key dies with its advertisement
 * @param sharedPortMask where an RDMA listener occupies a TCP port (iWARP), it takes the port that
 *     differs from the application's in these bits, as do those who connect; both sides must agree.
 *     0 = the same port, which the kernel's listener then has already
 * @param spinMaxNanos longest time a waiting thread polls before it sleeps; 0 = never
 * @param spinnersMax threads of the process that may do so at a time
 */
public record VerbsConfig(
        long memoryMaxBytes,
        long slabBytes,
        long cacheMaxBytes,
        long keysKeepNanos,
        int sharedPortMask,
        long spinMaxNanos,
        int spinnersMax) {
    private static final long MIB = 1L << 20;

    public VerbsConfig {
        if (memoryMaxBytes < 0 || slabBytes < 4096 || cacheMaxBytes < 0) {
            throw new IllegalArgumentException(
                    memoryMaxBytes + ", " + slabBytes + ", " + cacheMaxBytes);
        }
        if (keysKeepNanos < 0) {
            throw new IllegalArgumentException("keysKeepNanos " + keysKeepNanos);
        }
        if (sharedPortMask < 0 || sharedPortMask > 0xFFFF) {
            throw new IllegalArgumentException("sharedPortMask " + sharedPortMask);
        }
        if (spinMaxNanos < 0 || spinnersMax < 0) {
            throw new IllegalArgumentException(spinMaxNanos + ", " + spinnersMax);
        }
    }

    /**
     * 1 GiB in slabs of 4 MiB, 64 MiB of kept registrations, keys for 20 ms; the mask maps the
     * ports below 16384, where servers are, to the next 16384, below the range of ephemeral ports;
     * 20 us of spinning on all processors but one.
     */
    public static VerbsConfig defaults() {
        int others = Runtime.getRuntime().availableProcessors() - 1;
        return new VerbsConfig(
                1024 * MIB, 4 * MIB, 64 * MIB, 20_000_000, 0x4000, others > 0 ? 20_000 : 0, others);
    }

    public VerbsConfig withMemory(long maxBytes, long slab) {
        return new VerbsConfig(
                maxBytes,
                slab,
                cacheMaxBytes,
                keysKeepNanos,
                sharedPortMask,
                spinMaxNanos,
                spinnersMax);
    }

    public VerbsConfig withKeys(long keepNanos) {
        return new VerbsConfig(
                memoryMaxBytes,
                slabBytes,
                cacheMaxBytes,
                keepNanos,
                sharedPortMask,
                spinMaxNanos,
                spinnersMax);
    }

    public VerbsConfig withSpin(long maxNanos, int max) {
        return new VerbsConfig(
                memoryMaxBytes,
                slabBytes,
                cacheMaxBytes,
                keysKeepNanos,
                sharedPortMask,
                maxNanos,
                max);
    }
}
