package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * What the machine wants done, in the order in which it must be done.
 *
 * <p>Shape: parallel arrays of numbers, one row per action, no object per action. The shell passes
 * one outbox to an event, carries out rows 0 to {@link #size()} - 1 in order, and clears it; it may
 * also pass the same outbox to several events before it does. Only {@link #WAKE} is out of order:
 * there is one row at most, to be carried out after all locks are released.
 *
 * <p>Which columns a kind uses:
 *
 * {@snippet lang = text :
 *  SEND          slot, bytes (payload), flags SOLICITED; header
 *  CONTROL       flags SOLICITED | SIGNALLED, tag (when signalled); header
 *  DELIVER       slot, offset, bytes, flags Bsdh.OOB_PRES | Bsdh.OOB_PEND; the slot stays with the
 *                shell until SdpMachine.consumed
 *  REPOST        slot: post it to the receive queue again
 *  WAKE          flags READABLE | WRITABLE | CLOSED
 *  ARM_TIMER     timer, nanos from now; replaces a running one
 *  CANCEL_TIMER  timer
 *  DISCONNECT    close the connection below in order, after the sends already posted
 *  ABORT         reason: cut the connection below at once
 *  RDMA_READ, RDMA_WRITE   reserved for zero copy, never emitted yet
 * }
 *
 * <p>Capacity: an event adds a handful of rows; the arrays grow when a batch of events outgrows
 * them and never shrink, so a steady state allocates nothing. Not thread-safe.
 */
public final class Outbox {
    /** Payload message in {@link #slot}: write the header before the payload and post it. */
    public static final int SEND = 1;

    /** Message without payload: take a free send slot, write the header, post it. */
    public static final int CONTROL = 2;

    /** Stream bytes for the application. */
    public static final int DELIVER = 3;

    /** Post this receive slot again. */
    public static final int REPOST = 4;

    /** Wake whoever waits for one of the masked conditions. */
    public static final int WAKE = 5;

    /** Call {@link SdpMachine#onTimer} after {@link #nanos}. */
    public static final int ARM_TIMER = 6;

    /** Forget that timer. */
    public static final int CANCEL_TIMER = 7;

    /** Close the connection below; {@link SdpMachine#onDisconnected} reports the end. */
    public static final int DISCONNECT = 8;

    /** Cut the connection below; nothing need be reported. */
    public static final int ABORT = 9;

    /** Reserved for zero copy. */
    public static final int RDMA_READ = 10;

    /** Reserved for zero copy. */
    public static final int RDMA_WRITE = 11;

    /** Flag of SEND and CONTROL: ask for a solicited event at the peer (sdp-wire.md 14). */
    public static final int SOLICITED = 1;

    /** Flag of CONTROL: its completion must come back through {@link SdpMachine#onControlSent}. */
    public static final int SIGNALLED = 2;

    /**
     * Wake bit: end of stream or a cut; a DELIVER says by itself that there is something to read.
     */
    public static final int READABLE = 1;

    /** Wake bit: a writer may find {@link SdpMachine#writable()}, or a reason to give up. */
    public static final int WRITABLE = 2;

    /** Wake bit: {@link SdpMachine#outputDone()} or {@link SdpMachine#closed()} has become true. */
    public static final int CLOSED = 4;

    private static final int INITIAL_ROWS = 64;

    private int size;
    private int wakeRow = -1;
    private byte[] kinds = new byte[INITIAL_ROWS];
    private int[] slots = new int[INITIAL_ROWS]; // slot, tag or timer, by kind
    private int[] bytes = new int[INITIAL_ROWS];
    private int[] offsets =
            new int[INITIAL_ROWS]; // DELIVER: payload offset; messages: header bytes
    private int[] flags = new int[INITIAL_ROWS];
    private long[] firsts = new long[INITIAL_ROWS]; // BSDH bytes 0..7, or nanos
    private long[] seconds = new long[INITIAL_ROWS]; // BSDH bytes 8..15
    private int[] extensions = new int[INITIAL_ROWS]; // four-byte extended header
    private AbortReason[] reasons = new AbortReason[INITIAL_ROWS];

    /** An empty outbox. */
    public Outbox() {}

    /** Actions waiting. */
    public int size() {
        return size;
    }

    /** Forgets all actions. */
    public void clear() {
        size = 0;
        wakeRow = -1;
    }

    /** What action {@code i} is: one of the constants above. */
    public int kind(int i) {
        return kinds[i];
    }

    /** Slot of SEND, DELIVER and REPOST. */
    public int slot(int i) {
        return slots[i];
    }

    /** Payload bytes of SEND and DELIVER; 0 for CONTROL. */
    public int bytes(int i) {
        return bytes[i];
    }

    /** Where in the slot the payload of a DELIVER starts. */
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

    /** What to hand to {@link SdpMachine#onControlSent} for a SIGNALLED CONTROL: its MID. */
    public int tag(int i) {
        return slots[i];
    }

    /** Cause of an ABORT. */
    public AbortReason reason(int i) {
        return reasons[i];
    }

    /** MID of a SEND or CONTROL. */
    public int mid(int i) {
        return (int) (firsts[i] >>> 56);
    }

    /** Header bytes of a SEND or CONTROL: the BSDH and the extended header. */
    public int headerBytes(int i) {
        return offsets[i];
    }

    /** Bytes to post for a SEND or CONTROL: header and payload. */
    public int messageBytes(int i) {
        return offsets[i] + bytes[i];
    }

    /**
     * Writes the header of SEND or CONTROL {@code i}: {@link #headerBytes} bytes from {@code at}.
     */
    public void writeHeader(int i, MemorySegment to, long at) {
        to.set(Wire.LONG, at, firsts[i]);
        to.set(Wire.LONG, at + 8, seconds[i]);
        if (offsets[i] > Bsdh.BYTES) {
            to.set(Wire.INT, at + Bsdh.BYTES, extensions[i]);
        }
    }

    void send(int slot, int payloadBytes, int flags, long first, long second) {
        int i = add(SEND);
        slots[i] = slot;
        bytes[i] = payloadBytes;
        offsets[i] = Bsdh.BYTES;
        this.flags[i] = flags;
        firsts[i] = first;
        seconds[i] = second;
    }

    void control(int tag, int headerBytes, int flags, long first, long second, int extension) {
        int i = add(CONTROL);
        slots[i] = tag;
        bytes[i] = 0;
        offsets[i] = headerBytes;
        this.flags[i] = flags;
        firsts[i] = first;
        seconds[i] = second;
        extensions[i] = extension;
    }

    void deliver(int slot, int offset, int payloadBytes, int flags) {
        int i = add(DELIVER);
        slots[i] = slot;
        bytes[i] = payloadBytes;
        offsets[i] = offset;
        this.flags[i] = flags;
    }

    void repost(int slot) {
        slots[add(REPOST)] = slot;
    }

    void wake(int mask) {
        if (wakeRow < 0) {
            wakeRow = add(WAKE);
            flags[wakeRow] = 0;
        }
        flags[wakeRow] |= mask;
    }

    void armTimer(int timer, long nanos) {
        int i = add(ARM_TIMER);
        slots[i] = timer;
        firsts[i] = nanos;
    }

    void cancelTimer(int timer) {
        slots[add(CANCEL_TIMER)] = timer;
    }

    void disconnect() {
        add(DISCONNECT);
    }

    void abort(AbortReason reason) {
        reasons[add(ABORT)] = reason;
    }

    private int add(int kind) {
        if (size == kinds.length) {
            grow();
        }
        kinds[size] = (byte) kind;
        return size++;
    }

    private void grow() {
        int rows = 2 * size;
        kinds = Arrays.copyOf(kinds, rows);
        slots = Arrays.copyOf(slots, rows);
        bytes = Arrays.copyOf(bytes, rows);
        offsets = Arrays.copyOf(offsets, rows);
        flags = Arrays.copyOf(flags, rows);
        firsts = Arrays.copyOf(firsts, rows);
        seconds = Arrays.copyOf(seconds, rows);
        extensions = Arrays.copyOf(extensions, rows);
        reasons = Arrays.copyOf(reasons, rows);
    }

    /** The actions in words, for traces. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < size; i++) {
            text.append(i == 0 ? "" : ", ").append(describe(i));
        }
        return text.append(']').toString();
    }

    private String describe(int i) {
        return switch (kinds[i]) {
            case SEND -> "SEND slot " + slots[i] + ", " + bytes[i] + " B" + header(i);
            case CONTROL -> "CONTROL" + header(i);
            case DELIVER -> "DELIVER slot " + slots[i] + ", " + bytes[i] + " B";
            case REPOST -> "REPOST slot " + slots[i];
            case WAKE -> "WAKE " + flags[i];
            case ARM_TIMER -> "ARM_TIMER " + slots[i] + ", " + firsts[i] + " ns";
            case CANCEL_TIMER -> "CANCEL_TIMER " + slots[i];
            case DISCONNECT -> "DISCONNECT";
            case ABORT -> "ABORT " + reason(i);
            default -> "kind " + kinds[i];
        };
    }

    private String header(int i) {
        return ": "
                + Mid.name(mid(i))
                + " Bufs "
                + ((firsts[i] >>> 32) & 0xFFFF)
                + " MSeq "
                + Integer.toUnsignedString((int) (seconds[i] >>> 32))
                + " MSeqAck "
                + Integer.toUnsignedString((int) seconds[i]);
    }
}
