package io.sdp4j.offload;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import java.net.SocketException;

/**
 * The reason why no provider could connect or listen: that of the last provider which gave one
 * other than {@link ReasonCode#NO_PROVIDER}.
 *
 * <p>Not thread-safe.
 */
final class ProviderFailure {
    private ReasonCode reason = ReasonCode.NO_PROVIDER;
    private String detail = ReasonCode.NO_PROVIDER.sentence();
    private boolean remember;
    private OffloadUnavailable cause;

    void add(OffloadUnavailable e) {
        if (cause != null && e.reason() == ReasonCode.NO_PROVIDER) {
            return;
        }
        reason = e.reason();
        String text = e.getMessage(); // a plug-in may give none
        detail = text != null ? text : reason.sentence();
        remember |= e.remember();
        cause = e;
    }

    /** Adds an exception that a provider must not throw, as {@link ReasonCode#INTERNAL}. */
    void add(OffloadProvider provider, Throwable e) {
        add(
                new OffloadUnavailable(
                        ReasonCode.INTERNAL,
                        "provider " + provider.name() + " failed: " + e,
                        false,
                        e));
    }

    ReasonCode reason() {
        return reason;
    }

    String detail() {
        return detail;
    }

    /** Whether asking again soon would cost time for nothing. */
    boolean remember() {
        return remember;
    }

    Attempt kernel() {
        return Attempt.kernel(reason, detail);
    }

    /** Text for the message of an exception: the reason, and the rule that allows no other way. */
    String under(Decision decision) {
        return "(" + detail + "; rule: " + decision.rule() + ")";
    }

    /** {@code e} with its cause. */
    <X extends SocketException> X causing(X e) {
        if (cause != null) {
            e.initCause(cause);
        }
        return e;
    }
}
