package io.sdp4j.fabric.verbs;

/**
 * Times and limits of a {@link VerbsFabric}.
 *
 * @param keysKeepNanos longest time that a peer's key to a buffer which it was lent for reading is
 *     kept for the next time; 0 = the key dies with its advertisement
 * @param spinMaxNanos longest time a waiting thread polls before it sleeps; 0 = never
 * @param spinnersMax threads of the process that may do so at a time
 */
public record VerbsConfig(long keysKeepNanos, long spinMaxNanos, int spinnersMax) {
    /**
     * Where an RDMA listener occupies a TCP port (iWARP), it takes the port that differs from the
     * application's in this bit, as do those who connect: on its own the kernel's listener is
     * already. Ports below 16384, where servers are, come to lie below the range of ephemeral ones.
     */
    public static final int SHARED_PORT_MASK = 0x4000;

    /** Keys for 20 ms; 20 us of spinning on all processors but one. */
    public static VerbsConfig defaults() {
        int others = Runtime.getRuntime().availableProcessors() - 1;
        return new VerbsConfig(20_000_000, others > 0 ? 20_000 : 0, others);
    }

    public VerbsConfig withKeys(long keepNanos) {
        return new VerbsConfig(keepNanos, spinMaxNanos, spinnersMax);
    }

    public VerbsConfig withSpin(long maxNanos, int max) {
        return new VerbsConfig(keysKeepNanos, maxNanos, max);
    }
}
