package io.sdp4j.fabric.shm;

import io.sdp4j.linux.Affinity;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.MappedMemory;

/**
 * Lets this side's thread sleep on the processor of the peer's thread when {@link CoLocationPolicy}
 * says that this is better and the peer agrees.
 *
 * <p>Shape: each side says in its co-location word whether it sees a conversation. Side 0 measures,
 * and adds whether to sleep together. The thread of side 0 stays where it is, and that of side 1
 * moves to the processor that the control line of side 0 names: if both moved, they would swap
 * places forever. Both threads are confined to the processor while they sleep, and free again
 * before anything else happens. A peer that lies can only choose the processor on which our thread
 * wakes, of those that this thread may use.
 *
 * <p>Used by the waiting thread.
 */
final class CoLocation {
    private static final int TALKS = 1;
    private static final int TOGETHER = 2;

    private final MappedMemory mem;
    private final boolean leads;
    private final long own;
    private final long peer;
    private final CoLocationPolicy policy = new CoLocationPolicy();
    private Affinity affinity;
    private int shown;

    CoLocation(MappedMemory mem, int side) {
        this.mem = mem;
        leads = side == 0;
        own = ShmLayout.control(side);
        peer = ShmLayout.control(1 - side);
    }

    /**
     * Called before a sleep.
     *
     * @param said what this side has said since the last sleep; 0 if co-location is off
     * @param crowded whether no processor is idle: a wake-up could not use one, so no trial is
     *     needed, and two threads on one processor stay there by themselves
     * @return the processor that the thread is confined to until {@link #part}, or -1
     */
    int join(long nowNanos, int said, boolean crowded) {
        boolean talks = policy.talks(nowNanos, said);
        int peers = mem.getIntOpaque(peer + ShmLayout.CO_LOCATION_WORD);
        boolean joins =
                talks
                        && (peers & TALKS) != 0
                        && (leads ? crowded || policy.together() : (peers & TOGETHER) != 0);
        show((talks ? TALKS : 0) | (joins ? TOGETHER : 0));
        return joins && !(crowded && Linux.cpu() == peersCpu()) ? confine() : -1;
    }

    private int confine() {
        if (affinity == null) {
            affinity = new Affinity();
        }
        int cpu = leads ? Linux.cpu() : peersCpu();
        return affinity.confine(cpu) ? cpu : -1;
    }

    private int peersCpu() {
        return mem.getIntOpaque(peer + ShmLayout.CPU_WORD) - 1;
    }

    void part() {
        affinity.release();
    }

    private void show(int word) {
        if (word != shown) {
            shown = word;
            mem.putIntOpaque(own + ShmLayout.CO_LOCATION_WORD, word);
        }
    }
}
