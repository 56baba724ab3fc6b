package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The encodings of docs/protocol.md 19.A that set a connection up. */
class HelloVectorTest extends VectorRig {
    private static final String V03 =
            """
            00 00 00 40 00 00 00 5C 00 00 00 00 00 00 00 00
            22 40 00 01 00 00 80 10 00 00 80 10 C0 01 00 00
            00 00 00 00 00 00 00 00 00 00 00 00 C0 00 02 01
            00 00 00 00 00 00 00 00 00 00 00 00 C0 00 02 02
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            00 00 00 00 00 00 00 00 00 00 00 00
            """;

    @Test
    void v03() {
        MemorySegment m = MemorySegment.ofArray(Rig.bytes(V03));
        int n =
                Hello.writeIb(
                        to, AT, 4, 64, 1, 32_784, 32_784, 49_153, 0, 0xC000_0201L, 0, 0xC000_0202L);
        assertEquals(92, n);
        assertWritten(V03);
        assertRefused(m);
    }

    /** The InfiniBand form is not spoken here, whatever its version. */
    private static void assertRefused(MemorySegment hello) {
        SdpMachine machine = SdpMachine.accepting(Rig.CONFIG);
        assertEquals(HelloFault.BAD_LENGTH, machine.onHello(hello, 0, 92));
        assertEquals(State.CLOSED, machine.state());
        assertEquals(0, machine.credit());
    }

    @Test
    void v04() {
        String hex =
                "01 00 00 40 00 00 00 C4 00 00 00 00 00 00 00 00"
                        + "22 00 00 01 00 00 80 10 00 00 00 00 00 00 00 00"
                        + "00".repeat(164);
        MemorySegment m = MemorySegment.ofArray(Rig.bytes(hex));
        assertEquals(196, HelloAck.writeIb(to, AT, 64, 1, 32_784));
        assertWritten(hex);
        SdpMachine machine = SdpMachine.connecting(Rig.CONFIG);
        assertEquals(32, machine.writeHello(to, AT));
        assertEquals(HelloFault.BAD_LENGTH, machine.onHelloAck(m, 0, 196));
        assertEquals(State.HELLO_SENT, machine.state());
        assertEquals(0, machine.credit());
    }

    @Test
    void v05() {
        String hex =
                """
                00 00 00 20 00 00 00 5C 00 00 00 00 00 00 00 00
                22 62 00 FF 00 00 40 10 00 00 40 10 C3 50 00 00
                20 01 0D B8 00 00 00 00 00 00 00 00 00 00 00 01
                20 01 0D B8 00 00 00 00 00 00 00 00 00 00 00 02
                00 00 02 00 00 00 00 00 00 00 00 00 00 00 00 00
                00 00 00 00 00 00 00 00 00 00 00 00
                """;
        assertRefused(MemorySegment.ofArray(Rig.bytes(hex)));
    }

    @Test
    void v06() {
        String hex =
                """
                00 00 00 3F 00 00 00 5C 00 00 00 00 00 00 00 00
                11 40 00 FF 00 00 10 00 00 00 10 00 80 00 00 00
                00 00 00 00 00 00 00 00 00 00 00 00 0A 00 00 01
                00 00 00 00 00 00 00 00 00 00 00 00 0A 00 00 02
                00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
                00 00 00 00 00 00 00 00 00 00 00 00
                """;
        assertRefused(MemorySegment.ofArray(Rig.bytes(hex)));
    }

    @Test
    void v07() {
        String hex =
                "00 00 00 20 00 00 00 20 00 00 00 00 00 00 00 00"
                        + "11 00 00 10 00 00 80 10 00 00 80 10 00 08 00 04";
        MemorySegment m = MemorySegment.ofArray(Rig.bytes(hex));
        assertEquals(HelloFault.NONE, Hello.check(m, 0, 32));
        assertEquals(16, Hello.maxAdverts(m, 0));
        assertEquals(8, Hello.ord(m, 0));
        assertEquals(4, Hello.ird(m, 0));
        assertEquals(32, Hello.writeShort(to, AT, 32, 16, 32_784, 32_784, 8, 4));
        assertWritten(hex);
        SdpMachine machine =
                SdpMachine.accepting(new WireConfig(32, 16_400, Integer.MAX_VALUE, 16, 9, 9));
        assertEquals(HelloFault.NONE, machine.onHello(m, 0, 32));
        assertEquals(4, machine.ord);
        assertEquals(8, machine.ird);
        // the same, padded as private data areas are
        MemorySegment padded = MemorySegment.ofArray(Arrays.copyOf(Rig.bytes(hex), 56));
        assertEquals(HelloFault.NONE, Hello.check(padded, 0, 56));
    }

    @Test
    void v08() {
        String hex =
                "01 00 00 18 00 00 00 1C 00 00 00 00 00 00 00 00"
                        + "11 00 00 10 00 00 40 10 00 04 00 08";
        MemorySegment m = MemorySegment.ofArray(Rig.bytes(hex));
        assertEquals(HelloFault.NONE, HelloAck.check(m, 0, 28));
        assertEquals(28, HelloAck.writeShort(to, AT, 24, 16, 16_400, 4, 8));
        assertWritten(hex);
        SdpMachine machine =
                SdpMachine.connecting(new WireConfig(32, 16_400, Integer.MAX_VALUE, 16, 9, 9));
        machine.writeHello(to, AT);
        assertEquals(HelloFault.NONE, machine.onHelloAck(m, 0, 28));
        assertEquals(8, machine.ord);
        assertEquals(24, machine.credit());
        assertEquals(16_384, machine.maxPayload());
    }
}
