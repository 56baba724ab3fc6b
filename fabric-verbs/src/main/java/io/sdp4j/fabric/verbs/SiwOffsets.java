package io.sdp4j.fabric.verbs;

import java.util.HashMap;
import java.util.Map;

/**
 * Occupies the one offset that the library of soft-iWARP cannot use.
 *
 * <p>The kernel places the queues of a context one behind the other, each in the first gap that is
 * large enough, and tells the library their offsets. The library takes offset 0x90000 for "nowhere"
 * and gives such a queue up. So once all offsets below are taken, by some 26 queue pairs, no
 * further queue can be made. An unused CQ, made before all others, covers that offset, so no queue
 * begins there. It takes 1 MiB of kernel memory.
 *
 * <p>All fabrics of the process share this CQ, because they share contexts. Thread-safe.
 *
 * <p>Source: {@code SIW_INVAL_UOBJ_KEY} of rdma/siw-abi.h and its use in providers/siw/siw.c
 * (rdma-core 44); the kernel's offsets have been those of pages since Linux 5.5.
 */
final class SiwOffsets {
    private static final int VENDOR_ID = 0x626d74;

    /** Entries of the CQ, of 32 bytes each. */
    private static final int ENTRIES = 1 << 15;

    /** Keyed by the address of the context; guarded by the class's monitor. */
    private static final Map<Long, SiwOffsets> TAKEN = new HashMap<>();

    private final long cq;
    private int users;

    private SiwOffsets(long cq) {
        this.cq = cq;
    }

    /** Whether a device needs this. */
    static boolean concern(int vendorId) {
        return vendorId == VENDOR_ID;
    }

    /**
     * Occupies the offset. Called before any queue of the context is made. A failure here does no
     * harm yet.
     */
    static synchronized void take(Ibv ibv, long context) {
        TAKEN.computeIfAbsent(context, c -> new SiwOffsets(ibv.createCq(c, ENTRIES, 0))).users++;
    }

    /** Gives the offset back. Called when all queues of the caller are gone. */
    static synchronized void giveBack(Ibv ibv, long context) {
        SiwOffsets s = TAKEN.get(context);
        if (--s.users == 0) {
            TAKEN.remove(context);
            if (s.cq > 0) {
                ibv.destroyCq(s.cq);
            }
        }
    }
}
