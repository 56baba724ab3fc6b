package io.sdp4j.stream;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.wire.HelloFault;

/**
 * Translates failures of fabrics and machines into the switch's reasons, and encodes refusals.
 *
 * <p>A refusal carries four bytes of private data: cause (1 version, 2 malformed Hello, 3 no
 * listener, 4 backlog, 5 resources, 6 policy), then zeros (docs/protocol.md 20.2).
 */
final class Reasons {
    static final int CAUSE_NO_LISTENER = 3;
    static final int CAUSE_BACKLOG = 4;
    static final int CAUSE_RESOURCES = 5;
    static final int CAUSE_POLICY = 6;

    private Reasons() {}

    static byte[] refusal(int cause) {
        return new byte[] {(byte) cause, 0, 0, 0};
    }

    static OffloadUnavailable unavailable(FabricException e) {
        ReasonCode code = code(e);
        return new OffloadUnavailable(
                code,
                code == ReasonCode.BACKLOG ? code.sentence() : e.getMessage(),
                false,
                e.why() == FabricException.Cause.NOT_OFFERED,
                e);
    }

    /**
     * As {@link #unavailable}, for an attempt that left this host. There it takes time and a queue
     * pair to find out that nothing answers or listens, so that is remembered. On this host a
     * listener that does not answer in time is slow, and may be quick the next time.
     */
    static OffloadUnavailable unavailableThere(FabricException e) {
        boolean remember =
                e.why() == FabricException.Cause.NO_LISTENER
                        || e.why() == FabricException.Cause.TIMED_OUT;
        return new OffloadUnavailable(code(e), e.getMessage(), remember, e);
    }

    static OffloadUnavailable badHelloAck(HelloFault fault) {
        ReasonCode code = fault.rejectCause() == 1 ? ReasonCode.VERSION : ReasonCode.PROTOCOL;
        return new OffloadUnavailable(code, "the peer's HelloAck is not acceptable: " + fault);
    }

    private static ReasonCode code(FabricException e) {
        return switch (e.why()) {
            case UNAVAILABLE, CLOSED, IN_USE -> ReasonCode.UNAVAILABLE;
            case NO_LISTENER, NOT_OFFERED -> ReasonCode.NO_PEER;
            case REFUSED -> refused(e.privateData());
            case NOT_ACCEPTED -> ReasonCode.NOT_ACCEPTED;
            case TIMED_OUT, NOT_READY -> ReasonCode.TIMED_OUT;
            case ABANDONED -> ReasonCode.ABANDONED;
            case VERSION -> ReasonCode.VERSION;
            case UID -> ReasonCode.UID;
            case BUSY -> ReasonCode.BACKLOG;
            case RESOURCES -> ReasonCode.MEMORY;
            case BUFFERS -> ReasonCode.BUFFERS;
            case PROTOCOL -> ReasonCode.PROTOCOL;
        };
    }

    private static ReasonCode refused(byte[] privateData) {
        return switch (privateData.length == 0 ? 0 : privateData[0]) {
            case 1 -> ReasonCode.VERSION;
            case 2 -> ReasonCode.PROTOCOL;
            case CAUSE_NO_LISTENER -> ReasonCode.NO_PEER;
            case CAUSE_BACKLOG -> ReasonCode.BACKLOG;
            case CAUSE_RESOURCES -> ReasonCode.MEMORY;
            default -> ReasonCode.PEER_REFUSED;
        };
    }
}
