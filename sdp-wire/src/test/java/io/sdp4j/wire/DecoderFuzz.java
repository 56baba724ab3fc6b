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
            case 2 -> helloAck(m, bytes.length, HelloForm.SHORT, 1);
            default -> helloAck(m, bytes.length, HelloForm.IB, bytes.length % 2 + 1);
        }
    }

    private static void message(MemorySegment m, int available) {
        if (Bsdh.check(m, 0, available) != Bsdh.Fault.NONE || Bsdh.mid(m, 0) <= Mid.HELLO_ACK) {
            return;
        }
        int mid = Bsdh.mid(m, 0);
        int extended = Mid.extendedBytes(mid);
        MemorySegment again = MemorySegment.ofArray(new byte[MARGIN + Bsdh.MAX_HEADER_BYTES]);
        Bsdh.write(
                again,
                MARGIN,
                mid,
                Bsdh.flags(m, 0),
                Bsdh.bufs(m, 0),
                Bsdh.len(m, 0),
                Bsdh.mseq(m, 0),
                Bsdh.mseqAck(m, 0));
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
        boolean ib = Hello.form(m, 0) == HelloForm.IB;
        require(Hello.maxAdverts(m, 0) > 0, "no adverts");
        require(Hello.receiveSizeLegal(Hello.receiveBytes(m, 0)), "size");
        if (ib) {
            int ip = Hello.ipVersion(m, 0);
            require(ip == 4 || ip == 6, "IP version");
            require(Hello.capabilities(m, 0) < 16, "capabilities");
            MemorySegment again = MemorySegment.ofArray(new byte[Hello.IB_BYTES]);
            Hello.writeIb(
                    again,
                    0,
                    (Hello.majorVersion(m, 0) << 4) | Hello.minorVersion(m, 0),
                    ip,
                    Hello.capabilities(m, 0),
                    Bsdh.bufs(m, 0),
                    Hello.maxAdverts(m, 0),
                    Hello.desiredBytes(m, 0),
                    Hello.receiveBytes(m, 0),
                    Hello.port(m, 0),
                    Hello.srcHigh(m, 0),
                    Hello.srcLow(m, 0),
                    Hello.dstHigh(m, 0),
                    Hello.dstLow(m, 0));
            require(again.get(Wire.BYTE, 16) == m.get(Wire.BYTE, 16), "version");
            require(again.asSlice(20, 10).mismatch(m.asSlice(20, 10)) < 0, "sizes or port");
            require(again.asSlice(32, 32).mismatch(m.asSlice(32, 32)) < 0, "addresses");
        } else {
            require(Hello.ord(m, 0) > 0 && Hello.ird(m, 0) > 0, "read depth");
        }
        SdpMachine machine = SdpMachine.accepting(new WireConfig(4, 37, 3, 1, 1, 1));
        require(machine.onHello(m, 0, available) == HelloFault.NONE, "machine");
        require(machine.maxPayload() >= 37 - Bsdh.BYTES, "payload");
    }

    private static void helloAck(MemorySegment m, int available, HelloForm form, int major) {
        if (HelloAck.check(m, 0, available, form, major) == HelloFault.NONE) {
            require(HelloAck.form(m, 0) == form, "form");
            require(HelloAck.majorVersion(m, 0) == major, "version");
            require(HelloAck.maxAdverts(m, 0) > 0, "no adverts");
            require(Hello.receiveSizeLegal(HelloAck.receiveBytes(m, 0)), "size");
            require(
                    form == HelloForm.IB || (HelloAck.ord(m, 0) > 0 && HelloAck.ird(m, 0) > 0),
                    "read depth");
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
