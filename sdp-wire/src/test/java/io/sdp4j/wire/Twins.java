package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Two real machines joined by a simulated reliable, ordered wire, and the shells round them.
 *
 * <p>Shape: every move is one thing that may happen next: an application writes, reads, shuts or
 * closes; a message lands in a posted buffer; completions are polled late and in batches; a timer
 * fires; a queue pair fails; a message is replaced by a lie. After every move the oracles run.
 *
 * <p>Payload is represented by its position in the stream: the machine never sees more of it
 * either.
 */
final class Twins {
    /** What may go wrong in a run. */
    record Faults(
            boolean ends, boolean failures, boolean wildTimers, boolean lies, boolean lending) {
        Faults(boolean ends, boolean failures, boolean wildTimers, boolean lies) {
            this(ends, failures, wildTimers, lies, false);
        }

        /** The same, with buffers lent. */
        Faults lent() {
            return new Faults(ends, failures, wildTimers, lies, true);
        }

        static final Faults NONE = new Faults(false, false, false, false);
        static final Faults ENDS = new Faults(true, false, false, false);
        static final Faults ALL = new Faults(true, true, true, false);
        static final Faults LIES = new Faults(true, true, true, true);
    }

    /** A message on the wire or landed, or the end of the wire. */
    private static final class Message {
        final byte[] header = new byte[Bsdh.MAX_HEADER_BYTES];
        int byteLen;
        long streamAt;
        int slot;
        int tag; // of a signalled control message, else 0
        boolean hangUp; // the connection below ends here
        boolean failed; // and is reported as a queue pair error
        Lender.Rdma rdma; // no message, but an RDMA operation
    }

    private final Choices choices;
    private final Faults faults;
    final Side a;
    final Side b;
    private final StringBuilder trace = new StringBuilder();
    private final boolean tracing;
    private boolean lied;
    private boolean rough; // something cut the stream, rightly

    Twins(Choices choices, Faults faults, boolean tracing) {
        this.choices = choices;
        this.faults = faults;
        this.tracing = tracing;
        WireConfig first = config();
        WireConfig second = config();
        a = new Side("a", SdpMachine.connecting(first), first);
        b = new Side("b", SdpMachine.accepting(second), second);
        a.peer = b;
        b.peer = a;
        shakeHands();
    }

    private WireConfig config() {
        int slots = 4 + choices.below(choices.below(2) == 0 ? 2 : 40);
        int bytes = 37 + choices.below(100);
        int depth = choices.below(2) == 0 ? Integer.MAX_VALUE : 3 + choices.below(12);
        WireConfig config = new WireConfig(slots, bytes, depth, 1 + choices.below(4), 4, 4);
        return faults.lending ? config.with(Lender.features(choices)) : config;
    }

    private void shakeHands() {
        if (choices.below(2) == 1) {
            int x = -choices.below(20);
            int y = -choices.below(20);
            a.machine.startAt(x, y);
            b.machine.startAt(y, x);
        }
        MemorySegment bytes = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
        if (choices.below(4) == 1) {
            a.machine.useIbForm(4, 5001, 0, 1, 0, 2);
        }
        int n = a.machine.writeHello(bytes, 0);
        check(b.machine.onHello(bytes, 0, n) == HelloFault.NONE, "Hello refused");
        n = b.machine.writeHelloAck(bytes, 0);
        check(a.machine.onHelloAck(bytes, 0, n) == HelloFault.NONE, "HelloAck refused");
        a.limit = a.machine.credits().lastSent() + b.config.receiveSlots();
        b.limit = b.machine.credits().lastSent() + a.config.receiveSlots();
        a.advertised = b.limit;
        b.advertised = a.limit;
        a.event(() -> a.machine.onEstablished(a.out));
        b.established = choices.below(2) == 0;
        if (b.established) {
            b.event(() -> b.machine.onEstablished(b.out));
        }
    }

    /** Runs {@code moves} moves. */
    void run(int moves) {
        for (int i = 0; i < moves; i++) {
            move();
            check(a);
            check(b);
        }
    }

    private void move() {
        Side side = choices.below(2) == 0 ? a : b;
        if (faults.lending && choices.below(3) == 0) {
            side.lender.move();
            return;
        }
        switch (choices.below(faults.ends || faults.failures || faults.lies ? 16 : 12)) {
            case 0, 1 -> {
                for (int i = choices.below(8); i >= 0; i--) {
                    side.write();
                }
            }
            case 2 -> side.finishReservation();
            case 3, 4, 5 -> side.land(1 + choices.below(4));
            case 6, 7, 8 -> side.poll(1 + choices.below(4));
            case 9, 10 -> side.read(1 + choices.below(3));
            case 11 -> side.completeSends(1 + choices.below(6));
            case 12 -> {
                if (faults.ends) {
                    side.shut(choices.below(80));
                }
            }
            case 13 -> {
                if (faults.wildTimers && choices.below(4) == 0) {
                    side.fireTimer(choices.below(SdpMachine.TIMERS));
                }
            }
            case 14 -> {
                if (faults.failures && choices.below(40) == 0) {
                    side.fail();
                }
            }
            default -> {
                if (faults.lies) {
                    side.lie();
                }
            }
        }
    }

    /** Lets everything that can happen happen, applications reading, until nothing moves. */
    void settle() {
        settle(true);
    }

    private void settle(boolean reading) {
        int rounds = 0;
        for (int idle = 0; idle < 2; idle++) {
            check(++rounds < 1000, "two idle peers never fall silent");
            boolean moved = a.progress(reading);
            moved |= b.progress(reading);
            if (moved) {
                idle = -1;
            }
            check(a);
            check(b);
        }
    }

    /** Settles, then proves that both sides can still talk, then closes both and proves the end. */
    void finish() {
        settle(false); // what is unread must not keep the machines talking
        settle();
        if (!rough && !lied) {
            check(a.peerSees(), "a's bytes did not all arrive");
            check(b.peerSees(), "b's bytes did not all arrive");
            check(a.outShut || a.machine.writable(), "a is stuck without credits");
            check(b.outShut || b.machine.writable(), "b is stuck without credits");
        }
        a.closeGently();
        settle();
        b.closeGently();
        settle();
        for (int i = 0; i < 8 && !(a.machine.closed() && b.machine.closed()); i++) {
            check(rough || lied, "an orderly end needed a timer");
            boolean fired = a.fireAny();
            fired |= b.fireAny();
            if (!fired) {
                break;
            }
            settle();
        }
        check(a.machine.closed() && b.machine.closed(), "a side waits for ever after close");
        check(a.timers == 0 && b.timers == 0, "a timer outlives the connection");
        if (!rough && !lied) {
            check(a.peerSees() && b.peerSees(), "bytes lost by the close");
            check(!a.machine.reset() && !b.machine.reset(), "an orderly end became a reset");
            check(a.machine.eof() && b.machine.eof(), "no end of stream");
            check(
                    a.machine.state() == State.TIME_WAIT && b.machine.state() == State.TIME_WAIT,
                    "not in TIME_WAIT");
        }
    }

    /** Oracles that hold after every move. */
    private void check(Side side) {
        check(side.machine.credit() >= 0, "negative credit");
        if (lied
                || side.dead
                || side.peer.dead
                || !side.machine.state().equals(State.ESTABLISHED)) {
            return;
        }
        int real = side.peer.posted.size() - messages(side.wire);
        int believed = side.machine.credit() + side.machine.credits().reserved();
        check(
                side.peer.machine.closed() || believed <= real,
                side.name + " believes in " + believed + " buffers of " + real);
        check(
                side.machine.posted() == side.posted.size() + messages(side.landed),
                side.name + " lost count of its buffers");
    }

    private static int messages(Deque<Message> queue) {
        int count = 0;
        for (Message message : queue) {
            count += message.hangUp || message.rdma != null ? 0 : 1;
        }
        return count;
    }

    boolean lied() {
        return lied;
    }

    void check(boolean ok, String what) {
        if (!ok) {
            throw new AssertionError(what + "\n" + this);
        }
    }

    @Override
    public String toString() {
        return "a: " + a + "\nb: " + b + "\nrough " + rough + ", lied " + lied + "\n" + trace;
    }

    /** One shell with its application. */
    final class Side {
        final String name;
        final SdpMachine machine;
        final WireConfig config;
        final Outbox out = new Outbox();
        final Deque<Integer> posted = new ArrayDeque<>();
        final Deque<Message> wire = new ArrayDeque<>(); // towards the peer
        final Deque<Message> landed = new ArrayDeque<>(); // not yet polled
        final Deque<Message> sent = new ArrayDeque<>(); // delivered, completion not yet reported
        final Deque<long[]> unread = new ArrayDeque<>(); // slot, position, bytes
        final long[] slotAt;
        final Lender lender = new Lender(Twins.this, this, choices);
        Side peer;
        private long sendAt; // position of the payload being sent
        int limit; // highest message number the peer's messages have allowed, kept independently
        int advertised; // the same that our messages have told the peer
        boolean established = true;
        boolean reserved;
        boolean outShut;
        boolean inShut;
        boolean closed;
        boolean dead; // queue pair gone
        long written;
        long read;
        int timers;

        Side(String name, SdpMachine machine, WireConfig config) {
            this.name = name;
            this.machine = machine;
            this.config = config;
            this.slotAt = new long[config.receiveSlots()];
            for (int i = 0; i < config.receiveSlots(); i++) {
                posted.add(i);
            }
        }

        @Override
        public String toString() {
            return machine.state()
                    + " "
                    + machine.abortReason()
                    + ", credit "
                    + machine.credit()
                    + " reserved "
                    + machine.credits().reserved()
                    + " posted "
                    + machine.posted()
                    + " known "
                    + machine.credits().known()
                    + ", "
                    + config
                    + ", wrote "
                    + written
                    + ", read "
                    + read
                    + ", wire "
                    + wire.size()
                    + ", landed "
                    + landed.size()
                    + ", unread "
                    + unread.size()
                    + ", timers "
                    + timers
                    + ", closed "
                    + closed
                    + ", dead "
                    + dead
                    + lender;
        }

        /** Whether the peer's application has read all we wrote, unless it does not want to. */
        boolean peerSees() {
            return peer.inShut
                    || (peer.read == written
                            && lender.sources.isEmpty()
                            && lender.pending.isEmpty());
        }

        void event(Runnable event) {
            boolean wasWritable = machine.writable();
            boolean wasEof = machine.eof() || machine.reset();
            boolean wasClosed = machine.closed();
            event.run();
            int woken = 0;
            if (tracing) {
                trace.append(name).append(' ').append(out).append('\n');
            }
            for (int i = 0; i < out.size(); i++) {
                if (out.kind(i) == Outbox.WAKE) {
                    woken |= out.flags(i);
                } else {
                    act(i);
                }
            }
            out.clear();
            check(
                    wasWritable || !machine.writable() || (woken & Outbox.WRITABLE) != 0,
                    name + " forgot to wake the writer");
            check(
                    wasEof || !(machine.eof() || machine.reset()) || (woken & 1) != 0,
                    name + " forgot to wake the reader");
            check(
                    wasClosed || !machine.closed() || (woken & Outbox.CLOSED) != 0,
                    name + " forgot to say it is closed");
        }

        private void act(int i) {
            switch (out.kind(i)) {
                case Outbox.SEND, Outbox.CONTROL, Outbox.SEND_LENT -> post(i);
                case Outbox.DELIVER -> deliver(i);
                case Outbox.REPOST -> posted.add(out.slot(i));
                case Outbox.ARM_TIMER -> timers |= 1 << out.timer(i);
                case Outbox.CANCEL_TIMER -> {
                    check((timers & (1 << out.timer(i))) != 0, "cancels an idle timer");
                    timers &= ~(1 << out.timer(i));
                }
                case Outbox.DISCONNECT -> hangUp(false);
                case Outbox.ABORT -> {
                    rough = true;
                    drop(wire, choices.below(wire.size() + 1));
                    hangUp(choices.below(2) == 0);
                    dead = true;
                }
                case Outbox.RESIZE, Outbox.KEEP_ALIVE -> {}
                default -> lender.act(i);
            }
        }

        private void post(int i) {
            check(!dead, "sends on a dead queue pair");
            Message message = new Message();
            MemorySegment header = MemorySegment.ofArray(message.header);
            out.writeHeader(i, header, 0);
            message.byteLen = out.messageBytes(i);
            message.streamAt = sendAt;
            if (out.kind(i) == Outbox.SEND) {
                lender.onSent(out.bytes(i));
            } else if (out.kind(i) == Outbox.SEND_LENT) {
                message.streamAt = lender.positionOf(i);
            }
            message.tag = (out.flags(i) & Outbox.SIGNALLED) != 0 ? out.tag(i) : 0;
            check(Bsdh.check(header, 0, message.byteLen) == Bsdh.Fault.NONE, "malformed message");
            check(message.byteLen <= peer.receiveBytes(), "too long for the peer");
            if (!lied) {
                checkCredit(header, out.bytes(i) > 0);
            }
            advertised = Bsdh.mseqAck(header, 0) + Bsdh.bufs(header, 0);
            wire.add(message);
            int busy = messages(wire) + sent.size();
            check(
                    config.sendDepth() == Integer.MAX_VALUE || busy <= config.sendDepth(),
                    "send queue overrun");
        }

        /** What the protocol allows at each credit level, from the wire alone. */
        private void checkCredit(MemorySegment header, boolean payload) {
            int before = limit - (Bsdh.mseq(header, 0) - 1);
            int told = Bsdh.mseqAck(header, 0) + Bsdh.bufs(header, 0);
            boolean raises = told - advertised > 0;
            check(
                    payload ? before >= 3 : before >= 2 || (before == 1 && raises),
                    name + " sends at credit " + before);
        }

        private void deliver(int i) {
            int bytes = out.bytes(i);
            check(bytes > 0, "delivers nothing");
            if (!lied && !faults.lending) {
                check(out.offset(i) == Bsdh.BYTES, "payload offset");
            }
            check(!inShut, "delivers to a reader who left");
            unread.add(new long[] {out.slot(i), slotAt[out.slot(i)], bytes});
        }

        private void hangUp(boolean failed) {
            Message end = new Message();
            end.hangUp = true;
            end.failed = failed;
            wire.add(end);
        }

        /** RDMA goes the way of the messages. */
        void transmit(Lender.Rdma rdma) {
            Message message = new Message();
            message.rdma = rdma;
            wire.add(message);
        }

        private int receiveBytes() {
            return Math.max(config.receiveBytes(), config.features().maxReceiveBytes());
        }

        void write() {
            boolean over = outShut && machine.source().owedBytes() == 0;
            if (reserved || over || !machine.reserve()) {
                return;
            }
            reserved = true;
            if (choices.below(3) != 0) {
                finishReservation();
            }
        }

        void finishReservation() {
            if (!reserved) {
                return;
            }
            reserved = false;
            if (choices.below(10) == 9) {
                event(() -> machine.unreserve(out));
                return;
            }
            int bytes = 1 + choices.below(lender.sendLimit());
            sendAt = lender.sendPosition();
            event(
                    () -> {
                        boolean left = machine.send(0, bytes, choices.below(8) == 7, out);
                        check(left == out.size() > 0, "send tells the wrong story");
                    });
        }

        /** The next {@code count} messages of the peer land in posted buffers. */
        boolean land(int count) {
            boolean moved = false;
            for (int i = 0; i < count && !peer.wire.isEmpty(); i++) {
                Message message = peer.wire.remove();
                moved = true;
                if (dead) {
                    continue;
                }
                if (message.rdma != null) {
                    lender.land(message.rdma);
                    continue;
                }
                if (!message.hangUp) {
                    if (posted.isEmpty()) {
                        check(lied || rough, "no buffer posted for a message to " + name);
                        fail();
                        return true;
                    }
                    message.slot = posted.remove();
                    slotAt[message.slot] = message.streamAt;
                    peer.sent.add(message);
                }
                landed.add(message);
            }
            return moved;
        }

        /** Polls up to {@code count} receive completions. */
        boolean poll(int count) {
            boolean moved = false;
            for (int i = 0; i < count && !landed.isEmpty() && !dead; i++) {
                Message message = landed.remove();
                moved = true;
                if (message.hangUp) {
                    disconnected(message.failed);
                } else {
                    MemorySegment header = MemorySegment.ofArray(message.header);
                    if (message.byteLen >= Bsdh.BYTES && !lied) {
                        limit = Bsdh.mseqAck(header, 0) + Bsdh.bufs(header, 0);
                    }
                    int copied = Math.min(message.byteLen, Bsdh.MAX_HEADER_BYTES);
                    event(
                            () ->
                                    machine.onReceived(
                                            message.slot, header, 0, copied, message.byteLen, out));
                }
            }
            return moved;
        }

        /** The connection below ended: what we had on the wire may or may not have landed. */
        private void disconnected(boolean failed) {
            if (machine.state() == State.ESTABLISHED) {
                rough = true;
            }
            while (!sent.isEmpty() && choices.below(2) == 0) {
                completeSends(1);
            }
            dead = true;
            wire.clear();
            if (!peer.dead) { // the answer, or our own close that crossed
                Message end = new Message();
                end.hangUp = true;
                wire.add(end);
            }
            event(
                    () -> {
                        if (failed) {
                            machine.onQpError(out);
                        } else {
                            machine.onDisconnected(out);
                        }
                    });
        }

        boolean read(int count) {
            boolean moved = false;
            for (int i = 0; i < count && !unread.isEmpty() && !closed; i++) {
                long[] chunk = unread.remove();
                moved = true;
                if (!lied) {
                    check(chunk[1] == read, name + " read " + chunk[1] + " instead of " + read);
                }
                read = chunk[1] + chunk[2];
                if (chunk[0] >= 0) {
                    event(() -> machine.consumed((int) chunk[0], out));
                }
            }
            return moved;
        }

        boolean completeSends(int count) {
            List<Message> done = new ArrayList<>();
            while (done.size() < count && !sent.isEmpty()) {
                done.add(sent.remove());
            }
            if (done.isEmpty()) {
                return false;
            }
            event(() -> machine.onSendsCompleted(done.size(), out));
            for (Message message : done) {
                if (message.tag != 0) {
                    event(() -> machine.onControlSent(message.tag, out));
                }
            }
            return true;
        }

        void shut(int how) {
            switch (how) {
                case 0, 1, 2 -> shutOutput();
                case 3 -> {
                    inShut = true;
                    event(() -> machine.shutdownInput(out));
                    while (!unread.isEmpty()) {
                        long[] chunk = unread.remove();
                        if (chunk[0] >= 0) {
                            event(() -> machine.consumed((int) chunk[0], out));
                        }
                    }
                }
                case 4 -> close(false);
                case 5 -> close(choices.below(2) == 0);
                case 6 -> {
                    if (machine.eof() && unread.isEmpty()) {
                        close(false);
                    }
                }
                case 7 -> {
                    if (faults.failures) {
                        rough = true;
                        event(() -> machine.abort(AbortReason.LOCAL_ABORT, out));
                    }
                }
                default -> {}
            }
        }

        void shutOutput() {
            if (lender.mustNotShut()) {
                return;
            }
            outShut = true;
            event(() -> machine.shutdownOutput(out));
        }

        void close(boolean abortive) {
            if (closed) {
                return;
            }
            boolean lost = lender.mustNotShut() || !lender.pending.isEmpty();
            boolean quiet = machine.eof() && unread.isEmpty() && !abortive && !lost;
            rough |= !quiet; // the peer may have sent, or may still send, what nobody will read
            closed = true;
            outShut = true;
            inShut = true;
            boolean left = !unread.isEmpty();
            event(() -> machine.close(left, abortive, out));
            unread.clear();
        }

        /** As an application that has read everything and waits for the peer to end, if it can. */
        void closeGently() {
            if (!machine.eof() && !machine.reset() && !machine.closed()) {
                shutOutput();
                settle();
            }
            if (machine.eof() || machine.reset() || machine.closed()) {
                close(false);
            } else {
                peer.shutOutput();
                settle();
                close(false);
            }
        }

        void fireTimer(int timer) {
            if ((timers & (1 << timer)) != 0) {
                rough |= timer != SdpMachine.TIMER_SRC_AVAIL;
                timers &= ~(1 << timer);
                event(() -> machine.onTimer(timer, out));
            } else if (choices.below(8) == 0) {
                event(() -> machine.onTimer(timer, out)); // stale: cancelled while it fired
            }
        }

        boolean fireAny() {
            for (int timer = 0; timer < SdpMachine.TIMERS; timer++) {
                if ((timers & (1 << timer)) != 0) {
                    fireTimer(timer);
                    return true;
                }
            }
            return false;
        }

        /** This side's queue pair breaks; the other side's finds out later. */
        void fail() {
            if (dead) {
                return;
            }
            rough = true;
            drop(wire, choices.below(wire.size() + 1));
            hangUp(true);
            dead = true;
            event(() -> machine.onQpError(out));
        }

        private void drop(Deque<Message> messages, int count) {
            for (int i = 0; i < count; i++) {
                messages.removeLast();
            }
        }

        /** A message on the way is not what this machine sent. */
        void lie() {
            Message victim = wire.peekLast();
            if (victim == null || victim.hangUp || victim.rdma != null) {
                return;
            }
            lied = true;
            rough = true;
            MemorySegment header = MemorySegment.ofArray(victim.header);
            switch (choices.below(6)) {
                case 0 -> victim.header[choices.below(16)] ^= (byte) (1 << choices.below(8));
                case 1 -> victim.header[0] = (byte) choices.below(256);
                case 2 -> header.set(Wire.SHORT, 2, (short) choices.below(65536));
                case 3 -> victim.byteLen = choices.below(peer.config.receiveBytes() + 1);
                default -> {
                    // a well-formed message of any kind, with any extended header
                    int mid = LYING_MIDS[choices.below(LYING_MIDS.length)];
                    int room = peer.config.receiveBytes() - Bsdh.BYTES - Mid.extendedBytes(mid);
                    int payload = Mid.mayCarryPayload(mid) ? choices.below(room + 1) : 0;
                    int len = Bsdh.BYTES + Mid.extendedBytes(mid) + payload;
                    header.set(Wire.BYTE, 0, (byte) mid);
                    header.set(Wire.BYTE, 1, (byte) (choices.below(4) << 1));
                    header.set(Wire.INT, 4, len);
                    header.set(Wire.INT, 16, choices.below(3) << (28 * choices.below(2)));
                    victim.byteLen = len;
                }
            }
        }

        /** One round of everything that needs no decision. */
        boolean progress(boolean reading) {
            boolean moved = false;
            if (!established) {
                established = true;
                event(() -> machine.onEstablished(out));
                moved = true;
            }
            if (reserved) {
                finishReservation();
                moved = true;
            }
            moved |= land(Integer.MAX_VALUE);
            moved |= poll(Integer.MAX_VALUE);
            moved |= reading && read(Integer.MAX_VALUE);
            moved |= completeSends(Integer.MAX_VALUE);
            moved |= faults.lending && lender.progress(reading);
            return moved;
        }
    }

    private static final int[] LYING_MIDS = {
        0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E,
        0x22, 0x40, 0x7F, 0x80, 0xFC, 0xFD, 0xFE, 0xFE, 0xFE, 0xFF, 0xFF
    };
}
