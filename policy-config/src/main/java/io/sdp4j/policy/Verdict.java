package io.sdp4j.policy;

/** Treatment of a connection or a listener by a rule. */
public enum Verdict {
    /** Never offload, and do not even consult a provider: {@code direct}. */
    DIRECT("direct"),
    /** Kernel TCP: libsdp's {@code tcp}. */
    KERNEL("tcp"),
    /** Offload or fail: libsdp's {@code sdp}. */
    OFFLOAD_ONLY("sdp"),
    /**
     * Offload when possible, else kernel TCP: libsdp's {@code both}. For a listener: the kernel's
     * listener and offload listeners beside it.
     */
    OFFLOAD_FIRST("both");

    private final String word;

    Verdict(String word) {
        this.word = word;
    }

    /** The word of the libsdp dialect, with our addition {@code direct}. */
    public String word() {
        return word;
    }

    /** Whether an offload provider is asked at all. */
    public boolean offloads() {
        return this == OFFLOAD_ONLY || this == OFFLOAD_FIRST;
    }
}
