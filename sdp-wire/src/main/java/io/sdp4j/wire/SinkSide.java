package io.sdp4j.wire;

/**
 * The half-connection on which we are the Sink, beyond buffered copy: buffers that the peer lends
 * us to read, and those that we lend it to be filled.
 *
 * <p>Shape: a part of {@link SdpMachine}, under the same lock. A reader first takes what was
 * delivered; when nothing of that is left, it may lend its buffer. The machine then fills the
 * buffer by RDMA Reads from what the peer offers, or offers the buffer to the peer (SinkAvail). It
 * gives each buffer back exactly once, in the order of lending, as SINK_RETURNED with the bytes it
 * holds from its start. A buffer comes back short, or even empty, when there is nothing more to
 * read by RDMA now: the next bytes of the stream are then in DELIVER rows, or yet to come.
 *
 * <p>The bytes that the peer offers stay with the peer until they are read; {@link #refuse} makes
 * the peer send them as Data. A machine without zero copy refuses by itself.
 *
 * <p>Source: docs/protocol.md 6 and 7.
 */
public final class SinkSide {
    private final SdpMachine machine;
    private final ReceiveHalf receive;
    private final SinkPump pump;
    private final Arrivals arrivals;

    SinkSide(SdpMachine machine, ReceiveHalf receive, SinkPump pump, Arrivals arrivals) {
        this.machine = machine;
        this.receive = receive;
        this.pump = pump;
        this.arrivals = arrivals;
    }

    /**
     * Lends a registered buffer for the next bytes of the stream.
     *
     * @param buffer the shell's number of it
     * @param lenBytes 1..2^31
     * @param rkey key that lets the peer write it, if it may be offered
     * @param va address of its first byte, as the key wants it
     * @param offerable whether the peer may be allowed to write the buffer: not if the buffer must
     *     come back full, or was registered for local access only
     * @return false when nothing was taken: delivered slots are not consumed yet, the half has
     *     ended, or too many are lent
     */
    public boolean lend(
            int buffer, long lenBytes, int rkey, long va, boolean offerable, ActionList out) {
        assert lenBytes > 0 && lenBytes <= 1L << 31;
        if (!machine.begins()
                || arrivals.unread()
                || receive.fin()
                || receive.shut()
                || !receive.sinks.lend(buffer, lenBytes, rkey, va, offerable)) {
            return false;
        }
        machine.onward(out);
        return true;
    }

    /** Buffers lent and not returned. */
    public int lent() {
        return receive.sinks.size();
    }

    /**
     * Bytes that the peer offers to be read next, 0 when there are none. A reader that finds
     * nothing delivered must lend a buffer or refuse the offer, else it waits for ever.
     */
    public long offeredBytes() {
        return machine.open() ? receive.offeredBytes() : 0;
    }

    /**
     * Asks for the oldest offer as Data (SendSm). RDMA Reads of it that are under way are finished
     * first.
     */
    public void refuse(ActionList out) {
        receive.offers.refuse();
        machine.onward(out);
    }

    /**
     * The application wants its buffers back: RDMA under way is finished, offers are withdrawn
     * (SinkAvailCancel). Until all are returned nothing can be lent.
     */
    public void recall(ActionList out) {
        receive.sinks.recall();
        machine.onward(out);
    }

    /** RDMA_READs have completed, {@code count} of them, in the order of posting. */
    public void onReadsCompleted(int count, ActionList out) {
        if (machine.open()) { // else the end returns everything
            pump.onReadsCompleted(count);
            machine.onward(out);
        }
    }
}
