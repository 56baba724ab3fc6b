package io.sdp4j.rdma.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.rdma.os.ProcessMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * RDMA reads that the reader carries out alone: one copy from the peer's process into the local
 * region, while it is posted.
 *
 * <p>Used where the kernel lets this process read the peer's, which the first attempt shows, and
 * for regions that are in the peer's {@link OpenKeys}. Whatever does not work is left to the peer,
 * as an ordinary request, and refused there if it is not allowed.
 *
 * <p>Guarded by the queue pair's lock. What the peer writes into its control line decides only
 * which of the peer's own memory is read.
 */
final class DirectReads {
    private final MemorySegment mem;
    private final long control;
    private final ProcessMemory peer;
    private boolean works = true;

    /**
     * @param peerPid 0 or less = not known, or not of this process's world
     * @param peerSide the side whose memory is read
     */
    DirectReads(MemorySegment mem, int peerPid, int peerSide) {
        this.mem = mem;
        this.control = ShmLayout.control(peerSide);
        this.peer = peerPid > 0 ? new ProcessMemory(peerPid) : null;
    }

    /** Whether all of it was copied; if not, nothing is known about the local bytes. */
    boolean read(RdmaOperation op) {
        int place = op.rkey & OpenKeys.PLACE_MASK;
        if (!works() || !op.local.direct() || place == 0 || place > OpenKeys.PLACES) {
            return false;
        }
        long word = control + ShmLayout.KEY_WORDS + 4L * (place - 1);
        if ((int) Words.INT.getAcquire(mem, word) != op.rkey) {
            return false;
        }
        long badge = mem.get(JAVA_LONG, control + ShmLayout.BADGE);
        long badgeAddress = mem.get(JAVA_LONG, control + ShmLayout.BADGE_ADDRESS);
        if (!op.local.fill(
                op.localOffset, peer, op.remoteAddress, op.lenBytes, badgeAddress, badge)) {
            works = peer.read(0, mem, 0, 0, badgeAddress, badge);
            return false;
        }
        VarHandle.fullFence();
        return (int) Words.INT.getAcquire(mem, word) == op.rkey;
    }

    /** Whether nothing is known that speaks against it. */
    boolean works() {
        return peer != null && works;
    }
}
