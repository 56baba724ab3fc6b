package io.sdp4j.policy;

import java.util.List;
import java.util.Locale;

/**
 * Every knob there is: the only list. The tables in docs/settings.md and docs/internal-settings.md
 * are made from it.
 *
 * <p>Shape: {@code sdp4j.<area>.<noun>[.<unit>]}, unit last, both as a system property and, with or
 * without {@code sdp4j.}, as an agent option. Numbers are whole; their range includes both ends.
 * What no operator can decide about is {@code sdp4j.internal.<area>...} and may change without
 * notice.
 */
public enum Setting {
    /** Rule file. */
    POLICY("sdp4j.policy", Kind.TEXT, "", "file", "Rule file; empty: look in the usual places."),
    /** What holds while no rule file can be used. */
    POLICY_REQUIRED(
            "sdp4j.policy.required",
            false,
            "Refuse what cannot be offloaded, instead of using kernel TCP, while no rule file with rules could be loaded."),
    /** Name that program patterns of rules are compared with. */
    PROGRAM(
            "sdp4j.program",
            Kind.TEXT,
            "",
            "name",
            "Name that program patterns in rules are compared with; empty: main class or jar."),
    /** Where the report goes. */
    REPORT("sdp4j.report", Kind.TEXT, "", "file", "JSON report written at exit; empty: none."),
    /** Trace file. */
    TRACE(
            "sdp4j.trace",
            Kind.TEXT,
            "",
            "file",
            "Trace of all SDP messages, for sdp4j trace; %p: process id; empty: none."),
    /** Size of the trace file. */
    TRACE_LIMIT_MB(
            "sdp4j.trace.limit.mb",
            16,
            1,
            1_024,
            "MiB",
            "Size of the trace file, all of it at once; the oldest messages are overwritten."),
    /** Payload in the trace. */
    TRACE_PAYLOAD_BYTES(
            "sdp4j.trace.payload.bytes",
            0,
            0,
            4_096,
            "bytes",
            "Payload of each message that the trace keeps; 0: headers only."),
    /** Least severe level that is logged. */
    LOG_LEVEL(
            "sdp4j.log.level",
            "off, error, warn, info, debug, trace",
            "warn",
            "Least severe level that is logged."),
    /** Where log records go. */
    LOG_FILE(
            "sdp4j.log.file",
            Kind.TEXT,
            "",
            "file",
            "File that log records are appended to; empty: System.Logger, and standard error"
                    + " for those below warn that it would drop."),
    /** No line of ours on stderr. */
    QUIET("sdp4j.quiet", false, "Print nothing on stderr, not even why offload is off."),
    /** JMX bean. */
    JMX("sdp4j.jmx", true, "Register the report as a JMX bean."),
    /** Cap of an offload attempt. */
    CONNECT_TIMEOUT_MS(
            "sdp4j.connect.timeout.ms",
            1_000,
            1,
            60_000,
            "ms",
            "Longest time an offload attempt may take before kernel TCP is used."),
    /** When connections leave TCP. */
    UPGRADE(
            "sdp4j.upgrade",
            Kind.TEXT,
            "auto",
            "",
            "When a connection to this host is offloaded that a rule both allows: auto, once it"
                    + " has carried enough to pay for it, but no channel that does not block,"
                    + " and nothing on one processor; connect, before connect returns; or a"
                    + " number of bytes that it has carried."),
    /** Selectable channels. */
    CHANNELS_ENABLED(
            "sdp4j.channels.enabled",
            true,
            "Offload SocketChannel and ServerSocketChannel; read when the agent starts."),
    /** Asynchronous channels. */
    ASYNC_ENABLED(
            "sdp4j.async.enabled",
            true,
            "Offload asynchronous channels; read when the agent starts."),
    /** Shared-memory fabric. */
    SHM_ENABLED("sdp4j.shm.enabled", true, "Use the shared-memory fabric."),
    /** Connections over files. */
    SHM_PORTABLE(
            "sdp4j.shm.portable",
            false,
            "Also offload to and from JVMs of this user that make no native calls, over memory in"
                    + " files; nothing proves which addresses such a JVM holds, and it can end a"
                    + " connection at any time. Both sides must set it."),
    /** Rendezvous directory. */
    SHM_DIR(
            "sdp4j.shm.dir",
            Kind.TEXT,
            "",
            "directory",
            "Directory in which each user's processes meet, in one of their own; empty: automatic."),
    /** RDMA devices. */
    VERBS_ENABLED(
            "sdp4j.verbs.enabled",
            false,
            "Use RDMA devices (InfiniBand, RoCE, iWARP) through librdmacm and libibverbs."),
    /** Cap of an attempt over an RDMA device. */
    VERBS_CONNECT_TIMEOUT_MS(
            "sdp4j.verbs.connect.timeout.ms",
            200,
            1,
            60_000,
            "ms",
            "Longest time an attempt over an RDMA device may take once this process is ready for it,"
                    + " unless a rule names one."),
    /** Receive buffers per connection over an RDMA device. */
    VERBS_BUFFERS_COUNT(
            "sdp4j.verbs.buffers.count",
            16,
            4,
            64,
            "buffers",
            "Private buffers of a connection over an RDMA device, so many each way; all of them are"
                    + " registered memory from its beginning."),
    /** Size of a receive buffer over an RDMA device. */
    VERBS_BUFFERS_BYTES(
            "sdp4j.verbs.buffers.bytes",
            65_552,
            256,
            1_048_576,
            "bytes",
            "Size of a private buffer over an RDMA device."),
    /** Life of unused keys. */
    VERBS_KEYS_KEEP_MS(
            "sdp4j.verbs.keys.keep.ms",
            20,
            0,
            1_000,
            "ms",
            "How long a connection over an RDMA device keeps its peer's right to read a buffer that it"
                    + " has lent more than once, after the buffer has come back, in case it is lent"
                    + " again; 0: not at all."),
    /** Where plug-ins are. */
    PLUGINS(
            "sdp4j.plugins",
            Kind.TEXT,
            "",
            "directory",
            "Directory with plug-ins, further fabrics and protocols, as a full path; their code runs"
                    + " with the agent's rights; empty: none."),
    /** Receive buffers per connection. */
    BUFFERS_COUNT(
            "sdp4j.buffers.count",
            32,
            4,
            64,
            "buffers",
            "Private receive buffers of a connection."),
    /** Size of a receive buffer. */
    BUFFERS_BYTES(
            "sdp4j.buffers.bytes",
            262_160,
            256,
            1_048_576,
            "bytes",
            "Size of a private buffer in shared memory, the 16 bytes of BSDH included. While the"
                    + " reader keeps up a message takes 16 KiB of it at most, and what was never"
                    + " used is no memory."),
    /** Zero copy of direct buffers. */
    ZCOPY_ENABLED(
            "sdp4j.zcopy.enabled",
            Kind.AUTO,
            "auto",
            0,
            1,
            "auto, true, false",
            "",
            "Move large direct buffers of asynchronous and of blocking channels by RDMA instead"
                    + " of copying them through private buffers; auto: where RDMA spares copies,"
                    + " which it does over RDMA devices, not in shared memory."),
    /** Longest spin before a thread sleeps. */
    SPIN_MAX_US(
            "sdp4j.spin.max.us",
            20,
            0,
            1_000,
            "us",
            "Longest time a waiting thread spins before it sleeps; 0: never spin. A selector that"
                    + " is busy with many channels spins up to eight times as long."),
    /** When an idle peer is probed. */
    KEEPALIVE_S(
            "sdp4j.keepalive.s",
            7_200,
            1,
            86_400,
            "s",
            "How long a connection with SO_KEEPALIVE over an RDMA device may be idle before the"
                    + " peer is probed."),
    /** Bound of all shared memory. */
    MEMORY_MAX_MB(
            "sdp4j.memory.max.mb",
            0,
            0,
            16_777_216,
            "MiB",
            "Most shared memory mapped by this process, counted as if all of it were used; 0:"
                    + " 16384."),

    // Internal ones: for tests and measurements.

    /** Native half of the shared-memory fabric. */
    SHM_NATIVE(
            "sdp4j.internal.shm.native",
            "auto, off",
            "auto",
            "Native calls of the shared-memory fabric: when allowed, or never (pure Java,"
                    + " slower)."),
    /** How long a miss is remembered. */
    MISS_CACHE_SECONDS(
            "sdp4j.internal.miss.cache.seconds",
            10,
            0,
            86_400,
            "s",
            "How long a destination that did not answer goes straight to kernel TCP; 0: not at"
                    + " all."),
    /** Size of a receive buffer under load. */
    BUFFERS_MAX_BYTES(
            "sdp4j.internal.buffers.max.bytes",
            262_160,
            256,
            1_048_576,
            "bytes",
            "Size to which private buffers grow under load and from which they shrink when quiet;"
                    + " not more than sdp4j.buffers.bytes: they keep their size."),
    /** When buffers of a quiet connection go back. */
    BUFFERS_QUIET_MS(
            "sdp4j.internal.buffers.quiet.ms",
            1_000,
            0,
            3_600_000,
            "ms",
            "How long a connection must be quiet before it gives back memory, or up to 32 times"
                    + " that while its peer holds some of it; 0: never."),
    /** Least bytes moved without a copy. */
    ZCOPY_THRESHOLD_BYTES(
            "sdp4j.internal.zcopy.threshold.bytes",
            65_537,
            4_096,
            1_073_741_824,
            "bytes",
            "Remaining bytes from which a direct buffer is moved by RDMA, until enough has been"
                    + " measured."),
    /** Whether that adapts. */
    ZCOPY_ADAPTIVE(
            "sdp4j.internal.zcopy.adaptive",
            true,
            "Move that threshold to where registering costs what copying costs, as measured."),
    /** Write zcopy. */
    ZCOPY_OFFERS(
            "sdp4j.internal.zcopy.offers",
            false,
            "Offer the buffers of waiting reads to the peer, which then writes into them."),
    /** When a stream counts as bulk. */
    BULK_BYTES(
            "sdp4j.internal.bulk.bytes",
            262_144,
            0,
            1_073_741_824,
            "bytes",
            "Payload sent without an answer after which more is written past the processor's cache"
                    + " (shared memory on x86-64); 0: never."),
    /** Threads that may spin at once. */
    SPIN_SPINNERS_MAX(
            "sdp4j.internal.spin.spinners.max",
            -1,
            -1,
            1_024,
            "threads",
            "How many threads may spin at the same time; -1: one less than there are cores."),
    /** One processor for two threads that wait for each other. */
    SLEEP_TOGETHER(
            "sdp4j.internal.sleep.together",
            true,
            "Let two threads that only answer each other sleep on one processor, where no thread spins"
                    + " and that is faster, or give it to each other where every processor is"
                    + " wanted (shared memory; a thread whose processors were chosen for it keeps"
                    + " them)."),
    /** Longest graceful close. */
    CLOSE_TIMEOUT_S(
            "sdp4j.internal.close.timeout.s",
            60,
            1,
            3_600,
            "s",
            "Longest time a closed connection may take to deliver what it still holds."),
    /** Wait for the peer's goodbye. */
    CLOSE_GRACE_MS(
            "sdp4j.internal.close.grace.ms",
            1_000,
            0,
            60_000,
            "ms",
            "How long the queue pair of a closed connection waits for the peer to close too."),
    /** Longest rest of a suspended session. */
    RESUME_TIMEOUT_S(
            "sdp4j.internal.resume.timeout.s",
            10,
            1,
            3_600,
            "s",
            "Longest time that a suspended session waits for the peer to answer, and to take it up"
                    + " again.");

    enum Kind {
        TEXT,
        CHOICE,
        FLAG,
        /** A flag that may also be left to the program. */
        AUTO,
        NUMBER
    }

    static final String PREFIX = "sdp4j.";
    static final String INTERNAL = PREFIX + "internal.";

    private final String id;
    private final Kind kind;
    private final String fallback;
    private final long min;
    private final long max;
    private final String choices; // with commas between
    private final String unit;
    private final String help;

    Setting(String id, Kind kind, String fallback, String unit, String help) {
        this(id, kind, fallback, 0, 0, "", unit, help);
    }

    Setting(String id, String choices, String fallback, String help) {
        this(id, Kind.CHOICE, fallback, 0, 0, choices, "", help);
    }

    Setting(String id, boolean fallback, String help) {
        this(id, Kind.FLAG, Boolean.toString(fallback), 0, 1, "true, false", "", help);
    }

    Setting(String id, long fallback, long min, long max, String unit, String help) {
        this(id, Kind.NUMBER, Long.toString(fallback), min, max, "", unit, help);
    }

    Setting(
            String id,
            Kind kind,
            String fallback,
            long min,
            long max,
            String choices,
            String unit,
            String help) {
        this.id = id;
        this.kind = kind;
        this.fallback = fallback;
        this.min = min;
        this.max = max;
        this.choices = choices;
        this.unit = unit;
        this.help = help;
    }

    /** The system property; without {@code sdp4j.} also the agent option. */
    public String id() {
        return id;
    }

    /** The short form for agent options. */
    public String option() {
        return id.substring(PREFIX.length());
    }

    /** Whether it serves tests and measurements only. */
    public boolean isInternal() {
        return id.startsWith(INTERNAL);
    }

    /** What the value counts or names; empty when it needs no unit. */
    public String unit() {
        return unit;
    }

    /** The default as text; empty: not set. */
    public String defaultText() {
        return fallback;
    }

    /** What values are accepted, for people. */
    public String range() {
        return switch (kind) {
            case TEXT -> "any";
            case CHOICE, FLAG, AUTO -> choices;
            case NUMBER -> min + " to " + max;
        };
    }

    /** One sentence. */
    public String help() {
        return help;
    }

    boolean isNumeric() {
        return kind == Kind.NUMBER || kind == Kind.FLAG;
    }

    boolean isFlag() {
        return kind == Kind.FLAG;
    }

    /** The value as it will be kept, or null when it is not acceptable. */
    String accepted(String text) {
        String word = text.strip();
        String lower = word.toLowerCase(Locale.ROOT);
        return switch (kind) {
            case TEXT -> word;
            case CHOICE -> List.of(choices.split(", ")).contains(lower) ? lower : null;
            case FLAG -> flag(lower);
            case AUTO -> lower.equals("auto") ? lower : flag(lower);
            case NUMBER -> number(word);
        };
    }

    private static String flag(String lower) {
        return switch (lower) {
            case "", "true", "on", "yes", "1" -> "true";
            case "false", "off", "no", "0" -> "false";
            default -> null;
        };
    }

    private String number(String word) {
        try {
            long value = Long.parseLong(word);
            return value >= min && value <= max ? Long.toString(value) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
