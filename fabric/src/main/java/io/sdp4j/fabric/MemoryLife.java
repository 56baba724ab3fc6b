package io.sdp4j.fabric;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** The event that ends the life of memory. */
public final class MemoryLife {
    /**
     * Names of the JDK's own classes: of the global arena, of what is owned by a buffer, of an
     * automatic arena. An unknown one is taken for memory that may end.
     */
    private static final Set<String> LASTING =
            Set.of("GlobalSession", "HeapSession", "ImplicitSession");

    private MemoryLife() {}

    /**
     * Whether the memory stays as long as the segment can be reached, and any thread may touch it:
     * that of {@link java.nio.ByteBuffer#allocateDirect}, of an automatic arena or without an end.
     * Memory of an arena that somebody may close cannot be handed to a device or another process
     * for a while: nothing public keeps the arena from being closed meanwhile.
     */
    public static boolean lasting(MemorySegment memory) {
        return memory.isNative() && LASTING.contains(memory.scope().getClass().getSimpleName());
    }
}
