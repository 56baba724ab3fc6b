package io.sdp4j.offload.spi;

import io.sdp4j.api.ReasonCode;

/**
 * How a provider says "use the kernel". Thrown before anything was established; nothing is left
 * behind.
 */
public final class OffloadUnavailable extends Exception {
    private static final long serialVersionUID = 1L;

    private final ReasonCode reason;
    private final boolean remember;

    /**
     * @param message what failed, on which connection, why, and what the user can do
     * @param remember whether asking again soon would cost time for nothing: no answer came, or it
     *     came from somewhere that is not quick to ask
     */
    public OffloadUnavailable(
            ReasonCode reason, String message, boolean remember, Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.remember = remember;
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
}
