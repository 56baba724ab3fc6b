package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/** Replaces a message on its way by one that its sender did not send. */
final class Lies {
    private static final int[] MIDS = {
        0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E,
        0x22, 0x40, 0x7F, 0x80, 0xFC, 0xFD, 0xFE, 0xFE, 0xFE, 0xFF, 0xFF
    };

    private Lies() {}

    /** Whether there was a message to replace: in parts, or by a well-formed one of any kind. */
    static boolean tell(Flight victim, WireConfig receiver, Choices choices) {
        if (victim == null || !victim.message()) {
            return false;
        }
        MemorySegment header = MemorySegment.ofArray(victim.header);
        switch (choices.below(6)) {
            case 0 -> victim.header[choices.below(16)] ^= (byte) (1 << choices.below(8));
            case 1 -> victim.header[0] = (byte) choices.below(256);
            case 2 -> header.set(Wire.SHORT, 2, (short) choices.below(65536));
            case 3 -> victim.byteLen = choices.below(receiver.receiveBytes() + 1);
            default -> {
                int mid = MIDS[choices.below(MIDS.length)];
                int room = receiver.receiveBytes() - Bsdh.BYTES - Mid.extendedBytes(mid);
                int payload = Mid.mayCarryPayload(mid) ? choices.below(room + 1) : 0;
                int len = Bsdh.BYTES + Mid.extendedBytes(mid) + payload;
                header.set(Wire.BYTE, 0, (byte) mid);
                header.set(Wire.BYTE, 1, (byte) (choices.below(4) << 1));
                header.set(Wire.INT, 4, len);
                header.set(Wire.INT, 16, choices.below(3) << (28 * choices.below(2)));
                victim.byteLen = len;
            }
        }
        return true;
    }
}
