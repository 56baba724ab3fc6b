package io.sdp4j.wire;

import java.util.Arrays;

/**
 * The rows of an {@link ActionList}, and how the machine adds them.
 *
 * <p>Shape: one array for each column; a row leaves the columns alone that its kind does not use.
 */
abstract sealed class ActionRows permits ActionList {
    private static final int INITIAL_ROWS = 64;

    int size;
    private int wakeRow = -1;
    byte[] kinds = new byte[INITIAL_ROWS];
    int[] slots = new int[INITIAL_ROWS]; // slot, tag, timer, port or outcome, by kind
    int[] bytes = new int[INITIAL_ROWS];
    int[] offsets = new int[INITIAL_ROWS]; // in the slot; messages: header bytes
    int[] flags = new int[INITIAL_ROWS];
    long[] firsts = new long[INITIAL_ROWS]; // BSDH bytes 0..7, or nanos
    long[] seconds = new long[INITIAL_ROWS]; // BSDH bytes 8..15
    int[] extensions = new int[INITIAL_ROWS]; // first four bytes of an extended header
    int[] discards = new int[INITIAL_ROWS]; // NonDiscards of a SinkAvail
    int[] buffers = new int[INITIAL_ROWS];
    long[] bufferOffsets = new long[INITIAL_ROWS]; // or bytes done
    int[] rkeys = new int[INITIAL_ROWS];
    long[] addresses = new long[INITIAL_ROWS];

    /** Forgets all actions. */
    public void clear() {
        size = 0;
        wakeRow = -1;
    }

    void send(int slot, int payloadBytes, int flags, long first, long second) {
        int i = message(ActionList.SEND, Bsdh.BYTES, flags, first, second);
        slots[i] = slot;
        bytes[i] = payloadBytes;
    }

    void control(int tag, int headerBytes, int flags, long first, long second, int extension) {
        int i = message(ActionList.CONTROL, headerBytes, flags, first, second);
        slots[i] = tag;
        extensions[i] = extension;
    }

    /**
     * Makes the message just added, its extension being the length, an advertisement.
     *
     * @param nonDiscards only for SinkAvail
     */
    void advertising(int rkey, long va, int nonDiscards) {
        rkeys[size - 1] = rkey;
        addresses[size - 1] = va;
        discards[size - 1] = nonDiscards;
    }

    /** Makes the control message just added carry {@code payloadBytes} of a lent buffer. */
    void carrying(int buffer, long bufferOffset, int payloadBytes) {
        kinds[size - 1] = ActionList.SEND_LENT;
        buffers[size - 1] = buffer;
        bufferOffsets[size - 1] = bufferOffset;
        bytes[size - 1] = payloadBytes;
    }

    private int message(int kind, int headerBytes, int flags, long first, long second) {
        int i = add(kind);
        bytes[i] = 0;
        offsets[i] = headerBytes;
        this.flags[i] = flags;
        firsts[i] = first;
        seconds[i] = second;
        return i;
    }

    void deliver(int slot, int offset, int payloadBytes, int flags) {
        int i = add(ActionList.DELIVER);
        slots[i] = slot;
        bytes[i] = payloadBytes;
        offsets[i] = offset;
        this.flags[i] = flags;
    }

    void place(int slot, int offset, int payloadBytes, int buffer, long bufferOffset) {
        int i = add(ActionList.PLACE);
        slots[i] = slot;
        bytes[i] = payloadBytes;
        offsets[i] = offset;
        buffers[i] = buffer;
        bufferOffsets[i] = bufferOffset;
    }

    void rdma(int kind, int buffer, long bufferOffset, int lenBytes, long va, int rkey) {
        int i = add(kind);
        buffers[i] = buffer;
        bufferOffsets[i] = bufferOffset;
        bytes[i] = lenBytes;
        addresses[i] = va;
        rkeys[i] = rkey;
    }

    void returned(int kind, int buffer, long bytesDone, int outcome) {
        int i = add(kind);
        buffers[i] = buffer;
        bufferOffsets[i] = bytesDone;
        slots[i] = outcome;
    }

    void repost(int slot) {
        slots[add(ActionList.REPOST)] = slot;
    }

    void keepAlive() {
        add(ActionList.KEEP_ALIVE);
    }

    void suspended(int port) {
        slots[add(ActionList.SUSPENDED)] = port;
    }

    void wake(int mask) {
        if (wakeRow < 0) {
            wakeRow = add(ActionList.WAKE);
            flags[wakeRow] = 0;
        }
        flags[wakeRow] |= mask;
    }

    void armTimer(int timer, long nanos) {
        int i = add(ActionList.ARM_TIMER);
        slots[i] = timer;
        firsts[i] = nanos;
    }

    void cancelTimer(int timer) {
        slots[add(ActionList.CANCEL_TIMER)] = timer;
    }

    void disconnect() {
        add(ActionList.DISCONNECT);
    }

    void violation() {
        add(ActionList.VIOLATION);
    }

    void abort() {
        add(ActionList.ABORT);
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
        discards = Arrays.copyOf(discards, rows);
        buffers = Arrays.copyOf(buffers, rows);
        bufferOffsets = Arrays.copyOf(bufferOffsets, rows);
        rkeys = Arrays.copyOf(rkeys, rows);
        addresses = Arrays.copyOf(addresses, rows);
    }
}
