package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** {@code struct ibv_sge}, one piece of registered memory: 16 bytes (infiniband/verbs.h). */
final class IbvSge {
    static final StructLayout LAYOUT = CStruct.of("ibv_sge", "addr 8 length 4 lkey 4");
    static final long BYTES = LAYOUT.byteSize();
    private static final long ADDR = CStruct.offset(LAYOUT, "addr");
    private static final long LENGTH = CStruct.offset(LAYOUT, "length");
    private static final long LKEY = CStruct.offset(LAYOUT, "lkey");

    private IbvSge() {}

    static void set(MemorySegment m, long at, long address, int lenBytes, int lkey) {
        m.set(JAVA_LONG, at + ADDR, address);
        m.set(JAVA_INT, at + LENGTH, lenBytes);
        m.set(JAVA_INT, at + LKEY, lkey);
    }
}
