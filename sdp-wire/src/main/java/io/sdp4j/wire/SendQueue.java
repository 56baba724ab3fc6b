package io.sdp4j.wire;

/**
 * The send queue below: how many messages may still be posted.
 *
 * <p>RDMA operations are counted by themselves ({@link Flights}): the shell makes the queue deep
 * enough for both.
 */
final class SendQueue {
    /** Payload leaves this many sends of the queue to control messages, as credits do. */
    private static final int CONTROL_SENDS = 1;

    private final int depth;
    private int inFlight;

    SendQueue(int depth) {
        this.depth = depth;
    }

    boolean roomForPayload(int reserved) {
        return depth - inFlight - reserved > CONTROL_SENDS;
    }

    boolean roomForControl(int reserved) {
        return depth - inFlight - reserved > 0;
    }

    void onPosted() {
        if (depth != Integer.MAX_VALUE) {
            inFlight++;
        }
    }

    void onCompleted(int count) {
        if (depth != Integer.MAX_VALUE) {
            assert count <= inFlight : "more completions than sends";
            inFlight -= count;
        }
    }
}
