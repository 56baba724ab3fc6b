package io.sdp4j.wire;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The zero-copy part of one side of the {@link MachinePair}: lends buffers, carries RDMA out, keeps
 * the books.
 *
 * <p>Shape: a byte is its position in the stream, here too. A lent source remembers where in the
 * stream it starts; its address is that position, so what is read can be recognised. A lent sink
 * remembers what came to lie where. Oracles: RDMA touches only what is lent and within its bounds;
 * each buffer comes back once and in order; a sink comes back with the stream's next bytes.
 */
final class Lender {
    /** Traffic that is not a message. */
    static final class Rdma {
        boolean read;
        int rkey;
        long va;
        int lenBytes;
        Lent local; // into which it reads, or from which it writes
        long localOffset;
        long position = -1; // of a write's first byte in the stream; of a read's, once it is done
    }

    /** A buffer of ours. */
    static final class Lent {
        int id;
        long start; // source: position of its first byte in the stream
        long lenBytes;
        boolean offered; // sink: a SinkAvail for it is out
        final List<long[]> chunks = new ArrayList<>(); // sink: offset, position, bytes
    }

    private static final long VA = 1L << 40;

    private final MachinePair pair;
    private final Side side;
    private final Choices choices;
    int ids; // buffers lent so far
    boolean recalling;

    /** Ranges of the stream that came back and are to be sent next: position, bytes. */
    final Deque<long[]> pending = new ArrayDeque<>();

    final LendingMoves moves;
    final Deque<Lent> sources = new ArrayDeque<>();
    final Deque<Lent> sinks = new ArrayDeque<>();
    final Deque<Rdma> readsDone = new ArrayDeque<>();
    final Deque<Rdma> writesDone = new ArrayDeque<>();
    private int readsInFlight;
    private long sinksReturned;

    long returned; // buffers, for tests that want to know that something happened
    long moved; // bytes by RDMA

    Lender(MachinePair pair, Side side, Choices choices) {
        this.pair = pair;
        this.side = side;
        this.choices = choices;
        this.moves = new LendingMoves(pair, side, this, choices);
    }

    /** Bytes that came back and are to be sent next. */
    private long ahead() {
        long bytes = 0;
        for (long[] range : pending) {
            bytes += range[1];
        }
        return bytes;
    }

    boolean lendSource(long lenBytes) {
        boolean mine = ahead() != side.machine.send.sources.owed(); // recalled, to be sent first
        if (side.app.outShut || side.app.reserved() || side.app.closed || mine) {
            return false;
        }
        Lent lent = new Lent();
        lent.id = ++ids;
        lent.start = side.written;
        lent.lenBytes = lenBytes;
        sources.add(lent); // before the event, which may already advertise it
        side.written += lenBytes;
        boolean[] taken = new boolean[1];
        side.event(
                () ->
                        taken[0] =
                                side.machine
                                        .source()
                                        .lend(
                                                lent.id,
                                                lenBytes,
                                                lent.id,
                                                VA + lent.start,
                                                side.out));
        if (!taken[0]) {
            pair.oracles.require(sources.removeLast() == lent, "not taken, yet given back");
            side.written -= lenBytes;
        }
        return taken[0];
    }

    boolean lendSink(long lenBytes) {
        if (side.app.inShut || side.app.closed || !side.unread.isEmpty()) {
            return false;
        }
        Lent lent = new Lent();
        lent.id = - ++ids;
        lent.lenBytes = lenBytes;
        sinks.add(lent);
        boolean offerable = side.bounds.plain() || choices.below(4) != 0;
        boolean[] taken = new boolean[1];
        side.event(
                () ->
                        taken[0] =
                                side.machine
                                        .sink()
                                        .lend(lent.id, lenBytes, lent.id, 7, offerable, side.out));
        if (!taken[0]) {
            pair.oracles.require(sinks.removeLast() == lent, "not taken, yet given back");
        }
        return taken[0];
    }

    void recallSources() {
        if (!side.app.outShut && !sources.isEmpty()) {
            recalling = true;
            side.event(() -> side.machine.source().recall(side.out));
        }
    }

    /** Whether ending the output now would lose what is still the shell's to send. */
    boolean mustNotShut() {
        return recalling || ahead() != side.machine.send.sources.owed();
    }

    /** Position of the next byte to send, and how many from there may go in one message. */
    long sendPosition() {
        return pending.isEmpty() ? side.written : pending.peek()[0];
    }

    int sendLimit() {
        int limit = side.machine.source().payloadLimit();
        return pending.isEmpty() ? limit : (int) Math.min(limit, pending.peek()[1]);
    }

    void onSent(int payloadBytes) {
        if (pending.isEmpty()) {
            side.written += payloadBytes;
        } else {
            long[] range = pending.peek();
            range[0] += payloadBytes;
            range[1] -= payloadBytes;
            if (range[1] == 0) {
                pending.remove();
            }
        }
    }

    /** A SinkAvail leaves. */
    void onOffered(int rkey) {
        find(sinks, rkey).offered = true;
    }

    /** Sinks that payload makes useless which goes to the program: one offered, else all (6.5). */
    int useless() {
        boolean offered = !sinks.isEmpty() && sinks.peek().offered;
        boolean pipelined = side.machine.receive.mode() == Mch.PIPELINED;
        return offered && pipelined ? 1 : sinks.size();
    }

    /** Payload has gone to the program: buffers lent for it must have come back. */
    void delivered(int useless, long returnedBefore) {
        check(
                side.machine.closed() || sinksReturned - returnedBefore >= useless,
                "keeps a sink whose bytes were delivered elsewhere");
    }

    long sinksReturned() {
        return sinksReturned;
    }

    /** Carries out a row that concerns lent buffers. */
    void act(int i) {
        ActionList out = side.out;
        switch (out.row(i).kind) {
            case ActionList.RDMA_READ, ActionList.RDMA_WRITE -> post(i);
            case ActionList.PLACE -> {
                Lent sink = find(sinks, out.row(i).buffer);
                sink.chunks.add(
                        new long[] {
                            out.row(i).bufferOffset, side.slotAt[out.row(i).slot], out.row(i).bytes
                        });
                check(
                        out.row(i).bufferOffset + out.row(i).bytes <= sink.lenBytes,
                        "placed beyond the end");
            }
            case ActionList.SOURCE_RETURNED -> sourceReturned(i);
            case ActionList.SINK_RETURNED -> sinkReturned(i);
            default -> throw new AssertionError(ActionText.of(out));
        }
    }

    /** Position of the payload of SEND_LENT row {@code i}. */
    long positionOf(int i) {
        return find(sources, side.out.row(i).buffer).start + side.out.row(i).bufferOffset;
    }

    private void post(int i) {
        ActionList out = side.out;
        check(!side.dead, "RDMA on a dead queue pair");
        Rdma rdma = new Rdma();
        rdma.read = out.row(i).kind == ActionList.RDMA_READ;
        rdma.rkey = out.row(i).rkey;
        rdma.va = out.row(i).remoteAddress;
        rdma.lenBytes = out.row(i).bytes;
        Lent local = find(rdma.read ? sinks : sources, out.row(i).buffer);
        check(
                rdma.lenBytes > 0 && out.row(i).bufferOffset + rdma.lenBytes <= local.lenBytes,
                "RDMA beyond our own buffer");
        rdma.local = local;
        rdma.localOffset = out.row(i).bufferOffset;
        if (rdma.read) {
            check(++readsInFlight <= side.machine.ord, "more reads than agreed");
        } else {
            rdma.position = local.start + out.row(i).bufferOffset;
        }
        side.transmit(rdma);
    }

    /** RDMA of the peer arrives. */
    void land(Rdma rdma) {
        if (side.dead) {
            return;
        }
        if (rdma.read) {
            Lent source = lookUp(sources, rdma.rkey);
            if (source == null) {
                misused("reads what is not lent, or no longer");
                return;
            }
            long offset = rdma.va - VA - source.start;
            if (offset < 0 || offset + rdma.lenBytes > source.lenBytes) {
                misused("reads beyond the end");
                return;
            }
            rdma.position = source.start + offset;
            side.peer.lender.readsDone.add(rdma);
        } else {
            Lent sink = lookUp(sinks, rdma.rkey);
            if (sink == null) {
                misused("writes what is not lent, or no longer");
                return;
            }
            long offset = rdma.va - 7;
            if (offset < 0 || offset + rdma.lenBytes > sink.lenBytes) {
                misused("writes beyond the end");
                return;
            }
            sink.chunks.add(new long[] {offset, rdma.position, rdma.lenBytes});
            side.peer.lender.writesDone.add(rdma);
        }
    }

    /** A buffer in which RDMA of ours is under way must not have been given back. */
    private void checkLent(Deque<Lent> lent, Rdma rdma) {
        check(
                side.machine.closed() || lookUp(lent, rdma.local.id) == rdma.local,
                "gave back a buffer in use");
    }

    private void misused(String how) {
        boolean over = side.app.closed || side.machine.closed() || pair.lied();
        pair.oracles.require(over, side.peer, how);
        side.fail();
    }

    boolean completeReads(int count) {
        int n = Math.min(count, readsDone.size());
        if (n == 0 || side.dead) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            Rdma rdma = readsDone.remove();
            checkLent(sinks, rdma);
            rdma.local.chunks.add(new long[] {rdma.localOffset, rdma.position, rdma.lenBytes});
        }
        readsInFlight -= n;
        side.event(() -> side.machine.sink().onReadsCompleted(n, side.out));
        return true;
    }

    boolean completeWrites(int count) {
        int n = Math.min(count, writesDone.size());
        if (n == 0 || side.dead) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            checkLent(sources, writesDone.remove());
        }
        side.event(() -> side.machine.source().onWritesCompleted(n, side.out));
        return true;
    }

    private void sourceReturned(int i) {
        ActionList out = side.out;
        Lent source = sources.remove();
        returned++;
        check(source.id == out.row(i).buffer, "sources come back out of order");
        long done = out.row(i).bufferOffset;
        moved += done;
        long rest = source.lenBytes - done;
        check(done >= 0 && rest >= 0, "took more than there was");
        switch (out.row(i).outcome) {
            case ActionList.DONE -> check(rest == 0, "done, but not all");
            case ActionList.CUT -> check(side.machine.closed(), "cut, yet alive");
            default -> {
                check(
                        out.row(i).outcome == ActionList.COPY || recalling || suspended(),
                        "recalled without a cause");
                if (rest > 0) {
                    pending.add(new long[] {source.start + done, rest});
                }
            }
        }
        recalling &= !sources.isEmpty();
    }

    private void sinkReturned(int i) {
        Lent sink = sinks.remove();
        sinksReturned++;
        check(sink.id == side.out.row(i).buffer, "sinks come back out of order");
        long done = side.out.row(i).bufferOffset;
        if ((side.machine.closed() && !suspended()) || side.app.closed) {
            return;
        }
        long at = 0;
        for (long[] chunk : sink.chunks) {
            check(chunk[0] == at, "a hole in a sink");
            at += chunk[2];
            if (!side.app.inShut) {
                side.unread.add(new Side.Chunk(-1, chunk[1], (int) chunk[2]));
                side.app.delivered();
            }
        }
        check(at == done, "a sink comes back with another number of bytes than it holds");
    }

    /** The rows of lent buffers come before SUSPENDED. */
    private boolean suspended() {
        return side.machine.state() == State.SUSPENDED;
    }

    /** Another connection: transfers of the last one have ended with it. */
    void renew() {
        boolean done = readsDone.isEmpty() && writesDone.isEmpty() && readsInFlight == 0;
        check(nothingLent() && (done || pair.unsafe()), "suspended with RDMA under way");
        readsDone.clear();
        writesDone.clear();
        readsInFlight = 0;
    }

    /** One round of everything that needs no decision. */
    boolean progress(boolean reading) {
        boolean moved = completeReads(Integer.MAX_VALUE);
        moved |= completeWrites(Integer.MAX_VALUE);
        moved |= side.app.sendPending();
        boolean offered = side.machine.sink().offeredBytes() > 0;
        if (reading && offered && side.unread.isEmpty() && !side.app.closed) {
            if (side.bounds.plain() || choices.below(2) == 0 || !lendSink(1 + choices.below(200))) {
                side.event(() -> side.machine.sink().refuse(side.out));
            }
            moved = true;
        }
        return moved;
    }

    boolean nothingLent() {
        return sources.isEmpty() && sinks.isEmpty();
    }

    /** Nothing is under way, and the peer offers nothing that the program would have to take. */
    boolean quiet() {
        return readsDone.isEmpty()
                && writesDone.isEmpty()
                && pending.isEmpty()
                && side.machine.sink().offeredBytes() == 0;
    }

    void fingerprint(Fingerprint print) {
        print.add(sources.size()).add(sinks.size()).add(pending.size());
        print.add(readsDone.size()).add(writesDone.size()).add(recalling).add(ids);
        print.add(readsInFlight);
        moves.fingerprint(print);
        for (Lent source : sources) {
            print.add(source.start).add(source.lenBytes);
        }
        for (Lent sink : sinks) {
            print.add(sink.lenBytes);
            for (long[] chunk : sink.chunks) {
                print.add(chunk[0]).add(chunk[1]).add(chunk[2]);
            }
        }
        for (long[] range : pending) {
            print.add(range[0]).add(range[1]);
        }
    }

    private void check(boolean ok, String what) {
        pair.oracles.require(ok || pair.lied(), side, what);
    }

    private static Lent lookUp(Deque<Lent> all, int id) {
        for (Lent lent : all) {
            if (lent.id == id) {
                return lent;
            }
        }
        return null;
    }

    private Lent find(Deque<Lent> all, int id) {
        Lent lent = lookUp(all, id);
        pair.oracles.require(lent != null, side, "uses a buffer that is not lent");
        return lent;
    }

    @Override
    public String toString() {
        return String.format(
                ", lent %d sources, %d sinks, pending %d, owed %d, pipelined %b, mode %d",
                sources.size(),
                sinks.size(),
                pending.size(),
                side.machine.send.sources.owed(),
                side.machine.send.pipelined(),
                side.machine.receive.mode());
    }
}
