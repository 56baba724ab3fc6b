package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.QpSpec;
import java.util.Arrays;

/**
 * Where everything lies in the segment of one connection. Computed on each side from what was
 * agreed in the hand-shake, never read from the segment.
 *
 * <p>Shape: side 0 asked for the connection, side 1 accepted it; direction {@code s} is what side
 * {@code s} sends.
 *
 * {@snippet lang = text :
 *  0     control line of side 0   sleep, wake, CPU number + 1, failed, co-location: words; at 64 what
 *                                 is unsent: long, and read to its end: word        (128 bytes)
 *  128   control line of side 1
 *  256   descriptor ring of direction 0, of 1      8-byte entries, written by the sender
 *  ...   return ring of direction 0, of 1          4-byte entries, written by the receiver
 *  page  slots of direction 0                   receiveSlots x stride of the receiving side
 *  page  chunks of direction 0, of 1             for RDMA, untouched until used
 *  page  slots of direction 1                    used from the last one on
 * }
 *
 * Lines that different sides write are 128 bytes apart because processors fetch pairs of lines. The
 * stride of slots is an odd number of 64-byte lines, so that slot starts spread over all sets of
 * the first-level cache. Slots are long and mostly untouched, so what a quiet connection uses is
 * where its memory begins and where it ends: next to that of another one, with which it shares the
 * page tables.
 */
final class ShmLayout {
    static final int CONTROL_BYTES = 128;
    static final int SLEEP_WORD = 0;
    static final int WAKE_WORD = 4;
    static final int CPU_WORD = 8;
    static final int FAILED_WORD = 12;

    /** Word of {@link CoLocationPolicy} for this side. */
    static final int CO_LOCATION_WORD = 16;

    /** See {@link Unsent}; in a line that the peer does not look at. */
    static final int UNSENT_WORD = 64;

    /** A receive slot + 1 that was read to its end and is not returned yet. */
    static final int READ_WORD = 72;

    static final int CHUNK_HEADER_BYTES = 64;

    /**
     * Bytes of each slot that are booked from the beginning: 16 KiB of payload, which is enough as
     * long as the reader keeps up, and the header. Bytes beyond it are not touched before they are
     * booked.
     */
    static final int USUAL_BYTES = (16 << 10) + 16;

    /** The 8 MiB of the default buffers, and what belongs to them. */
    private static final long WISHES_BYTES = 9 << 20;

    /** Ring entries beyond slots and chunks: one each of the connection's last words. */
    private static final int LAST_WORDS = 4;

    final int[] slots = new int[2];
    final int[] slotBytes = new int[2];
    final int[] stride = new int[2];
    final int[] ringEntries = new int[2];
    final int[] returnEntries = new int[2];
    final long[] ring = new long[2];
    final long[] returns = new long[2];
    final long[] data = new long[2];
    final long[] chunk = new long[2];
    final int chunks;
    final int chunkBytes;
    final int pageBytes;
    final long totalBytes;

    /** Part of {@code totalBytes} beyond the usual size, in the slots of each direction. */
    final long[] longBytes = new long[2];

    /**
     * @param active what side 0 wants
     * @param passive what side 1 wants
     * @param chunks RDMA chunks of each direction
     * @param chunkBytes payload of a chunk
     * @param pageBytes a page of the kernel, which both sides share
     */
    ShmLayout(QpSpec active, QpSpec passive, int chunks, int chunkBytes, int pageBytes) {
        this.chunks = chunks;
        this.chunkBytes = chunkBytes;
        this.pageBytes = pageBytes;
        QpSpec[] receiver = {passive, active};
        long at = 2 * CONTROL_BYTES;
        for (int direction = 0; direction < 2; direction++) {
            slots[direction] = receiver[direction].receiveSlots();
            slotBytes[direction] = receiver[direction].receiveBytes();
            stride[direction] = stride(slotBytes[direction]);
            ringEntries[direction] = powerOfTwo(slots[direction] + chunks + LAST_WORDS);
            returnEntries[direction] = powerOfTwo(slots[direction] + chunks);
            ring[direction] = at;
            at = align(at + 8L * ringEntries[direction], CONTROL_BYTES);
        }
        for (int direction = 0; direction < 2; direction++) {
            returns[direction] = at;
            at = align(at + 4L * returnEntries[direction], CONTROL_BYTES);
        }
        for (int direction = 0; direction < 2; direction++) {
            data[direction] = at = align(at, pageBytes);
            at += (long) slots[direction] * stride[direction];
            int usual = stride(Math.min(slotBytes[direction], USUAL_BYTES));
            longBytes[direction] = (long) slots[direction] * (stride[direction] - usual);
            for (int c = 0; direction == 0 && c < 2; c++) {
                chunk[c] = at = align(at, pageBytes);
                at += (long) chunks * chunkStride();
            }
        }
        totalBytes = align(at, pageBytes);
    }

    /** Bytes that every connection takes, or may take without asking. */
    long bookedBytes() {
        return totalBytes - longBytes[0] - longBytes[1];
    }

    /** Memory that a side asks for with its receive slots. */
    static long wishes(QpSpec spec) {
        return (long) spec.receiveSlots() * stride(spec.receiveBytes());
    }

    /** The most that a peer of {@code own} may ask for: as much as this side, or the usual. */
    static long mostWishes(QpSpec own) {
        return Math.max(WISHES_BYTES, wishes(own));
    }

    private static int stride(int slotBytes) {
        return ((slotBytes + 63) / 64 | 1) * 64;
    }

    int chunkStride() {
        return CHUNK_HEADER_BYTES + chunkBytes;
    }

    /** Where a chunk of a direction starts. */
    long chunkAt(int direction, int index) {
        return chunk[direction] + (long) index * chunkStride();
    }

    static long control(int side) {
        return (long) side * CONTROL_BYTES;
    }

    /** Bytes of the control words and rings, with which the memory starts. */
    long wordsBytes() {
        return data[0];
    }

    /** Whether a queue pair of {@code other}'s shape fits this memory exactly. */
    boolean sameAs(ShmLayout other) {
        return totalBytes == other.totalBytes
                && chunks == other.chunks
                && chunkBytes == other.chunkBytes
                && Arrays.equals(slots, other.slots)
                && Arrays.equals(slotBytes, other.slotBytes);
    }

    static long align(long at, int to) {
        return (at + to - 1) / to * to;
    }

    private static int powerOfTwo(int atLeast) {
        return atLeast <= 2 ? 2 : Integer.highestOneBit(atLeast - 1) << 1;
    }
}
