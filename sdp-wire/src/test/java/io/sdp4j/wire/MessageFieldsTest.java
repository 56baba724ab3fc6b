package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.Random;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: fields are named as the sheet names them, whatever the bytes. Method: its vectors. */
class MessageFieldsTest {
    private static final class Words implements MessageFields.Visitor {
        private final StringJoiner words = new StringJoiner(" ");

        @Override
        public void number(String name, long value) {
            assertTrue(value >= 0, name);
            words.add(name + "=" + value);
        }

        @Override
        public void opaque(String name, long value) {
            words.add(name + "=" + Long.toHexString(value));
        }

        @Override
        public void word(String name, String word) {
            words.add(name + "=" + word);
        }
    }

    private static String words(byte[] message, int kept) {
        MemorySegment m = MemorySegment.ofArray(message);
        Words words = new Words();
        MessageFields.base(m, 0, kept, words);
        MessageFields.extended(m, 0, kept, words);
        return words.words.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "V01, FF000040000000150000000100000000_68656C6C6F, Bufs=64 MSeq=1 MSeqAck=0",
        "V07, 00000020000000200000000000000000_11000010000080100000801000080004,"
                + " Bufs=32 MSeq=0 MSeqAck=0 MajV=1 MinV=1 MaxAdverts=16 DesRemRcvSz=32784"
                + " LocalRcvSz=32784 LocORD=8 LocIRD=4",
        "V08, 010000180000001C0000000000000000_110000100000401000040008,"
                + " Bufs=24 MSeq=0 MSeqAck=0 MajV=1 MinV=1 MaxAdverts=16 ActRcvSz=16400 LocORD=4"
                + " LocIRD=8",
        "V09, FE00003C000000210000000500000002_000200001122334400007F001234567841,"
                + " Bufs=60 MSeq=5 MSeqAck=2 Len=131072 rkey=11223344 va=7f0012345678",
        "V11, FD00003A000000240000000700000009_000400005566778800007FAA0000000000000003,"
                + " Bufs=58 MSeq=7 MSeqAck=9 Len=262144 rkey=55667788 va=7faa00000000 NonDiscards=3",
        "V13a, 0604003D000000140000000A00000009_0001FFFF,"
                + " Flags=REQ_PIPE Bufs=61 MSeq=10 MSeqAck=9 Len=131071",
        "V14, 0500003D000000140000000B00000007_00040000, Bufs=61 MSeq=11 MSeqAck=7 Len=262144",
        "V15a, 0700003C000000140000000C00000009_20000000,"
                + " Bufs=60 MSeq=12 MSeqAck=9 S=receive half Mode=Pipelined",
        "V15d, 0700003C000000140000000C00000009_90000000,"
                + " Bufs=60 MSeq=12 MSeqAck=9 S=send half Mode=Combined",
        "V16a, 0400003E000000100000000D0000000C, Bufs=62 MSeq=13 MSeqAck=12",
        "V17a, 0B00004000000014000000140000000F_00010000,"
                + " Bufs=64 MSeq=20 MSeqAck=15 DesSz=65536",
        "V17b, 0C000040000000140000001000000014_00010000,"
                + " Bufs=64 MSeq=16 MSeqAck=20 ActSz=65536",
        "V18, 0D000040000000180000001500000010_0000000000011F90,"
                + " Bufs=64 MSeq=21 MSeqAck=16 Port=8080",
        "V19, FF030028000000140000001600000010_61626321,"
                + " Flags=OOB_PRES Flags=OOB_PEND Bufs=40 MSeq=22 MSeqAck=16",
        "V20, FF00FFFF0000001000000000FFFFFFFF, Bufs=65535 MSeq=0 MSeqAck=4294967295"
    })
    void namesTheVectors(String vector, String hex, String expected) {
        byte[] message = HexFormat.of().parseHex(hex.replace("_", ""));
        assertEquals(expected, words(message, message.length), vector);
    }

    /** V09 with and without its payload, and cut off. */
    @Test
    void namesWhatWasKept() {
        byte[] message =
                HexFormat.of()
                        .parseHex(
                                "FE00003C000000210000000500000002"
                                        + "000200001122334400007F001234567841");
        assertEquals(words(message, 33), words(message, 32));
        assertEquals("Bufs=60 MSeq=5 MSeqAck=2", words(message, 31));
        assertEquals("", words(message, 15));
    }

    @Test
    void tellsHeaderFromPayload() {
        assertEquals(16, MessageFields.headerBytes(Mid.DATA, 100));
        assertEquals(32, MessageFields.headerBytes(Mid.SRC_AVAIL, 100));
        assertEquals(36, MessageFields.headerBytes(Mid.SINK_AVAIL, 100));
        assertEquals(20, MessageFields.headerBytes(Mid.SINK_AVAIL, 20), "cut off");
        assertEquals(92, MessageFields.headerBytes(Mid.HELLO, 92));
        assertEquals(28, MessageFields.headerBytes(Mid.HELLO_ACK, 28));
        assertEquals(16, MessageFields.headerBytes(0x22, 100), "reserved");
    }

    /** Nothing beyond what was kept is looked at: the segment ends there. */
    @Test
    void takesAnyBytes() {
        Random random = new Random(42);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(100)];
            random.nextBytes(bytes);
            if (bytes.length > 0 && random.nextBoolean()) {
                bytes[0] = (byte) random.nextInt(16);
            }
            words(bytes, bytes.length);
        }
    }
}
