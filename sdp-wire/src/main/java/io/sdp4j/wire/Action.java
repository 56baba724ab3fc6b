package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * One row of an {@link ActionList}: the machine writes it, the shell reads it until the list is
 * cleared.
 *
 * <p>Shape: plain numbers, of which a kind uses some, see {@link ActionList}; the others are left
 * over from earlier rows. Not thread-safe.
 */
public final class Action {
    /** One of the kinds of {@link ActionList}. */
    public int kind;

    /** Slot of SEND, DELIVER, PLACE and REPOST. */
    public int slot;

    /** Payload bytes of a message, DELIVER or PLACE; bytes of an RDMA operation. */
    public int bytes;

    /**
     * Where in the slot the payload of a DELIVER or PLACE starts; of a message, the bytes of its
     * header: BSDH and extended header.
     */
    public int offset;

    /** Flags or wake mask, by kind. */
    public int flags;

    /** Bytes 0 to 7 of the header of a message, see {@link Bsdh#first}. */
    public long first;

    /** Bytes 8 to 15, see {@link Bsdh#second}. */
    public long second;

    /** Timer of ARM_TIMER and CANCEL_TIMER: below {@link SdpMachine#TIMERS}. */
    public int timer;

    /** Duration of ARM_TIMER. */
    public long nanos;

    /** The lent buffer that SEND_LENT, PLACE, RDMA_READ, RDMA_WRITE and the returns concern. */
    public int buffer;

    /**
     * Where in the lent buffer SEND_LENT, PLACE, RDMA_READ or RDMA_WRITE starts; of a returned
     * buffer, the bytes from its start that the peer has taken, or filled.
     */
    public long bufferOffset;

    /** DONE, COPY, RECALLED or CUT, of SOURCE_RETURNED. */
    public int outcome;

    /** Where RDMA_READ or RDMA_WRITE starts at the peer. */
    public long remoteAddress;

    /** The peer's key for {@link #remoteAddress}. */
    public int rkey;

    /** Port of SUSPENDED, 0..65,535. */
    public int port;

    int extension; // first four bytes of an extended header
    int discards; // NonDiscards of a SinkAvail

    /** For {@link BufferedCopy#send}. */
    public Action() {}

    /** Bytes to post for a message: header and payload. */
    public int messageBytes() {
        return offset + bytes;
    }

    /** Writes the header of a message: {@link #offset} bytes from {@code at}. */
    public void writeHeader(MemorySegment to, long at) {
        to.set(Wire.LONG, at, first);
        to.set(Wire.LONG, at + 8, second);
        writeExtended(to, at + Bsdh.BYTES);
    }

    /** Writes what follows the BSDH of a message, if anything does. */
    public void writeExtended(MemorySegment to, long at) {
        switch (offset - Bsdh.BYTES) {
            case 0 -> {}
            case SuspCh.BYTES -> SuspCh.write(to, at, extension);
            case SrcAh.BYTES -> SrcAh.write(to, at, extension, rkey, remoteAddress);
            case SnkAh.BYTES -> SnkAh.write(to, at, extension, rkey, remoteAddress, discards);
            default -> to.set(Wire.INT, at, extension);
        }
    }
}
