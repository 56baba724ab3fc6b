package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.WcStatus;

/** An RDMA read or write under way. Guarded by the queue pair's lock. */
final class RdmaOperation {
    long wrId;

    /** {@code Completion.READ} or {@code Completion.WRITE}. */
    int opcode;

    ShmMemoryRegion local;
    long localOffset;
    int lenBytes;
    long remoteAddress;
    int rkey;

    /** Bytes of a write that were published, or bytes of a read that were received. */
    int moved;

    /** Chunks of a write that have not come back. */
    int chunksOut;

    /** All bytes of a write are published. */
    boolean published;

    /** How it ended; null while it runs. */
    WcStatus status;

    /** Begins an operation. The caller sets the fields that are not reset here. */
    void start(long wrId, int opcode) {
        this.wrId = wrId;
        this.opcode = opcode;
        local = null;
        moved = 0;
        chunksOut = 0;
        published = false;
        status = null;
    }

    /** Notes that the peer has carried out a chunk of this write. */
    void chunkReturned() {
        if (--chunksOut == 0 && published && status == null) {
            status = WcStatus.SUCCESS;
        }
    }
}
