package io.sdp4j.fabric;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Says when a piece of memory may be freed. */
public final class MemoryLife {
    /**
     * Names of the JDK's classes of scopes that cannot be closed: the global arena, memory owned by
     * a buffer, an automatic arena. Memory with a scope of an unknown class is taken for memory
     * that may end.
     */
    private static final Set<String> LASTING =
            Set.of("GlobalSession", "HeapSession", "ImplicitSession");

    private MemoryLife() {}

    /**
     * Whether the memory stays as long as the segment is reachable, and any thread may touch it.
     * True for memory of {@link java.nio.ByteBuffer#allocateDirect}, of an automatic arena and of
     * the global arena. Memory of an arena that can be closed must not be lent to a device or
     * another process: no public API keeps the arena from being closed during that time.
     */
    public static boolean lasting(MemorySegment memory) {
        return memory.isNative() && LASTING.contains(memory.scope().getClass().getSimpleName());
    }
}
