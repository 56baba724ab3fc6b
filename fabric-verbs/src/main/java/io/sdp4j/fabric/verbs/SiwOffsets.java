package io.sdp4j.fabric.verbs;

import java.util.HashMap;
import java.util.Map;

/**
 * Keeps the one offset taken that soft-iWARP's library cannot use.
 *
 * <p>The kernel lays the queues of a context one behind the other, each where there is room first,
 * and tells the library at which offset it finds them. The library takes 0x90000 for "nowhere" and
 * gives such a queue up. So when all before it is taken, which some 26 queue pairs do, no further
 * queue can be made. An unused completion queue, made before all others, reaches beyond that
 * offset: no queue begins there. It takes 1 MiB of kernel memory.
 *
 * <p>All fabrics of the process share it, as they share contexts. Thread-safe.
 *
 * <p>Source: {@code SIW_INVAL_UOBJ_KEY} of rdma/siw-abi.h and its use in providers/siw/siw.c
 * (rdma-core 44); the kernel's offsets have been those of pages since Linux 5.5.
 */
final class SiwOffsets {
    private static final int VENDOR_ID = 0x626d74;

    /** Of 32 bytes each. */
    private static final int ENTRIES = 1 << 15;

    /** By the address of their context; guarded by the class. */
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

    /** To be called before any queue of the context is made. A failure here does no harm yet. */
    static synchronized void take(Ibv ibv, long context) {
        TAKEN.computeIfAbsent(context, c -> new SiwOffsets(ibv.createCq(c, ENTRIES, 0))).users++;
    }

    /** To be called when all queues of the caller are gone. */
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
