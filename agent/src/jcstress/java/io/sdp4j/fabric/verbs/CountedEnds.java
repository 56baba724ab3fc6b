package io.sdp4j.fabric.verbs;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/** A registrar without a device, which counts the registrations that end. */
record CountedEnds(AtomicInteger ended) implements SlabPool.Registrar {
    @Override
    public long register(MemorySegment memory) {
        return 1;
    }

    @Override
    public int lkey(long registration) {
        return 1;
    }

    @Override
    public void deregister(long registration) {
        ended.incrementAndGet();
    }
}
