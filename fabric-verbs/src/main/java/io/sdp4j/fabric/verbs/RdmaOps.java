package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.Completion;

/**
 * RDMA reads and writes that were posted and not yet reported. Guarded by its queue pair's monitor.
 */
final class RdmaOps {
    static final int MAX_OPS = VerbsFabric.MAX_READS + VerbsFabric.MAX_WRITES;

    private final long[] wrIds = new long[MAX_OPS];
    private final int[] opcodes = new int[MAX_OPS];

    /** Operations that are posted and not completed, by slot. */
    private final boolean[] posted = new boolean[MAX_OPS];

    private final int[] free = new int[MAX_OPS];
    private int freeCount;
    private int reads;
    private int writes;

    RdmaOps() {
        for (int place = MAX_OPS - 1; place >= 0; place--) {
            free[freeCount++] = place;
        }
    }

    /** Takes a place for one more operation; -1 if there are too many. */
    int take(int opcode, long wrId) {
        boolean read = opcode == Completion.READ;
        if (read ? reads == VerbsFabric.MAX_READS : writes == VerbsFabric.MAX_WRITES) {
            return -1;
        }
        if (read) {
            reads++;
        } else {
            writes++;
        }
        int place = free[--freeCount];
        wrIds[place] = wrId;
        opcodes[place] = opcode;
        return place;
    }

    void onPosted(int place) {
        posted[place] = true;
    }

    void onCompleted(int place) {
        posted[place] = false;
    }

    /**
     * Gives up an operation that the device has not completed. Returns its place, or -1 if there is
     * none.
     */
    int abandon() {
        for (int place = 0; place < posted.length; place++) {
            if (posted[place]) {
                posted[place] = false;
                return place;
            }
        }
        return -1;
    }

    /** Ends the operation at {@code place} and describes it in {@code into}. */
    void report(int place, Completion into) {
        into.opcode = opcodes[place];
        into.wrId = wrIds[place];
        if (into.opcode == Completion.READ) {
            reads--;
        } else {
            writes--;
        }
        free[freeCount++] = place;
    }
}
