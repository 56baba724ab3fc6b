package io.sdp4j.agent.trace;

import io.sdp4j.trace.TraceEvent;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.MessageFields;
import io.sdp4j.wire.Mid;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An event in the protocol's own words. Stateless; takes any event, however odd.
 *
 * <p>Fields are maps from name to value in the order of the message: {@code Long} for numbers, text
 * for the rest.
 */
final class EventWords {
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Bytes that an RDMA operation keeps: key and address. */
    private static final int RDMA_BYTES = 12;

    private EventWords() {}

    /** The name of a message, or what else it was. */
    static String name(TraceEvent e) {
        return switch (e.kind()) {
            case MESSAGE -> e.keptBytes() == 0 ? "nothing" : Mid.name(mid(e));
            case RDMA_READ -> "RDMA Read";
            case RDMA_WRITE -> "RDMA Write";
            case DISCONNECT -> "disconnect";
            case ABORT -> "cut";
        };
    }

    /** MID of a message, -1 of anything else. */
    static int mid(TraceEvent e) {
        boolean has = e.kind() == TraceEvent.Kind.MESSAGE && e.keptBytes() > 0;
        return has ? Bsdh.mid(e.kept(), 0) : -1;
    }

    /** Header bytes of a message. */
    static int headerBytes(TraceEvent e) {
        int mid = mid(e);
        return mid < 0 ? 0 : MessageFields.headerBytes(mid, e.byteLen());
    }

    /** Stream bytes of a message; bytes of an RDMA operation. */
    static int payloadBytes(TraceEvent e) {
        return switch (e.kind()) {
            case MESSAGE -> e.byteLen() - headerBytes(e);
            case RDMA_READ, RDMA_WRITE -> e.byteLen();
            case DISCONNECT, ABORT -> 0;
        };
    }

    /** Where the kept payload starts; the number of kept bytes if there is none. */
    static int payloadAt(TraceEvent e) {
        return e.kind() == TraceEvent.Kind.MESSAGE
                ? Math.min(e.keptBytes(), headerBytes(e))
                : e.keptBytes();
    }

    /** Fields behind the BSDH, and details of an RDMA operation or a cut. */
    static Map<String, Object> fields(TraceEvent e) {
        Fields fields = new Fields();
        switch (e.kind()) {
            case MESSAGE -> MessageFields.extended(e.kept(), 0, e.keptBytes(), fields);
            case RDMA_READ, RDMA_WRITE -> {
                if (e.keptBytes() >= RDMA_BYTES) {
                    fields.opaque("rkey", rkey(e) & 0xFFFF_FFFFL);
                    fields.opaque("va", va(e));
                }
            }
            case ABORT -> {
                if (e.keptBytes() > 0) {
                    fields.word("Reason", reason(e.kept()));
                }
            }
            case DISCONNECT -> {}
        }
        return fields.map;
    }

    /** Flags, Bufs, MSeq and MSeqAck of a message. */
    static Map<String, Object> base(TraceEvent e) {
        Fields fields = new Fields();
        if (e.kind() == TraceEvent.Kind.MESSAGE) {
            MessageFields.base(e.kept(), 0, e.keptBytes(), fields);
        }
        return fields.map;
    }

    /** Remote key of an RDMA operation, 0 when it was not kept. */
    static int rkey(TraceEvent e) {
        return e.keptBytes() >= RDMA_BYTES ? e.kept().get(INT, 0) : 0;
    }

    /** Remote address of an RDMA operation, 0 when it was not kept. */
    static long va(TraceEvent e) {
        return e.keptBytes() >= RDMA_BYTES ? e.kept().get(LONG, Integer.BYTES) : 0;
    }

    /** Letters, digits and underscores; a file may hold anything. */
    private static String reason(MemorySegment kept) {
        byte[] text = kept.asSlice(0, Math.min(64, kept.byteSize())).toArray(ValueLayout.JAVA_BYTE);
        return new String(text, StandardCharsets.ISO_8859_1).replaceAll("[^A-Za-z0-9_]", "?");
    }

    private static final class Fields implements MessageFields.Visitor {
        private final Map<String, Object> map = new LinkedHashMap<>();

        @Override
        public void number(String name, long value) {
            map.put(name, value);
        }

        @Override
        public void opaque(String name, long value) {
            map.put(name, "0x" + Long.toHexString(value));
        }

        @Override
        public void word(String name, String word) {
            map.merge(name, word, (a, b) -> a + "+" + b);
        }
    }
}
