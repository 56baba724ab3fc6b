package io.sdp4j.agent.trace;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Does the work of a forger of traces: computes the checks anew, from docs/trace.md alone. */
final class Resigned {
    private Resigned() {}

    /** Gives cells their numbers and checks. */
    static void cells(byte[] file, int at, int cellBytes, int count) {
        ByteBuffer b = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            int cell = at + i * cellBytes;
            long number = i + 1L;
            b.putLong(cell, number);
            int kept = (b.getShort(cell + 24) & 0xFFFF) % (cellBytes - 31);
            b.putShort(cell + 24, (short) kept);
            b.put(cell + 26, (byte) ((b.get(cell + 26) & 0xFF) % 5));
            b.putInt(cell + 20, b.getInt(cell + 20) & 0x7FFF_FFFF);
            long h = mix(number, b.getLong(cell + 8));
            h = mix(h, b.getLong(cell + 16));
            h = mix(h, b.getInt(cell + 24));
            for (int at8 = 0; at8 < kept; at8 += 8) {
                h = mix(h, b.getLong(cell + 32 + at8));
            }
            b.putInt(cell + 28, (int) (h ^ (h >>> 32)));
        }
    }

    private static long mix(long h, long word) {
        long x = (h ^ word) * 0x9E37_79B9_7F4A_7C15L;
        return x ^ (x >>> 29);
    }
}
