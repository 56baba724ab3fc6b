package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Writes and reads the encodings of docs/protocol.md 19.A. */
abstract class VectorRig {
    /** Where the tests write: not aligned, and full of ones to show what is left out. */
    static final long AT = 3;

    final byte[] buffer = new byte[256];

    final MemorySegment to = MemorySegment.ofArray(buffer);

    VectorRig() {
        Arrays.fill(buffer, (byte) 0xFF);
    }

    void assertWritten(String hex) {
        byte[] expected = Rig.bytes(hex);
        assertArrayEquals(
                expected, Arrays.copyOfRange(buffer, (int) AT, (int) AT + expected.length));
    }

    void bsdh(int mid, int flags, int bufs, int len, int mseq, int ack) {
        Bsdh.write(to, AT, mid, flags, bufs, len, mseq, ack);
    }

    void payload(String text) {
        int len = Bsdh.len(to, AT);
        for (int i = 0; i < text.length(); i++) {
            to.set(Wire.BYTE, AT + len - text.length() + i, (byte) text.charAt(i));
        }
    }

    static MemorySegment read(
            String hex, int mid, int flags, int bufs, int len, int mseq, int ack) {
        MemorySegment m = MemorySegment.ofArray(Rig.bytes(hex));
        assertEquals(AbortReason.NONE, Bsdh.check(Bsdh.first(m, 0), (int) m.byteSize()));
        assertEquals(mid, Bsdh.mid(m, 0));
        assertEquals(flags, Bsdh.flags(Bsdh.first(m, 0)));
        assertEquals(bufs, Bsdh.bufs(m, 0));
        assertEquals(len, Bsdh.len(m, 0));
        assertEquals(mseq, Bsdh.mseq(Bsdh.second(m, 0)));
        assertEquals(ack, Bsdh.mseqAck(Bsdh.second(m, 0)));
        return m;
    }

    /** A message without extended header: both directions. */
    void plain(String hex, int mid, int flags, int bufs, int len, int mseq, int ack) {
        read(hex, mid, flags, bufs, len, mseq, ack);
        bsdh(mid, flags, bufs, len, mseq, ack);
    }

    static Rig rig(int lastSent, int lastReceived) {
        return new Rig(Rig.CONFIG, 64, lastSent, lastReceived);
    }

    /** A receive half in Pipelined mode that expects message {@code mseq}. */
    static Rig pipelined(int lastSent, int mseq) {
        Rig rig = rig(lastSent, mseq - 2);
        rig.feed(Mid.MODE_CHANGE, 60, 0, Mch.PIPELINED << 28);
        rig.assertAlive();
        return rig;
    }
}
