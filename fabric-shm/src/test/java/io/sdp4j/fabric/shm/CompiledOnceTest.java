package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.Bytecode;
import org.junit.jupiter.api.Test;

/** Goal: a poll and a wait are too long for the compilers to compile them into their callers. */
final class CompiledOnceTest {
    @Test
    void aPoll() throws Exception {
        int bytes =
                Bytecode.length(
                        ShmCompletionQueue.class, "poll", "(Lio/sdp4j/fabric/Completion;)Z");
        assertTrue(bytes > Bytecode.MOST_INLINED_BYTES, bytes + " bytes");
    }

    @Test
    void aWait() throws Exception {
        int bytes = Bytecode.length(Waiter.class, "await", "(J)V");
        assertTrue(bytes > Bytecode.MOST_INLINED_BYTES, bytes + " bytes");
    }
}
