package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/** The half on which an {@link OldPeer} is the Sink: the machine's messages and advertisements. */
final class OldSink {
    /** A SrcAvail of the machine's. */
    private static final class Advert {
        long lenBytes;
        int rkey;
        long va;
        long read; // inline bytes included
        long told;
    }

    private final Vintage vintage;
    private final Choices choices;
    private final Meeting host;
    private final OldPeer peer;
    private final Deque<Advert> held = new ArrayDeque<>();
    final OldOffers offers;
    private int mode = Mch.COMBINED;
    private long expected; // bytes wanted as Data
    private boolean cancelled; // the answer is due
    long got; // bytes of the machine's stream

    OldSink(Vintage vintage, Choices choices, Meeting host, OldPeer peer) {
        this.vintage = vintage;
        this.choices = choices;
        this.host = host;
        this.peer = peer;
        offers = new OldOffers(vintage, choices, host, peer);
    }

    boolean busy() {
        return !held.isEmpty() || expected > 0 || cancelled || !offers.isEmpty();
    }

    /** Offers a buffer, when nothing is to be read first (6.3). */
    boolean offer() {
        return held.isEmpty() && expected == 0 && offers.offer(mode == Mch.PIPELINED);
    }

    void land(SingleMachine.Rdma rdma) {
        offers.land(rdma, rdma.local().start + rdma.offset(), got);
    }

    void onRdmaWrCompl(int bytes) {
        got += offers.onCompleted(bytes);
    }

    /** Payload of a message, which must fit the order (6.2, 6.4). */
    void take(long at, int payload) {
        host.require(payload == 0 || at == got, "bytes out of order");
        host.require(payload == 0 || held.isEmpty() || expected >= payload, "payload in between");
        expected -= Math.min(expected, payload);
        got += payload;
        if (payload > 0) {
            offers.onPayload();
        }
    }

    void onSrcAvail(MemorySegment m, long at, int payload) {
        boolean combined = mode == Mch.COMBINED;
        boolean lenient = vintage.is(Vintage.Habit.IGNORES_MODES) && vintage.maxAdverts > 1;
        host.require(lenient || combined == payload > 0, "SrcAvail of the wrong mode");
        host.require(held.size() < (combined && !lenient ? 1 : vintage.maxAdverts), "one too many");
        take(at, payload);
        Advert advert = new Advert();
        advert.lenBytes = SrcAh.len(m, Bsdh.BYTES) & 0xFFFF_FFFFL;
        advert.rkey = SrcAh.rkey(m, Bsdh.BYTES);
        advert.va = SrcAh.va(m, Bsdh.BYTES);
        advert.read = payload;
        advert.told = payload;
        host.require(advert.lenBytes > payload, "SrcAvail of nothing");
        if (offers.isEmpty()) { // else it has crossed one of ours, which wins (6.5)
            held.add(advert);
        }
    }

    void onSrcAvailCancel() {
        cancelled = !held.isEmpty();
    }

    void onModeChange(int word) {
        host.require(word >>> 31 == 0, "the master of the other half");
        if (vintage.is(Vintage.Habit.IGNORES_MODES)) {
            host.require(vintage.maxAdverts > 1, "ModeChange to one who cannot profit");
        } else {
            mode = word >>> 28;
            offers.forget();
        }
    }

    /** An answer to the oldest SrcAvail, if that is this vintage's way (6.2, 6.4, 6.6). */
    boolean answer() {
        Advert first = held.peek();
        if (first == null || !peer.mayControl()) {
            return false;
        }
        if (cancelled) {
            return answerCancel(first);
        }
        if (vintage.is(Vintage.Habit.COPIES)) {
            expected += first.lenBytes - first.read;
            held.remove();
            return peer.control(Mid.SEND_SM, 0);
        }
        return vintage.is(Vintage.Habit.READS) && expected == 0 && read(first);
    }

    private boolean answerCancel(Advert first) {
        if (first.read > first.told) {
            return complete(first);
        }
        held.clear();
        cancelled = false;
        return peer.control(Mid.SEND_SM, 0);
    }

    private boolean read(Advert first) {
        if (first.read == first.lenBytes) {
            return complete(first);
        }
        int bytes = 1 + choices.below((int) (first.lenBytes - first.read));
        host.require(first.va + first.read == SingleMachine.VA + got, "SrcAvail out of order");
        host.readFrom(first.rkey, first.va + first.read, bytes);
        first.read += bytes;
        got += bytes;
        return true;
    }

    private boolean complete(Advert first) {
        int bytes = (int) (first.read - first.told);
        first.told = first.read;
        if (first.read == first.lenBytes) {
            held.remove();
            cancelled &= !held.isEmpty();
        }
        return peer.control(Mid.RDMA_RD_COMPL, bytes);
    }

    @Override
    public String toString() {
        return "got " + got + ", holds " + held.size() + ", expects " + expected + ", " + offers;
    }
}
