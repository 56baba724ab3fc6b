package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One machine whose peer, program and fabric do whatever is chosen, in particular what no peer may
 * do.
 *
 * <p>Oracles: nothing is thrown; the machine hands back only what it was given and keeps no more
 * buffers than it has; it sends only well-formed messages, within the credit of the last message it
 * accepted, never more than once the same number; whoever waits is woken; a violation is answered
 * by no message, and after the end there is silence.
 */
final class RawPeer {
    private static final int MOST_STEPS = 400;

    private final Choices choices;
    private final WireConfig config;
    private final SdpMachine machine;
    private final Outbox out = new Outbox();
    private final boolean connecting;
    private final MemorySegment header = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
    private final Deque<Integer> posted = new ArrayDeque<>();
    private final Deque<Integer> unread = new ArrayDeque<>();
    private final Deque<Integer> uncompleted = new ArrayDeque<>(); // tags
    private final int peerReceiveBytes;
    private int accepted; // MSeq of the peer's last message that could be believed
    private int lastAck; // its MSeqAck
    private int sent; // MSeq of the machine's last message
    private int limit; // highest MSeq the machine may use
    private int before; // the same before the peer's last message
    private int timers;
    private boolean reserved;
    private boolean over;

    private RawPeer(Choices choices) {
        this.choices = choices;
        int depth = choices.below(2) == 0 ? Integer.MAX_VALUE : 3 + choices.below(4);
        config = new WireConfig(4 + choices.below(6), 37 + choices.below(80), depth, 2, 4, 4);
        connecting = choices.below(2) == 1;
        machine = connecting ? SdpMachine.connecting(config) : SdpMachine.accepting(config);
        for (int slot = 0; slot < config.receiveSlots(); slot++) {
            posted.add(slot);
        }
        peerReceiveBytes = 37 + choices.below(80);
    }

    /** Runs one life. */
    static void play(Choices choices) {
        RawPeer peer = new RawPeer(choices);
        if (peer.greet()) {
            int steps = choices.below(MOST_STEPS);
            for (int i = 0; i < steps && !peer.over; i++) {
                peer.step();
            }
        }
        peer.end();
    }

    private boolean greet() {
        int bufs = choices.below(4) == 0 ? choices.below(0x10000) : choices.below(12);
        if (connecting && choices.below(2) == 1) {
            machine.useIbForm(choices.below(2) == 0 ? 4 : 6, 7, 1, 2, 3, 4);
        }
        int n = connecting ? machine.writeHello(header, 0) : 0;
        boolean ib = machine.helloForm() == HelloForm.IB;
        if (choices.below(8) == 1) {
            n = 0;
            while (n < HelloAck.IB_BYTES) {
                header.set(Wire.BYTE, n++, (byte) choices.below(256));
            }
        } else if (connecting) {
            n =
                    ib
                            ? HelloAck.writeIb(header, 0, 0x22, bufs, 9, peerReceiveBytes)
                            : HelloAck.writeShort(header, 0, bufs, 9, peerReceiveBytes, 4, 4);
        } else {
            n = Hello.writeShort(header, 0, bufs, 9, 4096, peerReceiveBytes, 4, 4);
        }
        HelloFault fault =
                connecting ? machine.onHelloAck(header, 0, n) : machine.onHello(header, 0, n);
        if (fault != HelloFault.NONE) {
            require(machine.credit() == 0, "credit from a Hello refused");
            return false;
        }
        limit = Bsdh.bufs(header, 0);
        if (!connecting) {
            machine.writeHelloAck(header, 0);
        }
        if (connecting || choices.below(2) == 0) {
            event(() -> machine.onEstablished(out));
        }
        return true;
    }

    private void step() {
        switch (choices.below(18)) {
            case 0, 1, 2, 3, 4, 5 -> message();
            case 6 -> write();
            case 7, 8 -> read();
            case 9 -> complete();
            case 10 -> event(() -> machine.shutdownOutput(out));
            case 11 -> event(() -> machine.shutdownInput(out));
            case 12 -> close();
            case 13, 14 -> fire(choices.below(SdpMachine.TIMERS));
            case 15 -> event(() -> machine.onEstablished(out));
            case 16 -> {
                event(() -> machine.onDisconnected(out));
                over = choices.below(2) == 0;
            }
            default -> {
                event(() -> machine.onQpError(out));
                over = true;
            }
        }
    }

    private void message() {
        Integer slot = posted.poll();
        if (slot == null) {
            return; // the fabric has no buffer to put it into
        }
        int byteLen = choices.below(4) == 0 ? wild() : framed();
        int copied = Math.min(byteLen, Bsdh.MAX_HEADER_BYTES);
        boolean alive = !machine.reset();
        if (plausible(byteLen)) {
            accepted = Bsdh.mseq(header, 0);
            lastAck = Bsdh.mseqAck(header, 0);
            before = limit;
            limit = lastAck + Bsdh.bufs(header, 0);
        }
        long messages = machine.messagesSent();
        event(() -> machine.onReceived(slot, header, 0, copied, byteLen, out));
        boolean violation = alive && machine.abortReason().violation();
        boolean told = machine.state() == State.ABORTING; // by AbortConn, after our DisConn
        require(
                !violation || told || machine.messagesSent() == messages,
                "a violation was answered");
    }

    /** Whether the numbers of the message are to be believed (sdp-wire.md 2.13). */
    private boolean plausible(int byteLen) {
        return byteLen <= config.receiveBytes()
                && Bsdh.check(header, 0, byteLen) == Bsdh.Fault.NONE
                && Bsdh.mseq(header, 0) == accepted + 1
                && Integer.compareUnsigned(Bsdh.mseqAck(header, 0) - lastAck, sent - lastAck) <= 0;
    }

    /** Bytes of any kind; returns how many the completion says there were. */
    private int wild() {
        for (int i = 0; i < Bsdh.MAX_HEADER_BYTES; i++) {
            header.set(Wire.BYTE, i, (byte) choices.below(256));
        }
        return choices.below(config.receiveBytes() + 40);
    }

    /** Right in length and number, mostly; wild in all that follows. */
    private int framed() {
        int mid = choices.below(4) == 0 ? choices.below(256) : defined(choices.below(18));
        int extended = Mid.known(mid) ? Mid.extendedBytes(mid) : 0;
        int room = Math.max(0, config.receiveBytes() - Bsdh.BYTES - extended);
        int payload = Mid.known(mid) && Mid.mayCarryPayload(mid) ? choices.below(room + 1) : 0;
        int bufs = choices.below(8) == 0 ? choices.below(0x10000) : choices.below(12);
        int ack = sent - (choices.below(4) == 0 ? choices.below(4) : 0);
        int len = Bsdh.BYTES + extended + payload;
        Bsdh.write(header, 0, mid, choices.below(8), bufs, len, accepted + 1, ack);
        for (int i = Bsdh.BYTES; i < Bsdh.BYTES + extended; i++) {
            header.set(Wire.BYTE, i, (byte) choices.below(256));
        }
        return len;
    }

    private static int defined(int number) {
        return number < 15 ? number : 0xFD + number - 15;
    }

    private void write() {
        if (!reserved && machine.reserve()) {
            reserved = true;
        } else if (reserved && choices.below(8) == 7) {
            reserved = false;
            event(() -> machine.unreserve(out));
        } else if (reserved) {
            reserved = false;
            int bytes = 1 + choices.below(machine.maxPayload());
            boolean urgent = choices.below(4) == 3;
            event(() -> machine.send(0, bytes, urgent, out));
        }
    }

    private void read() {
        Integer slot = unread.poll();
        if (slot != null) {
            event(() -> machine.consumed(slot, out));
        }
    }

    private void complete() {
        Integer tag = uncompleted.poll();
        if (tag != null) {
            event(() -> machine.onSendsCompleted(1, out));
            if (tag != 0) {
                event(() -> machine.onControlSent(tag, out));
            }
        }
    }

    private void close() {
        boolean left = !unread.isEmpty();
        boolean abortive = choices.below(4) == 3;
        event(() -> machine.close(left, abortive, out));
    }

    private void fire(int timer) {
        timers &= ~(1 << timer);
        event(() -> machine.onTimer(timer, out));
    }

    /** Everything fires and fails: nothing may stay behind. */
    private void end() {
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
    }

    private void event(Runnable event) {
        boolean wasWritable = machine.writable();
        boolean wasReadable = machine.eof() || machine.reset();
        boolean wasClosed = machine.closed();
        event.run();
        int woken = 0;
        for (int i = 0; i < out.size(); i++) {
            require(!wasClosed, "acts after the end");
            switch (out.kind(i)) {
                case Outbox.SEND, Outbox.CONTROL -> post(i);
                case Outbox.DELIVER -> unread.add(out.slot(i));
                case Outbox.REPOST -> posted.add(out.slot(i));
                case Outbox.WAKE -> woken |= out.flags(i);
                case Outbox.ARM_TIMER -> timers |= 1 << out.timer(i);
                case Outbox.CANCEL_TIMER -> timers &= ~(1 << out.timer(i));
                default -> {}
            }
        }
        out.clear();
        require(posted.size() + unread.size() <= config.receiveSlots(), "more buffers than exist");
        boolean readable = machine.eof() || machine.reset();
        require(wasWritable || !machine.writable() || (woken & Outbox.WRITABLE) != 0, "writer");
        require(wasReadable || !readable || (woken & Outbox.READABLE) != 0, "reader");
        require(wasClosed || !machine.closed() || (woken & Outbox.CLOSED) != 0, "closer");
        require(machine.credit() >= 0, "negative credit");
    }

    private void post(int i) {
        MemorySegment message = MemorySegment.ofArray(new byte[Bsdh.MAX_HEADER_BYTES]);
        out.writeHeader(i, message, 0);
        int bytes = out.messageBytes(i);
        require(Bsdh.check(message, 0, bytes) == Bsdh.Fault.NONE, "malformed");
        require(
                bytes <= peerReceiveBytes || peerReceiveBytes != machine.peerReceiveBytes(),
                "long");
        require(Bsdh.mseq(message, 0) == ++sent, "number " + Bsdh.mseq(message, 0));
        boolean owed = out.kind(i) == Outbox.SEND; // reserved before the peer took credit back
        boolean overrun =
                machine.abortReason() == AbortReason.NO_CREDIT; // of that it knows nothing
        int credit = (overrun ? before : limit) - sent + 1;
        require(owed || credit > 0, "sends at credit " + credit);
        require(Bsdh.bufs(message, 0) <= config.receiveSlots(), "advertises too much");
        uncompleted.add((out.flags(i) & Outbox.SIGNALLED) != 0 ? out.tag(i) : 0);
        require(uncompleted.size() <= config.sendDepth(), "send queue overrun");
    }

    private void require(boolean ok, String what) {
        if (!ok) {
            throw new AssertionError(what + "; " + machine.state() + " " + machine.abortReason());
        }
    }
}
