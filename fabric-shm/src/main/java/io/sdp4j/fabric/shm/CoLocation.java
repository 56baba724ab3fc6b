package io.sdp4j.fabric.shm;

import io.sdp4j.linux.Affinity;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.MappedMemory;

/**
 * Lets this side's thread sleep on the processor of the peer's, when {@link CoLocationPolicy} says
 * that this is better and the peer does the same.
 *
 * <p>Shape: each side says in its co-location word whether it sees a conversation; side 0, which
 * measures, adds whether to sleep together. It stays where it is and side 1 comes to the processor
 * that its control line names: two that come to each other change places for ever. Both are
 * confined while they sleep and free again before anything else happens. A peer that lies gets a
 * thread of ours to wake on a processor of its choice, of those that this thread may use.
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
     * Before a sleep.
     *
     * @param said what this side has said since the last one; 0 where co-location is off
     * @param crowded whether no processor is idle: a wake-up could not use one, so there is nothing
     *     to try, and two that have come to one processor stay there by themselves
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
