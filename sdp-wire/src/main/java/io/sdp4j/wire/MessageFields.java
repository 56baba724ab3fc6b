package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Names the fields of a message as the protocol does, for traces.
 *
 * <p>Shape: reads a private copy of the first bytes of a message, which may be short, wrong or made
 * up: nothing beyond the bytes that were kept is looked at, and a field that was not kept is not
 * named. Stateless; never throws.
 *
 * <p>Source: docs/protocol.md 2.
 */
public final class MessageFields {
    /** Takes the fields in the order in which they lie in the message. */
    public interface Visitor {
        /** A number, 0 or above. */
        void number(String name, long value);

        /** A key or address: all bits count, the value means nothing. */
        void opaque(String name, long value);

        /** A field whose values have names, or a flag that is set. */
        void word(String name, String word);
    }

    private static final String[] MODES = {"Buffered", "Combined", "Pipelined"};

    private MessageFields() {}

    /**
     * Bytes before the payload of a message of {@code byteLen} bytes with that MID; the whole
     * message of Hello and HelloAck.
     *
     * @param mid 0..255
     */
    public static int headerBytes(int mid, int byteLen) {
        if (mid <= Mid.HELLO_ACK) {
            return byteLen;
        }
        return Math.min(byteLen, Bsdh.BYTES + (Mid.known(mid) ? Mid.extendedBytes(mid) : 0));
    }

    /** Flags, Bufs, MSeq and MSeqAck; nothing when the BSDH was not kept whole. */
    public static void base(MemorySegment m, long at, int keptBytes, Visitor to) {
        if (keptBytes < Bsdh.BYTES) {
            return;
        }
        long first = Bsdh.first(m, at);
        long second = Bsdh.second(m, at);
        int flags = Bsdh.flags(first);
        flag(flags, Bsdh.OOB_PRES, "OOB_PRES", to);
        flag(flags, Bsdh.OOB_PEND, "OOB_PEND", to);
        flag(flags, Bsdh.REQ_PIPE, "REQ_PIPE", to);
        to.number("Bufs", Bsdh.bufs(first));
        to.number("MSeq", unsigned(Bsdh.mseq(second)));
        to.number("MSeqAck", unsigned(Bsdh.mseqAck(second)));
    }

    private static void flag(int flags, int mask, String name, Visitor to) {
        if ((flags & mask) != 0) {
            to.word("Flags", name);
        }
    }

    /** The fields of the extended header, or those of Hello and HelloAck; nothing when cut off. */
    public static void extended(MemorySegment m, long at, int keptBytes, Visitor to) {
        if (keptBytes < Bsdh.BYTES) {
            return;
        }
        int mid = Bsdh.mid(m, at);
        long header = at + Bsdh.BYTES;
        int bytes = keptBytes - Bsdh.BYTES;
        switch (mid) {
            case Mid.HELLO -> hello(m, at, keptBytes, to);
            case Mid.HELLO_ACK -> helloAck(m, at, keptBytes, to);
            case Mid.SRC_AVAIL -> {
                if (bytes >= SrcAh.BYTES) {
                    advertisement(m, header, to);
                }
            }
            case Mid.SINK_AVAIL -> {
                if (bytes >= SnkAh.BYTES) {
                    advertisement(m, header, to);
                    to.number("NonDiscards", unsigned(SnkAh.nonDiscards(m, header)));
                }
            }
            case Mid.RDMA_WR_COMPL, Mid.RDMA_RD_COMPL -> word("Len", m, header, bytes, to);
            case Mid.CH_RCV_BUF -> word("DesSz", m, header, bytes, to);
            case Mid.CH_RCV_BUF_ACK -> word("ActSz", m, header, bytes, to);
            case Mid.MODE_CHANGE -> {
                if (bytes >= Mch.BYTES) {
                    to.word("S", Mch.sendHalf(m, header) ? "send half" : "receive half");
                    to.word("Mode", mode(Mch.mode(m, header)));
                }
            }
            case Mid.SUSP_COMM -> {
                if (bytes >= SuspCh.BYTES) {
                    to.number("Port", SuspCh.port(m, header));
                }
            }
            default -> {}
        }
    }

    private static void advertisement(MemorySegment m, long at, Visitor to) {
        to.number("Len", unsigned(SrcAh.len(m, at)));
        to.opaque("rkey", unsigned(SrcAh.rkey(m, at)));
        to.opaque("va", SrcAh.va(m, at));
    }

    private static void word(String name, MemorySegment m, long at, int bytes, Visitor to) {
        if (bytes >= 4) {
            to.number(name, unsigned(m.get(Wire.INT, at)));
        }
    }

    private static void hello(MemorySegment m, long at, int keptBytes, Visitor to) {
        if (keptBytes < Hello.SHORT_BYTES) {
            return;
        }
        version(m, at, to);
        to.number("MaxAdverts", Hello.maxAdverts(m, at));
        to.number("DesRemRcvSz", unsigned(Hello.desiredBytes(m, at)));
        to.number("LocalRcvSz", unsigned(Hello.receiveBytes(m, at)));
        to.number("LocORD", Hello.ord(m, at));
        to.number("LocIRD", Hello.ird(m, at));
    }

    private static void helloAck(MemorySegment m, long at, int keptBytes, Visitor to) {
        if (keptBytes < HelloAck.SHORT_BYTES) {
            return;
        }
        version(m, at, to);
        to.number("MaxAdverts", HelloAck.maxAdverts(m, at));
        to.number("ActRcvSz", unsigned(HelloAck.receiveBytes(m, at)));
        to.number("LocORD", HelloAck.ord(m, at));
        to.number("LocIRD", HelloAck.ird(m, at));
    }

    private static void version(MemorySegment m, long at, Visitor to) {
        to.number("MajV", Hello.majorVersion(m, at));
        to.number("MinV", Hello.minorVersion(m, at));
    }

    private static String mode(int mode) {
        return mode < MODES.length ? MODES[mode] : "reserved " + mode;
    }

    private static long unsigned(int value) {
        return value & 0xFFFF_FFFFL;
    }
}
