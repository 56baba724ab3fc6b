package io.sdp4j.offload.spi;

import io.sdp4j.api.ReasonCode;

/**
 * Thrown by a provider to say "use the kernel". Nothing was established, and nothing is left
 * behind.
 */
public final class OffloadUnavailable extends Exception {
    private static final long serialVersionUID = 1L;

    private final ReasonCode reason;
    private final boolean remember;
    private final boolean starting;

    /**
     * @param message what failed, on which connection, why, and what the user can do
     * @param remember whether to ask again soon would waste time: no answer came, or the peer that
     *     answered is slow to ask
     * @param starting whether the destination listens on the kernel and may offer offload soon; it
     *     is quick to ask again
     */
    public OffloadUnavailable(
            ReasonCode reason,
            String message,
            boolean remember,
            boolean starting,
            Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.remember = remember;
        this.starting = starting;
    }

    public OffloadUnavailable(
            ReasonCode reason, String message, boolean remember, Throwable cause) {
        this(reason, message, remember, false, cause);
    }

    public OffloadUnavailable(ReasonCode reason, String message) {
        this(reason, message, false, null);
    }

    public ReasonCode reason() {
        return reason;
    }

    public boolean remember() {
        return remember;
    }

    public boolean starting() {
        return starting;
    }
}
