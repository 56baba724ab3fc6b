package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.QpSpec;
import java.util.Arrays;

/**
 * Offsets of everything in the segment of one connection. Each side computes them from the values
 * agreed in the hand-shake; they are never read from the segment.
 *
 * <p>Shape: side 0 asked for the connection, side 1 accepted it. Direction {@code s} is the one in
 * which side {@code s} sends.
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
 * Lines that different sides write are 128 bytes apart, because processors fetch pairs of lines.
 * The stride of slots is an odd number of 64-byte lines, so that slot starts spread over all sets
 * of the first-level cache. Slots are long and mostly untouched, so a quiet connection uses only
 * the beginning and the end of its memory. These are next to the used parts of other connections,
 * so the connections share page tables.
 */
final class ShmLayout {
    static final int CONTROL_BYTES = 128;
    static final int SLEEP_WORD = 0;
    static final int WAKE_WORD = 4;
    static final int CPU_WORD = 8;
    static final int FAILED_WORD = 12;

    /** The word of {@link CoLocation}. */
    static final int CO_LOCATION_WORD = 16;

    /** See {@link Unsent}. In a cache line that the peer does not poll. */
    static final int UNSENT_WORD = 64;

    /** Number + 1 of a receive slot that was read to its end and is not returned yet; 0 = none. */
    static final int READ_WORD = 72;

    static final int CHUNK_HEADER_BYTES = 64;

    /**
     * Bytes of each slot that are booked from the beginning: the header and 16 KiB of payload,
     * which is enough while the reader keeps up. Bytes beyond these are not touched before they are
     * booked.
     */
    static final int USUAL_BYTES = (16 << 10) + 16;

    /** The 8 MiB of the default buffers and their overhead. */
    private static final long WISHES_BYTES = 9 << 20;

    /** Ring entries beyond slots and chunks, for the last descriptors of a connection. */
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
     * @param active parameters of side 0
     * @param passive parameters of side 1
     * @param chunks RDMA chunks of each direction
     * @param chunkBytes payload of a chunk
     * @param pageBytes size of the kernel's pages, the same for both sides
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

    /** Bytes that are booked for every connection, which it may use without asking. */
    long bookedBytes() {
        return totalBytes - longBytes[0] - longBytes[1];
    }

    /** Returns the memory that a side asks for with its receive slots. */
    static long wishes(QpSpec spec) {
        return (long) spec.receiveSlots() * stride(spec.receiveBytes());
    }

    /**
     * Returns the most memory that a peer of {@code own} may ask for: as much as this side, or the
     * usual amount if that is more.
     */
    static long mostWishes(QpSpec own) {
        return Math.max(WISHES_BYTES, wishes(own));
    }

    private static int stride(int slotBytes) {
        return ((slotBytes + 63) / 64 | 1) * 64;
    }

    int chunkStride() {
        return CHUNK_HEADER_BYTES + chunkBytes;
    }

    /** Returns the offset of a chunk. */
    long chunkAt(int direction, int index) {
        return chunk[direction] + (long) index * chunkStride();
    }

    static long control(int side) {
        return (long) side * CONTROL_BYTES;
    }

    /** Bytes of the control lines and rings at the beginning of the memory. */
    long wordsBytes() {
        return data[0];
    }

    /** Whether {@code other} has the same offsets and sizes. */
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
