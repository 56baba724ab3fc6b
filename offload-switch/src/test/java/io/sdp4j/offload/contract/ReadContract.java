package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading, writing, time-outs and interrupts: behaviours 8, 9, 20 to 22, 25 to 27. */
interface ReadContract extends Sockets {
    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("8: a read times out, and what comes then can be read")
    default void readTimesOutAndGoesOn(Kind kind) throws Exception {
        try (var p = pair()) {
            p.client().setSoTimeout(1);
            InputStream in = p.client().getInputStream();
            long least = Long.MAX_VALUE; // on a busy machine the others take longer
            for (int i = 0; i < 3; i++) {
                long start = System.nanoTime();
                Task<Integer> reading = Task.start(kind, in::read);
                Expect.is(SocketTimeoutException.class, "Read timed out", reading.thrown());
                least = Math.min(least, System.nanoTime() - start);
            }
            assertTrue(least >= 1_000_000, "after " + least + " ns");
            assertTrue(least < 500_000_000, "after " + least + " ns");
            Expect.send(p.server(), "x");
            p.client().setSoTimeout(10_000);
            assertEquals('x', Task.start(kind, in::read).get());
        }
    }

    /** Goal: waiting for another reader counts against the time-out. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("9: waiting for another reader counts")
    default void timeOutIncludesTheLock(Kind kind) throws Exception {
        try (var p = pair()) {
            InputStream in = p.client().getInputStream();
            Task<Integer> first = Task.start(kind, in::read);
            first.awaitBlocked();
            p.client().setSoTimeout(100);
            Task<Integer> second = Task.start(kind, in::read);
            Expect.is(SocketTimeoutException.class, "Read timed out", second.thrown());
            assertFalse(first.done(), "a time-out set later must not end an earlier read");
            Expect.send(p.server(), "x");
            assertEquals('x', first.get());
        }
    }

    @Test
    @DisplayName("25: reads of nothing, and bad ranges")
    default void readsOfNothing() throws IOException {
        try (var p = pair()) {
            InputStream in = p.client().getInputStream();
            byte[] b = new byte[4];
            assertEquals(0, in.read(b, 0, 0));
            assertEquals(0, in.read(b, 4, 0));
            assertThrows(NullPointerException.class, () -> in.read(null, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> in.read(b, -1, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> in.read(b, 0, 5));
            assertThrows(IndexOutOfBoundsException.class, () -> in.read(b, 3, 2));
            p.server().shutdownOutput();
            assertEquals(-1, in.read(b));
            assertEquals(0, in.read(b, 0, 0));
        }
    }

    @Test
    @DisplayName("25: writes of nothing, and bad ranges")
    default void writesOfNothing() throws IOException {
        try (var p = pair()) {
            OutputStream out = p.client().getOutputStream();
            byte[] b = new byte[4];
            out.write(b, 0, 0);
            assertThrows(NullPointerException.class, () -> out.write(null, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> out.write(b, -1, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> out.write(b, 0, 5));
            assertThrows(IndexOutOfBoundsException.class, () -> out.write(b, 3, 2));
            out.write(300);
            assertEquals(300 & 0xff, p.server().getInputStream().read());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("25: what moves nothing waits for no other reader or writer")
    default void whatMovesNothingDoesNotWait(Kind kind) throws Exception {
        try (var p = pair()) {
            byte[] b = new byte[4];
            InputStream in = p.client().getInputStream();
            OutputStream out = p.client().getOutputStream();
            Task<Integer> reader = Task.start(kind, in::read);
            reader.awaitBlocked();
            assertEquals(0, Task.start(() -> in.read(b, 4, 0)).get());
            Task<Integer> beyond = Task.start(() -> in.read(b, 3, 2));
            assertInstanceOf(IndexOutOfBoundsException.class, beyond.thrown());
            Task<Void> writer = Expect.fill(kind, p.client());
            Task<Void> nothing = Task.start(() -> write(out, b, 4, 0));
            nothing.get();
            Task<Void> outside = Task.start(() -> write(out, b, 3, 2));
            assertInstanceOf(IndexOutOfBoundsException.class, outside.thrown());
            assertFalse(reader.done());
            assertFalse(writer.done());
            p.client().close();
            reader.thrown();
            writer.thrown();
        }
    }

    private static Void write(OutputStream out, byte[] b, int off, int len) throws IOException {
        out.write(b, off, len);
        return null;
    }

    @Test
    default void availableCounts() throws IOException {
        try (var p = pair()) {
            assertEquals(0, p.server().getInputStream().available());
            Expect.send(p.client(), "12345");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(5))
                    .until(() -> p.server().getInputStream().available() == 5);
            assertEquals("12", Expect.receive(p.server(), 2));
            assertEquals(3, p.server().getInputStream().available());
        }
    }

    /** Goal: one large write arrives whole. Method: 64 MiB, compared byte by byte. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("26: one large write arrives intact")
    default void largeWrite(Kind kind) throws Exception {
        byte[] sent = Expect.bytes(64 << 20, 7);
        try (var p = pair()) {
            Task<Void> writer =
                    Task.start(
                            kind,
                            () -> {
                                p.client().getOutputStream().write(sent);
                                p.client().shutdownOutput();
                                return null;
                            });
            byte[] got = Task.start(kind, () -> p.server().getInputStream().readAllBytes()).get();
            writer.get();
            assertArrayEquals(sent, got);
        }
    }

    /** Goal: bytes of two writers never interleave inside one call, whatever their size. */
    @ParameterizedTest
    @ValueSource(ints = {300_000, 64})
    @DisplayName("26: two writers never mix inside one call")
    default void writersDoNotInterleave(int otherLength) throws Exception {
        int length = 300_000;
        int all = 20 * length;
        try (var p = pair()) {
            Task<Void> a = Task.start(Kind.PLATFORM, () -> writeMany(p.client(), 'a', length, all));
            Task<Void> b =
                    Task.start(Kind.VIRTUAL, () -> writeMany(p.client(), 'b', otherLength, all));
            InputStream in = p.server().getInputStream();
            byte[] part = new byte[length];
            int[] seen = new int['b' + 1];
            int last = 'a';
            for (int at = 0, n; at < 2 * all; at += n) {
                n = in.read(part, 0, Math.min(length, 2 * all - at));
                assertTrue(n > 0, "ends after " + at);
                for (int i = 0; i < n; i++) {
                    int each = last == 'a' ? length : otherLength;
                    if (part[i] != last && seen[last] % each != 0) {
                        throw new AssertionError((char) last + " is broken at " + (at + i));
                    }
                    last = part[i];
                    seen[last]++;
                }
            }
            a.get();
            b.get();
        }
    }

    private static Void writeMany(Socket s, int letter, int length, int all) throws IOException {
        byte[] block = new byte[length];
        java.util.Arrays.fill(block, (byte) letter);
        for (int done = 0; done < all; done += length) {
            s.getOutputStream().write(block);
        }
        return null;
    }

    /** Goal: a blocked reader does not stop a writer of the same socket, nor the reverse. */
    @Test
    @DisplayName("27: readers and writers do not block each other")
    default void readersAndWritersAreIndependent() throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = Task.start(() -> p.client().getInputStream().read());
            reader.awaitBlocked();
            Expect.send(p.client(), "go");
            assertEquals("go", Expect.receive(p.server(), 2));
            assertFalse(reader.done());
            Task<Void> writer = Expect.fill(Kind.PLATFORM, p.client());
            Expect.send(p.server(), "x");
            assertEquals('x', reader.get());
            p.client().close();
            Expect.is(SocketException.class, "Socket closed", writer.thrown());
        }
    }

    /** Goal: an interrupt neither ends a platform thread's read nor makes it spin nor is lost. */
    @Test
    @DisplayName("20: a platform thread goes on waiting, idle, and keeps its flag")
    default void interruptOfAPlatformThread() throws Exception {
        try (var p = pair()) {
            boolean[] flag = new boolean[1];
            Task<Integer> reader =
                    Task.start(
                            () -> {
                                int n = p.client().getInputStream().read();
                                flag[0] = Thread.currentThread().isInterrupted();
                                return n;
                            });
            reader.awaitBlocked();
            long cpuBefore = cpuNanos(reader.thread());
            reader.thread().interrupt();
            TimeUnit.MILLISECONDS.sleep(500); // the time over which idleness is measured
            long cpu = cpuNanos(reader.thread()) - cpuBefore;
            assertFalse(reader.done());
            assertTrue(cpu < 50_000_000, "used " + cpu + " ns of CPU while blocked");
            Expect.send(p.server(), "x");
            assertEquals('x', reader.get());
            assertTrue(flag[0], "the interrupt was lost");
        }
    }

    private static long cpuNanos(Thread thread) {
        return java.lang.management.ManagementFactory.getThreadMXBean()
                .getThreadCpuTime(thread.threadId());
    }

    @Test
    @DisplayName("21: an interrupt ends the read of a virtual thread")
    default void interruptOfAVirtualReader() throws Exception {
        try (var p = pair()) {
            boolean[] flag = new boolean[1];
            Task<Integer> reader =
                    Task.start(
                            Kind.VIRTUAL,
                            () -> {
                                try {
                                    return p.client().getInputStream().read();
                                } finally {
                                    flag[0] = Thread.currentThread().isInterrupted();
                                }
                            });
            reader.awaitBlocked();
            reader.thread().interrupt();
            Expect.is(SocketException.class, "Closed by interrupt", reader.thrown());
            assertTrue(p.client().isClosed());
            assertTrue(flag[0]);
            assertEquals(-1, p.server().getInputStream().read());
        }
    }

    @Test
    default void interruptOfAVirtualWriter() throws Exception {
        try (var p = pair()) {
            Task<Void> writer = Expect.fill(Kind.VIRTUAL, p.client());
            writer.thread().interrupt();
            Expect.is(SocketException.class, "Closed by interrupt", writer.thrown());
            assertTrue(p.client().isClosed());
        }
    }

    /** Goal: a virtual thread that is interrupted already still gets data that is there. */
    @Test
    @DisplayName("21: data that is there is read by an interrupted virtual thread")
    default void interruptBeforeARead() throws Exception {
        try (var p = pair()) {
            Expect.send(p.server(), "x");
            Awaitility.await().until(() -> p.client().getInputStream().available() == 1);
            Task<Integer> reader =
                    Task.start(
                            Kind.VIRTUAL,
                            () -> {
                                Thread.currentThread().interrupt();
                                return p.client().getInputStream().read();
                            });
            assertEquals('x', reader.get());
            assertFalse(p.client().isClosed());
        }
    }
}
