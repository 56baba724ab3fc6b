package io.sdp4j.fabric.verbs;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/** Registers nothing, counts everything, and has a limit of locked memory. */
final class FakeRegistrar implements SlabPool.Registrar {
    private static final int ENOMEM = 12;

    private final long limitBytes;
    private final Map<Long, MemorySegment> live = new HashMap<>();
    private long bytes;
    private long next = 1;
    private int calls;

    FakeRegistrar(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    @Override
    public long register(MemorySegment memory) {
        calls++;
        if (memory.byteSize() > limitBytes - bytes) {
            return -ENOMEM;
        }
        bytes += memory.byteSize();
        live.put(next, memory);
        return next++;
    }

    @Override
    public int lkey(long registration) {
        return (int) registration;
    }

    @Override
    public void deregister(long registration) {
        MemorySegment gone = live.remove(registration);
        if (gone == null) {
            throw new AssertionError("deregistered twice");
        }
        bytes -= gone.byteSize();
    }

    int calls() {
        return calls;
    }

    int live() {
        return live.size();
    }
}
