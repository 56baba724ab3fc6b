package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.Bytecode;
import org.junit.jupiter.api.Test;

/** Goal: taking the next message is too long for the compilers to compile it into its callers. */
final class CompiledOnceTest {
    @Test
    void theNextMessage() throws Exception {
        int bytes = Bytecode.length(StreamReader.class, "nextMessage", "(Z)Z");
        assertTrue(bytes > Bytecode.MOST_INLINED_BYTES, bytes + " bytes");
    }
}
