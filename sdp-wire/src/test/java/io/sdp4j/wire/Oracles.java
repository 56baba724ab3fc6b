package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Rules that hold after every event of the {@link MachinePair}, judged from the wire and the slots
 * alone.
 *
 * <p>Shape: a log of what each side has told the other, kept independently of the machines. The
 * rules: bytes come once and in order; no message meets no buffer; no side sends beyond its credit
 * or believes in more buffers than its peer has; every change that someone may wait for wakes them;
 * when nothing is on its way, nothing is left waiting; after the end there is silence; a message
 * asks for a solicited event exactly where docs/protocol.md 14 says so.
 *
 * <p>A lie voids the rules that need both sides to be honest.
 */
final class Oracles {
    /** Messages that wake a peer which waits (docs/protocol.md 14); urgent Data does, too. */
    private static final Set<Integer> SOLICITED =
            Set.of(
                    Mid.ABORT_CONN,
                    Mid.SUSP_COMM,
                    Mid.SUSP_COMM_ACK,
                    Mid.SEND_SM,
                    Mid.SRC_AVAIL_CANCEL,
                    Mid.SINK_AVAIL_CANCEL,
                    Mid.RDMA_WR_COMPL,
                    Mid.RDMA_RD_COMPL,
                    Mid.SINK_CANCEL_ACK);

    /** Messages received and sent by one side. */
    private static final class Log {
        int limit; // highest message number that the peer's messages have allowed
        int advertised; // the same that our messages have told the peer
        boolean wasWritable;
        boolean wasReadable; // end of stream or a cut
        boolean wasClosed;
    }

    /** Messages sent, by MID: a search has tested only those that it has seen. */
    final int[] sent = new int[256];

    private final MachinePair pair;
    private final Log a = new Log();
    private final Log b = new Log();

    Oracles(MachinePair pair) {
        this.pair = pair;
    }

    private Log log(Side side) {
        return side == pair.a ? a : b;
    }

    void require(boolean ok, String what) {
        if (!ok) {
            throw new AssertionError(what + "\n" + pair);
        }
    }

    /** The same about one side: words are put together only when they are needed. */
    void require(boolean ok, Side side, String what) {
        if (!ok) {
            require(false, side.name + " " + what);
        }
    }

    /** The same about two numbers, too. */
    private void require(boolean ok, Side side, String what, long first, long second) {
        if (!ok) {
            require(false, side, what + ": " + first + " and " + second);
        }
    }

    /** Hello and HelloAck have been exchanged. */
    void greeted() {
        a.limit = pair.a.machine.credits.lastSent() + pair.b.config.receiveSlots();
        b.limit = pair.b.machine.credits.lastSent() + pair.a.config.receiveSlots();
        a.advertised = b.limit;
        b.advertised = a.limit;
    }

    void fingerprint(Fingerprint print) {
        print.add(a.limit).add(a.advertised).add(b.limit).add(b.advertised);
    }

    void before(Side side) {
        Log log = log(side);
        log.wasWritable = side.machine.writable();
        log.wasReadable = side.machine.eof() || side.machine.reset();
        log.wasClosed = side.machine.closed();
    }

    void wakes(Side side, int woken) {
        Log log = log(side);
        SdpMachine machine = side.machine;
        boolean readable = machine.eof() || machine.reset();
        require(
                log.wasWritable || !machine.writable() || (woken & ActionList.WRITABLE) != 0,
                side,
                "forgot to wake the writer");
        require(
                log.wasReadable || !readable || (woken & ActionList.READABLE) != 0,
                side,
                "forgot to wake the reader");
        require(
                log.wasClosed || !machine.closed() || (woken & ActionList.CLOSED) != 0,
                side,
                "forgot to say it is closed");
    }

    /** A message leaves. */
    void sends(Side side, MemorySegment header, int byteLen, boolean payload) {
        Log log = log(side);
        require(!side.dead, "sends on a dead queue pair");
        require(!log.wasClosed, "sends after the end");
        require(
                Bsdh.check(Bsdh.first(header, 0), byteLen) == AbortReason.NONE,
                "malformed message");
        require(pair.lied() || byteLen <= side.peer.config.receiveBytes(), "too long for the peer");
        sent[Bsdh.mid(header, 0)]++;
        int told = Bsdh.mseqAck(Bsdh.second(header, 0)) + Bsdh.bufs(header, 0);
        if (!pair.lied()) {
            int before = log.limit - (Bsdh.mseq(Bsdh.second(header, 0)) - 1);
            boolean raises = told - log.advertised > 0;
            require(
                    payload ? before >= 3 : before >= 2 || (before == 1 && raises),
                    side,
                    "sends at credit, told",
                    before,
                    told);
        }
        log.advertised = told;
    }

    /** A message leaves, whose row has these flags. */
    void solicits(Side side, MemorySegment header, int flags) {
        int mid = Bsdh.mid(header, 0);
        int urgent = Bsdh.flags(Bsdh.first(header, 0)) & (Bsdh.OOB_PRES | Bsdh.OOB_PEND);
        boolean wakes = SOLICITED.contains(mid) || (mid == Mid.DATA && urgent != 0);
        boolean solicited = (flags & ActionList.SOLICITED) != 0;
        require(solicited == wakes, side, "solicits, or does not, by the message", mid, flags);
    }

    void sendDepth(Side side) {
        int depth = side.config.sendDepth();
        require(
                depth == Integer.MAX_VALUE || Side.messages(side.wire) + side.sent.size() <= depth,
                "send queue overrun");
    }

    /** A message is about to be fed to the machine. */
    void hears(Side side, MemorySegment header, int byteLen) {
        if (byteLen >= Bsdh.BYTES && !pair.lied()) {
            log(side).limit = Bsdh.mseqAck(Bsdh.second(header, 0)) + Bsdh.bufs(header, 0);
        }
    }

    void delivers(Side side, int offset, int bytes) {
        require(bytes > 0, "delivers nothing");
        require(!side.app.inShut, "delivers to a reader who left");
        require(
                offset == Bsdh.BYTES || pair.faults.lending() || pair.lied(),
                side,
                "finds payload in another place");
    }

    void reads(Side side, Side.Chunk chunk, long expected) {
        require(
                chunk.at() == expected || pair.lied(),
                side,
                "read, and should have read",
                chunk.at(),
                expected);
    }

    /** No buffer is posted for a message: only one who no longer takes messages may have none. */
    void overrun(Side side) {
        require(
                pair.lied() || side.machine.closed() || !talking(side.machine),
                side,
                "has no buffer posted for a message");
    }

    /** A message lands in the buffer that is posted first. */
    void fits(Side side, Flight message) {
        require(
                message.byteLen <= side.config.receiveBytes()
                        || pair.lied()
                        || side.machine.closed(),
                side,
                "is sent more than its buffer holds",
                message.byteLen,
                side.config.receiveBytes());
    }

    private static boolean talking(SdpMachine machine) {
        return switch (machine.state()) {
            case ESTABLISHED, FIN_SENDING, FIN_SENT, FIN_CROSS, PEER_FIN, LAST_SENDING -> true;
            default -> false;
        };
    }

    /** Everything that can be said of both sides at any time. */
    void afterEvent() {
        check(pair.a);
        check(pair.b);
        if (!pair.lied() && silent(pair.a) && silent(pair.b)) {
            agree(pair.a, pair.b);
            agree(pair.b, pair.a);
        }
        if (!pair.lied() && quiet(pair.a) && quiet(pair.b)) {
            nothingWaits(pair.a);
            nothingWaits(pair.b);
        }
    }

    private void check(Side side) {
        SdpMachine machine = side.machine;
        Application app = side.app;
        require(machine.credit() >= 0, "negative credit");
        require(pair.lied() || !machine.abortReason().violation(), side, "accuses an honest peer");
        require(
                !app.writerAsleep()
                        || !(machine.writable() || side.reset() || machine.outputShut()),
                side,
                "has a writer who sleeps for no reason");
        require(
                !app.readerAsleep() || !(!side.unread.isEmpty() || machine.eof() || side.reset()),
                side,
                "has a reader who sleeps for no reason");
        require(!machine.closed() || side.timers == 0, "a timer outlives the connection");
        require(!machine.closed() || side.lender.nothingLent(), "memory outlives the connection");
        if (pair.lied() || side.dead || !talking(machine)) {
            return;
        }
        int ours = side.posted.size() + Side.messages(side.landed);
        require(machine.credits.posted() == ours, side, "lost count of its buffers");
        require(
                app.closed || ours + slots(side) == side.config.receiveSlots(),
                side,
                "lost a buffer");
        if (!side.peer.dead && talking(side.peer.machine)) {
            int real = side.peer.posted.size() - Side.messages(side.wire);
            int believed = machine.credit() + machine.credits.reserved;
            require(believed <= real, side, "believes in more than there is", believed, real);
        }
    }

    /** Nothing of this side's is on its way to the other, and both halves go on. */
    private static boolean silent(Side side) {
        return side.wire.isEmpty()
                && side.landed.isEmpty()
                && side.out.size() == 0
                && !side.dead
                && talking(side.machine)
                && !side.machine.send.finSent();
    }

    /**
     * Both ends of a half-connection that have heard everything tell the same story of it:
     * advertisements, and the counters that find stale ones (docs/protocol.md 6.5).
     */
    private void agree(Side source, Side sink) {
        SendHalf send = source.machine.send;
        ReceiveHalf receive = sink.machine.receive;
        int mode = send.pipelined() ? Mch.PIPELINED : Mch.COMBINED;
        require(mode == receive.mode(), "modes differ");
        require(
                send.offers.p == receive.sinks.n(),
                source,
                "counts, and its Sink",
                send.offers.p,
                receive.sinks.n());
        require(
                send.offers.held.size() == receive.sinks.offered(),
                sink,
                "offers what its Source does not hold");
        if (!receive.offers.cancelled() && !receive.offers.sendSmDue()) {
            int held = receive.offers.held.size() + receive.offers.emptyReads();
            require(
                    send.sources.outstanding() == held,
                    source,
                    "advertises what its Sink does not hold");
        }
    }

    private static int slots(Side side) {
        int count = 0;
        for (Side.Chunk chunk : side.unread) {
            count += chunk.slot() >= 0 ? 1 : 0;
        }
        return count;
    }

    /** Nothing is under way on this side: any further event must come from its program. */
    private static boolean quiet(Side side) {
        return side.established
                && side.wire.isEmpty()
                && side.landed.isEmpty()
                && side.sent.isEmpty()
                && side.unread.isEmpty()
                && side.lender.quiet()
                && !side.app.reserved()
                && side.underway == 0
                && side.out.size() == 0;
    }

    /** Every operation that is pending has a timer that can complete it, or none is. */
    private void nothingWaits(Side side) {
        SdpMachine machine = side.machine;
        boolean alone = side.session.suspended() && !side.peer.machine.closed();
        require(!alone, side, "suspended, and its peer is not");
        if (machine.closed() || machine.state() == State.CLOSED) {
            return;
        }
        require(!machine.suspension.wanted(), side, "is to be suspended, and is not");
        boolean timed = side.timers != 0;
        boolean open = machine.state() == State.ESTABLISHED || machine.state() == State.PEER_FIN;
        boolean lent = machine.source().lent() > 0;
        require(!lent || timed, side, "never gets a buffer back");
        require(timed || !machine.receive.sinks.recalled, side, "never gets back what it recalled");
        require(!open || machine.writable() || lent, side, "is stuck without credits");
        require(
                timed || !machine.outputShut() || machine.send.finCompleted(),
                side,
                "never ends its half");
        require(!side.app.closed || timed, side, "waits for ever after close");
        require(open || machine.state() == State.FIN_SENT || timed, side, "hangs");
    }
}
