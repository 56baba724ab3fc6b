package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One machine that talks to a peer of another {@link Vintage}, under a chosen schedule.
 *
 * <p>Oracles besides those of {@link Lone} and of the peer's own books: bytes come once and in
 * order, both ways; the machine sends within its credit and never without need for a timer; in the
 * end everything has arrived and both halves end in order, unless the peer did what must cut a
 * connection.
 */
final class Visit extends Lone {
    private final Vintage vintage;
    private final OldPeer peer;
    private final Deque<Flight> incoming = new ArrayDeque<>();
    private final long[] slotAt;
    private int limit; // highest MSeq that the machine may use, as far as it has heard
    private int advertised; // the same for the peer, as far as the machine has told
    private long sendAt; // position of the payload being sent
    private long arrived; // bytes of the peer's stream that the program has
    private int served; // reads whose bytes have come
    private int landed; // writes whose bytes are there
    private boolean resting; // we have asked for it
    private boolean down;

    /** What the machine and the peer have said, by MID. */
    final int[] said = new int[256];

    final int[] heard = new int[256];

    private Visit(Vintage vintage, Choices choices, WireConfig config, boolean connecting) {
        super(choices, config, connecting);
        this.vintage = vintage;
        slotAt = new long[config.receiveSlots()];
        int peerBytes = 60 + choices.below(80);
        peer = new OldPeer(vintage, choices, this, peerBytes, config.receiveBytes());
        greet(peerBytes);
    }

    /** Runs one life. */
    static Visit play(Vintage vintage, Choices choices) {
        int depth = choices.below(2) == 0 ? Integer.MAX_VALUE : 3 + choices.below(6);
        int slots = 4 + choices.below(12);
        int adverts = 1 + choices.below(4);
        WireConfig config = new WireConfig(slots, 60 + choices.below(80), depth, adverts, 4, 4);
        Features features = LendingMoves.features(choices);
        config = config.with(choices.below(2) == 0 ? features : features.withSuspending());
        boolean first = vintage.greeting != Vintage.Greeting.IB_1_1 && choices.below(2) == 0;
        Visit visit = new Visit(vintage, choices, config, first);
        int steps = 30 + choices.below(300);
        for (int i = 0; i < steps && !visit.machine.closed(); i++) {
            visit.step();
        }
        visit.finish();
        return visit;
    }

    private void greet(int peerBytes) {
        int ours = -choices.below(20);
        int theirs = -choices.below(20);
        machine.startAt(ours, theirs);
        sent = ours;
        int bufs = peer.buffers();
        String fault = vintage.greet(machine, connecting, bufs, peerBytes, header);
        require(fault.isEmpty(), fault);
        peer.greeted(theirs, ours, config.receiveSlots());
        limit = ours + bufs;
        advertised = theirs + config.receiveSlots();
        event(() -> machine.onEstablished(out));
        boolean offered = vintage.is(Vintage.Habit.OFFERS) && vintage.maxAdverts > 1;
        if (offered && choices.below(3) != 0) {
            event(() -> machine.source().changeMode(Mch.PIPELINED, out)); // or it hardly ever is
        }
    }

    private void step() {
        switch (choices.below(24)) {
            case 0, 1, 2, 3 -> peer.land();
            case 4, 5, 6 -> poll();
            case 7, 8 -> write(1 + choices.below(200));
            case 9 -> lendSource(2 + choices.below(choices.below(2) == 0 ? 20 : 600));
            case 10 -> lendSink(1 + choices.below(700), choices.below(4) != 0);
            case 11 -> consume();
            case 12 -> completeSend();
            case 13 -> completeRdma();
            case 14 -> program();
            case 15 -> peer.repost();
            case 16 -> peer.update();
            case 17 -> peer.source.sendData();
            case 18 -> peer.source.advertise();
            case 19, 20 -> peer.answer();
            case 21, 22 -> peer.sink.offer();
            default -> rare();
        }
    }

    private void rare() {
        switch (choices.below(6)) {
            case 0 -> peer.source.cancel();
            case 1 -> peer.source.pipeline();
            case 2 -> peer.askSize();
            case 3 -> {
                if (choices.below(4) == 0) {
                    peer.suspend();
                }
            }
            case 4 -> {
                if ((timers & (1 << SdpMachine.TIMER_SRC_AVAIL)) != 0) {
                    fire(SdpMachine.TIMER_SRC_AVAIL);
                }
            }
            default -> peer.sink.offers.cancel();
        }
    }

    private void program() {
        switch (choices.below(8)) {
            case 0 -> recallSources();
            case 1 -> event(() -> machine.sink().recall(out));
            case 2 -> event(() -> machine.sink().refuse(out));
            case 3 -> {
                if (vintage.maxAdverts > 1) {
                    int mode = choices.below(2) == 0 ? Mch.PIPELINED : Mch.COMBINED;
                    event(() -> machine.source().changeMode(mode, out));
                }
            }
            case 4 -> {
                int bytes = 56 + choices.below(100);
                event(() -> machine.source().askReceiveBytes(bytes, out));
            }
            case 5 -> {
                if (pending.isEmpty() && choices.below(8) == 0) {
                    event(() -> resting |= machine.suspend(7, out));
                }
            }
            default -> event(() -> machine.onKeepAlive(out));
        }
    }

    /** Sends what came back unread, or something new. */
    private boolean write(int mostNew) {
        if ((mostNew == 0 && pending.isEmpty()) || !machine.reserve()) {
            return false;
        }
        int payload = machine.source().payloadLimit();
        boolean owing = !pending.isEmpty();
        int bytes = (int) Math.min(payload, owing ? pending.peek()[1] : mostNew);
        sendAt = owing ? pending.peek()[0] : written;
        if (owing) {
            pending.peek()[0] += bytes;
            pending.peek()[1] -= bytes;
            if (pending.peek()[1] == 0) {
                pending.remove();
            }
        } else {
            written += bytes;
        }
        event(() -> machine.send(0, bytes, false, out));
        return true;
    }

    private boolean poll() {
        Flight flight = incoming.poll();
        if (flight == null) {
            return false;
        }
        if (flight.hangUp) {
            down = true;
            event(
                    () -> {
                        if (flight.failed) {
                            machine.onQpError(out);
                        } else {
                            machine.onDisconnected(out);
                        }
                    });
            return true;
        }
        Integer slot = posted.poll();
        require(slot != null || machine.closed(), "no buffer posted for a message");
        if (slot != null) {
            slotAt[slot] = flight.streamAt;
            MemorySegment m = MemorySegment.ofArray(flight.header);
            limit = Bsdh.mseqAck(m, 0) + Bsdh.bufs(m, 0);
            heard[Bsdh.mid(m, 0)]++;
            int copied = Math.min(flight.byteLen, Bsdh.MAX_HEADER_BYTES);
            event(() -> machine.onReceived(slot, m, 0, copied, flight.byteLen, out));
        }
        return true;
    }

    private boolean completeRdma() {
        boolean moved = served + landed > 0 && !machine.closed();
        for (; served > 0 && !machine.closed(); served--) {
            completeRead();
        }
        for (; landed > 0 && !machine.closed(); landed--) {
            completeWrite();
        }
        return moved;
    }

    private void finish() {
        settle(false);
        boolean wrong = vintage.is(Vintage.Habit.OFFERS_UNASKED) && peer.sink.offers.misbehaved;
        require(!wrong || machine.closed(), "takes a SinkAvail in Combined");
        if (!machine.closed() && vintage.buffers < 3) {
            if (choices.below(2) == 0) {
                end(); // starved of credits: time-outs see to it
                return;
            }
            peer.grow();
            settle(false);
        }
        if (!machine.closed() && peer.waitsForRest()) {
            reset(); // its time-out
            poll();
        }
        if (!machine.closed() && resting) {
            fire(SdpMachine.TIMER_SUSPEND); // nobody has answered
        }
        if (machine.closed()) {
            judge();
            end();
            return;
        }
        event(() -> machine.sink().recall(out));
        settle(false);
        require(pending.isEmpty() && sources.isEmpty(), "a source did not come back");
        require(sinks.isEmpty(), "a sink did not come back");
        require(peer.sink.got == written, "the peer has not got all");
        require(arrived == peer.source.written, "we have not got all");
        event(() -> machine.shutdownOutput(out));
        settle(true);
        require(machine.eof(), "no end of stream");
        event(() -> machine.close(false, false, out));
        settle(true);
        while (!machine.closed()) {
            require((timers & (1 << SdpMachine.TIMER_GRACE)) != 0, "needs a timer to end");
            fire(SdpMachine.TIMER_GRACE);
            settle(true);
        }
        require(machine.state() == State.TIME_WAIT && !machine.reset(), "no orderly end");
        end();
    }

    /** Why a connection may have ended early. */
    private void judge() {
        AbortReason reason = machine.abortReason();
        boolean offered = peer.sink.offers.misbehaved;
        boolean right =
                switch (reason) {
                    case NONE -> suspended && (resting || vintage.is(Vintage.Habit.SUSPENDS));
                    case ANSWER_TIMEOUT ->
                            resting
                                    && (vintage.is(Vintage.Habit.IGNORES_SUSPEND)
                                            || peer.starved());
                    case SUSPEND_UNSUPPORTED ->
                            vintage.is(Vintage.Habit.SUSPENDS) && !config.features().suspending();
                    case BAD_ADVERTISEMENT ->
                            (peer.source.misbehaved && vintage.is(Vintage.Habit.ZERO_LENGTH))
                                    || (offered && vintage.is(Vintage.Habit.OFFERS_TINY));
                    case TOO_MANY_ADVERTISEMENTS ->
                            offered && vintage.is(Vintage.Habit.OFFERS_TOO_MANY);
                    case ILLEGAL_IN_MODE -> offered && vintage.is(Vintage.Habit.OFFERS_UNASKED);
                    case PEER_RESET, TRANSPORT_ERROR ->
                            peer.source.misbehaved || peer.waitsForRest();
                    default -> false;
                };
        require(right, "ended for no reason");
    }

    /** Lets everything that can happen happen, the program reading, until nothing moves. */
    private void settle(boolean ending) {
        int rounds = 0;
        while (!machine.closed() && round(ending)) {
            require(++rounds < 20_000, "two idle peers never fall silent");
        }
    }

    private boolean round(boolean ending) {
        boolean moved = peer.land();
        moved |= poll();
        moved |= peer.repost();
        moved |= peer.answer();
        moved |= peer.source.sendOwed();
        moved |= peer.update();
        moved |= completeRdma();
        moved |= write(0);
        moved |= !uncompleted.isEmpty();
        completeSend();
        moved |= !unread.isEmpty();
        consume();
        moved |= ending && peer.source.fin();
        if (moved || machine.closed()) {
            return true;
        }
        if (machine.sink().offeredBytes() > 0) {
            if (choices.below(2) == 0 || !lendSink(1 + choices.below(200), true)) {
                event(() -> machine.sink().refuse(out));
            }
            return true;
        }
        boolean impatient = (timers & (1 << SdpMachine.TIMER_SRC_AVAIL)) != 0;
        if (impatient && !sources.isEmpty() && !peer.waitsForRest()) {
            fire(SdpMachine.TIMER_SRC_AVAIL); // a peer that never answers
            return true;
        }
        return false;
    }

    void deliver(Flight flight) {
        incoming.add(flight);
    }

    void hangUp() {
        Flight end = new Flight();
        end.hangUp = true;
        incoming.add(end);
    }

    void reset() {
        incoming.clear();
        hangUp();
        incoming.peek().failed = choices.below(2) == 0;
    }

    void served() {
        served++;
    }

    void landed() {
        landed++;
    }

    /** The peer reads from what is lent, by RDMA. */
    void readFrom(int rkey, long va, int bytes) {
        Lent source = lookUp(sources, rkey);
        require(source != null || machine.closed(), "reads what is not lent, or no longer");
        if (source != null) {
            long offset = va - VA - source.start;
            require(offset >= 0 && offset + bytes <= source.lenBytes, "reads beyond the end");
        }
    }

    @Override
    void sends(int i, int byteLen) {
        int told = Bsdh.mseqAck(header, 0) + Bsdh.bufs(header, 0);
        int credit = limit - (Bsdh.mseq(header, 0) - 1);
        boolean raises = told - advertised > 0;
        require(
                out.bytes(i) > 0 ? credit >= 3 : credit >= 2 || (credit == 1 && raises),
                "sends without credit");
        advertised = told;
        said[Bsdh.mid(header, 0)]++;
        Flight flight = new Flight();
        MemorySegment.copy(header, 0, MemorySegment.ofArray(flight.header), 0, 36);
        flight.byteLen = byteLen;
        flight.streamAt = sendAt;
        if (out.kind(i) == Outbox.SEND_LENT) {
            Lent source = lookUp(sources, out.buffer(i));
            require(source != null, "sends what is not lent");
            flight.streamAt = source.start + out.bufferOffset(i);
        }
        peer.inbox.add(flight);
    }

    @Override
    void posts(Rdma rdma) {
        require(rdma.read() || vintage.is(Vintage.Habit.OFFERS), "writes into nothing");
        Flight flight = new Flight();
        flight.loneRdma = rdma;
        peer.inbox.add(flight);
    }

    @Override
    void delivers(int i) {
        require(slotAt[out.slot(i)] == arrived, "bytes out of order");
        arrived += out.bytes(i);
    }

    @Override
    void places(int i, Lent sink) {
        append(sink, slotAt[out.slot(i)]);
    }

    @Override
    void reads(Rdma rdma) {
        append(rdma.local(), rdma.va() - VA);
    }

    private void append(Lent sink, long position) {
        if (sink.filled == 0) {
            sink.first = position;
        }
        require(position == sink.first + sink.filled, "a sink with bytes out of order");
    }

    @Override
    void fills(Lent sink) {
        require(sink.filled == 0 || sink.first == arrived, "a sink out of order");
        arrived += sink.filled;
    }

    @Override
    void hangsUp() {
        if (!down) {
            down = true;
            hangUp();
        }
    }

    @Override
    public String toString() {
        return super.toString() + "; " + peer + "; arrived " + arrived + ", timers " + timers;
    }
}
