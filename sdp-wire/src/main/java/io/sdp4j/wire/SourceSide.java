package io.sdp4j.wire;

/**
 * The half-connection on which we are the Source, beyond buffered copy: buffers lent to the peer.
 *
 * <p>Shape: a part of {@link SdpMachine}, under the same lock. The shell lends buffers in stream
 * order; the machine lets the peer read them (SrcAvail), or writes them into what the peer offers
 * (SinkAvail), and gives each back exactly once, in the order of lending, as SOURCE_RETURNED:
 *
 * {@snippet lang = text :
 *  DONE      the peer has all of it
 *  COPY      the rest is owed: send it with reserve and send, before anything else, in messages of
 *            at most payloadLimit bytes; meanwhile reserve succeeds only for that
 *  RECALLED  after recall: the rest is the shell's, to be sent or not
 *  CUT       the stream is cut, and the queue pair with it
 * }
 *
 * While a buffer is lent, {@link SdpMachine#reserve()} fails, except for what is owed: stream order
 * is the order of lend and send. Numbers of buffers are the shell's own and mean nothing here.
 *
 * <p>Source: docs/protocol.md 6 and 7.
 */
public final class SourceSide {
    private final SdpMachine machine;
    private final SendHalf send;

    SourceSide(SdpMachine machine, SendHalf send) {
        this.machine = machine;
        this.send = send;
    }

    /**
     * Lends a registered buffer whose bytes come next in the stream. Worth while from about 64 KiB,
     * and never for a write that must not wait (docs/protocol.md 6.9, 18).
     *
     * @param buffer the shell's number of it
     * @param lenBytes 1..2^31
     * @param rkey key that lets the peer read it
     * @param va address of its first byte, as the key wants it
     * @return false when nothing was taken: the bytes are to be copied
     */
    public boolean lend(int buffer, long lenBytes, int rkey, long va, ActionList out) {
        assert lenBytes > 0 && lenBytes <= 1L << 31;
        if (!machine.begins() || !send.lend(buffer, lenBytes, rkey, va, machine.peerMaxAdverts)) {
            return false;
        }
        machine.onward(out);
        return true;
    }

    /** Buffers lent and not returned. */
    public int lent() {
        return send.sources.size();
    }

    /** Most payload bytes of the next Data message: owed bytes are not mixed with others. */
    public int payloadLimit() {
        long owed = send.sources.owed();
        return owed == 0 ? machine.maxPayload() : (int) Math.min(owed, machine.maxPayload());
    }

    /**
     * The application wants its buffers back: buffers that the peer has not touched are withdrawn,
     * transfers under way are finished (SrcAvailCancel). Until all are returned nothing can be
     * lent.
     */
    public void recall(ActionList out) {
        boolean couldWrite = machine.writable();
        send.sources.recall();
        machine.onward(couldWrite, out);
    }

    /** RDMA_WRITEs have completed, {@code count} of them, in the order of posting. */
    public void onWritesCompleted(int count, ActionList out) {
        if (!machine.open()) {
            return; // everything was returned
        }
        boolean couldWrite = machine.writable();
        for (int i = 0; i < count; i++) {
            send.sources.onWritten();
        }
        machine.onward(couldWrite, out);
    }
}
