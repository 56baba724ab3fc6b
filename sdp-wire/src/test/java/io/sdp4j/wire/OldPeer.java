package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A peer of another {@link Vintage}, written for itself: it shares the codecs with the machine and
 * nothing else.
 *
 * <p>Shape: messages and RDMA of the machine's stay in the {@code inbox} for as long as is chosen.
 * A byte is its position in its stream; addresses of lent and advertised memory are such positions,
 * too. The peer keeps its own books of credits, and in its two halves of advertisements and
 * counters, and judges the machine's messages by them. Each of its moves returns whether it was
 * made.
 */
final class OldPeer {
    private final Vintage vintage;
    private final Choices choices;
    private final Meeting host;
    final OldSource source;
    final OldSink sink;
    final Deque<Flight> inbox = new ArrayDeque<>(); // what the machine has posted

    // credits and numbers
    private int buffers; // posted
    private int used; // and not posted again
    private int mseq;
    private int heard;
    private int limit; // highest MSeq that the machine lets us use
    private int told; // and that we have let it use
    private boolean heardFin;

    // sizes and suspension
    private final int size; // of our buffers
    private int machineBytes;
    private boolean asked;
    private boolean suspendSent;
    private boolean restDue; // SuspCommAck
    private boolean silent;

    OldPeer(Vintage vintage, Choices choices, Meeting host, int size, int machineBytes) {
        this.vintage = vintage;
        this.choices = choices;
        this.host = host;
        this.size = size;
        this.machineBytes = machineBytes;
        source = new OldSource(vintage, choices, host, this);
        sink = new OldSink(vintage, choices, host, this);
        boolean empty = vintage.is(Vintage.Habit.ANNOUNCES_NONE);
        buffers = empty ? 0 : vintage.buffers;
        used = vintage.buffers - buffers;
    }

    int buffers() {
        return buffers;
    }

    /** Both Hellos are exchanged; the machine lets us send {@code bufs} messages. */
    void greeted(int lastSent, int lastHeard, int bufs) {
        mseq = lastSent;
        heard = lastHeard;
        limit = lastSent + bufs;
        told = lastHeard + buffers;
    }

    /** More private buffers. */
    void grow() {
        used += 4;
    }

    /** The next thing on the way to us arrives. */
    boolean land() {
        Flight flight = inbox.poll();
        if (flight == null) {
            return false;
        }
        SingleMachine.Rdma rdma = flight.loneRdma;
        if (rdma != null && rdma.read()) {
            source.serve(rdma);
            host.served();
        } else if (rdma != null) {
            sink.land(rdma);
            host.landed();
        } else {
            receive(flight);
        }
        return true;
    }

    boolean repost() {
        if (used == 0) {
            return false;
        }
        used--;
        buffers++;
        return true;
    }

    /** A credit update, when it is due (4.4). */
    boolean update() {
        int known = told - heard;
        int step = Math.max(2, vintage.buffers / 4);
        boolean due = known <= 2 ? buffers > known : buffers - known >= step;
        return due && control(Mid.DATA, 0);
    }

    boolean askSize() {
        if (!vintage.is(Vintage.Habit.ASKS_SIZES) || asked || source.finSent()) {
            return false;
        }
        int wanted = 40 + choices.below(120);
        asked = control(Mid.CH_RCV_BUF, wanted);
        if (asked) {
            machineBytes = Math.min(machineBytes, wanted);
        }
        return asked;
    }

    boolean suspend() {
        boolean busy = source.busy() || sink.busy() || source.finSent();
        if (!vintage.is(Vintage.Habit.SUSPENDS) || busy || quiet() || !mayControl()) {
            return false;
        }
        Flight flight = make(Mid.SUSP_COMM, 0, 0);
        SuspCh.write(MemorySegment.ofArray(flight.header), Bsdh.BYTES, 4711);
        host.deliver(flight);
        suspendSent = true;
        return true;
    }

    /** Debts to the machine: answers of any kind. */
    boolean answer() {
        if (restDue && mayControl()) {
            boolean left = control(Mid.SUSP_COMM_ACK, 0);
            restDue = false;
            silent = true;
            host.hangUp();
            return left;
        }
        return source.answer() || sink.answer();
    }

    private void receive(Flight flight) {
        MemorySegment m = MemorySegment.ofArray(flight.header);
        int mid = Bsdh.mid(m, 0);
        int payload = flight.byteLen - Bsdh.BYTES - Mid.extendedBytes(mid);
        boolean more = payload > 0 || mid == Mid.SRC_AVAIL || mid == Mid.DISCONN;
        host.require(buffers > 0, "no buffer for a message");
        host.require(flight.byteLen <= size, "too long");
        host.require(!heardFin || !more, "speaks after its last word");
        host.require(Bsdh.mseq(Bsdh.second(m, 0)) == heard + 1, "a gap");
        buffers--;
        used++;
        heard++;
        int ack = Bsdh.mseqAck(Bsdh.second(m, 0));
        limit = ack + Bsdh.bufs(m, 0);
        source.onAck(ack);
        int word = m.get(Wire.INT, Bsdh.BYTES);
        switch (mid) {
            case Mid.DATA -> sink.take(flight.streamAt, payload);
            case Mid.SRC_AVAIL -> sink.onSrcAvail(m, flight.streamAt, payload);
            case Mid.SRC_AVAIL_CANCEL -> sink.onSrcAvailCancel();
            case Mid.RDMA_RD_COMPL -> source.onRdmaRdCompl(word);
            case Mid.RDMA_WR_COMPL -> sink.onRdmaWrCompl(word);
            case Mid.SEND_SM -> source.onSendSm();
            case Mid.MODE_CHANGE -> sink.onModeChange(word);
            case Mid.SINK_AVAIL -> source.onSinkAvail(m);
            case Mid.SINK_AVAIL_CANCEL -> source.onSinkAvailCancel();
            case Mid.SINK_CANCEL_ACK -> sink.offers.onCancelAck(ack);
            case Mid.CH_RCV_BUF_ACK -> {
                host.require(asked, "an answer to no question");
                asked = false;
                machineBytes = word;
            }
            case Mid.SUSP_COMM -> onSuspComm();
            case Mid.SUSP_COMM_ACK -> {
                host.require(suspendSent, "an answer to no question");
                silent = true;
                host.hangUp();
            }
            case Mid.DISCONN -> {
                heardFin = true;
                sink.offers.forget();
            }
            default -> host.require(false, "sends what it must not");
        }
    }

    /** Of two requests that cross, the accepting side's stands (10). */
    private void onSuspComm() {
        if (!suspendSent || !host.connecting) {
            restDue = !vintage.is(Vintage.Habit.IGNORES_SUSPEND);
            suspendSent = false;
        }
    }

    /** Whether our request to suspend is not answered: the machine may lack the credit to do so. */
    boolean waitsForSuspension() {
        return suspendSent && !silent;
    }

    /** Whether the machine has gone silent and left us no credit to answer it. */
    boolean starved() {
        return restDue && !mayControl();
    }

    private boolean quiet() {
        return silent || suspendSent || restDue;
    }

    /** Most payload bytes of a message to the machine. */
    int payload() {
        return machineBytes - Bsdh.BYTES;
    }

    /** Size of our private buffers. */
    int bytes() {
        return size;
    }

    int lastSent() {
        return mseq;
    }

    private int credit() {
        return limit - mseq;
    }

    /** Whether something new may be begun by a message without payload. */
    boolean mayBegin() {
        return mayControl() && !quiet() && !heardFin;
    }

    boolean mayPayload() {
        return credit() >= 3 && !quiet();
    }

    boolean mayControl() {
        boolean raises = heard + buffers - told > 0;
        return !silent && !suspendSent && (credit() >= 2 || (credit() == 1 && raises));
    }

    /** A message without payload, if it may be sent. */
    boolean control(int mid, int word) {
        if (!mayControl()) {
            return false;
        }
        Flight flight = make(mid, 0, 0);
        MemorySegment.ofArray(flight.header).set(Wire.INT, Bsdh.BYTES, word);
        host.deliver(flight);
        return true;
    }

    Flight make(int mid, int payload, long at) {
        Flight flight = new Flight();
        flight.byteLen = Bsdh.BYTES + Mid.extendedBytes(mid) + payload;
        flight.streamAt = at;
        MemorySegment m = MemorySegment.ofArray(flight.header);
        Bsdh.write(m, 0, mid, 0, buffers, flight.byteLen, ++mseq, heard);
        told = heard + buffers;
        return flight;
    }

    @Override
    public String toString() {
        return vintage
                + ": buffers "
                + buffers
                + ", credit "
                + credit()
                + ", "
                + source
                + ", "
                + sink
                + (heardFin ? ", heard the end" : "");
    }
}
