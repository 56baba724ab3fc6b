package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Target of a fuzzer: every decoder, on the input as it is.
 *
 * <p>Oracles: nothing is thrown, nothing beyond the input is read, and what a decoder accepts and
 * reads, written again, is the input as far as the fields go.
 */
public final class DecoderFuzz {
    private static final int MARGIN = 3;

    private DecoderFuzz() {}

    /** One input: the first byte chooses the decoder. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        // A segment that ends where the input does: one byte further and the decoder throws.
        byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
        MemorySegment m = MemorySegment.ofArray(bytes);
        switch (Math.floorMod(input[0], 4)) {
            case 0 -> message(m, bytes.length);
            case 1 -> hello(m, bytes.length);
            default -> helloAck(m, bytes.length);
        }
    }

    private static void message(MemorySegment m, int available) {
        if (available < Bsdh.BYTES
                || Bsdh.check(Bsdh.first(m, 0), available) != AbortReason.NONE
                || Bsdh.mid(m, 0) <= Mid.HELLO_ACK) {
            return;
        }
        int mid = Bsdh.mid(m, 0);
        int extended = Mid.extendedBytes(mid);
        MemorySegment again = MemorySegment.ofArray(new byte[MARGIN + Bsdh.MAX_HEADER_BYTES]);
        Bsdh.write(
                again,
                MARGIN,
                mid,
                Bsdh.flags(Bsdh.first(m, 0)),
                Bsdh.bufs(m, 0),
                Bsdh.len(m, 0),
                Bsdh.mseq(Bsdh.second(m, 0)),
                Bsdh.mseqAck(Bsdh.second(m, 0)));
        long from = MARGIN + Bsdh.BYTES;
        long at = Bsdh.BYTES;
        switch (mid) {
            case Mid.SRC_AVAIL -> {
                SrcAh.lenLegal(m, at);
                SrcAh.write(again, from, SrcAh.len(m, at), SrcAh.rkey(m, at), SrcAh.va(m, at));
            }
            case Mid.SINK_AVAIL -> {
                SrcAh.lenLegal(m, at);
                SnkAh.write(
                        again,
                        from,
                        SrcAh.len(m, at),
                        SrcAh.rkey(m, at),
                        SrcAh.va(m, at),
                        SnkAh.nonDiscards(m, at));
            }
            case Mid.RDMA_RD_COMPL, Mid.RDMA_WR_COMPL, Mid.CH_RCV_BUF, Mid.CH_RCV_BUF_ACK ->
                    again.set(Wire.INT, from, m.get(Wire.INT, at));
            case Mid.MODE_CHANGE -> {
                int reserved = m.get(Wire.INT, at) & 0x0FFF_FFFF;
                int half = Mch.sendHalf(m, at) ? 1 << 31 : 0;
                again.set(Wire.INT, from, half | (Mch.mode(m, at) << 28) | reserved);
            }
            case Mid.SUSP_COMM -> {
                if (!SuspCh.legal(m, at)) {
                    return;
                }
                SuspCh.write(again, from, SuspCh.port(m, at));
            }
            default -> {}
        }
        same(m, again, Bsdh.BYTES + extended);
    }

    private static void hello(MemorySegment m, int available) {
        if (Hello.check(m, 0, available) != HelloFault.NONE) {
            return;
        }
        require(Hello.maxAdverts(m, 0) > 0, "no adverts");
        require(Hello.receiveSizeLegal(Hello.receiveBytes(m, 0)), "size");
        require(Hello.majorVersion(m, 0) == 1, "version");
        require(Hello.ord(m, 0) > 0 && Hello.ird(m, 0) > 0, "read depth");
        MemorySegment again = MemorySegment.ofArray(new byte[MARGIN + Hello.SHORT_BYTES]);
        Hello.writeShort(
                again,
                MARGIN,
                Bsdh.bufs(m, 0),
                Hello.maxAdverts(m, 0),
                Hello.desiredBytes(m, 0),
                Hello.receiveBytes(m, 0),
                Hello.ord(m, 0),
                Hello.ird(m, 0));
        require(again.asSlice(MARGIN + 18, 14).mismatch(m.asSlice(18, 14)) < 0, "fields");
        SdpMachine machine = SdpMachine.accepting(new WireConfig(4, 37, 3, 1, 1, 1));
        require(machine.onHello(m, 0, available) == HelloFault.NONE, "machine");
        require(machine.maxPayload() >= 37 - Bsdh.BYTES, "payload");
    }

    private static void helloAck(MemorySegment m, int available) {
        if (HelloAck.check(m, 0, available) == HelloFault.NONE) {
            require(Hello.majorVersion(m, 0) == 1, "version");
            require(HelloAck.maxAdverts(m, 0) > 0, "no adverts");
            require(Hello.receiveSizeLegal(HelloAck.receiveBytes(m, 0)), "size");
            require(HelloAck.ord(m, 0) > 0 && HelloAck.ird(m, 0) > 0, "read depth");
        }
    }

    private static void same(MemorySegment m, MemorySegment again, int bytes) {
        require(again.asSlice(MARGIN, bytes).mismatch(m.asSlice(0, bytes)) < 0, "not the same");
    }

    private static void require(boolean ok, String what) {
        if (!ok) {
            throw new AssertionError(what);
        }
    }
}
