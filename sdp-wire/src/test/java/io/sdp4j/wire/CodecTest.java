package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Input that codecs refuse, one fault at a time, and the edges of every range they accept. */
class CodecTest {
    private final MemorySegment m = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);

    /** Every check of 3.4, each by a message that is right in everything else. */
    @Test
    void helloAckFaults() {
        assertAck(HelloFault.NONE, ack -> {});
        assertAck(HelloFault.WRONG_MID, ack -> ack.set(Wire.BYTE, 0, (byte) Mid.HELLO));
        assertAck(HelloFault.BAD_LENGTH, ack -> ack.set(Wire.INT, 4, 27));
        assertAck(HelloFault.SHORT, ack -> ack.set(Wire.INT, 4, 29));
        assertAck(HelloFault.SHORT, ack -> ack.set(Wire.INT, 4, -1));
        assertAck(HelloFault.BAD_VERSION, ack -> ack.set(Wire.BYTE, 16, (byte) 0x31));
        assertAck(HelloFault.BAD_VERSION, ack -> ack.set(Wire.BYTE, 16, (byte) 0x22));
        assertAck(HelloFault.NO_ADVERTS, ack -> ack.set(Wire.SHORT, 18, (short) 0));
        assertAck(HelloFault.BAD_RECEIVE_SIZE, ack -> ack.set(Wire.INT, 20, 36));
        assertAck(HelloFault.BAD_RECEIVE_SIZE, ack -> ack.set(Wire.INT, 20, 0x8000_0001));
        assertAck(HelloFault.NONE, ack -> ack.set(Wire.INT, 20, 37));
        assertAck(HelloFault.NONE, ack -> ack.set(Wire.INT, 20, 1 << 31));
        assertAck(HelloFault.NO_READ_DEPTH, ack -> ack.set(Wire.SHORT, 24, (short) 0));
        assertAck(HelloFault.NO_READ_DEPTH, ack -> ack.set(Wire.SHORT, 26, (short) 0));
        HelloFault minor = HelloFault.NONE; // never a reason (3.3)
        assertAck(minor, ack -> ack.set(Wire.BYTE, 16, (byte) 0x1F));
    }

    private void assertAck(HelloFault fault, Consumer<MemorySegment> change) {
        int bytes = HelloAck.writeShort(m, 0, 32, 16, 16_400, 4, 4);
        change.accept(m);
        assertEquals(fault, HelloAck.check(m, 0, bytes));
        if (fault == HelloFault.NONE) {
            assertEquals(HelloFault.SHORT, HelloAck.check(m, 0, bytes - 1));
            assertEquals(HelloFault.NONE, HelloAck.check(m, 0, bytes + 9));
        }
    }

    /** Sixteen bytes are a header, fifteen are not; nothing behind them is looked at. */
    @Test
    void helloNeedsAWholeHeader() {
        MemorySegment all = MemorySegment.ofArray(new byte[16]);
        Bsdh.write(all, 0, Mid.HELLO, 0, 0, 16, 0, 0);
        assertEquals(HelloFault.BAD_LENGTH, Hello.check(all, 0, 16));
        assertEquals(HelloFault.SHORT, Hello.check(all, 0, 15));
        Bsdh.write(all, 0, Mid.HELLO_ACK, 0, 0, 16, 0, 0);
        assertEquals(HelloFault.BAD_LENGTH, HelloAck.check(all, 0, 16));
        assertEquals(HelloFault.SHORT, HelloAck.check(all, 0, 15));
        Bsdh.write(all, 0, Mid.HELLO_ACK, 0, 0, 15, 0, 0);
        assertEquals(HelloFault.SHORT, HelloAck.check(all, 0, 15));
        assertEquals(HelloFault.BAD_LENGTH, HelloAck.check(all, 0, 16));
        Bsdh.write(all, 0, Mid.HELLO, 0, 0, 15, 0, 0);
        assertEquals(HelloFault.SHORT, Hello.check(all, 0, 15));
    }

    /** One major version, any minor one (3.5). */
    @ParameterizedTest
    @CsvSource({
        "0x11, NONE",
        "0x1F, NONE",
        "0x10, NONE",
        "0x22, BAD_VERSION",
        "0x01, BAD_VERSION",
        "0x91, BAD_VERSION"
    })
    void helloVersions(String version, HelloFault fault) {
        int bytes = Hello.writeShort(m, 0, 32, 16, 16_400, 16_400, 4, 4);
        m.set(Wire.BYTE, 16, (byte) (int) Integer.decode(version));
        assertEquals(fault, Hello.check(m, 0, bytes));
    }

    /** Where there is a byte only for MaxAdverts, it tells no more than it can (2.4, 2.5). */
    @Test
    void advertsOfTheInfiniBandForm() {
        for (int adverts : new int[] {1, 255, 256}) {
            int told = Math.min(adverts, 255);
            Hello.writeIb(m, 0, 6, 32, adverts, 99, 99, 5, 1, 2, 3, 4);
            assertEquals(told, m.get(Wire.SHORT, 18));
            HelloAck.writeIb(m, 0, 32, adverts, 99);
            assertEquals(told, m.get(Wire.SHORT, 18));
        }
    }

    /** The sixteen bits of the short form are unsigned, wherever they stand. */
    @Test
    void shortFormNumbersAreUnsigned() {
        Hello.writeShort(m, 0, 0xFFFF, 0xFFFF, 16_400, 16_400, 0xFFFE, 0xFFFD);
        assertEquals(0xFFFF, Hello.maxAdverts(m, 0));
        assertEquals(0xFFFE, Hello.ord(m, 0));
        assertEquals(0xFFFD, Hello.ird(m, 0));
        HelloAck.writeShort(m, 0, 0xFFFF, 0x8001, 16_400, 0x8002, 0x8003);
        assertEquals(0x8001, HelloAck.maxAdverts(m, 0));
        assertEquals(0x8002, HelloAck.ord(m, 0));
        assertEquals(0x8003, HelloAck.ird(m, 0));
    }

    /** 1 to 2^31 and nothing else, in both advertisements (2.7, 2.8). */
    @ParameterizedTest
    @CsvSource({"0, false", "1, true", "2147483647, true", "-2147483648, true", "-1, false"})
    void advertisedLengths(int len, boolean legal) {
        SrcAh.write(m, 0, len, 1, 2);
        assertEquals(legal, SrcAh.lenLegal(m, 0));
        SnkAh.write(m, 0, len, 1, 2, 3);
        assertEquals(legal, SrcAh.lenLegal(m, 0));
    }

    @Test
    void suspendToSdpOnly() {
        SuspCh.write(m, 0, 0xFFFF);
        assertTrue(SuspCh.legal(m, 0));
        assertEquals(0xFFFF, SuspCh.port(m, 0));
        for (int i = 0; i < 6; i++) {
            SuspCh.write(m, 0, 80);
            m.set(Wire.BYTE, i, (byte) (m.get(Wire.BYTE, i) ^ 2));
            assertFalse(SuspCh.legal(m, 0), "byte " + i);
        }
    }

    /** All 256 identifiers: what 2.2 says of each. */
    @Test
    void messageIdentifiers() {
        for (int mid = 0; mid < 256; mid++) {
            boolean defined = mid <= 0x0E || mid >= 0xFD;
            boolean experimental = mid >= 0x40 && mid <= 0x7F;
            assertEquals(experimental, Mid.experimental(mid));
            assertEquals(defined || experimental, Mid.known(mid), Mid.name(mid));
            String range = experimental ? "experimental 0x" : "reserved 0x";
            assertEquals(!defined, Mid.name(mid).equals(range + Integer.toHexString(mid)));
            if (mid >= Mid.DISCONN && Mid.known(mid)) {
                assertEquals(experimental || mid >= 0xFD, Mid.mayCarryPayload(mid));
            }
        }
        assertEquals("Hello", Mid.name(0));
        assertEquals("SuspCommAck", Mid.name(0x0E));
        assertEquals("Data", Mid.name(0xFF));
        assertEquals("SrcAvail", Mid.name(0xFE));
        assertEquals("SinkAvail", Mid.name(0xFD));
        assertEquals("reserved 0xffffffff", Mid.name(-1));
    }

    /** One byte more than the header needs, and one byte less (2.13). */
    @Test
    void lengthByMessage() {
        int[] extended = {0, 0, 0, 0, 0, 4, 4, 4, 0, 0, 0, 4, 4, 8, 0};
        for (int mid = Mid.DISCONN; mid <= Mid.SUSP_COMM_ACK; mid++) {
            int exact = Bsdh.BYTES + extended[mid];
            assertEquals(AbortReason.NONE, checked(mid, 0, exact));
            assertEquals(AbortReason.UNEXPECTED_PAYLOAD, checked(mid, 0, exact + 1));
            assertEquals(
                    exact > 16 ? AbortReason.TRUNCATED_HEADER : AbortReason.SHORT_MESSAGE,
                    less(mid, exact));
        }
        assertEquals(AbortReason.NONE, checked(Mid.SINK_AVAIL, 0, 36));
        assertEquals(AbortReason.NONE, checked(Mid.SINK_AVAIL, 0, 37));
        assertEquals(AbortReason.TRUNCATED_HEADER, checked(Mid.SINK_AVAIL, 0, 35));
        assertEquals(AbortReason.TRUNCATED_HEADER, checked(Mid.SRC_AVAIL, 0, 31));
        assertEquals(AbortReason.NONE, checked(Mid.SRC_AVAIL, 0, 32));
        // Hello and HelloAck pass here; the state refuses them
        assertEquals(AbortReason.NONE, checked(Mid.HELLO, 0, 32));
        assertEquals(AbortReason.NONE, checked(Mid.HELLO_ACK, 0, 16));
        assertEquals(AbortReason.BAD_URGENT_FLAG, checked(Mid.SRC_AVAIL, Bsdh.OOB_PRES, 33));
        assertEquals(AbortReason.BAD_URGENT_FLAG, checked(Mid.DATA, Bsdh.OOB_PRES, 16));
        assertEquals(AbortReason.NONE, checked(Mid.DATA, Bsdh.OOB_PRES, 17));
        assertEquals(AbortReason.NONE, checked(Mid.DATA, Bsdh.OOB_PEND, 16));
        assertEquals(AbortReason.NONE, checked(Mid.DATA, 0, 16));
    }

    private AbortReason checked(int mid, int flags, int bytes) {
        Bsdh.write(m, 0, mid, flags, 1, bytes, 1, 1);
        return Bsdh.check(Bsdh.first(m, 0), bytes);
    }

    private AbortReason less(int mid, int exact) {
        return checked(mid, 0, exact - 1);
    }

    /** Every number of a configuration, at both ends of its range and one beyond. */
    @ParameterizedTest
    @CsvSource({
        "0, 4, 65535",
        "1, 37, 1073741824",
        "2, 3, 2147483647",
        "3, 1, 65535",
        "4, 1, 65535",
        "5, 1, 65535"
    })
    void configRanges(int which, int min, int max) {
        assertDoesNotThrow(() -> config(which, min));
        assertDoesNotThrow(() -> config(which, max));
        assertThrows(IllegalArgumentException.class, () -> config(which, min - 1));
        if (max < Integer.MAX_VALUE) {
            assertThrows(IllegalArgumentException.class, () -> config(which, max + 1));
        }
    }

    private static WireConfig config(int which, int value) {
        int[] numbers = {4, 37, 3, 1, 1, 1};
        numbers[which] = value;
        return new WireConfig(
                numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
    }

    /** All but these are the peer's fault. */
    @Test
    void violations() {
        Set<AbortReason> others =
                EnumSet.of(
                        AbortReason.NONE,
                        AbortReason.PEER_ABORT,
                        AbortReason.PEER_RESET,
                        AbortReason.TRANSPORT_ERROR,
                        AbortReason.ANSWER_TIMEOUT,
                        AbortReason.LOCAL_ABORT,
                        AbortReason.CLOSED_EARLY,
                        AbortReason.UNREAD_DATA,
                        AbortReason.LINGER_ZERO,
                        AbortReason.DATA_AFTER_CLOSE,
                        AbortReason.CLOSE_TIMEOUT);
        for (AbortReason reason : AbortReason.values()) {
            assertEquals(!others.contains(reason), reason.violation(), reason.name());
        }
    }

    /** The cause numbers of 20.2: 1 version, 2 malformed. */
    @Test
    void rejectionCauses() {
        for (HelloFault fault : HelloFault.values()) {
            int cause =
                    switch (fault) {
                        case NONE -> 0;
                        case BAD_VERSION -> 1;
                        default -> 2;
                    };
            assertEquals(cause, fault.rejectCause());
        }
    }
}
