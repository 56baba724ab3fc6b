package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static io.sdp4j.stream.StreamPair.writeFully;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: an SDP stream does what the offload SPI promises and shows failures as the kernel would.
 * Method: both ends in one JVM over the shared-memory fabric.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class SdpStreamTest {
    private TestFabric fabric;
    private OffloadProvider provider;
    private StreamPair pair;

    /** The fabric that both ends use. */
    TestFabric openFabric() throws IOException {
        return new TestFabric();
    }

    /** An address of this host that the fabric serves. */
    InetAddress host() throws IOException {
        return InetAddress.getLoopbackAddress();
    }

    @BeforeAll
    void open() throws IOException {
        fabric = openFabric();
        provider = fabric.provider();
    }

    @AfterAll
    void shut() throws IOException {
        fabric.close();
    }

    @BeforeEach
    void connect() throws Exception {
        pair = new StreamPair(provider, provider, host());
    }

    @AfterEach
    void disconnect() throws IOException {
        pair.close();
    }

    private void closeBoth() {
        pair.client.close(false);
        pair.server.close(false);
    }

    @Test
    void bytesArriveInBothDirections() throws IOException {
        writeFully(pair.client, "question".getBytes(US_ASCII));
        assertArrayEquals("question".getBytes(US_ASCII), readFully(pair.server, 8));
        writeFully(pair.server, "answer".getBytes(US_ASCII));
        assertArrayEquals("answer".getBytes(US_ASCII), readFully(pair.client, 6));
        assertEquals(8, pair.client.info().bytesWritten());
        assertEquals(6, pair.client.info().bytesRead());
        closeBoth();
    }

    @Test
    void addressesAreThoseOfTheKernelSockets() {
        assertEquals(pair.client.localAddress(), pair.server.remoteAddress());
        assertEquals(pair.client.remoteAddress(), pair.server.localAddress());
        closeBoth();
    }

    @Test
    void nothingToReadIsZeroAndNothingToReadIntoIsZero() throws IOException {
        assertEquals(0, pair.client.tryRead(new byte[8], 0, 8));
        assertEquals(0, pair.client.tryRead(new byte[8], 0, 0));
        assertEquals(OffloadStream.WRITE, pair.client.ready());
        closeBoth();
    }

    @ParameterizedTest
    @CsvSource({"1, 3000", "100, 100000", "16384, 4000000", "70000, 20000000", "1048576, 50000000"})
    void everyByteOnceAndInOrder(int chunk, int total) throws Exception {
        for (boolean virtual : new boolean[] {false, true}) {
            Random seed = new Random(chunk);
            byte[] data = new byte[total];
            seed.nextBytes(data);
            CompletableFuture<byte[]> got = start(virtual, () -> readFully(pair.server, total));
            CompletableFuture<byte[]> sent =
                    start(
                            virtual,
                            () -> {
                                for (int at = 0; at < total; at += chunk) {
                                    int n = Math.min(chunk, total - at);
                                    writeFully(
                                            pair.client,
                                            java.util.Arrays.copyOfRange(data, at, at + n));
                                }
                                return data;
                            });
            assertArrayEquals(data, got.get(30, TimeUnit.SECONDS));
            sent.get(1, TimeUnit.SECONDS);
        }
        closeBoth();
    }

    @Test
    void readerAndWriterOfOneEndDoNotDisturbEachOther() throws Exception {
        int total = 8_000_000;
        byte[] data = new byte[total];
        new Random(7).nextBytes(data);
        for (boolean virtual : new boolean[] {false, true}) {
            CompletableFuture<byte[]> a = start(virtual, () -> readFully(pair.server, total));
            CompletableFuture<byte[]> b = start(!virtual, () -> readFully(pair.client, total));
            CompletableFuture<byte[]> c = start(virtual, () -> written(pair.client, data));
            CompletableFuture<byte[]> d = start(virtual, () -> written(pair.server, data));
            assertArrayEquals(data, a.get(30, TimeUnit.SECONDS));
            assertArrayEquals(data, b.get(30, TimeUnit.SECONDS));
            c.get(1, TimeUnit.SECONDS);
            d.get(1, TimeUnit.SECONDS);
        }
        closeBoth();
    }

    @Test
    void buffersOfBothKindsMoveTheirPositionsExactly() throws IOException {
        for (boolean direct : new boolean[] {false, true}) {
            ByteBuffer src = direct ? ByteBuffer.allocateDirect(100) : ByteBuffer.allocate(100);
            src.put(10, "0123456789".getBytes(US_ASCII)).position(12).limit(18);
            assertEquals(6, pair.client.tryWrite(src));
            assertEquals(18, src.position());
            ByteBuffer dst = direct ? ByteBuffer.allocateDirect(100) : ByteBuffer.allocate(100);
            dst.position(3).limit(7);
            assertEquals(4, pair.server.tryRead(dst));
            assertEquals(7, dst.position());
            assertEquals('2', dst.get(3));
            dst.limit(100);
            assertEquals(2, pair.server.tryRead(dst));
        }
        closeBoth();
    }

    @Test
    void writesStopWhenThePeerDoesNotReadAndGoOnWhenItDoes() throws IOException {
        byte[] chunk = new byte[65536];
        long taken = 0;
        int n;
        while ((n = pair.client.tryWrite(chunk, 0, chunk.length)) > 0) {
            taken += n;
        }
        assertEquals(0, pair.client.ready() & OffloadStream.WRITE);
        assertTrue(taken >= 65536, "took only " + taken);
        readFully(pair.server, (int) taken);
        assertEquals(0, pair.server.tryRead(chunk, 0, 1));
        await().until(() -> (pair.client.ready() & OffloadStream.WRITE) != 0);
        closeBoth();
    }

    @Test
    void smallWritesGatheredForASlowPeerLeaveWithoutAnotherCall() throws IOException {
        byte[] data = new byte[20_000];
        new Random(3).nextBytes(data);
        for (int at = 0; at < data.length; at += 50) {
            assertEquals(50, pair.client.tryWrite(data, at, 50));
        }
        assertArrayEquals(data, readFully(pair.server, data.length));
        closeBoth();
    }

    @Test
    void whatWasGatheredComesBeforeAnUrgentByteALargeWriteAndTheEnd() throws IOException {
        pair.server.oobInline(true);
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (int i = 0; i < 100; i++) {
            byte[] small = {(byte) i, 1, 2};
            all.write(small);
            writeFully(pair.client, small);
        }
        assertTrue(pair.client.tryWriteUrgent('!'));
        all.write('!');
        byte[] large = new byte[10_000];
        all.write(large);
        writeFully(pair.client, large);
        byte[] last = {7};
        all.write(last);
        writeFully(pair.client, last);
        pair.client.shutdownOutput();
        assertArrayEquals(all.toByteArray(), readFully(pair.server, all.size() + 1));
        closeBoth();
    }

    /** Small writes, now and then an urgent one, by a thread that waits when there is no room. */
    @ParameterizedTest
    @CsvSource({"false, 0", "true, 0", "false, 1000", "true, 1500"})
    void aWriterWaitsForAPeerThatReadsLate(boolean virtual, int urgentEvery) throws Exception {
        pair.server.oobInline(true);
        byte[] data = new byte[1_500_000];
        new Random(urgentEvery).nextBytes(data);
        AtomicInteger written = new AtomicInteger();
        CompletableFuture<byte[]> sent =
                start(
                        virtual,
                        () -> {
                            for (int at = 0; at < data.length; at += 15) {
                                writeFully(
                                        pair.client,
                                        java.util.Arrays.copyOfRange(data, at, at + 15));
                                if (urgentEvery > 0 && at / 15 % urgentEvery == 0) {
                                    writeUrgently(pair.client, data[at]);
                                }
                                written.set(at + 15);
                            }
                            return data;
                        });
        AtomicInteger before = new AtomicInteger();
        await().pollInterval(Duration.ofMillis(100))
                .until(
                        () ->
                                written.get() > 16_000
                                        && written.get() == before.getAndSet(written.get()));
        assertFalse(sent.isDone(), "everything was taken");
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (int at = 0; at < data.length; at += 15) {
            all.write(data, at, 15);
            if (urgentEvery > 0 && at / 15 % urgentEvery == 0) {
                all.write(data[at]);
            }
        }
        assertArrayEquals(all.toByteArray(), readFully(pair.server, all.size()));
        sent.get(1, TimeUnit.SECONDS);
        closeBoth();
    }

    private static void writeUrgently(OffloadStream s, int value) throws IOException {
        while (!s.tryWriteUrgent(value)) {
            s.await(OffloadStream.WRITE, TimeUnit.SECONDS.toNanos(10));
        }
    }

    @Test
    void halfCloseLeavesTheOtherHalfOpen() throws IOException {
        writeFully(pair.client, "last".getBytes(US_ASCII));
        pair.client.shutdownOutput();
        assertArrayEquals("last".getBytes(US_ASCII), readFully(pair.server, 100));
        assertEquals(-1, pair.server.tryRead(new byte[1], 0, 1));
        writeFully(pair.server, new byte[300_000]);
        assertEquals(300_000, readFully(pair.client, 300_000).length);
        SocketException e =
                assertThrows(SocketException.class, () -> pair.client.tryWrite(new byte[1], 0, 1));
        assertEquals("Broken pipe", e.getMessage());
        closeBoth();
    }

    @Test
    void closeDeliversWhatWasWritten() throws IOException {
        writeFully(pair.client, new byte[200_000]);
        pair.client.close(false);
        assertEquals(200_000, readFully(pair.server, 300_000).length);
        pair.server.close(false);
    }

    @Test
    void aWriteToAClosedPeerSucceedsOnceAndThenBreaks() throws IOException {
        pair.client.shutdownOutput();
        pair.client.close(false);
        assertEquals(5, pair.server.tryWrite(new byte[5], 0, 5));
        await().untilAsserted(
                        () -> {
                            SocketException e =
                                    assertThrows(
                                            SocketException.class,
                                            () -> pair.server.tryWrite(new byte[5], 0, 5));
                            assertEquals("Broken pipe", e.getMessage());
                        });
        assertEquals(-1, pair.server.tryRead(new byte[1], 0, 1));
        pair.server.close(false);
    }

    @Test
    void resetReadFirst() throws Exception {
        writeFully(pair.client, "queued".getBytes(US_ASCII));
        pair.client.close(true);
        assertArrayEquals("queued".getBytes(US_ASCII), readFully(pair.server, 6));
        for (int i = 0; i < 2; i++) {
            assertEquals(
                    "Connection reset",
                    assertThrows(SocketException.class, () -> readFully(pair.server, 1))
                            .getMessage());
        }
        assertEquals(
                "Broken pipe",
                assertThrows(SocketException.class, () -> pair.server.tryWrite(new byte[1], 0, 1))
                        .getMessage());
        pair.server.close(false);
    }

    @Test
    void resetWriteFirst() throws Exception {
        writeFully(pair.client, "queued".getBytes(US_ASCII));
        pair.client.close(true);
        await().until(() -> (pair.server.ready() & OffloadStream.READ) != 0);
        await().untilAsserted(
                        () ->
                                assertEquals(
                                        "Connection reset by peer",
                                        assertThrows(
                                                        SocketException.class,
                                                        () ->
                                                                pair.server.tryWrite(
                                                                        new byte[1], 0, 1))
                                                .getMessage()));
        assertArrayEquals("queued".getBytes(US_ASCII), readFully(pair.server, 100));
        assertEquals(-1, pair.server.tryRead(new byte[1], 0, 1));
        pair.server.close(false);
    }

    @Test
    void urgentByteIsDroppedUnlessInline() throws IOException {
        assertTrue(pair.client.tryWriteUrgent('!'));
        writeFully(pair.client, "a".getBytes(US_ASCII));
        assertArrayEquals("a".getBytes(US_ASCII), readFully(pair.server, 1));
        pair.server.oobInline(true);
        assertTrue(pair.client.tryWriteUrgent('!'));
        writeFully(pair.client, "a".getBytes(US_ASCII));
        assertArrayEquals("!a".getBytes(US_ASCII), readFully(pair.server, 2));
        closeBoth();
    }

    @Test
    void availableCountsEverythingThatHasArrived() throws IOException {
        writeFully(pair.client, new byte[20_000]);
        writeFully(pair.client, new byte[5]);
        assertEquals(20_005, pair.server.available());
        readFully(pair.server, 1000);
        assertEquals(19_005, pair.server.available());
        closeBoth();
    }

    @Test
    void shutdownInputFreesTheReaderAndLetsThePeerWriteOn() throws Exception {
        CompletableFuture<byte[]> reader = start(false, () -> readFully(pair.server, 1));
        pair.server.shutdownInput();
        assertEquals(0, reader.get(5, TimeUnit.SECONDS).length);
        writeFully(pair.client, new byte[3_000_000]);
        closeBoth();
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void wakeFreesBothWaiters(boolean virtual) throws Exception {
        byte[] chunk = new byte[65536];
        while (pair.client.tryWrite(chunk, 0, chunk.length) > 0) {}
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<byte[]> reader =
                start(virtual, () -> waitUntil(stop, OffloadStream.READ));
        CompletableFuture<byte[]> writer =
                start(virtual, () -> waitUntil(stop, OffloadStream.WRITE));
        stop.set(true);
        await().atMost(Duration.ofSeconds(5))
                .until(
                        () -> {
                            pair.client.wake();
                            return reader.isDone() && writer.isDone();
                        });
        reader.get();
        writer.get();
        closeBoth();
    }

    @Test
    void aWaitEndsInTime() {
        long start = System.nanoTime();
        pair.client.await(OffloadStream.READ, TimeUnit.MILLISECONDS.toNanos(30));
        long took = System.nanoTime() - start;
        assertTrue(took < TimeUnit.SECONDS.toNanos(5), "took " + took);
        closeBoth();
    }

    @Test
    void anInterruptedPlatformThreadGoesOnWaitingAndKeepsItsFlag() throws Exception {
        AtomicBoolean flag = new AtomicBoolean();
        CompletableFuture<byte[]> reader =
                start(
                        false,
                        () -> {
                            Thread.currentThread().interrupt();
                            byte[] b = readFully(pair.server, 3);
                            flag.set(Thread.interrupted());
                            return b;
                        });
        writeFully(pair.client, "abc".getBytes(US_ASCII));
        assertArrayEquals("abc".getBytes(US_ASCII), reader.get(5, TimeUnit.SECONDS));
        assertTrue(flag.get());
        closeBoth();
    }

    @Test
    void steadyStateAllocatesNothing() throws IOException {
        var threads =
                (com.sun.management.ThreadMXBean)
                        java.lang.management.ManagementFactory.getThreadMXBean();
        byte[] b = new byte[64];
        long id = Thread.currentThread().threadId();
        long bytes = Long.MAX_VALUE;
        // what is not compiled yet allocates, and on a busy machine compilers are late
        for (int slice = 0; slice < 30 && bytes >= 10_000; slice++) {
            long before = threads.getThreadAllocatedBytes(id);
            for (int i = 0; i < 10_000; i++) {
                pingPong(b);
            }
            bytes = threads.getThreadAllocatedBytes(id) - before;
        }
        assertTrue(bytes < 10_000, bytes + " bytes for 20,000 reads and writes");
        closeBoth();
    }

    private void pingPong(byte[] b) throws IOException {
        assertEquals(64, pair.client.tryWrite(b, 0, 64));
        assertEquals(64, readSoon(pair.server, b));
        assertEquals(64, pair.server.tryWrite(b, 0, 64));
        assertEquals(64, readSoon(pair.client, b));
    }

    /** A device may take its time, the kernel's TCP below soft-iWARP too. */
    private static int readSoon(OffloadStream s, byte[] b) throws IOException {
        int n = s.tryRead(b, 0, b.length);
        if (n == 0) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(StreamPair.LIMIT_SECONDS);
            while (n == 0 && System.nanoTime() < end) {
                s.await(OffloadStream.READ, end - System.nanoTime());
                n = s.tryRead(b, 0, b.length);
            }
        }
        return n;
    }

    @Test
    void drainedAfterShutdown() throws IOException {
        writeFully(pair.client, new byte[10]);
        pair.client.shutdownOutput();
        await().until(pair.client::drained);
        closeBoth();
    }

    private byte[] waitUntil(AtomicBoolean stop, int op) {
        while (!stop.get()) {
            pair.client.await(op, Long.MAX_VALUE);
        }
        return new byte[0];
    }

    private static byte[] written(OffloadStream s, byte[] data) throws IOException {
        writeFully(s, data);
        return data;
    }

    private interface Work {
        byte[] run() throws Exception;
    }

    private static CompletableFuture<byte[]> start(boolean virtual, Work work) {
        CompletableFuture<byte[]> f = new CompletableFuture<>();
        Runnable task =
                () -> {
                    try {
                        f.complete(work.run());
                    } catch (Throwable t) {
                        f.completeExceptionally(t);
                    }
                };
        if (virtual) {
            Thread.startVirtualThread(task);
        } else {
            Thread.ofPlatform().daemon().start(task);
        }
        assertFalse(f.isCancelled());
        return f;
    }
}
