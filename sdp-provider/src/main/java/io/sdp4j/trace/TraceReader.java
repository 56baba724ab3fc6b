package io.sdp4j.trace;

import io.sdp4j.wire.Bsdh;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a trace file, also while it is being written, after a crash, and when it was cut off or is
 * something else altogether.
 *
 * <p>Shape: the connections are kept, events are read one at a time. Everything that does not fit
 * the format is left out and counted. For one thread.
 */
public final class TraceReader implements AutoCloseable {
    /** The file is no trace; the message says why. */
    public static final class NotATrace extends IOException {
        private static final long serialVersionUID = 1L;

        NotATrace(String message) {
            super(message);
        }
    }

    /** No process draws that many numbers; a larger one is made up. */
    private static final long MAX_NUMBER = 1L << 48;

    /** No trace has more connections; those of a file are kept on the heap. */
    private static final long MAX_ENTRIES =
            TraceFormat.MAX_FILE_BYTES / TraceFormat.ENTRIES_SHARE / TraceFormat.ENTRY_BYTES;

    /** Cells read at a time. */
    private static final int BATCH = 256;

    private final FileChannel channel;
    private final int cellBytes;
    private final int cells;
    private final int entries;
    private final int payloadBytes;
    private final long startNanos;
    private final long process;
    private final long cellsAt;
    private final long bytes;
    private final long expectedBytes;
    private final List<TraceConnection> connections = new ArrayList<>();
    private final MemorySegment batchMemory;
    private long batchAt = -1; // index of the first cell in the batch
    private long lastNumber;
    private long events;
    private int damaged;

    private TraceReader(FileChannel channel) throws IOException {
        this.channel = channel;
        bytes = channel.size();
        MemorySegment header = MemorySegment.ofArray(new byte[TraceFormat.HEADER_BYTES]);
        if (read(0, header) < TraceFormat.HEADER_BYTES
                || TraceFormat.getLong(header, 0) != TraceFormat.MAGIC) {
            throw new NotATrace("it does not begin as a trace does");
        }
        int version = TraceFormat.getInt(header, TraceFormat.H_VERSION);
        if (version != TraceFormat.VERSION) {
            throw new NotATrace(
                    "it is of version " + version + ", expected " + TraceFormat.VERSION);
        }
        cellBytes = TraceFormat.getInt(header, TraceFormat.H_CELL_BYTES);
        cells = TraceFormat.getInt(header, TraceFormat.H_CELLS);
        entries = TraceFormat.getInt(header, TraceFormat.H_ENTRIES);
        payloadBytes = TraceFormat.getInt(header, TraceFormat.H_PAYLOAD_BYTES);
        startNanos = TraceFormat.getLong(header, TraceFormat.H_START);
        process = TraceFormat.getLong(header, TraceFormat.H_PROCESS);
        if (payloadBytes < 0
                || payloadBytes > TraceFormat.MAX_PAYLOAD_BYTES
                || cellBytes != TraceFormat.cellBytes(payloadBytes)
                || cells <= 0
                || entries <= 0
                || entries > MAX_ENTRIES) {
            throw new NotATrace("its sizes make no sense");
        }
        cellsAt = TraceFormat.HEADER_BYTES + (long) entries * TraceFormat.ENTRY_BYTES;
        expectedBytes = cellsAt + (long) cells * cellBytes;
        if (expectedBytes > TraceFormat.MAX_FILE_BYTES) {
            throw new NotATrace("its sizes make no sense");
        }
        batchMemory = MemorySegment.ofArray(new byte[BATCH * cellBytes]);
        readConnections();
        findLast();
    }

    /**
     * Opens a trace.
     *
     * @throws NotATrace when it is none
     */
    public static TraceReader open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            return new TraceReader(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Fills {@code to} from {@code at} on; returns the bytes that could be read. */
    private int read(long at, MemorySegment to) throws IOException {
        ByteBuffer into = to.asByteBuffer();
        while (into.hasRemaining()) {
            int n = channel.read(into, at + into.position());
            if (n < 0) {
                break;
            }
        }
        return into.position();
    }

    private void readConnections() throws IOException {
        MemorySegment entry = MemorySegment.ofArray(new byte[TraceFormat.ENTRY_BYTES]);
        for (int i = 0; i < entries; i++) {
            long at = TraceFormat.HEADER_BYTES + (long) i * TraceFormat.ENTRY_BYTES;
            if (at >= bytes || read(at, entry) < TraceFormat.ENTRY_BYTES) {
                break;
            }
            int number = TraceFormat.getInt(entry, 0);
            if (number == 0) {
                continue;
            }
            TraceConnection connection =
                    number > 0
                                    && (number - 1) % entries == i
                                    && TraceFormat.getInt(entry, TraceFormat.E_CHECK)
                                            == TraceFormat.entryCheck(entry, 0, number)
                            ? connection(number, entry)
                            : null;
            if (connection == null) {
                damaged++;
            } else {
                connections.add(connection);
            }
        }
        connections.sort(Comparator.comparingInt(TraceConnection::number));
    }

    /**
     * The connection of an entry whose check is right; null when it makes no sense all the same.
     */
    private static TraceConnection connection(int number, MemorySegment entry) throws IOException {
        int hello = TraceFormat.getByte(entry, TraceFormat.E_HELLO_KEPT);
        int ack = TraceFormat.getByte(entry, TraceFormat.E_ACK_KEPT);
        if (hello > TraceFormat.HELLO_BYTES || ack > TraceFormat.ACK_BYTES) {
            return null;
        }
        return new TraceConnection(
                number,
                TraceFormat.getByte(entry, TraceFormat.E_CONNECTING) != 0,
                address(entry, TraceFormat.E_LOCAL, TraceFormat.E_LOCAL_PORT),
                address(entry, TraceFormat.E_REMOTE, TraceFormat.E_REMOTE_PORT),
                text(entry, TraceFormat.E_FABRIC, TraceFormat.FABRIC_BYTES),
                TraceFormat.getLong(entry, TraceFormat.E_HELLO_NANOS),
                TraceFormat.getLong(entry, TraceFormat.E_ACK_NANOS),
                copy(entry, TraceFormat.E_HELLO, hello),
                copy(entry, TraceFormat.E_ACK, ack));
    }

    private static InetSocketAddress address(MemorySegment entry, int at, int portAt)
            throws IOException {
        byte[] raw = new byte[TraceFormat.ADDRESS_BYTES];
        MemorySegment.copy(entry, ValueLayout.JAVA_BYTE, at, raw, 0, raw.length);
        // An IPv4 address in its mapped form comes out as one; nothing is looked up.
        return new InetSocketAddress(
                InetAddress.getByAddress(raw), TraceFormat.getShort(entry, portAt));
    }

    /** Printable ASCII up to the first zero; anything else becomes a question mark. */
    static String text(MemorySegment m, int at, int bytes) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bytes && TraceFormat.getByte(m, at + i) != 0; i++) {
            int c = TraceFormat.getByte(m, at + i);
            boolean plain = c >= ' ' && c < 0x7F;
            text.append(plain ? (char) c : '?');
        }
        return text.toString();
    }

    private static MemorySegment copy(MemorySegment from, long at, int bytes) {
        MemorySegment copy = MemorySegment.ofArray(new byte[bytes]);
        MemorySegment.copy(from, at, copy, 0, bytes);
        return copy.asReadOnly();
    }

    /** Offset in the batch of the cell at index {@code i}, -1 if the file ends before it. */
    private int cell(long i) throws IOException {
        long first = i - i % BATCH;
        if (batchAt != first) {
            batchMemory.fill((byte) 0);
            long at = cellsAt + first * cellBytes;
            if (at < bytes) {
                read(at, batchMemory);
            }
            batchAt = first;
        }
        return (cellsAt + (i + 1) * cellBytes) > bytes ? -1 : (int) (i - first) * cellBytes;
    }

    /** Whether the cell at that offset holds that number, whole. */
    private boolean holds(int offset, long number) {
        if (offset < 0 || TraceFormat.getLong(batchMemory, offset) != number) {
            return false;
        }
        int kept = TraceFormat.getShort(batchMemory, offset + TraceFormat.C_KEPT);
        return kept <= cellBytes - TraceFormat.C_DATA
                && TraceEvent.Kind.of(TraceFormat.getByte(batchMemory, offset + TraceFormat.C_KIND))
                        != null
                && TraceFormat.getInt(batchMemory, offset + TraceFormat.C_BYTES) >= 0
                && TraceFormat.getInt(batchMemory, offset + TraceFormat.C_CHECK)
                        == TraceFormat.cellCheck(batchMemory, offset, number, kept);
    }

    private void findLast() throws IOException {
        for (long i = 0; i < cells; i++) {
            int offset = cell(i);
            if (offset < 0) {
                break;
            }
            long number = TraceFormat.getLong(batchMemory, offset);
            if (number == 0) {
                continue;
            }
            if (number > 0
                    && number < MAX_NUMBER
                    && (number - 1) % cells == i
                    && holds(offset, number)) {
                lastNumber = Math.max(lastNumber, number);
                events++;
            } else {
                damaged++;
            }
        }
    }

    /** Passes on what happened, oldest first; Hello and HelloAck among it. */
    public void forEach(Consumer<TraceEvent> to) throws IOException {
        List<TraceEvent> greetings = greetings();
        int next = 0;
        for (long number = Math.max(1, lastNumber - cells + 1); number <= lastNumber; number++) {
            int offset = cell((number - 1) % cells);
            if (!holds(offset, number)) {
                continue; // lost, or overwritten meanwhile
            }
            TraceEvent event = event(offset);
            while (next < greetings.size() && greetings.get(next).nanos() <= event.nanos()) {
                to.accept(greetings.get(next++));
            }
            to.accept(event);
        }
        while (next < greetings.size()) {
            to.accept(greetings.get(next++));
        }
    }

    private TraceEvent event(int offset) {
        int kept = TraceFormat.getShort(batchMemory, offset + TraceFormat.C_KEPT);
        return new TraceEvent(
                TraceFormat.getLong(batchMemory, offset + TraceFormat.C_NANOS),
                TraceFormat.getInt(batchMemory, offset + TraceFormat.C_CONNECTION),
                TraceEvent.Kind.of(TraceFormat.getByte(batchMemory, offset + TraceFormat.C_KIND)),
                TraceFormat.getByte(batchMemory, offset + TraceFormat.C_RECEIVED) != 0,
                TraceFormat.getInt(batchMemory, offset + TraceFormat.C_BYTES),
                copy(batchMemory, offset + TraceFormat.C_DATA, kept));
    }

    private List<TraceEvent> greetings() {
        List<TraceEvent> greetings = new ArrayList<>();
        for (TraceConnection c : connections) {
            greetings.add(greeting(c, c.helloNanos(), !c.connecting(), c.hello()));
            greetings.add(greeting(c, c.ackNanos(), c.connecting(), c.helloAck()));
        }
        greetings.sort(Comparator.comparingLong(TraceEvent::nanos));
        return greetings;
    }

    private static TraceEvent greeting(
            TraceConnection c, long nanos, boolean received, MemorySegment message) {
        int kept = (int) message.byteSize();
        int len = kept < Bsdh.BYTES ? kept : Math.clamp(Bsdh.len(message, 0), kept, 1 << 16);
        return new TraceEvent(nanos, c.number(), TraceEvent.Kind.MESSAGE, received, len, message);
    }

    /** The connections that are still known, by number. */
    public List<TraceConnection> connections() {
        return List.copyOf(connections);
    }

    /** Number of the process that wrote it. */
    public long process() {
        return process;
    }

    /** When the trace began, nanoseconds since 1970. */
    public long startNanos() {
        return startNanos;
    }

    /** Payload bytes kept of each message. */
    public int payloadBytes() {
        return payloadBytes;
    }

    /**
     * Number of events ever recorded, set-up apart. A number that was drawn and not used, because
     * its cell was still being written, counts as an event, too.
     */
    public long recorded() {
        return lastNumber;
    }

    /** Events still in the file. */
    public long kept() {
        return events;
    }

    /** Cells and entries that are not as they should be: half written, or made up. */
    public int damaged() {
        return damaged;
    }

    /** Bytes that are missing at the end of the file. */
    public long missingBytes() {
        return Math.max(0, expectedBytes - bytes);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
