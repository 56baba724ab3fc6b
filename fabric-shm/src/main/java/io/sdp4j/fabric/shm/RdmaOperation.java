package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.WcStatus;

/** A read or write on its way. Guarded by the queue pair's lock. */
final class RdmaOperation {
    long wrId;

    /** {@code Completion.READ} or {@code Completion.WRITE}. */
    int opcode;

    ShmMemoryRegion local;
    long localOffset;
    int lenBytes;
    long remoteAddress;
    int rkey;

    /** Bytes published, or received. */
    int moved;

    /** Chunks that carry its bytes and have not come back. */
    int chunksOut;

    /** All of its bytes are on their way. */
    boolean published;

    /** How it ended; null while it runs. */
    WcStatus status;

    /** The caller sets all other fields. */
    void start(long wrId, int opcode) {
        this.wrId = wrId;
        this.opcode = opcode;
        local = null;
        moved = 0;
        chunksOut = 0;
        published = false;
        status = null;
    }

    /** A chunk with bytes of it has been carried out. */
    void chunkReturned() {
        if (--chunksOut == 0 && published && status == null) {
            status = WcStatus.SUCCESS;
        }
    }
}
