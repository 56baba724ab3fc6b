package io.sdp4j.wire;

import java.util.Arrays;

/**
 * Actions that the machine wants done, in the order in which they must be done.
 *
 * <p>Shape: rows that are used again and again. The shell passes one list to an event, or to
 * several in turn, and then {@linkplain #take takes} and carries out the rows in order, to the last
 * one that follows from them. Only {@link #WAKE} is out of order: one row at most waits, to be
 * carried out after all locks are released.
 *
 * <p>Which fields of {@link Action} a kind uses:
 *
 * {@snippet lang = text :
 *  SEND          slot, bytes (payload), flags SOLICITED; header
 *  CONTROL       flags SOLICITED | SIGNALLED | QUIET; header
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
 *  SOURCE_RETURNED  buffer, bufferOffset (bytes done), outcome: the lent source buffer is the shell's again
 *  SINK_RETURNED    buffer, bufferOffset (bytes done): the lent sink buffer is the shell's again
 *  KEEP_ALIVE    post an RDMA Write of no bytes; only its failure matters
 *  SUSPENDED     port: the session is suspended (SdpMachine.suspend)
 *  VIOLATION     the peer broke the protocol, as SdpMachine.violation tells: to be logged; what
 *                ends the connection follows
 * }
 *
 * <p>RDMA operations and messages are posted to one queue pair in the order of their rows.
 *
 * <p>Capacity: an event adds a handful of rows; the list grows when a batch of events outgrows it
 * and never shrinks, so a steady state allocates nothing. Not thread-safe.
 */
public final class ActionList {
    private static final int FIRST_ROWS = 8;

    /** Payload message in {@link Action#slot}: write the header before the payload and post it. */
    public static final int SEND = 1;

    /** Message without payload: take a free send slot, write the header, post it. */
    public static final int CONTROL = 2;

    /** Stream bytes for the application. */
    public static final int DELIVER = 3;

    /** Post this receive slot again. */
    public static final int REPOST = 4;

    /** Wake the threads that wait for one of the masked conditions. */
    public static final int WAKE = 5;

    /** Call {@link SdpMachine#onTimer} after {@link Action#nanos}. */
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

    /** Flag of CONTROL: a credit update, for which a peer that waits for payload need not wake. */
    public static final int QUIET = 4;

    /**
     * Wake bit: end of stream, a cut, or an offer of the peer ({@link SinkSide#offeredBytes}); a
     * DELIVER says by itself that there is something to read.
     */
    public static final int READABLE = 1;

    /** Wake bit: {@link SdpMachine#writable()} may be true now, or a writer must give up. */
    public static final int WRITABLE = 2;

    /** Wake bit: our DisConn has completed, or {@link SdpMachine#closed()} has become true. */
    public static final int CLOSED = 4;

    /** Outcome of a lent source buffer: the peer has all of it. */
    public static final int DONE = 1;

    /**
     * Outcome: the peer has {@link Action#bufferOffset} bytes; the rest is owed and must be the
     * next that is sent, as Data ({@link SourceSide#payloadLimit}).
     */
    public static final int COPY = 2;

    /**
     * Outcome, only after a recall: the peer has {@link Action#bufferOffset} bytes, the rest is
     * ours.
     */
    public static final int RECALLED = 3;

    /** Outcome: the stream was cut; the peer has {@link Action#bufferOffset} bytes or more. */
    public static final int CUT = 4;

    private Action[] rows = {};
    private int size;
    private int at; // of these, the rows that were taken
    private Action wake; // not taken yet

    /** An empty list. */
    public ActionList() {}

    /** Actions added since the list was last cleared. */
    public int size() {
        return size;
    }

    /** Action {@code i}, below {@link #size}; valid until the list is cleared. */
    public Action row(int i) {
        return rows[i];
    }

    /**
     * Takes the next action, or clears the list and returns null if there is none left. The action
     * is valid until then, and while it is carried out, more may be added.
     */
    public Action take() {
        if (at == size) {
            size = 0;
            at = 0;
            return null;
        }
        Action row = rows[at++];
        if (row == wake) {
            wake = null;
        }
        return row;
    }

    /** Forgets all actions. */
    public void clear() {
        size = 0;
        at = 0;
        wake = null;
    }

    void send(int slot, int payloadBytes, int flags, long first, long second) {
        Action row = add(SEND);
        row.slot = slot;
        row.bytes = payloadBytes;
        row.offset = Bsdh.BYTES;
        row.flags = flags;
        row.first = first;
        row.second = second;
    }

    /** A message without payload; of an advertisement, {@code extension} is the length. */
    Action control(int headerBytes, int flags, long first, long second, int extension) {
        Action row = add(CONTROL);
        row.bytes = 0;
        row.offset = headerBytes;
        row.flags = flags;
        row.first = first;
        row.second = second;
        row.extension = extension;
        return row;
    }

    void deliver(int slot, int offset, int payloadBytes, int flags) {
        Action row = add(DELIVER);
        row.slot = slot;
        row.bytes = payloadBytes;
        row.offset = offset;
        row.flags = flags;
    }

    void place(int slot, int offset, int payloadBytes, int buffer, long bufferOffset) {
        Action row = add(PLACE);
        row.slot = slot;
        row.bytes = payloadBytes;
        row.offset = offset;
        row.buffer = buffer;
        row.bufferOffset = bufferOffset;
    }

    void rdma(int kind, int buffer, long bufferOffset, int lenBytes, long va, int rkey) {
        Action row = add(kind);
        row.buffer = buffer;
        row.bufferOffset = bufferOffset;
        row.bytes = lenBytes;
        row.remoteAddress = va;
        row.rkey = rkey;
    }

    void returned(int kind, int buffer, long bytesDone, int outcome) {
        Action row = add(kind);
        row.buffer = buffer;
        row.bufferOffset = bytesDone;
        row.outcome = outcome;
    }

    void repost(int slot) {
        add(REPOST).slot = slot;
    }

    void keepAlive() {
        add(KEEP_ALIVE);
    }

    void suspended(int port) {
        add(SUSPENDED).port = port;
    }

    void wake(int mask) {
        if (wake == null) {
            wake = add(WAKE);
            wake.flags = 0;
        }
        wake.flags |= mask;
    }

    void armTimer(int timer, long nanos) {
        Action row = add(ARM_TIMER);
        row.timer = timer;
        row.nanos = nanos;
    }

    void cancelTimer(int timer) {
        add(CANCEL_TIMER).timer = timer;
    }

    void disconnect() {
        add(DISCONNECT);
    }

    void violation() {
        add(VIOLATION);
    }

    void abort() {
        add(ABORT);
    }

    private Action add(int kind) {
        if (size == rows.length) {
            grow();
        }
        Action row = rows[size++];
        row.kind = kind;
        return row;
    }

    private void grow() {
        Action[] more = Arrays.copyOf(rows, Math.max(FIRST_ROWS, 2 * rows.length));
        for (int i = rows.length; i < more.length; i++) {
            more[i] = new Action();
        }
        rows = more; // set last: unchanged if the heap is full
    }
}
