package io.sdp4j.offload.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.Bytecode;
import org.junit.jupiter.api.Test;

/** Goal: a read is too long for the compilers to compile it into its callers. */
final class CompiledOnceTest {
    @Test
    void aRead() throws Exception {
        int bytes = Bytecode.length(OffloadedConnection.class, "read", "([BIII)I");
        assertTrue(bytes > Bytecode.MOST_INLINED_BYTES, bytes + " bytes");
    }
}
