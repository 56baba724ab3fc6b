package io.sdp4j.offload.contract;

import io.sdp4j.offload.SwitchSettings;
import java.time.Duration;

/**
 * For tests in which a connection that is not offloaded, because there was no time, is a failure.
 */
public final class Patience {
    /** An attempt may take as long as a busy machine needs; no peer is remembered as silent. */
    public static final SwitchSettings SETTINGS =
            new SwitchSettings(Duration.ofSeconds(60).toNanos(), 0);

    private Patience() {}
}
