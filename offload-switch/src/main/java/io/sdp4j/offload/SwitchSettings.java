package io.sdp4j.offload;

import io.sdp4j.policy.Setting;
import io.sdp4j.policy.Settings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Settings of the switch.
 *
 * @param connectTimeoutNanos longest time of one offload attempt whose rule gives none; more than 0
 * @param missTtlNanos how long a destination that did not answer twice, or refused and took TCP, is
 *     not asked again; 0 = it is always asked
 * @param upgrade when connections on this host are offloaded
 */
public record SwitchSettings(long connectTimeoutNanos, long missTtlNanos, UpgradePolicy upgrade) {
    public static final Setting CONNECT_TIMEOUT_MS =
            Setting.number("sdp4j.connect.timeout.ms", 1_000, 1, 60_000, "ms")
                    .help(
                            "Longest time of an offload attempt before kernel TCP is used; up to five"
                                    + " seconds more while this process's or the peer's switch starts.");

    public static final Setting MISS_CACHE_SECONDS =
            Setting.number("sdp4j.internal.miss.cache.seconds", 10, 0, 86_400, "s")
                    .help(
                            "How long a destination that was silent twice over RDMA, or refused and took"
                                    + " TCP, goes straight to TCP; 0: not at all.");

    public static final Setting UPGRADE =
            Setting.text("sdp4j.upgrade", "auto", "")
                    .help(
                            "When a connection within this host leaves TCP, if its rule is both; the end that"
                                    + " connects decides. auto: when it has carried enough to pay for it (see"
                                    + " README), but not while more than 16 threads for each processor want"
                                    + " to run; connect: as soon as TCP has made it, and a JVM that begins to"
                                    + " listen moves one connection to itself first, which loads what the next"
                                    + " ones need; a number: after so many bytes.");

    public static final List<Setting> ALL =
            List.of(CONNECT_TIMEOUT_MS, MISS_CACHE_SECONDS, UPGRADE);

    /** Settings with which connections leave TCP as soon as TCP has made them. */
    public SwitchSettings(long connectTimeoutNanos, long missTtlNanos) {
        this(connectTimeoutNanos, missTtlNanos, UpgradePolicy.AT_CONNECT);
    }

    /** The same with another policy. */
    public SwitchSettings withUpgrade(UpgradePolicy other) {
        return new SwitchSettings(connectTimeoutNanos, missTtlNanos, other);
    }

    /**
     * The operator's settings but for {@link #UPGRADE}, which the agent reads and sets by {@link
     * #withUpgrade}; here connections leave TCP as soon as it has made them.
     */
    public static SwitchSettings of(Settings settings) {
        return new SwitchSettings(
                TimeUnit.MILLISECONDS.toNanos(settings.longValue(CONNECT_TIMEOUT_MS)),
                TimeUnit.SECONDS.toNanos(settings.longValue(MISS_CACHE_SECONDS)));
    }

    /** 200 ms per attempt; failures remembered for 10 s each. */
    public static SwitchSettings defaults() {
        return new SwitchSettings(
                Duration.ofMillis(200).toNanos(), Duration.ofSeconds(10).toNanos());
    }
}
