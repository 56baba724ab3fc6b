package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One machine and its peer of another {@link Vintage}: the messages between them.
 *
 * <p>Oracles besides those of {@link SingleMachine} and of the peer's own books: bytes come once
 * and in order, both ways; the machine sends within its credit.
 */
abstract class Meeting extends SingleMachine {
    final Vintage vintage;
    final OldPeer peer;
    private final Deque<Flight> incoming = new ArrayDeque<>();
    private final long[] slotAt;
    private int limit; // highest MSeq that the machine may use, as far as it has heard
    private int advertised; // the same for the peer, as far as the machine has told
    private long sendAt; // position of the payload being sent
    long arrived; // bytes of the peer's stream that the program has
    private int served; // reads whose bytes have come
    private int landed; // writes whose bytes are there
    private boolean down;

    /** Messages of the machine and the peer, by MID. */
    final int[] said = new int[256];

    final int[] heard = new int[256];

    Meeting(Vintage vintage, Choices choices, WireConfig config, boolean connecting) {
        super(choices, config, connecting);
        this.vintage = vintage;
        slotAt = new long[config.receiveSlots()];
        int peerBytes = 60 + choices.below(80);
        peer = new OldPeer(vintage, choices, this, peerBytes, config.receiveBytes());
        greet(peerBytes);
    }

    private void greet(int peerBytes) {
        int ours = Starts.number(choices);
        int theirs = Starts.number(choices);
        machine.credits.startAt(ours, theirs);
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
            event(() -> Rig.pipeline(machine, out)); // or it hardly ever is
        }
    }

    final boolean poll() {
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
            limit = Bsdh.mseqAck(Bsdh.second(m, 0)) + Bsdh.bufs(m, 0);
            heard[Bsdh.mid(m, 0)]++;
            event(
                    () ->
                            machine.onReceived(
                                    slot,
                                    Bsdh.first(m, 0),
                                    Bsdh.second(m, 0),
                                    m.asSlice(Bsdh.BYTES),
                                    flight.byteLen,
                                    out));
        }
        return true;
    }

    /** Sends what came back unread, or something new. */
    final boolean write(int mostNew) {
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

    final boolean completeRdma() {
        boolean moved = served + landed > 0 && !machine.closed();
        for (; served > 0 && !machine.closed(); served--) {
            completeRead();
        }
        for (; landed > 0 && !machine.closed(); landed--) {
            completeWrite();
        }
        return moved;
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
        int told = Bsdh.mseqAck(Bsdh.second(header, 0)) + Bsdh.bufs(header, 0);
        int credit = limit - (Bsdh.mseq(Bsdh.second(header, 0)) - 1);
        boolean raises = told - advertised > 0;
        require(
                out.row(i).bytes > 0 ? credit >= 3 : credit >= 2 || (credit == 1 && raises),
                "sends without credit");
        advertised = told;
        said[Bsdh.mid(header, 0)]++;
        Flight flight = new Flight();
        MemorySegment.copy(header, 0, MemorySegment.ofArray(flight.header), 0, 36);
        flight.byteLen = byteLen;
        flight.streamAt = sendAt;
        if (out.row(i).kind == ActionList.SEND_LENT) {
            Lent source = lookUp(sources, out.row(i).buffer);
            require(source != null, "sends what is not lent");
            flight.streamAt = source.start + out.row(i).bufferOffset;
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
        require(slotAt[out.row(i).slot] == arrived, "bytes out of order");
        arrived += out.row(i).bytes;
    }

    @Override
    void places(int i, Lent sink) {
        append(sink, slotAt[out.row(i).slot]);
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
