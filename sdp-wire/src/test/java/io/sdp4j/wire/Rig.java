package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** One established machine, fed by hand with the messages of a peer that exists on paper only. */
final class Rig {
    static final WireConfig CONFIG = new WireConfig(32, 16_400, Integer.MAX_VALUE, 16, 4, 4);

    final SdpMachine machine;
    final ActionList out = new ActionList();
    private final MemorySegment header = MemorySegment.ofArray(new byte[Bsdh.MAX_HEADER_BYTES]);
    private int mseq;

    Rig() {
        this(64);
    }

    Rig(int peerBufs) {
        this(CONFIG, peerBufs, 0, 0);
    }

    /**
     * Our last message was {@code lastSent} and is acknowledged, the peer's {@code lastReceived}.
     */
    Rig(WireConfig config, int peerBufs, int lastSent, int lastReceived) {
        this(config, peerBufs, 16, lastSent, lastReceived);
    }

    /** A peer that keeps track of {@code peerAdverts} advertisements. */
    Rig(WireConfig config, int peerBufs, int peerAdverts) {
        this(config, peerBufs, peerAdverts, 0, 0);
    }

    private Rig(WireConfig config, int peerBufs, int peerAdverts, int lastSent, int lastReceived) {
        machine = SdpMachine.accepting(config);
        machine.credits.startAt(lastSent, lastReceived);
        mseq = lastReceived;
        MemorySegment hello = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
        Hello.writeShort(hello, 0, peerBufs, peerAdverts, 16_400, 16_400, 4, 4);
        assertEquals(HelloFault.NONE, machine.onHello(hello, 0, Hello.SHORT_BYTES));
        machine.writeHelloAck(hello, 0);
        machine.onEstablished(out);
        out.clear();
    }

    static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
    }

    /** Extended header of a SrcAvail of {@code len} bytes. */
    static int[] srcAvail(int len) {
        return new int[] {len, 0x11, 0, 0x1000};
    }

    /** Row of the first action of a kind, or -1. */
    static int indexOf(ActionList out, int kind) {
        for (int i = 0; i < out.size(); i++) {
            if (out.row(i).kind == kind) {
                return i;
            }
        }
        return -1;
    }

    /** Feeds a message given byte by byte; its effects are in {@link #out}. */
    void feed(String hex) {
        byte[] bytes = bytes(hex);
        mseq =
                bytes.length < Bsdh.BYTES
                        ? mseq
                        : Bsdh.mseq(Bsdh.second(MemorySegment.ofArray(bytes), 0));
        feed(bytes, bytes.length);
    }

    private void feed(byte[] bytes, int byteLen) {
        out.clear();
        int copied = Math.min(byteLen, Bsdh.MAX_HEADER_BYTES);
        MemorySegment.copy(bytes, 0, header, Wire.BYTE, 0, Math.min(copied, bytes.length));
        machine.onReceived(
                7,
                Bsdh.first(header, 0),
                Bsdh.second(header, 0),
                header.asSlice(Bsdh.BYTES),
                byteLen,
                out);
    }

    /** Feeds the next message of the peer: sequence number by itself, everything acknowledged. */
    void feed(int mid, int bufs, int payloadBytes, int... extension) {
        feedAck(mid, bufs, machine.credits.lastSent(), payloadBytes, extension);
    }

    void feedAck(int mid, int bufs, int ack, int payloadBytes, int... extension) {
        byte[] bytes = new byte[Bsdh.MAX_HEADER_BYTES];
        MemorySegment m = MemorySegment.ofArray(bytes);
        int len = Bsdh.BYTES + 4 * extension.length + payloadBytes;
        Bsdh.write(m, 0, mid, 0, bufs, len, ++mseq, ack);
        for (int i = 0; i < extension.length; i++) {
            m.set(Wire.INT, Bsdh.BYTES + 4 * i, extension[i]);
        }
        feed(bytes, len);
    }

    /** Leads our send half into Pipelined, as buffers lent side by side do. */
    static void pipeline(SdpMachine machine, ActionList out) {
        machine.send.pipeline();
        machine.onward(out);
    }

    void pipeline() {
        pipeline(machine, out);
    }

    /** Sends a payload message. */
    void send(int payloadBytes) {
        assertTrue(machine.reserve());
        out.clear();
        assertTrue(machine.send(0, payloadBytes, false, out));
    }

    void consumed() {
        out.clear();
        machine.consumed(7, out);
    }

    /** The MIDs of the messages in the action list. */
    List<Integer> mids() {
        List<Integer> mids = new ArrayList<>();
        for (int i = 0; i < out.size(); i++) {
            int kind = out.row(i).kind;
            if (kind == ActionList.SEND
                    || kind == ActionList.CONTROL
                    || kind == ActionList.SEND_LENT) {
                mids.add(Bsdh.mid(out.row(i).first));
            }
        }
        return mids;
    }

    /** The action list in words. */
    String actions() {
        return ActionText.of(out);
    }

    /** Row of the first action of a kind, or -1. */
    int row(int kind) {
        return indexOf(out, kind);
    }

    /** The only message in the action list, as bytes. */
    MemorySegment message() {
        assertEquals(1, mids().size(), this::actions);
        int i = Math.max(row(ActionList.CONTROL), row(ActionList.SEND));
        MemorySegment m = MemorySegment.ofArray(new byte[Bsdh.MAX_HEADER_BYTES]);
        out.row(i).writeHeader(m, 0);
        return m;
    }

    /** Whether all output has reached the peer, or never will. */
    boolean outputDone() {
        return machine.send.finCompleted() || machine.closed();
    }

    /** Completes the DisConn or AbortConn that was sent. */
    void complete(int tag) {
        out.clear();
        machine.onControlSent(tag, out);
    }

    void assertViolation(AbortReason reason) {
        assertEquals(State.ERROR, machine.state());
        assertEquals(reason, machine.abortReason());
        assertTrue(reason.violation());
        assertTrue(machine.reset() && machine.closed());
        assertTrue(row(ActionList.ABORT) >= 0);
        assertEquals(List.of(), mids(), "a violation is answered by no message");
    }

    void assertAlive() {
        assertEquals(AbortReason.NONE, machine.abortReason());
    }
}
