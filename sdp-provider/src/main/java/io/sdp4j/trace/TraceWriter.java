package io.sdp4j.trace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sdp4j.wire.Bsdh;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes the trace of all connections of a process.
 *
 * <p>Bound: the file has its full size from the start and never another; the oldest cells and
 * entries are overwritten. On the heap there is this object, and a small one for each connection.
 *
 * <p>Thread-safe: a cell belongs to the thread that claimed it, until it is whole. Nothing here
 * waits, allocates after {@link #connection}, or makes a system call; a first touch of a page is a
 * page fault.
 */
public final class TraceWriter {
    private static final int MIN_ENTRIES = 16;
    private static final int FILL_BYTES = 1 << 16;

    private final MemorySegment memory;
    private final int cellBytes;
    private final int cells;
    private final int entries;
    private final int payloadBytes;
    private final long cellsAt;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicInteger connections = new AtomicInteger();

    /** {@link System#nanoTime()} at the start. */
    private final long zero;

    private TraceWriter(MemorySegment memory, int entries, int payloadBytes, long zero) {
        this.memory = memory;
        this.entries = entries;
        this.payloadBytes = payloadBytes;
        this.zero = zero;
        this.cellBytes = TraceFormat.cellBytes(payloadBytes);
        this.cellsAt = TraceFormat.HEADER_BYTES + (long) entries * TraceFormat.ENTRY_BYTES;
        this.cells = (int) ((memory.byteSize() - cellsAt) / cellBytes);
    }

    /**
     * Makes the file, which replaces one of that name: another process that still writes to the old
     * one is not disturbed; a device or a link is not replaced. Only the owner may read it.
     *
     * @param limitBytes size of the file, 64 KiB to 1 GiB
     * @param payloadBytes payload kept of each message, 0 to 4096
     * @param startNanos wall clock, nanoseconds since 1970
     * @param zero {@link System#nanoTime()} at the same moment
     * @param process number of this process
     */
    public static TraceWriter create(
            Path file, long limitBytes, int payloadBytes, long startNanos, long zero, long process)
            throws IOException {
        if (limitBytes < 1 << 16
                || limitBytes > TraceFormat.MAX_FILE_BYTES
                || payloadBytes < 0
                || payloadBytes > TraceFormat.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("limit " + limitBytes + ", payload " + payloadBytes);
        }
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(file.toString(), null, "it is there, and is no file");
        }
        Path draft = file.resolveSibling(file.getFileName() + "." + process + "." + zero + ".new");
        FileChannel made = // a name that is taken is not ours to remove
                FileChannel.open(
                        draft,
                        EnumSet.of(
                                StandardOpenOption.CREATE_NEW,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        MemorySegment memory;
        try (FileChannel channel = made) {
            fill(channel, limitBytes);
            memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, limitBytes, Arena.global());
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
        int entries =
                (int)
                        Math.max(
                                MIN_ENTRIES,
                                limitBytes / TraceFormat.ENTRIES_SHARE / TraceFormat.ENTRY_BYTES);
        TraceWriter writer = new TraceWriter(memory, entries, payloadBytes, zero);
        writer.writeHeader(startNanos, process);
        return writer;
    }

    /** Allocates every block now: a disk that is full later would be a fault at a store. */
    private static void fill(FileChannel channel, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(FILL_BYTES);
        for (long left = bytes; left > 0; left -= zeros.position()) {
            zeros.position(0).limit((int) Math.min(FILL_BYTES, left));
            while (zeros.hasRemaining()) {
                channel.write(zeros);
            }
        }
    }

    private void writeHeader(long startNanos, long process) {
        TraceFormat.putInt(memory, TraceFormat.H_VERSION, TraceFormat.VERSION);
        TraceFormat.putInt(memory, TraceFormat.H_CELL_BYTES, cellBytes);
        TraceFormat.putInt(memory, TraceFormat.H_CELLS, cells);
        TraceFormat.putInt(memory, TraceFormat.H_ENTRIES, entries);
        TraceFormat.putLong(memory, TraceFormat.H_START, startNanos);
        TraceFormat.putLong(memory, TraceFormat.H_PROCESS, process);
        TraceFormat.putInt(memory, TraceFormat.H_PAYLOAD_BYTES, payloadBytes);
        TraceFormat.putNumber(memory, 0, TraceFormat.MAGIC);
    }

    /**
     * Records a connection whose set-up is done; Hello and HelloAck may be malformed.
     *
     * @param connecting whether this end connected
     * @param fabric its name
     * @param hello as it was sent or received; bytes behind its Len are padding
     * @param helloNanos {@link System#nanoTime()} then
     * @param helloAck the answer
     * @param ackNanos {@link System#nanoTime()} then
     */
    public ConnectionTrace connection(
            boolean connecting,
            InetSocketAddress local,
            InetSocketAddress remote,
            String fabric,
            byte[] hello,
            long helloNanos,
            byte[] helloAck,
            long ackNanos) {
        int number = connections.updateAndGet(n -> n == Integer.MAX_VALUE ? 1 : n + 1);
        long at =
                TraceFormat.HEADER_BYTES
                        + (long) ((number - 1) % entries) * TraceFormat.ENTRY_BYTES;
        MemorySegment entry = memory.asSlice(at, TraceFormat.ENTRY_BYTES);
        // Another writer comes only as many connections later as there are entries; the check finds
        // a mixture.
        TraceFormat.putInt(entry, 0, 0);
        entry.fill((byte) 0);
        TraceFormat.putLong(entry, TraceFormat.E_HELLO_NANOS, helloNanos - zero);
        TraceFormat.putLong(entry, TraceFormat.E_ACK_NANOS, ackNanos - zero);
        TraceFormat.putByte(entry, TraceFormat.E_CONNECTING, connecting ? 1 : 0);
        TraceFormat.putShort(entry, TraceFormat.E_LOCAL_PORT, local.getPort());
        TraceFormat.putShort(entry, TraceFormat.E_REMOTE_PORT, remote.getPort());
        put(entry, TraceFormat.E_LOCAL, TraceFormat.ADDRESS_BYTES, TraceConnection.mapped(local));
        put(entry, TraceFormat.E_REMOTE, TraceFormat.ADDRESS_BYTES, TraceConnection.mapped(remote));
        put(entry, TraceFormat.E_FABRIC, TraceFormat.FABRIC_BYTES, fabric.getBytes(US_ASCII));
        int kept = put(entry, TraceFormat.E_HELLO, TraceFormat.HELLO_BYTES, whole(hello));
        TraceFormat.putByte(entry, TraceFormat.E_HELLO_KEPT, kept);
        kept = put(entry, TraceFormat.E_ACK, TraceFormat.ACK_BYTES, whole(helloAck));
        TraceFormat.putByte(entry, TraceFormat.E_ACK_KEPT, kept);
        TraceFormat.putInt(entry, TraceFormat.E_CHECK, TraceFormat.entryCheck(entry, 0, number));
        TraceFormat.putInt(entry, 0, number);
        return new ConnectionTrace(this, number);
    }

    /** A message without its padding, if it says how long it is. */
    private static byte[] whole(byte[] message) {
        if (message.length < Bsdh.BYTES) {
            return message;
        }
        int len = Bsdh.len(MemorySegment.ofArray(message), 0);
        return len < Bsdh.BYTES || len > message.length ? message : Arrays.copyOf(message, len);
    }

    private static int put(MemorySegment to, int at, int most, byte[] bytes) {
        int n = Math.min(most, bytes.length);
        MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, at, n);
        return n;
    }

    int payloadBytes() {
        return payloadBytes;
    }

    /** Memory of the cells. */
    MemorySegment memory() {
        return memory;
    }

    /**
     * Draws a number; its cell belongs to the caller until {@link #end}.
     *
     * <p>A thread may lose its processor between the two calls for as long as the others need to go
     * round the whole file. The others then pass its cell over, and a number stays unused.
     */
    long begin() {
        long number;
        do {
            number = numbers.incrementAndGet();
        } while (!TraceFormat.claim(memory, at(number), number));
        return number;
    }

    /** Where the cell of that number lies. */
    long at(long number) {
        return cellsAt + (number - 1) % cells * cellBytes;
    }

    /** Fills in the rest of a cell whose data is there, and publishes it. */
    void end(
            long number,
            long nanos,
            int connection,
            int kind,
            boolean received,
            int bytes,
            int kept) {
        long at = at(number);
        TraceFormat.putLong(memory, at + TraceFormat.C_NANOS, nanos - zero);
        TraceFormat.putInt(memory, at + TraceFormat.C_CONNECTION, connection);
        TraceFormat.putInt(memory, at + TraceFormat.C_BYTES, bytes);
        TraceFormat.putShort(memory, at + TraceFormat.C_KEPT, kept);
        TraceFormat.putByte(memory, at + TraceFormat.C_KIND, kind);
        TraceFormat.putByte(memory, at + TraceFormat.C_RECEIVED, received ? 1 : 0);
        int check = TraceFormat.cellCheck(memory, at, number, kept);
        TraceFormat.putInt(memory, at + TraceFormat.C_CHECK, check);
        TraceFormat.putNumber(memory, at, number);
    }
}
