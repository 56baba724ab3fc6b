package io.sdp4j.stream;

import io.sdp4j.policy.Setting;
import io.sdp4j.policy.Settings;
import io.sdp4j.rdma.Capabilities;
import io.sdp4j.rdma.QpSpec;
import io.sdp4j.wire.SdpMachine;
import io.sdp4j.wire.WireConfig;
import java.util.concurrent.TimeUnit;

/**
 * What every stream of this process is made with.
 *
 * @param buffers private buffers of a stream, 4 to 64
 * @param bufferBytes size of each, BSDH included
 * @param bulkBytes payload that goes one way without an answer before the stream counts as bulk
 * @param closeTimeoutNanos longest an orderly end may take after the application closed
 * @param closeGraceNanos how long the second closer leaves closing the connection below to the
 *     first
 */
record StreamSettings(
        int buffers,
        int bufferBytes,
        long bulkBytes,
        long closeTimeoutNanos,
        long closeGraceNanos) {
    /** Advertisements we could hold; sdp-wire.md 18. */
    private static final int MAX_ADVERTS = 16;

    /** HelloAck in its longest form. */
    private static final int HELLO_ACK_BYTES = 196;

    static StreamSettings of(Settings settings) {
        return new StreamSettings(
                settings.intValue(Setting.BUFFERS_COUNT),
                settings.intValue(Setting.BUFFERS_BYTES),
                bulkBytes(settings),
                TimeUnit.SECONDS.toNanos(settings.longValue(Setting.CLOSE_TIMEOUT_S)),
                TimeUnit.MILLISECONDS.toNanos(settings.longValue(Setting.CLOSE_GRACE_MS)));
    }

    private static long bulkBytes(Settings settings) {
        long bytes = settings.longValue(Setting.BULK_BYTES);
        return bytes == 0 ? Long.MAX_VALUE : bytes;
    }

    /** The time of a machine's timer: ours where there is a setting, else what the machine says. */
    long timerNanos(int timer, long nanos) {
        return switch (timer) {
            case SdpMachine.TIMER_CLOSE -> closeTimeoutNanos;
            case SdpMachine.TIMER_GRACE -> closeGraceNanos;
            default -> nanos;
        };
    }

    QpSpec qpSpec() {
        return new QpSpec(buffers, bufferBytes, buffers);
    }

    WireConfig wireConfig(Capabilities c) {
        int depth = c.sendsCompleteAtPost() ? Integer.MAX_VALUE : buffers;
        int reads = Math.max(1, c.maxOutstandingReads());
        return new WireConfig(buffers, bufferBytes, depth, MAX_ADVERTS, reads, reads);
    }

    int helloAckBytes() {
        return HELLO_ACK_BYTES;
    }
}
