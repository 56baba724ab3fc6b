package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.Bytecode;
import org.junit.jupiter.api.Test;

/**
 * Goal: making progress, and taking the next message, are too long for the compilers to compile
 * them into their callers.
 */
final class CompiledOnceTest {
    @Test
    void progress() throws Exception {
        int bytes = Bytecode.length(StreamCore.class, "progress", "(Z)V");
        assertTrue(bytes > Bytecode.MOST_INLINED_BYTES, bytes + " bytes");
    }

    @Test
    void theNextMessage() throws Exception {
        int bytes = Bytecode.length(StreamReader.class, "nextMessage", "(Z)Z");
        assertTrue(bytes > Bytecode.MOST_INLINED_BYTES, bytes + " bytes");
    }
}
