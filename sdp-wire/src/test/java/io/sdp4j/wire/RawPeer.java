package io.sdp4j.wire;

/**
 * One machine whose peer, program and fabric do whatever is chosen, in particular what no peer may
 * do.
 *
 * <p>Oracles besides those of {@link SingleMachine}: the machine sends within the credit of the
 * last message it accepted; a violation is answered by no message.
 */
final class RawPeer extends SingleMachine {
    private static final int MOST_STEPS = 400;

    private final int peerReceiveBytes;
    private int accepted; // MSeq of the peer's last message that could be believed
    private int lastAck; // its MSeqAck
    private int limit; // highest MSeq the machine may use
    private boolean over;

    private RawPeer(Choices choices, WireConfig config) {
        super(choices, config, choices.below(2) == 1);
        peerReceiveBytes = 37 + choices.below(80);
    }

    /** Runs one life. */
    static void play(Choices choices) {
        int depth = choices.below(2) == 0 ? Integer.MAX_VALUE : 3 + choices.below(4);
        int slots = 4 + choices.below(6);
        WireConfig config = new WireConfig(slots, 37 + choices.below(80), depth, 2, 4, 4);
        if (choices.below(4) != 0) {
            Features features = LendingMoves.features(choices);
            config = config.with(choices.below(2) == 0 ? features : features.withSuspending());
        }
        RawPeer peer = new RawPeer(choices, config);
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
        boolean misunderstood = connecting && choices.below(2) == 1;
        boolean cutShort = misunderstood && choices.below(2) == 0;
        sent = Starts.number(choices);
        lastAck = sent;
        accepted = Starts.number(choices);
        machine.credits.startAt(sent, accepted);
        int n = connecting ? machine.writeHello(header, 0) : 0;
        if (misunderstood) { // an answer in the other form, which changes nothing
            n = HelloAck.writeIb(header, 0, bufs, 9, peerReceiveBytes);
            HelloFault fault = machine.onHelloAck(header, 0, cutShort ? HelloAck.SHORT_BYTES : n);
            require(fault == (cutShort ? HelloFault.SHORT : HelloFault.BAD_LENGTH), "taken");
        }
        if (choices.below(8) == 1) {
            n = 0;
            while (n < HelloAck.IB_BYTES) {
                header.set(Wire.BYTE, n++, (byte) choices.below(256));
            }
        } else if (connecting) {
            n = HelloAck.writeShort(header, 0, bufs, 9, peerReceiveBytes, 4, 4);
        } else {
            n = Hello.writeShort(header, 0, bufs, 9, 4096, peerReceiveBytes, 4, 4);
        }
        HelloFault fault =
                connecting ? machine.onHelloAck(header, 0, n) : machine.onHello(header, 0, n);
        if (fault != HelloFault.NONE) {
            require(machine.credit() == 0, "credit from a Hello refused");
            return false;
        }
        limit = sent + Bsdh.bufs(header, 0);
        if (!connecting) {
            machine.writeHelloAck(header, 0);
        }
        if (connecting || choices.below(2) == 0) {
            event(() -> machine.onEstablished(out));
        }
        return true;
    }

    private void step() {
        switch (choices.below(24)) {
            case 0, 1, 2, 3, 4, 5, 6, 7 -> message();
            case 8 -> write();
            case 9, 10 -> consume();
            case 11 -> completeSend();
            case 12 -> lendSource(1 + choices.below(300));
            case 13 -> lendSink(1 + choices.below(300), choices.below(4) != 0);
            case 14 -> rdma();
            case 15 -> program();
            case 16 -> event(() -> machine.shutdownOutput(out));
            case 17 -> event(() -> machine.shutdownInput(out));
            case 18 -> close();
            case 19, 20 -> fire(choices.below(SdpMachine.TIMERS));
            case 21 -> event(() -> machine.onEstablished(out));
            case 22 -> {
                event(() -> machine.onDisconnected(out));
                over = choices.below(2) == 0;
            }
            default -> {
                event(() -> machine.onQpError(out));
                over = true;
            }
        }
    }

    private void rdma() {
        if (choices.below(2) == 0 && !reads.isEmpty()) {
            completeRead();
        } else if (!writes.isEmpty()) {
            completeWrite();
        }
    }

    private void program() {
        switch (choices.below(6)) {
            case 0 -> recallSources();
            case 1 -> event(() -> machine.sink().recall(out));
            case 2 -> event(() -> machine.sink().refuse(out));
            case 3 -> event(() -> machine.onKeepAlive(out));
            case 4 -> {
                if (choices.below(3) != 0) {
                    event(() -> Rig.pipeline(machine, out));
                }
            }
            default -> event(() -> machine.suspend(7, out));
        }
    }

    private void message() {
        Integer slot = posted.poll();
        if (slot == null) {
            return; // the fabric has no buffer to put it into
        }
        int byteLen = choices.below(4) == 0 ? wild() : framed();
        boolean alive = !machine.reset();
        if (plausible(byteLen)) {
            accepted = Bsdh.mseq(Bsdh.second(header, 0));
            lastAck = Bsdh.mseqAck(Bsdh.second(header, 0));
            limit = lastAck + Bsdh.bufs(header, 0);
        }
        long messages = machine.messagesSent();
        event(
                () ->
                        machine.onReceived(
                                slot,
                                Bsdh.first(header, 0),
                                Bsdh.second(header, 0),
                                header.asSlice(Bsdh.BYTES),
                                byteLen,
                                out));
        boolean violation = alive && machine.abortReason().violation();
        boolean told = machine.state() == State.ABORTING; // by AbortConn, after our DisConn
        require(
                !violation || told || machine.messagesSent() == messages,
                "a violation was answered");
    }

    /**
     * Whether the numbers of the message are to be believed (docs/protocol.md 2.13): not where the
     * peer knew of no buffer for it, even when the connection was being cut before.
     */
    private boolean plausible(int byteLen) {
        return machine.credits.known() > 0
                && byteLen <= config.receiveBytes()
                && Bsdh.check(Bsdh.first(header, 0), byteLen) == AbortReason.NONE
                && Bsdh.mseq(Bsdh.second(header, 0)) == accepted + 1
                && Integer.compareUnsigned(
                                Bsdh.mseqAck(Bsdh.second(header, 0)) - lastAck, sent - lastAck)
                        <= 0;
    }

    /** Bytes of any kind; returns how many the completion says there were. */
    private int wild() {
        for (int i = 0; i < Bsdh.MAX_HEADER_BYTES; i++) {
            header.set(Wire.BYTE, i, (byte) choices.below(256));
        }
        return choices.below(config.receiveBytes() + 40);
    }

    /** Right in length and number, mostly; wild in all that follows, or nearly right. */
    private int framed() {
        int mid = choices.below(4) == 0 ? choices.below(256) : defined(choices.below(18));
        int extended = Mid.known(mid) ? Mid.extendedBytes(mid) : 0;
        int room = Math.max(0, config.receiveBytes() - Bsdh.BYTES - extended);
        int payload = Mid.known(mid) && Mid.mayCarryPayload(mid) ? choices.below(room + 1) : 0;
        int bufs = choices.below(8) == 0 ? choices.below(0x10000) : choices.below(12);
        int ack = sent - (choices.below(4) == 0 ? choices.below(4) : 0);
        int len = Bsdh.BYTES + extended + payload;
        boolean plain = choices.below(4) != 0; // small numbers, as an honest peer's
        Bsdh.write(header, 0, mid, choices.below(8), bufs, len, accepted + 1, ack);
        for (int i = Bsdh.BYTES; i < Bsdh.BYTES + extended; i++) {
            int least = (i - Bsdh.BYTES) % 4;
            boolean zero = plain && least < (mid == Mid.MODE_CHANGE ? 0 : 2);
            header.set(Wire.BYTE, i, (byte) (zero ? 0 : choices.below(plain ? 4 : 256)));
        }
        if (plain && mid == Mid.MODE_CHANGE) {
            header.set(Wire.INT, Bsdh.BYTES, choices.below(3) << 28);
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
            int bytes = 1 + choices.below(machine.source().payloadLimit());
            boolean urgent = choices.below(4) == 3;
            event(() -> machine.send(0, bytes, urgent, out));
            pending.clear(); // their kind does not matter here
        }
    }

    private void close() {
        boolean left = !unread.isEmpty();
        boolean abortive = choices.below(4) == 3;
        event(() -> machine.close(left, abortive, out));
    }

    @Override
    void sends(int i, int bytes) {
        require(bytes <= Math.max(peerReceiveBytes, machine.peerReceiveBytes), "long");
        boolean owed =
                out.row(i).kind == ActionList.SEND; // reserved before the peer took credit back
        int credit = limit - sent + 1;
        require(owed || credit > 0, "sends without credit");
    }

    @Override
    void posts(Rdma rdma) {}

    /** The peer may have written, or said so. */
    @Override
    long filledBy(Lent sink) {
        for (int i = 0; i < out.size(); i++) {
            if (out.row(i).kind == ActionList.SINK_RETURNED && out.row(i).buffer == sink.id) {
                return sink.filled == 0 ? out.row(i).bufferOffset : sink.filled;
            }
        }
        return sink.filled;
    }
}
