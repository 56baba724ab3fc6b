package io.sdp4j.wire;

/**
 * The half-connection on which we are the Sink, beyond buffered copy: buffers that the peer lends
 * us to read, and those that we lend it to be filled.
 *
 * <p>Shape: a part of {@link SdpMachine}, under the same lock. A reader first takes what was
 * delivered; when nothing is left of it, it may lend its buffer. The machine then fills it by RDMA
 * Reads from what the peer offers, or offers it to the peer (SinkAvail), and gives each buffer back
 * exactly once, in the order of lending, as SINK_RETURNED with the bytes it holds from its start.
 * With fewer bytes than it has room for, even none, it comes back when there is nothing more to
 * read by RDMA now: the next bytes of the stream then are in DELIVER rows, or yet to come.
 *
 * <p>What the peer offers stays where it is until it is read; {@link #refuse} makes the peer send
 * it as Data. A machine without zero copy refuses by itself.
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
     * @param offerable whether the peer may be let to write it: not if it must come back full, or
     *     was registered for local access only
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
     * Bytes that the peer offers to be read next, 0 when there is none: lend a buffer, or refuse. A
     * reader that finds nothing delivered must do one of both, else it waits for ever.
     */
    public long offeredBytes() {
        return machine.open() ? receive.offeredBytes() : 0;
    }

    /**
     * Wants the oldest offer as Data (SendSm). Reads of it that are under way are finished first.
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
