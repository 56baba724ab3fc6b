package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.Completion;

/**
 * RDMA reads and writes that were posted and not yet reported. Guarded by its queue pair's monitor.
 */
final class RdmaOps {
    private final int maxReads;
    private final int maxWrites;
    private final long[] wrIds;
    private final int[] opcodes;

    /** Operations that are posted and not completed, by slot. */
    private final boolean[] posted;

    private final int[] free;
    private int freeCount;
    private int reads;
    private int writes;

    RdmaOps(int maxReads, int maxWrites) {
        this.maxReads = maxReads;
        this.maxWrites = maxWrites;
        int places = maxReads + maxWrites;
        wrIds = new long[places];
        opcodes = new int[places];
        posted = new boolean[places];
        free = new int[places];
        for (int i = 0; i < places; i++) {
            free[freeCount++] = places - 1 - i;
        }
    }

    /** A place for one more, or -1 if there are too many. */
    int take(int opcode, long wrId) {
        if (opcode == Completion.READ ? reads == maxReads : writes == maxWrites) {
            return -1;
        }
        if (opcode == Completion.READ) {
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

    /** One that the device still owes a completion for, no longer; or -1. */
    int abandon() {
        for (int place = 0; place < posted.length; place++) {
            if (posted[place]) {
                posted[place] = false;
                return place;
            }
        }
        return -1;
    }

    /** Ends the one at {@code place} and names it in {@code into}. */
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
