package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One real machine with its shell and its program, whose peer is made up.
 *
 * <p>Oracles, after every event: nothing is thrown; the machine hands back only buffers that it was
 * given and keeps no more buffers than it has; it sends only well-formed messages, never the same
 * number twice; RDMA stays within what is lent, and memory that it touches is not given back; each
 * lent buffer comes back once and in order; a thread that waits is woken; after the end there is
 * silence, and nothing is left behind.
 */
abstract class SingleMachine {
    /** A buffer of ours. */
    static final class Lent {
        final int id;
        final long start; // source: position of its first byte in the stream
        final long lenBytes;
        long first; // sink: position of the first byte that lies in it
        long filled; // sink: bytes that lie in it
        int flying; // RDMA operations of ours in it

        Lent(int id, long start, long lenBytes) {
            this.id = id;
            this.start = start;
            this.lenBytes = lenBytes;
        }
    }

    /** An RDMA operation of the machine's. */
    record Rdma(boolean read, Lent local, long offset, int lenBytes, int rkey, long va) {}

    /** Address of the stream's first byte in whatever is lent. */
    static final long VA = 1L << 40;

    final Choices choices;
    final WireConfig config;
    final SdpMachine machine;
    final boolean connecting;
    final ActionList out = new ActionList();
    final MemorySegment header = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
    final Deque<Integer> posted = new ArrayDeque<>();
    final Deque<Integer> unread = new ArrayDeque<>();
    final Deque<Integer> uncompleted = new ArrayDeque<>(); // tags
    final Deque<Lent> sources = new ArrayDeque<>();
    final Deque<Lent> sinks = new ArrayDeque<>();
    final Deque<Rdma> reads = new ArrayDeque<>();
    final Deque<Rdma> writes = new ArrayDeque<>();

    /** Ranges of our stream that came back and must be sent next: position, bytes. */
    final Deque<long[]> pending = new ArrayDeque<>();

    long written; // position of the next new byte of our stream
    int sent; // MSeq of the machine's last message
    int timers;
    boolean reserved;
    boolean recalling;
    boolean suspended;
    private int ids;

    SingleMachine(Choices choices, WireConfig config, boolean connecting) {
        this.choices = choices;
        this.config = config;
        this.connecting = connecting;
        machine = connecting ? SdpMachine.connecting(config) : SdpMachine.accepting(config);
        for (int slot = 0; slot < config.receiveSlots(); slot++) {
            posted.add(slot);
        }
    }

    /** A message leaves: row {@code i}, its header in {@link #header}. */
    abstract void sends(int i, int byteLen);

    /** An RDMA operation is posted. */
    abstract void posts(Rdma rdma);

    /** Stream bytes come to the program: row {@code i}. */
    void delivers(int i) {}

    /** Payload of row {@code i} goes into a lent buffer, behind what lies there. */
    void places(int i, Lent sink) {}

    /** The bytes of an RDMA Read have come, and go behind what lies in the sink. */
    void reads(Rdma rdma) {}

    /** A sink comes back with all that lies in it. */
    void fills(Lent sink) {}

    /** The machine hangs up, or cuts the connection below. */
    void hangsUp() {}

    final void lendSource(long lenBytes) {
        if (machine.outputShut() || reserved || !pending.isEmpty()) {
            return;
        }
        Lent lent = new Lent(++ids, written, lenBytes);
        sources.add(lent); // before the event, which may already advertise it
        written += lenBytes;
        boolean[] taken = new boolean[1];
        long va = VA + lent.start;
        event(() -> taken[0] = machine.source().lend(lent.id, lenBytes, lent.id, va, out));
        if (!taken[0]) {
            require(sources.removeLast() == lent, "not taken, yet given back");
            written -= lenBytes;
        }
    }

    final boolean lendSink(long lenBytes, boolean offerable) {
        if (!unread.isEmpty()) {
            return false;
        }
        Lent lent = new Lent(++ids, 0, lenBytes);
        sinks.add(lent);
        boolean[] taken = new boolean[1];
        event(() -> taken[0] = machine.sink().lend(lent.id, lenBytes, lent.id, VA, offerable, out));
        if (!taken[0]) {
            require(sinks.removeLast() == lent, "not taken, yet given back");
        }
        return taken[0];
    }

    final void recallSources() {
        recalling |= !sources.isEmpty();
        event(() -> machine.source().recall(out));
    }

    /** The oldest RDMA Read has brought its bytes. */
    final void completeRead() {
        Rdma rdma = reads.remove();
        rdma.local.flying--;
        reads(rdma);
        rdma.local.filled += rdma.lenBytes;
        event(() -> machine.sink().onReadsCompleted(1, out));
    }

    final void completeWrite() {
        writes.remove().local.flying--;
        event(() -> machine.source().onWritesCompleted(1, out));
    }

    final void completeSend() {
        Integer tag = uncompleted.poll();
        if (tag != null) {
            event(() -> machine.onSendsCompleted(1, out));
            if (tag != 0) {
                event(() -> machine.onControlSent(tag, out));
            }
        }
    }

    final void consume() {
        Integer slot = unread.poll();
        if (slot != null) {
            event(() -> machine.consumed(slot, out));
        }
    }

    final void fire(int timer) {
        timers &= ~(1 << timer);
        event(() -> machine.onTimer(timer, out));
    }

    /** Everything fires and fails: nothing may stay behind. */
    final void end() {
        event(() -> machine.close(false, true, out));
        for (int timer = 0; timer < SdpMachine.TIMERS; timer++) {
            if ((timers & (1 << timer)) != 0) {
                fire(timer);
            }
        }
        if (!machine.closed()) {
            event(() -> machine.onDisconnected(out));
            event(() -> machine.onQpError(out));
        }
        require(machine.closed(), "never ends");
        require(timers == 0, "a timer outlives the connection");
        require(sources.isEmpty() && sinks.isEmpty(), "memory stays lent");
    }

    final void event(Runnable event) {
        boolean wasWritable = machine.writable();
        boolean wasReadable = machine.eof() || machine.reset();
        boolean wasClosed = machine.closed();
        event.run();
        int woken = 0;
        for (int i = 0; i < out.size(); i++) {
            require(!wasClosed, "acts after the end");
            if (out.row(i).kind == ActionList.WAKE) {
                woken |= out.row(i).flags;
            } else {
                act(i);
            }
        }
        out.clear();
        require(posted.size() + unread.size() <= config.receiveSlots(), "more buffers than exist");
        boolean readable = machine.eof() || machine.reset();
        require(wasWritable || !machine.writable() || (woken & ActionList.WRITABLE) != 0, "writer");
        require(wasReadable || !readable || (woken & ActionList.READABLE) != 0, "reader");
        require(wasClosed || !machine.closed() || (woken & ActionList.CLOSED) != 0, "closer");
        require(machine.credit() >= 0, "negative credit");
    }

    private void act(int i) {
        switch (out.row(i).kind) {
            case ActionList.SEND, ActionList.CONTROL, ActionList.SEND_LENT -> post(i);
            case ActionList.DELIVER -> {
                unread.add(out.row(i).slot);
                delivers(i);
            }
            case ActionList.REPOST -> posted.add(out.row(i).slot);
            case ActionList.ARM_TIMER -> timers |= 1 << out.row(i).timer;
            case ActionList.CANCEL_TIMER -> timers &= ~(1 << out.row(i).timer);
            case ActionList.RDMA_READ -> rdma(i, true, sinks);
            case ActionList.RDMA_WRITE -> rdma(i, false, sources);
            case ActionList.PLACE -> {
                Lent sink = find(sinks, out.row(i).buffer);
                require(
                        out.row(i).bufferOffset + out.row(i).bytes <= sink.lenBytes,
                        "placed beyond");
                places(i, sink);
                sink.filled += out.row(i).bytes;
            }
            case ActionList.SOURCE_RETURNED -> sourceReturned(i);
            case ActionList.SINK_RETURNED -> sinkReturned(i);
            case ActionList.DISCONNECT, ActionList.ABORT -> hangsUp();
            case ActionList.SUSPENDED -> suspended = true;
            default -> {}
        }
    }

    private void post(int i) {
        out.row(i).writeHeader(header, 0);
        int bytes = out.row(i).messageBytes();
        require(Bsdh.check(Bsdh.first(header, 0), bytes) == AbortReason.NONE, "malformed");
        require(Bsdh.mseq(Bsdh.second(header, 0)) == ++sent, "a number out of turn");
        require(Bsdh.bufs(header, 0) <= config.receiveSlots(), "advertises too much");
        boolean signalled = (out.row(i).flags & ActionList.SIGNALLED) != 0;
        uncompleted.add(signalled ? Bsdh.mid(out.row(i).first) : 0);
        require(uncompleted.size() <= config.sendDepth(), "send queue overrun");
        sends(i, bytes);
    }

    private void rdma(int i, boolean read, Deque<Lent> lent) {
        Lent local = find(lent, out.row(i).buffer);
        long offset = out.row(i).bufferOffset;
        int bytes = out.row(i).bytes;
        require(bytes > 0 && offset >= 0 && offset + bytes <= local.lenBytes, "RDMA beyond");
        local.flying++;
        Rdma rdma = new Rdma(read, local, offset, bytes, out.row(i).rkey, out.row(i).remoteAddress);
        (read ? reads : writes).add(rdma);
        require(reads.size() <= machine.ord, "more reads than agreed");
        posts(rdma);
    }

    private void sourceReturned(int i) {
        Lent source = sources.remove();
        long done = out.row(i).bufferOffset;
        require(source.id == out.row(i).buffer, "sources come back out of order");
        require(done >= 0 && done <= source.lenBytes, "took more than there was");
        require(source.flying == 0 || machine.closed(), "gave back a source in use");
        switch (out.row(i).outcome) {
            case ActionList.DONE -> require(done == source.lenBytes, "done, but not all");
            case ActionList.CUT -> require(machine.closed(), "cut, yet alive");
            default -> {
                require(
                        out.row(i).outcome == ActionList.COPY || recalling || suspended(),
                        "recalled without a cause");
                if (done < source.lenBytes) {
                    pending.add(new long[] {source.start + done, source.lenBytes - done});
                }
            }
        }
        recalling &= !sources.isEmpty();
    }

    /** The rows of lent buffers come before SUSPENDED. */
    private boolean suspended() {
        return machine.state() == State.SUSPENDED;
    }

    private void sinkReturned(int i) {
        Lent sink = sinks.remove();
        require(sink.id == out.row(i).buffer, "sinks come back out of order");
        require(out.row(i).bufferOffset <= sink.lenBytes, "filled beyond its end");
        require(sink.flying == 0 || machine.closed(), "gave back a sink in use");
        if (!machine.closed()) {
            require(
                    out.row(i).bufferOffset == filledBy(sink),
                    "a sink with another number of bytes");
            fills(sink);
        }
    }

    /** Bytes in a sink, what the peer has written included. */
    long filledBy(Lent sink) {
        return sink.filled;
    }

    static Lent lookUp(Deque<Lent> all, int id) {
        for (Lent lent : all) {
            if (lent.id == id) {
                return lent;
            }
        }
        return null;
    }

    private Lent find(Deque<Lent> all, int id) {
        Lent lent = lookUp(all, id);
        if (lent == null) {
            throw new AssertionError("buffer " + id + " is not lent; " + this);
        }
        return lent;
    }

    final void require(boolean ok, String what) {
        if (!ok) {
            throw new AssertionError(what + "; " + this);
        }
    }

    @Override
    public String toString() {
        return machine.state()
                + " "
                + machine.abortReason()
                + ", lent "
                + sources.size()
                + " and "
                + sinks.size()
                + ", pending "
                + pending.size()
                + ", credit "
                + machine.credit()
                + ", pipelined "
                + machine.send.pipelined()
                + ", mode "
                + machine.receive.mode();
    }
}
