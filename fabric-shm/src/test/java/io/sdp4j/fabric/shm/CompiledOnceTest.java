package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.Bytecode;
import org.junit.jupiter.api.Test;

/** Goal: a wait is too long for the compilers to compile it into its callers. */
final class CompiledOnceTest {
    @Test
    void aWait() throws Exception {
        int bytes = Bytecode.length(Waiter.class, "await", "(J)V");
        assertTrue(bytes > Bytecode.MOST_INLINED_BYTES, bytes + " bytes");
    }
}
