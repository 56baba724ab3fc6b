package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The SinkAvails of an {@link OldPeer}: buffers that it offers the machine to write into, of every
 * shape that its vintage is known by, and their state.
 *
 * <p>Books: {@code n} is NonDiscards; a cancel is open until it is answered or nothing is left to
 * revoke, and then its answer may still come, late, once or never (6.5, 6.7).
 */
final class OldOffers {
    private static final class Offer {
        long lenBytes;
        int rkey;
        long va;
        long written;
        boolean tiny; // not to be accepted, unless it is stale when it arrives
    }

    /** No private buffer is smaller (4.1). */
    private static final int LEAST_BYTES = 37;

    private final Vintage vintage;
    private final Choices choices;
    private final Meeting host;
    private final OldPeer peer;
    private final Deque<Offer> held = new ArrayDeque<>();
    private int n;
    private boolean cancelOpen;
    private int cancelMseq;
    private int lateAcks;
    private int ids;
    boolean misbehaved; // in a way that may end the connection

    OldOffers(Vintage vintage, Choices choices, Meeting host, OldPeer peer) {
        this.vintage = vintage;
        this.choices = choices;
        this.host = host;
        this.peer = peer;
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    int size() {
        return held.size();
    }

    /**
     * Offers one more, sometimes with payload of our own stream (6.3).
     *
     * @param pipelined whether the machine's half is, as far as we have heard
     */
    boolean offer(boolean pipelined) {
        boolean unasked = vintage.is(Vintage.Habit.OFFERS_UNASKED) && choices.below(16) == 0;
        boolean more = vintage.is(Vintage.Habit.OFFERS_TOO_MANY) && choices.below(2) == 0;
        int room = host.config.maxAdverts() - held.size() - peer.source.advertisements();
        if (!vintage.is(Vintage.Habit.OFFERS) || cancelOpen || !(pipelined || unasked)) {
            return false;
        }
        if (room <= 0 && !more) {
            return false;
        }
        int payload = choices.below(3) == 0 ? peer.source.mostBeside(SnkAh.BYTES) : 0;
        if (payload == 0 && !peer.mayBegin()) {
            return false;
        }
        payload = payload > 0 ? 1 + choices.below(payload) : 0;
        Offer offer = new Offer();
        offer.rkey = ++ids;
        offer.va = (7L << 40) + choices.below(1000); // any alignment
        int least = peer.bytes() + 1;
        boolean tiny = vintage.is(Vintage.Habit.OFFERS_TINY) && choices.below(4) == 0;
        offer.lenBytes = tiny ? choices.below(least) : least + sizes();
        offer.tiny = offer.lenBytes <= LEAST_BYTES;
        misbehaved |= tiny || !pipelined || room <= 0;
        held.add(offer);
        Flight flight = peer.source.make(Mid.SINK_AVAIL, payload);
        MemorySegment m = MemorySegment.ofArray(flight.header);
        SnkAh.write(m, Bsdh.BYTES, (int) offer.lenBytes, offer.rkey, offer.va, n);
        host.deliver(flight);
        return true;
    }

    /** From no more than must be to more than there will ever be. */
    private int sizes() {
        return switch (choices.below(4)) {
            case 0 -> 0;
            case 1 -> Integer.MAX_VALUE - 4096;
            default -> choices.below(600);
        };
    }

    /** Takes all of them back (6.7). */
    boolean cancel() {
        boolean idle = held.isEmpty() || cancelOpen || !vintage.is(Vintage.Habit.OFFERS);
        if (idle || !peer.control(Mid.SINK_AVAIL_CANCEL, 0)) {
            return false;
        }
        cancelOpen = true;
        cancelMseq = peer.lastSent();
        return true;
    }

    /** A message with payload: the oldest goes with it (6.5). */
    void onPayload() {
        if (held.isEmpty()) {
            n++;
        } else {
            host.require(held.peek().written == 0, "payload behind an unfinished write");
            held.remove();
            settle();
        }
    }

    /** An RDMA Write of the machine's, whose bytes come from position {@code from}. */
    void land(SingleMachine.Rdma rdma, long from, long got) {
        Offer first = held.peek();
        host.require(first != null, "writes into what is not offered");
        host.require(!first.tiny, "writes into what it must not accept");
        host.require(
                rdma.rkey() == first.rkey && rdma.va() == first.va + first.written,
                "writes elsewhere");
        host.require(from == got + first.written, "writes out of order");
        first.written += rdma.lenBytes();
        host.require(first.written <= first.lenBytes, "writes beyond the end");
    }

    /** RdmaWrCompl: the bytes that have come with it. */
    int onCompleted(int bytes) {
        Offer first = held.poll();
        host.require(first != null, "completes what is not offered");
        host.require(bytes > 0 && bytes == first.written, "completes another number of bytes");
        settle();
        return bytes;
    }

    void onCancelAck(int ack) {
        if (lateAcks > 0 && (!cancelOpen || ack - cancelMseq < 0)) {
            lateAcks--;
            return;
        }
        host.require(cancelOpen, "an answer to no cancel");
        host.require(held.isEmpty() || held.peek().written == 0, "gives up what it has begun");
        cancelOpen = false;
        held.clear();
    }

    /** The half has left Pipelined, or ended: offers are forgotten (7.3, 12.2). */
    void forget() {
        host.require(held.isEmpty() || held.peek().written == 0, "leaves a write unfinished");
        held.clear();
        settle();
    }

    private void settle() {
        if (held.isEmpty() && cancelOpen) {
            cancelOpen = false;
            lateAcks++;
        }
    }

    @Override
    public String toString() {
        return "offers " + held.size() + (cancelOpen ? ", not any more" : "") + ", n " + n;
    }
}
