package io.sdp4j.stream;

import io.sdp4j.fabric.MemoryLife;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Which buffers may be lent: those whose memory stays, whatever the application does, as its
 * address is given to a device or another process. The last {@value #MAX} of them are remembered,
 * because to ask about one can take objects. Keeps no buffer from being collected. Thread-safe.
 */
final class LastingBuffers {
    private static final int MAX = 4;

    private final AtomicReferenceArray<WeakReference<ByteBuffer>> last =
            new AtomicReferenceArray<>(MAX);

    private volatile int next;

    boolean has(ByteBuffer b) {
        for (int i = 0; i < MAX; i++) {
            WeakReference<ByteBuffer> known = last.get(i);
            if (known != null && known.refersTo(b)) {
                return true;
            }
        }
        boolean lasting = MemoryLife.lasting(MemorySegment.ofBuffer(b));
        if (lasting) {
            int place = next;
            next = (place + 1) % MAX; // two at a time may take the same, and one is asked again
            last.set(place, new WeakReference<>(b));
        }
        return lasting;
    }
}
