package io.sdp4j.stream;

import io.sdp4j.fabric.shm.ShmSettings;
import io.sdp4j.fabric.verbs.VerbsSettings;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.policy.PolicySettings;
import io.sdp4j.policy.Setting;
import io.sdp4j.policy.Settings;
import java.util.List;

/** Settings of streams, and of every fabric alike. */
public final class SdpSettings {
    public static final Setting TRACE =
            Setting.text("sdp4j.trace", "", "file")
                    .help(
                            "Trace of all SDP messages, for sdp4j trace; %p: process id; empty: none.");

    public static final Setting TRACE_LIMIT_MB =
            Setting.number("sdp4j.trace.limit.mb", 16, 1, 1_024, "MiB")
                    .help(
                            "Size of the trace file from the start; the oldest messages are overwritten.");

    public static final Setting TRACE_PAYLOAD_BYTES =
            Setting.number("sdp4j.trace.payload.bytes", 0, 0, 4_096, "bytes")
                    .help("Payload of each message that the trace keeps; 0: headers only.");

    public static final Setting BUFFERS_COUNT =
            Setting.number("sdp4j.buffers.count", 32, 4, 64, "buffers")
                    .help("Private receive buffers of a connection in shared memory.");

    public static final Setting BUFFERS_BYTES =
            Setting.number("sdp4j.buffers.bytes", 262_160, 256, 1_048_576, "bytes")
                    .help(
                            "Size of a private buffer in shared memory, the 16 bytes of BSDH included."
                                    + " While the reader keeps up, a message fills at most 16 KiB of it;"
                                    + " parts never used take no memory.");

    public static final Setting VERBS_BUFFERS_COUNT =
            Setting.number("sdp4j.verbs.buffers.count", 16, 4, 64, "buffers")
                    .help(
                            "Private buffers of a connection over an RDMA device, in each direction; all"
                                    + " are registered memory from the start.");

    public static final Setting VERBS_BUFFERS_BYTES =
            Setting.number("sdp4j.verbs.buffers.bytes", 65_552, 256, 1_048_576, "bytes")
                    .help("Size of a private buffer over an RDMA device.");

    public static final Setting ZCOPY_ENABLED =
            Setting.flagOrAuto("sdp4j.zcopy.enabled")
                    .help(
                            "Move large direct buffers of asynchronous and of blocking channels by RDMA instead"
                                    + " of copying them through private buffers; auto: where RDMA saves copies,"
                                    + " which it does over RDMA devices, not in shared memory.");

    public static final Setting SPIN_MAX_US =
            Setting.number("sdp4j.spin.max.us", 20, 0, 1_000, "us")
                    .help(
                            "Longest time a waiting thread spins before it sleeps; 0: never spin. A selector that"
                                    + " is busy with many channels, and a wait that tries whether spinning"
                                    + " pays again, spin up to eight times as long.");

    public static final Setting KEEPALIVE_S =
            Setting.number("sdp4j.keepalive.s", 7_200, 1, 86_400, "s")
                    .help(
                            "How long a connection with SO_KEEPALIVE over an RDMA device may be idle before the"
                                    + " peer is probed.");

    public static final Setting BUFFERS_QUIET_MS =
            Setting.number("sdp4j.internal.buffers.quiet.ms", 1_000, 0, 30_000, "ms")
                    .help(
                            "How long a connection must be quiet before it gives back memory; while its"
                                    + " peer holds some, up to 32 times as long, 30 s at most; 0: never.");

    public static final Setting ZCOPY_THRESHOLD_BYTES =
            Setting.number(
                            "sdp4j.internal.zcopy.threshold.bytes",
                            65_537,
                            4_096,
                            1_073_741_824,
                            "bytes")
                    .help("Least remaining bytes of a direct buffer that RDMA moves.");

    public static final Setting ZCOPY_OFFERS =
            Setting.flag("sdp4j.internal.zcopy.offers", false)
                    .help(
                            "Offer the buffers of waiting reads to the peer, which then writes into them.");

    public static final Setting BULK_BYTES =
            Setting.number("sdp4j.internal.bulk.bytes", 262_144, 0, 1_073_741_824, "bytes")
                    .help(
                            "Payload sent without an answer after which more is written past the processor's cache"
                                    + " (shared memory on x86-64); 0: never.");

    public static final Setting SPIN_SPINNERS_MAX =
            Setting.number("sdp4j.internal.spin.spinners.max", -1, -1, 1_024, "threads")
                    .help(
                            "How many threads may spin at a time; -1: one less than the JVM's processors.");

    public static final Setting CLOSE_TIMEOUT_S =
            Setting.number("sdp4j.internal.close.timeout.s", 60, 1, 3_600, "s")
                    .help(
                            "Longest time a closed connection may take to deliver what it still holds.");

    public static final Setting CLOSE_GRACE_MS =
            Setting.number("sdp4j.internal.close.grace.ms", 1_000, 0, 60_000, "ms")
                    .help(
                            "How long the queue pair of a closed connection waits for the peer to close too.");

    public static final Setting RESUME_TIMEOUT_S =
            Setting.number("sdp4j.internal.resume.timeout.s", 10, 1, 3_600, "s")
                    .help(
                            "Longest time that a suspended session waits for the peer's answer, and for its"
                                    + " return.");

    /** These, and those of every module that a provider stands on. */
    public static final List<Setting> ALL =
            Settings.join(
                    PolicySettings.ALL,
                    SwitchSettings.ALL,
                    ShmSettings.ALL,
                    VerbsSettings.ALL,
                    List.of(
                            TRACE,
                            TRACE_LIMIT_MB,
                            TRACE_PAYLOAD_BYTES,
                            BUFFERS_COUNT,
                            BUFFERS_BYTES,
                            VERBS_BUFFERS_COUNT,
                            VERBS_BUFFERS_BYTES,
                            ZCOPY_ENABLED,
                            SPIN_MAX_US,
                            KEEPALIVE_S,
                            BUFFERS_QUIET_MS,
                            ZCOPY_THRESHOLD_BYTES,
                            ZCOPY_OFFERS,
                            BULK_BYTES,
                            SPIN_SPINNERS_MAX,
                            CLOSE_TIMEOUT_S,
                            CLOSE_GRACE_MS,
                            RESUME_TIMEOUT_S));

    private SdpSettings() {}

    /** Whether a provider with these settings uses RDMA devices. */
    public static boolean usesDevices(Settings settings) {
        return settings.flag(VerbsSettings.ENABLED);
    }
}
