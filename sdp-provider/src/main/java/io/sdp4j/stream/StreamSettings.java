package io.sdp4j.stream;

import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.policy.Settings;
import io.sdp4j.wire.Features;
import io.sdp4j.wire.SdpMachine;
import io.sdp4j.wire.WireConfig;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Settings of every stream of this process.
 *
 * @param buffers private buffers of a stream, 4 to 64
 * @param bufferBytes size of each, BSDH included
 * @param deviceBuffers private buffers of a stream where every message is work for a device, 4 to
 *     64; see {@link #over}
 * @param deviceBufferBytes size of each there
 * @param bulkBytes payload that goes one way without an answer before the stream counts as bulk
 * @param closeTimeoutNanos longest an orderly end may take after the application closed
 * @param closeGraceNanos how long the second closer leaves closing the connection below to the
 *     first
 * @param resumeNanos longest that a session which we suspend waits for the peer's answer, and that
 *     a suspended session waits for its next connection
 * @param quietNanos how long a stream must be quiet before it gives memory back; 0 = never
 * @param keepAliveNanos time without a message after which a connection that is to be kept alive is
 *     probed
 * @param zcopy buffers that are moved without a private copy
 */
record StreamSettings(
        int buffers,
        int bufferBytes,
        int deviceBuffers,
        int deviceBufferBytes,
        long bulkBytes,
        long closeTimeoutNanos,
        long closeGraceNanos,
        long resumeNanos,
        long quietNanos,
        long keepAliveNanos,
        Zcopy zcopy) {
    /** Advertisements we could hold; docs/protocol.md 18. */
    private static final int MAX_ADVERTS = 16;

    /**
     * Zero copy.
     *
     * @param use whether buffers are borrowed at all
     * @param thresholdBytes from which size on a buffer is lent
     * @param pauseWrites most writes that are copied before a peer that refuses is tried again
     * @param buffers most buffers of one write that the peer may have at a time
     * @param rdmaBytes most bytes of one RDMA operation
     * @param offers whether the buffers of waiting reads are offered to the peer (SinkAvail)
     */
    record Zcopy(
            Use use,
            int thresholdBytes,
            int pauseWrites,
            int buffers,
            int rdmaBytes,
            boolean offers) {
        enum Use {
            /** Where the fabric says that it saves copies. */
            AUTO,
            TRUE,
            FALSE
        }

        private static final int PAUSE_WRITES = 1024;
        private static final int BUFFERS = 16;
        private static final int RDMA_BYTES = 1 << 20;

        private static Zcopy of(Settings settings) {
            String use = settings.text(SdpSettings.ZCOPY_ENABLED).toUpperCase(Locale.ROOT);
            return new Zcopy(
                    Use.valueOf(use),
                    settings.intValue(SdpSettings.ZCOPY_THRESHOLD_BYTES),
                    PAUSE_WRITES,
                    BUFFERS,
                    RDMA_BYTES,
                    settings.flag(SdpSettings.ZCOPY_OFFERS));
        }

        /** Whether it can be used on a fabric. */
        boolean usable(Capabilities c) {
            boolean wanted = use == Use.AUTO ? c.rdmaSparesCopies() : use == Use.TRUE;
            return wanted && c.maxOutstandingReads() > 0;
        }
    }

    static StreamSettings of(Settings settings) {
        return new StreamSettings(
                settings.intValue(SdpSettings.BUFFERS_COUNT),
                settings.intValue(SdpSettings.BUFFERS_BYTES),
                settings.intValue(SdpSettings.VERBS_BUFFERS_COUNT),
                settings.intValue(SdpSettings.VERBS_BUFFERS_BYTES),
                bulkBytes(settings),
                TimeUnit.SECONDS.toNanos(settings.longValue(SdpSettings.CLOSE_TIMEOUT_S)),
                TimeUnit.MILLISECONDS.toNanos(settings.longValue(SdpSettings.CLOSE_GRACE_MS)),
                TimeUnit.SECONDS.toNanos(settings.longValue(SdpSettings.RESUME_TIMEOUT_S)),
                TimeUnit.MILLISECONDS.toNanos(settings.longValue(SdpSettings.BUFFERS_QUIET_MS)),
                TimeUnit.SECONDS.toNanos(settings.longValue(SdpSettings.KEEPALIVE_S)),
                Zcopy.of(settings));
    }

    /**
     * These settings for one fabric. On a device, each message has a high cost that does not depend
     * on its length, so messages are longer there. Buffers are smaller and fewer there, because all
     * of them are registered memory.
     */
    StreamSettings over(Capabilities c) {
        boolean same = deviceBuffers == buffers && deviceBufferBytes == bufferBytes;
        if (c.sendsCompleteAtPost() || same) {
            return this;
        }
        return new StreamSettings(
                deviceBuffers,
                deviceBufferBytes,
                deviceBuffers,
                deviceBufferBytes,
                bulkBytes,
                closeTimeoutNanos,
                closeGraceNanos,
                resumeNanos,
                quietNanos,
                keepAliveNanos,
                zcopy);
    }

    private static long bulkBytes(Settings settings) {
        long bytes = settings.longValue(SdpSettings.BULK_BYTES);
        return bytes == 0 ? Long.MAX_VALUE : bytes;
    }

    /** The time of a machine's timer: ours where there is a setting, else what the machine says. */
    long timerNanos(int timer, long nanos) {
        return switch (timer) {
            case SdpMachine.TIMER_CLOSE -> closeTimeoutNanos;
            case SdpMachine.TIMER_GRACE -> closeGraceNanos;
            case SdpMachine.TIMER_SUSPEND -> resumeNanos;
            default -> nanos;
        };
    }

    QpSpec qpSpec() {
        return new QpSpec(buffers, bufferBytes, buffers);
    }

    WireConfig wireConfig(Capabilities c) {
        int depth = c.sendsCompleteAtPost() ? Integer.MAX_VALUE : buffers;
        int reads = Math.max(1, c.maxOutstandingReads());
        Features features =
                zcopy.usable(c)
                        ? Features.NONE.withZcopy(
                                zcopy.buffers(), Math.min(zcopy.rdmaBytes(), c.rdmaBytes()))
                        : Features.NONE;
        WireConfig config = new WireConfig(buffers, bufferBytes, depth, MAX_ADVERTS, reads, reads);
        // Within one host a session has no other device to go to; and an end that follows shows a
        // socket of its address, of which an accepted end has only the listener.
        return config.with(c.reachesOtherHosts() ? features.withSuspending() : features);
    }
}
