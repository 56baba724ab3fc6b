package io.sdp4j.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.Hello;
import io.sdp4j.wire.HelloAck;
import io.sdp4j.wire.Mid;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: written events are read again; the file has a bound; no file can harm its reader. Method:
 * writer and reader on files of 64 KiB, and those files bent.
 */
class TraceFileTest {
    private static final int LIMIT = 1 << 16;
    private static final InetSocketAddress HERE = address("192.0.2.1", 50_001);
    private static final InetSocketAddress THERE = address("192.0.2.2", 8080);

    @TempDir private Path folder;

    private static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(host), port);
    }

    private TraceWriter writer(Path file, int payloadBytes) throws IOException {
        return TraceWriter.create(file, LIMIT, payloadBytes, 1_000_000_000_000L, 500, 77);
    }

    private static ConnectionTrace connection(TraceWriter writer) {
        byte[] hello = new byte[92]; // with padding
        Hello.writeShort(MemorySegment.ofArray(hello), 0, 32, 16, 16_400, 16_400, 4, 4);
        byte[] ack = new byte[28];
        HelloAck.writeShort(MemorySegment.ofArray(ack), 0, 24, 16, 16_400, 4, 4);
        return writer.connection(true, HERE, THERE, "shm", hello, 600, ack, 700);
    }

    private static MemorySegment message(int mid, int mseq, int byteLen) {
        byte[] bytes = new byte[Math.max(byteLen, 64)];
        Arrays.fill(bytes, (byte) 0x5A);
        MemorySegment m = MemorySegment.ofArray(bytes);
        Bsdh.write(m, 0, mid, 0, 8, byteLen, mseq, 0);
        return m;
    }

    private static List<TraceEvent> events(TraceReader reader) throws IOException {
        List<TraceEvent> events = new ArrayList<>();
        reader.forEach(events::add);
        return events;
    }

    private static List<TraceEvent> events(Path file) throws IOException {
        try (TraceReader reader = TraceReader.open(file)) {
            return events(reader);
        }
    }

    /** A stream may cut what it has ended; what came of it is another matter. */
    @Test
    void tellsTheEndByThisSideOnce() throws IOException {
        Path file = folder.resolve("t");
        ConnectionTrace trace = connection(writer(file, 0));
        trace.disconnect(800, false);
        trace.abort(900, false, "");
        trace.disconnect(1000, false);
        trace.disconnect(1100, true);
        trace.abort(1200, true, "RETRY_EXC_ERR");
        List<TraceEvent> ends = events(file).stream().filter(e -> e.nanos() >= 300).toList();
        assertEquals(
                List.of(
                        TraceEvent.Kind.DISCONNECT,
                        TraceEvent.Kind.DISCONNECT,
                        TraceEvent.Kind.ABORT),
                ends.stream().map(TraceEvent::kind).toList());
    }

    @Test
    void readsWhatWasWritten() throws IOException {
        Path file = folder.resolve("t");
        ConnectionTrace trace = connection(writer(file, 8));
        trace.message(800, false, message(Mid.DATA, 1, 100), 0, 100);
        MemorySegment landed = message(Mid.SRC_AVAIL, 2, 33);
        trace.message(900, true, landed, 0, 33);
        trace.rdmaRead(1000, 4096, 0x11223344, 0x7F00_1234_5678L);
        trace.rdmaWrite(1100, 512, 1, 2);
        trace.abort(1200, true, "MSEQ_GAP");
        trace.disconnect(1300, false);
        try (TraceReader reader = TraceReader.open(file)) {
            assertEquals(77, reader.process());
            assertEquals(1_000_000_000_000L, reader.startNanos());
            assertEquals(8, reader.payloadBytes());
            assertEquals(6, reader.recorded());
            assertEquals(6, reader.kept());
            assertEquals(0, reader.damaged());
            assertEquals(0, reader.missingBytes());
            TraceConnection c = reader.connections().getFirst();
            assertEquals(1, c.number());
            assertTrue(c.connecting());
            assertEquals(HERE, c.local());
            assertEquals(THERE, c.remote());
            assertEquals("shm", c.fabric());
            List<TraceEvent> events = events(reader);
            assertEquals(
                    List.of(100L, 200L, 300L, 400L, 500L, 600L, 700L, 800L),
                    events.stream().map(TraceEvent::nanos).toList());
            assertEquals(
                    List.of(false, true, false, true, false, false, true, false),
                    events.stream().map(TraceEvent::received).toList());
            assertEquals(
                    List.of(32, 28, 100, 33, 4096, 512, 0, 0),
                    events.stream().map(TraceEvent::byteLen).toList());
            assertEquals(
                    List.of(32, 28, 24, 33, 12, 12, 8, 0),
                    events.stream().map(TraceEvent::keptBytes).toList(),
                    "headers, 8 bytes of payload at most");
            assertEquals(Mid.SRC_AVAIL, Bsdh.mid(events.get(3).kept(), 0));
            assertEquals(0x5A, events.get(2).kept().get(ValueLayout.JAVA_BYTE, 23));
        }
    }

    /** By default payload is not recorded. */
    @Test
    void keepsHeadersOnly() throws IOException {
        Path file = folder.resolve("t");
        ConnectionTrace trace = connection(writer(file, 0));
        trace.message(800, false, message(Mid.DATA, 1, 100), 0, 100);
        trace.message(800, false, message(Mid.SRC_AVAIL, 2, 100), 0, 100);
        trace.message(800, false, message(0x22, 3, 100), 0, 100);
        trace.message(900, true, message(Mid.DATA, 4, 7), 0, 7);
        trace.message(900, true, message(Mid.DATA, 5, 64), 40, 100); // beyond the end of memory
        assertEquals(
                List.of(32, 28, 16, 32, 16, 7, 16),
                events(file).stream().map(TraceEvent::keptBytes).toList());
    }

    /** The fabric hands it over before anybody has judged it. */
    @Test
    void takesAnyGreeting() throws IOException {
        Path file = folder.resolve("t");
        TraceWriter writer = writer(file, 0);
        Random random = new Random(3);
        for (int i = 0; i < 16; i++) {
            byte[] hello = new byte[i * 12];
            random.nextBytes(hello);
            writer.connection(i % 2 == 0, HERE, THERE, "shm", hello, 600, new byte[i], 700);
        }
        try (TraceReader reader = TraceReader.open(file)) {
            assertEquals(0, reader.damaged());
            assertEquals(16, reader.connections().size());
            assertEquals(32, events(reader).size());
        }
    }

    @Test
    void onlyItsOwnerMayReadIt() throws IOException {
        Path file = folder.resolve("t");
        writer(file, 0);
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(file), files.toList(), "no draft is left");
        }
    }

    @Test
    void neverGrowsAndKeepsTheLatest() throws IOException {
        Path file = folder.resolve("t");
        TraceWriter writer = writer(file, 0);
        ConnectionTrace trace = connection(writer);
        int all = 5000;
        for (int i = 1; i <= all; i++) {
            trace.message(1000 + i, false, message(Mid.DATA, i, 16), 0, 16);
        }
        assertEquals(LIMIT, Files.size(file));
        try (TraceReader reader = TraceReader.open(file)) {
            assertEquals(all, reader.recorded());
            int kept = (int) reader.kept();
            assertTrue(kept > LIMIT / 2 / 72 && kept < all, "kept " + kept);
            List<TraceEvent> events = events(reader);
            assertEquals(Mid.HELLO, Bsdh.mid(events.getFirst().kept(), 0), "set-up outlives");
            assertEquals(kept, events.size() - 2);
            for (int i = 0; i < kept; i++) {
                assertEquals(
                        all - kept + 1 + i, Bsdh.mseq(Bsdh.second(events.get(2 + i).kept(), 0)));
            }
        }
        for (int i = 0; i < 100; i++) {
            connection(writer);
        }
        try (TraceReader reader = TraceReader.open(file)) {
            List<Integer> numbers =
                    reader.connections().stream().map(TraceConnection::number).toList();
            assertEquals(IntStream.rangeClosed(86, 101).boxed().toList(), numbers);
        }
        assertEquals(LIMIT, Files.size(file));
    }

    /**
     * A second process with the same name: the first goes on writing to a file that is not read.
     */
    @Test
    void twoOfTheSameNameDoNotMeet() throws IOException {
        Path file = folder.resolve("t");
        ConnectionTrace first = connection(writer(file, 0));
        ConnectionTrace second = connection(writer(file, 16));
        first.message(900, false, message(Mid.DATA, 1, 16), 0, 16);
        second.message(900, false, message(Mid.DISCONN, 1, 16), 0, 16);
        List<TraceEvent> events = events(file);
        assertEquals(3, events.size());
        assertEquals(Mid.DISCONN, Bsdh.mid(events.get(2).kept(), 0));
    }

    /** Cells drawn by many threads are whole, and read while they are written. */
    @Test
    void manyConnectionsWriteAtOnce() throws Exception {
        Path file = folder.resolve("t");
        TraceWriter writer = writer(file, 32);
        int threads = 4;
        int each = 20_000;
        List<Thread> started = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            ConnectionTrace trace = connection(writer);
            started.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 1; i <= each; i++) {
                                            trace.message(
                                                    900, false, message(Mid.DATA, i, 48), 0, 48);
                                        }
                                    }));
        }
        while (started.stream().anyMatch(Thread::isAlive)) {
            check(events(file), threads);
        }
        for (Thread thread : started) {
            thread.join();
        }
        try (TraceReader reader = TraceReader.open(file)) {
            long passedOver = reader.recorded() - (long) threads * each;
            assertTrue(passedOver >= 0 && passedOver < each, "passed over: " + passedOver);
            assertEquals(0, reader.damaged());
            check(events(reader), threads);
        }
    }

    /** A thread that is away in the middle of a cell, for longer than the others need for a lap. */
    @Test
    void whatIsBeingWrittenIsNotWrittenOver() throws IOException {
        Path file = folder.resolve("t");
        TraceWriter writer = writer(file, 32);
        ConnectionTrace others = connection(writer);
        long slow = writer.begin();
        int many = 2 * LIMIT / TraceFormat.cellBytes(32);
        for (int i = 1; i <= many; i++) {
            others.message(900, false, message(Mid.DATA, i, 48), 0, 48);
        }
        try (TraceReader reader = TraceReader.open(file)) {
            assertEquals(1, reader.damaged(), "half written");
            List<TraceEvent> events = events(reader);
            check(events, 1);
            assertEquals(many, Bsdh.mseq(Bsdh.second(events.getLast().kept(), 0)));
        }
        writer.end(slow, 900, 1, TraceEvent.Kind.DISCONNECT.code(), false, 0, 0);
        others.message(900, false, message(Mid.DATA, many + 1, 48), 0, 48);
        try (TraceReader reader = TraceReader.open(file)) {
            assertEquals(0, reader.damaged());
            check(events(reader), 1);
        }
    }

    private static void check(List<TraceEvent> events, int threads) {
        int[] last = new int[threads + 1];
        for (TraceEvent e : events) {
            if (Bsdh.mid(e.kept(), 0) == Mid.DATA) {
                int mseq = Bsdh.mseq(Bsdh.second(e.kept(), 0));
                assertTrue(mseq > last[e.connection()], "in order");
                last[e.connection()] = mseq;
                assertEquals(48, e.byteLen());
                assertEquals(0x5A, e.kept().get(ValueLayout.JAVA_BYTE, 47));
            }
        }
    }

    /** As when the machine stopped: cut at any place, what is left is read. */
    @Test
    void takesATruncatedFile() throws IOException {
        Path file = folder.resolve("t");
        ConnectionTrace trace = connection(writer(file, 0));
        for (int i = 1; i <= 200; i++) {
            trace.message(1000 + i, false, message(Mid.DATA, i, 16), 0, 16);
        }
        byte[] whole = Files.readAllBytes(file);
        Path cut = folder.resolve("cut");
        for (int length : new int[] {0, 1, 8, 4095}) {
            Files.write(cut, Arrays.copyOf(whole, length));
            assertThrows(TraceReader.NotATrace.class, () -> TraceReader.open(cut));
        }
        byte[] swollen = whole.clone(); // by connections that would fill the heap
        TraceFormat.putInt(MemorySegment.ofArray(swollen), TraceFormat.H_ENTRIES, 300_000);
        assertThrows(
                TraceReader.NotATrace.class, () -> TraceReader.open(Files.write(cut, swollen)));
        int read = 0;
        for (int length = 4096; length < whole.length; length += 333) {
            Files.write(cut, Arrays.copyOf(whole, length));
            try (TraceReader reader = TraceReader.open(cut)) {
                assertTrue(reader.missingBytes() > 0);
                assertTrue(events(reader).size() >= read);
                read = events(reader).size();
            }
        }
        assertEquals(202, read);
    }

    @Test
    void leavesOutWhatIsHalfWritten() throws IOException {
        Path file = folder.resolve("t");
        ConnectionTrace trace = connection(writer(file, 0));
        for (int i = 1; i <= 3; i++) {
            trace.message(1000 + i, false, message(Mid.DATA, i, 16), 0, 16);
        }
        byte[] bytes = Files.readAllBytes(file);
        int second = TraceFormat.HEADER_BYTES + 16 * TraceFormat.ENTRY_BYTES + 72;
        bytes[second + TraceFormat.C_DATA] ^= 1;
        Files.write(file, bytes);
        try (TraceReader reader = TraceReader.open(file)) {
            assertEquals(1, reader.damaged());
            assertEquals(
                    List.of(1, 3),
                    events(reader).stream()
                            .skip(2)
                            .map(e -> Bsdh.mseq(Bsdh.second(e.kept(), 0)))
                            .toList());
        }
    }

    /** Any bytes behind a believable header, with checks that are right as often as not. */
    @Test
    void takesAnyFile() throws IOException {
        Path file = folder.resolve("t");
        ConnectionTrace trace = connection(writer(file, 0));
        for (int i = 1; i <= 900; i++) {
            trace.message(1000 + i, false, message(Mid.DATA, i, 16), 0, 16);
        }
        byte[] good = Files.readAllBytes(file);
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            byte[] bent = good.clone();
            int from = round % 3 == 0 ? 0 : TraceFormat.HEADER_BYTES;
            for (int n = random.nextInt(200); n >= 0; n--) {
                int at = round % 3 == 0 ? random.nextInt(64) : random.nextInt(bent.length - from);
                bent[from + at] = (byte) random.nextInt();
                if (round % 3 == 0 && n > 3) {
                    break;
                }
            }
            MemorySegment m = MemorySegment.ofArray(bent);
            if (round % 3 == 2) {
                resign(m, random);
            }
            Files.write(file, bent);
            try (TraceReader reader = TraceReader.open(file)) {
                for (TraceEvent e : events(reader)) {
                    assertTrue(e.byteLen() >= 0);
                }
            } catch (TraceReader.NotATrace refused) {
                assertFalse(refused.getMessage().isEmpty());
            }
        }
    }

    /** Forgeries that should make the reader believe it. */
    private static void resign(MemorySegment m, Random random) {
        for (int i = 0; i < 16; i++) {
            long at = TraceFormat.HEADER_BYTES + (long) i * TraceFormat.ENTRY_BYTES;
            MemorySegment entry = m.asSlice(at, TraceFormat.ENTRY_BYTES);
            TraceFormat.putInt(entry, 0, i + 1);
            TraceFormat.putInt(entry, TraceFormat.E_CHECK, TraceFormat.entryCheck(entry, 0, i + 1));
        }
        long cells = TraceFormat.HEADER_BYTES + 16L * TraceFormat.ENTRY_BYTES;
        int count = TraceFormat.getInt(m, TraceFormat.H_CELLS);
        long base = (long) count * random.nextInt(Integer.MAX_VALUE);
        for (int i = 0; i < count; i++) {
            long at = cells + i * 72L;
            long number = base + i + 1;
            TraceFormat.putLong(m, at, number);
            int kept = Math.min(40, TraceFormat.getShort(m, at + TraceFormat.C_KEPT));
            TraceFormat.putInt(
                    m, at + TraceFormat.C_CHECK, TraceFormat.cellCheck(m, at, number, kept));
        }
    }

    @Test
    void replacesNothingButAFile() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("t"), Path.of("gone"));
        assertThrows(IOException.class, () -> writer(link, 0));
        assertTrue(Files.isSymbolicLink(link));
        assertArrayEquals(new String[] {"t"}, folder.toFile().list());
    }

    @Test
    void refusesLimitsThatMakeNoSense() {
        Path file = folder.resolve("t");
        for (long limit : new long[] {0, 65_535, (1L << 30) + 1, -1}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> TraceWriter.create(file, limit, 0, 0, 0, 1));
        }
        assertThrows(IOException.class, () -> writer(folder.resolve("no/such"), 0));
        assertArrayEquals(new String[0], folder.toFile().list());
    }
}
