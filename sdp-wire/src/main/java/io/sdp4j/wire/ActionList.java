package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Actions that the machine wants done, in the order in which they must be done.
 *
 * <p>Shape: parallel arrays of numbers, one row per action, no object per action. The shell passes
 * one list to an event, carries out rows 0 to {@link #size()} - 1 in order, and clears it; it may
 * also pass the same list to several events before it does. Only {@link #WAKE} is out of order:
 * there is one row at most, to be carried out after all locks are released.
 *
 * <p>Which columns a kind uses:
 *
 * {@snippet lang = text :
 *  SEND          slot, bytes (payload), flags SOLICITED; header
 *  CONTROL       flags SOLICITED | SIGNALLED | QUIET, tag (when signalled); header
 *  SEND_LENT     buffer, bufferOffset, bytes, flags; header: as CONTROL, with payload that is
 *                copied from a lent source buffer behind the header
 *  DELIVER       slot, offset, bytes, flags Bsdh.OOB_PRES | Bsdh.OOB_PEND; the slot stays with the
 *                shell until SdpMachine.consumed
 *  PLACE         slot, offset, bytes, buffer, bufferOffset: copy a little payload from the receive
 *                slot into a lent sink buffer at once; the REPOST of the slot follows
 *  REPOST        slot: post it to the receive queue again
 *  WAKE          flags READABLE | WRITABLE | CLOSED
 *  ARM_TIMER     timer, nanos from now; replaces a running one
 *  CANCEL_TIMER  timer
 *  DISCONNECT    close the connection below in order, after the sends already posted
 *  ABORT         cut the connection below at once, the peer's access to our memory included
 *  RDMA_READ     buffer (sink), bufferOffset, bytes, remoteAddress, rkey
 *  RDMA_WRITE    buffer (source), bufferOffset, bytes, remoteAddress, rkey
 *  SOURCE_RETURNED  buffer, bytesDone, outcome: the lent source buffer is the shell's again
 *  SINK_RETURNED    buffer, bytesDone: the lent sink buffer is the shell's again
 *  KEEP_ALIVE    post an RDMA Write of no bytes; only its failure matters
 *  SUSPENDED     port: the session is suspended (SdpMachine.suspend)
 *  VIOLATION     the peer broke the protocol, as SdpMachine.violation tells: to be logged; what
 *                ends the connection follows
 * }
 *
 * <p>RDMA operations and messages are posted to one queue pair in the order of their rows.
 *
 * <p>Capacity: an event adds a handful of rows; the arrays grow when a batch of events outgrows
 * them and never shrink, so a steady state allocates nothing. Not thread-safe.
 */
public final class ActionList extends ActionRows {
    /** Payload message in {@link #slot}: write the header before the payload and post it. */
    public static final int SEND = 1;

    /** Message without payload: take a free send slot, write the header, post it. */
    public static final int CONTROL = 2;

    /** Stream bytes for the application. */
    public static final int DELIVER = 3;

    /** Post this receive slot again. */
    public static final int REPOST = 4;

    /** Wake the threads that wait for one of the masked conditions. */
    public static final int WAKE = 5;

    /** Call {@link SdpMachine#onTimer} after {@link #nanos}. */
    public static final int ARM_TIMER = 6;

    /** Forget that timer. */
    public static final int CANCEL_TIMER = 7;

    /** Close the connection below; {@link SdpMachine#onDisconnected} reports the end. */
    public static final int DISCONNECT = 8;

    /** Cut the connection below; nothing need be reported. */
    public static final int ABORT = 9;

    /** Read from the peer; {@link SinkSide#onReadsCompleted} reports the end. */
    public static final int RDMA_READ = 10;

    /** Write to the peer; {@link SourceSide#onWritesCompleted} reports the end. */
    public static final int RDMA_WRITE = 11;

    /** Message whose payload the shell copies from a lent source buffer. */
    public static final int SEND_LENT = 12;

    /** Copy payload from a receive slot into a lent sink buffer. */
    public static final int PLACE = 13;

    /** A buffer given to {@link SourceSide#lend} comes back. */
    public static final int SOURCE_RETURNED = 14;

    /** A buffer given to {@link SinkSide#lend} comes back. */
    public static final int SINK_RETURNED = 15;

    /** Probe the connection below (docs/protocol.md 11). */
    public static final int KEEP_ALIVE = 16;

    /** The session is suspended (docs/protocol.md 10). */
    public static final int SUSPENDED = 17;

    /**
     * The peer broke the protocol; {@link SdpMachine#violation} tells how (docs/protocol.md 13.2).
     */
    public static final int VIOLATION = 18;

    /** Flag of messages: ask for a solicited event at the peer (docs/protocol.md 14). */
    public static final int SOLICITED = 1;

    /** Flag of CONTROL: its completion must come back through {@link SdpMachine#onControlSent}. */
    public static final int SIGNALLED = 2;

    /** Flag of CONTROL: a credit update, which is nothing to a peer that waits for payload. */
    public static final int QUIET = 4;

    /**
     * Wake bit: end of stream, a cut, or an offer of the peer ({@link SinkSide#offeredBytes}); a
     * DELIVER says by itself that there is something to read.
     */
    public static final int READABLE = 1;

    /** Wake bit: a writer may find {@link SdpMachine#writable()}, or a reason to give up. */
    public static final int WRITABLE = 2;

    /** Wake bit: our DisConn has completed, or {@link SdpMachine#closed()} has become true. */
    public static final int CLOSED = 4;

    /** Outcome of a lent source buffer: the peer has all of it. */
    public static final int DONE = 1;

    /**
     * Outcome: the peer has {@link #bytesDone} bytes; the rest is owed and must be the next that is
     * sent, as Data ({@link SourceSide#payloadLimit}).
     */
    public static final int COPY = 2;

    /** Outcome, only after a recall: the peer has {@link #bytesDone} bytes, the rest is ours. */
    public static final int RECALLED = 3;

    /** Outcome: the stream was cut; the peer has {@link #bytesDone} bytes or more. */
    public static final int CUT = 4;

    /** An empty list. */
    public ActionList() {}

    /** Actions waiting. */
    public int size() {
        return size;
    }

    /** Kind of action {@code i}: one of the constants above. */
    public int kind(int i) {
        return kinds[i];
    }

    /** Slot of SEND, DELIVER, PLACE and REPOST. */
    public int slot(int i) {
        return slots[i];
    }

    /** Payload bytes of a message, DELIVER or PLACE; bytes of an RDMA operation; buffer size. */
    public int bytes(int i) {
        return bytes[i];
    }

    /** Where in the slot the payload of a DELIVER or PLACE starts. */
    public int offset(int i) {
        return offsets[i];
    }

    /** Flags or wake mask, by kind. */
    public int flags(int i) {
        return flags[i];
    }

    /** Duration of ARM_TIMER. */
    public long nanos(int i) {
        return firsts[i];
    }

    /** Timer of ARM_TIMER and CANCEL_TIMER: below {@link SdpMachine#TIMERS}. */
    public int timer(int i) {
        return slots[i];
    }

    /** MID of a SIGNALLED CONTROL, for {@link SdpMachine#onControlSent}. */
    public int tag(int i) {
        return slots[i];
    }

    /** The lent buffer that SEND_LENT, PLACE, RDMA_READ, RDMA_WRITE and the returns concern. */
    public int buffer(int i) {
        return buffers[i];
    }

    /** Where in the lent buffer SEND_LENT, PLACE, RDMA_READ or RDMA_WRITE starts. */
    public long bufferOffset(int i) {
        return bufferOffsets[i];
    }

    /** Bytes from the start of a returned buffer that the peer has taken, or filled. */
    public long bytesDone(int i) {
        return bufferOffsets[i];
    }

    /** DONE, COPY, RECALLED or CUT, of SOURCE_RETURNED. */
    public int outcome(int i) {
        return slots[i];
    }

    /** Where RDMA_READ or RDMA_WRITE starts at the peer. */
    public long remoteAddress(int i) {
        return addresses[i];
    }

    /** The peer's key for it. */
    public int rkey(int i) {
        return rkeys[i];
    }

    /** Port of SUSPENDED, 0..65,535. */
    public int port(int i) {
        return slots[i];
    }

    /** Header bytes of a message: the BSDH and the extended header. */
    public int headerBytes(int i) {
        return offsets[i];
    }

    /** Bytes to post for a message: header and payload. */
    public int messageBytes(int i) {
        return offsets[i] + bytes[i];
    }

    /** Bytes 0 to 7 of the header of message {@code i}, see {@link Bsdh#first}. */
    public long first(int i) {
        return firsts[i];
    }

    /** Bytes 8 to 15, see {@link Bsdh#second}. */
    public long second(int i) {
        return seconds[i];
    }

    /** Writes the header of message {@code i}: {@link #headerBytes} bytes from {@code at}. */
    public void writeHeader(int i, MemorySegment to, long at) {
        to.set(Wire.LONG, at, firsts[i]);
        to.set(Wire.LONG, at + 8, seconds[i]);
        writeExtended(i, to, at + Bsdh.BYTES);
    }

    /** Writes what follows the BSDH of message {@code i}, if anything does. */
    public void writeExtended(int i, MemorySegment to, long extended) {
        switch (offsets[i] - Bsdh.BYTES) {
            case 0 -> {}
            case SuspCh.BYTES -> SuspCh.write(to, extended, extensions[i]);
            case SrcAh.BYTES -> SrcAh.write(to, extended, extensions[i], rkeys[i], addresses[i]);
            case SnkAh.BYTES ->
                    SnkAh.write(to, extended, extensions[i], rkeys[i], addresses[i], discards[i]);
            default -> to.set(Wire.INT, extended, extensions[i]);
        }
    }
}
