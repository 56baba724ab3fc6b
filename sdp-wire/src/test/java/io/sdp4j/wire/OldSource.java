package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/** The half on which an {@link OldPeer} is the Source: its messages and advertisements. */
final class OldSource {
    private static final int RKEY = 77;

    private final Vintage vintage;
    private final Choices choices;
    private final Meeting host;
    private final OldPeer peer;
    private int mode = Mch.COMBINED;
    private long advertisedFrom = -1; // position of what may be read, -1 = nothing
    private long advertised; // and how much
    private long acked;
    private boolean cancelSent;
    private long owed; // bytes that must be sent as Data
    private int sinkAvails;
    private int p; // PotentialNonDiscards
    private int advertMseq;
    private boolean window; // from our leaving Pipelined to its acknowledgement, p being q then
    private int windowMseq;
    private int q;
    private boolean sinkAckDue;
    private boolean finSent;
    long written; // bytes of our stream, the advertised included
    boolean misbehaved; // in a way that must end the connection

    OldSource(Vintage vintage, Choices choices, Meeting host, OldPeer peer) {
        this.vintage = vintage;
        this.choices = choices;
        this.host = host;
        this.peer = peer;
    }

    boolean busy() {
        return advertisedFrom >= 0 || owed > 0 || sinkAckDue;
    }

    boolean finSent() {
        return finSent;
    }

    private boolean payloadAllowed() {
        return advertisedFrom < 0 && !sinkAckDue && !finSent && peer.mayPayload();
    }

    /** SrcAvails that the machine has to keep track of. */
    int advertisements() {
        return advertisedFrom >= 0 ? 1 : 0;
    }

    /** Most payload bytes of a message with an extended header; 0 = none. */
    int mostBeside(int extendedBytes) {
        boolean free = payloadAllowed() && owed == 0;
        return free ? Math.max(0, peer.payload() - extendedBytes) : 0;
    }

    /** A message with payload of our stream, or without. */
    Flight make(int mid, int payload) {
        if (payload > 0) {
            onPayload();
        }
        Flight flight = peer.make(mid, payload, written);
        written += payload;
        return flight;
    }

    boolean sendData() {
        if (!payloadAllowed()) {
            return false;
        }
        int most = owed > 0 ? (int) Math.min(owed, peer.payload()) : peer.payload();
        int bytes = 1 + choices.below(most);
        owed -= Math.min(owed, bytes);
        host.deliver(make(Mid.DATA, bytes));
        return true;
    }

    /** Sends the rest of the bytes that were not read, as it must. */
    boolean sendOwed() {
        return owed > 0 && sendData();
    }

    /** A SinkAvail that is held goes with it (6.5). */
    private void onPayload() {
        if (sinkAvails > 0) {
            sinkAvails--;
        } else {
            p++;
        }
    }

    boolean advertise() {
        boolean reads = vintage.is(Vintage.Habit.ADVERTISES) && mode != Mch.BUFFERED;
        boolean ready = reads && owed == 0 && sinkAvails == 0;
        boolean room = peer.sink.offers.size() < host.config.maxAdverts(); // one limit for both
        if (!ready || !room || !payloadAllowed()) {
            return false;
        }
        boolean combined = mode == Mch.COMBINED;
        boolean nothing = vintage.is(Vintage.Habit.ZERO_LENGTH) && choices.below(4) == 0;
        boolean inlineOnly = combined && choices.below(10) == 0; // 6.2, edge
        int inline = combined ? 1 : 0;
        advertised = nothing || inlineOnly ? 0 : 1 + choices.below(500);
        advertisedFrom = written + inline;
        acked = 0;
        cancelSent = false;
        misbehaved |= nothing;
        Flight flight = peer.make(Mid.SRC_AVAIL, inline, written);
        advertMseq = peer.lastSent();
        int len = nothing ? 0 : (int) (inline + advertised);
        MemorySegment m = MemorySegment.ofArray(flight.header);
        SrcAh.write(m, Bsdh.BYTES, len, RKEY, SingleMachine.VA + written);
        written += len;
        if (combined) {
            onPayload();
        }
        host.deliver(flight);
        return true;
    }

    /** Takes the SrcAvail back (6.6). */
    boolean cancel() {
        if (!vintage.is(Vintage.Habit.CANCELS) || advertisedFrom < 0 || cancelSent) {
            return false;
        }
        cancelSent = peer.control(Mid.SRC_AVAIL_CANCEL, 0);
        return cancelSent;
    }

    /** Leads this half to another mode (7.3); out of Buffered only the machine could. */
    boolean changeMode() {
        boolean changes = vintage.is(Vintage.Habit.CHANGES_MODES);
        boolean may = vintage.is(Vintage.Habit.PIPELINES) && (changes || mode == Mch.COMBINED);
        if (!may || mode == Mch.BUFFERED || finSent || window || sinkAckDue) {
            return false;
        }
        boolean copies = changes && advertisedFrom < 0 && choices.below(8) == 0;
        int next = copies ? Mch.BUFFERED : Mch.PIPELINED;
        next = mode == Mch.PIPELINED ? Mch.COMBINED : next;
        if (!peer.control(Mid.MODE_CHANGE, next << 28)) {
            return false;
        }
        if (mode == Mch.PIPELINED) {
            sinkAvails = 0;
            window = true;
            windowMseq = peer.lastSent();
            q = p;
        }
        mode = next;
        return true;
    }

    /** Only what the machine has sent before it heard that we left Pipelined crosses that. */
    void onAck(int ack) {
        window &= ack - windowMseq < 0;
    }

    boolean answer() {
        boolean left = sinkAckDue && peer.control(Mid.SINK_CANCEL_ACK, 0);
        if (left) {
            sinkAvails = 0;
            sinkAckDue = false;
        }
        return left;
    }

    /** Ends this half, when everything is said. */
    boolean fin() {
        if (finSent || busy()) {
            return false;
        }
        finSent = peer.control(Mid.DISCONN, 0);
        return finSent;
    }

    void onRdmaRdCompl(int bytes) {
        acked += bytes;
        host.require(advertisedFrom >= 0 && acked <= advertised, "read more than there was");
        if (acked == advertised) {
            advertisedFrom = -1;
        }
    }

    void onSendSm() {
        host.require(advertisedFrom >= 0 || cancelSent, "SendSm for nothing");
        if (advertisedFrom >= 0) {
            owed = advertised - acked;
            written -= owed; // to be sent again, as Data
            advertisedFrom = -1;
        }
    }

    void onSinkAvail(MemorySegment m) {
        int nonDiscards = SnkAh.nonDiscards(m, Bsdh.BYTES);
        host.require(window || mode == Mch.PIPELINED, "SinkAvail in Combined");
        if (vintage.is(Vintage.Habit.RESETS_ON_SINK_AVAIL)) {
            misbehaved = true;
            host.reset();
        } else if (nonDiscards != (window ? q : p)) {
            p--; // stale
            q--;
        } else if (!window) {
            sinkAvails++;
            withdraw();
        } else if (advertMseq - windowMseq < 0) {
            withdraw();
        }
    }

    /** A SinkAvail has crossed our SrcAvail, which is void (6.5, 7.3). */
    private void withdraw() {
        if (advertisedFrom >= 0) {
            written -= advertised - acked;
            advertisedFrom = -1;
        }
    }

    void onSinkAvailCancel() {
        sinkAckDue = sinkAvails > 0;
    }

    /** An RDMA Read of the machine's: must lie in what is advertised. */
    void serve(SingleMachine.Rdma rdma) {
        long at = rdma.va() - SingleMachine.VA;
        host.require(
                advertisedFrom >= 0
                        && rdma.rkey() == RKEY
                        && at >= advertisedFrom
                        && at + rdma.lenBytes() <= advertisedFrom + advertised,
                "reads what is not advertised");
    }

    @Override
    public String toString() {
        return "wrote " + written + ", owes " + owed + ", tracks " + sinkAvails;
    }
}
