package io.sdp4j.fabric.verbs;

import io.sdp4j.policy.Setting;
import io.sdp4j.policy.Settings;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Settings of RDMA devices, for operators. */
public final class VerbsSettings {
    public static final Setting ENABLED =
            Setting.flag("sdp4j.verbs.enabled", false)
                    .help(
                            "Use RDMA devices (InfiniBand, RoCE, iWARP) through librdmacm and libibverbs.");

    public static final Setting CONNECT_TIMEOUT_MS =
            Setting.number("sdp4j.verbs.connect.timeout.ms", 200, 1, 60_000, "ms")
                    .help(
                            "Longest time of an attempt over an RDMA device, once this process is ready for"
                                    + " it, unless a rule sets another.");

    public static final Setting KEYS_KEEP_MS =
            Setting.number("sdp4j.verbs.keys.keep.ms", 20, 0, 1_000, "ms")
                    .help(
                            "How long the peer over an RDMA device may still read a buffer lent to it more"
                                    + " than once, after its return, so that lending it again is cheap; 0:"
                                    + " not at all.");

    /** All of them. */
    public static final List<Setting> ALL = List.of(ENABLED, CONNECT_TIMEOUT_MS, KEYS_KEEP_MS);

    private VerbsSettings() {}

    /**
     * Returns the values of the settings, with defaults for parts that are no setting of this
     * module.
     */
    public static VerbsConfig config(Settings settings) {
        return VerbsConfig.defaults()
                .withKeys(TimeUnit.MILLISECONDS.toNanos(settings.longValue(KEYS_KEEP_MS)));
    }
}
