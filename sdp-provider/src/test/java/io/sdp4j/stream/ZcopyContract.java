package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: large direct buffers travel without a private copy where both sides lend them, and whatever
 * either side does instead, every byte arrives once and in order, and nothing waits for ever.
 * Method: both ends in one JVM, each on a thread of its own where one waits for the other.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
abstract class ZcopyContract {
    private static final int MIB = 1 << 20;

    private TestFabric fabric;
    private OffloadProvider provider;
    private StreamPair pair;
    private OffloadStream client;
    private OffloadStream server;

    abstract TestFabric openFabric() throws IOException;

    /** An address of this host that the fabric serves. */
    InetAddress host() throws IOException {
        return InetAddress.getLoopbackAddress();
    }

    /** Whether waiting reads are offered to the peer. */
    abstract boolean offers();

    @BeforeAll
    void open() throws IOException {
        fabric = openFabric();
        provider = fabric.provider(TestFabric.zcopy(true, offers()));
    }

    @AfterAll
    void shut() throws IOException {
        fabric.close();
    }

    @BeforeEach
    void connect() throws Exception {
        pair = new StreamPair(provider, provider, host());
        client = pair.client;
        server = pair.server;
    }

    @AfterEach
    void disconnect() throws IOException {
        pair.close();
    }

    private void closeBoth() {
        client.close(false);
        server.close(false);
    }

    private static byte[] bytes(long seed, int len) {
        byte[] b = new byte[len];
        new Random(seed).nextBytes(b);
        return b;
    }

    private static ByteBuffer direct(byte[] content) {
        return ByteBuffer.allocateDirect(content.length).put(content).flip();
    }

    private static byte[] content(ByteBuffer b) {
        byte[] all = new byte[b.flip().remaining()];
        b.get(all);
        return all;
    }

    /** Reads so many bytes on another thread, lending a buffer of a MiB each time. */
    private static CompletableFuture<byte[]> lendingReader(OffloadStream s, int len) {
        return CompletableFuture.supplyAsync(
                () -> {
                    ByteBuffer all = ByteBuffer.allocate(len);
                    ByteBuffer one = ByteBuffer.allocateDirect(MIB);
                    try {
                        while (all.hasRemaining()) {
                            one.clear().limit(Math.min(MIB, all.remaining()));
                            long n = Operation.read(s, one).get();
                            if (n < 0) {
                                break;
                            }
                            all.put(one.flip());
                        }
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                    return content(all);
                },
                Thread::startVirtualThread);
    }

    private static <T> T get(CompletableFuture<T> f) throws Exception {
        return f.get(30, TimeUnit.SECONDS);
    }

    @Test
    void whatBothSidesLendIsNotCopied() throws Exception {
        byte[] sent = bytes(1, MIB);
        CompletableFuture<byte[]> received = lendingReader(server, MIB);
        await().atMost(Duration.ofSeconds(10)).until(() -> StreamPair.hasLoan(server));
        Operation write = Operation.write(client, direct(sent));
        assertTrue(write.lent());
        assertEquals(MIB, write.get());
        assertArrayEquals(sent, get(received));
        assertTrue(
                StreamPair.lentBytes(server) > MIB - 100,
                "by RDMA only " + StreamPair.lentBytes(server));
        assertEquals(MIB, client.info().bytesWritten());
        assertEquals(MIB, server.info().bytesRead());
        closeBoth();
    }

    @Test
    void severalBuffersOfAGatheringWriteAreOnTheirWayTogether() throws Exception {
        byte[] sent = bytes(2, 8 * MIB);
        CompletableFuture<byte[]> received = lendingReader(server, sent.length);
        await().atMost(Duration.ofSeconds(10)).until(() -> StreamPair.hasLoan(server));
        for (int at = 0; at < sent.length; ) {
            ByteBuffer[] four = new ByteBuffer[4];
            for (int i = 0; i < 4; i++) {
                four[i] = ByteBuffer.allocateDirect(MIB).put(sent, at, MIB).flip();
                at += MIB;
            }
            assertEquals(4 * MIB, Operation.write(client, four).get());
        }
        assertArrayEquals(sent, get(received));
        assertTrue(
                StreamPair.lentBytes(server) > 7 * MIB,
                "by RDMA only " + StreamPair.lentBytes(server));
        closeBoth();
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 65_536, 3 * MIB})
    void aReaderThatDoesNotLendGetsItAsData(int readBytes) throws Exception {
        byte[] sent = bytes(3, 2 * MIB);
        CompletableFuture<byte[]> received =
                CompletableFuture.supplyAsync(
                        () -> {
                            ByteBuffer all = ByteBuffer.allocate(sent.length);
                            byte[] part = new byte[readBytes];
                            try {
                                while (all.hasRemaining()) {
                                    int n = server.tryRead(part, 0, part.length);
                                    if (n == 0) {
                                        server.await(OffloadStream.READ, Long.MAX_VALUE);
                                    }
                                    all.put(part, 0, n);
                                }
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                            return all.array();
                        },
                        Thread::startVirtualThread);
        writeAll(client, direct(bytes(sent, 0)));
        writeAll(client, direct(bytes(sent, MIB)));
        assertArrayEquals(sent, get(received));
        assertEquals(0, StreamPair.lentBytes(server));
        closeBoth();
    }

    /** In as many operations as it takes: one that is copied may be over before all has moved. */
    private static void writeAll(OffloadStream s, ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            Operation.write(s, from).get();
        }
    }

    private static byte[] bytes(byte[] all, int from) {
        return java.util.Arrays.copyOfRange(all, from, from + MIB);
    }

    @Test
    void aLendingReadTakesWhatIsCopiedAndNeverWaitsForMore() throws Exception {
        ByteBuffer into = ByteBuffer.allocateDirect(MIB);
        Operation read = Operation.read(server, into);
        assertTrue(read.lent());
        assertFalse(read.tried());
        byte[] few = bytes(4, 10);
        assertEquals(10, client.tryWrite(few, 0, 10));
        assertEquals(10, read.get());
        assertArrayEquals(few, content(into));
        client.shutdownOutput();
        assertEquals(-1, Operation.read(server, ByteBuffer.allocateDirect(MIB)).get());
        closeBoth();
    }

    @Test
    void aWriteThatMustNotWaitIsCopied() throws Exception {
        byte[] sent = bytes(5, MIB);
        ByteBuffer from = direct(sent);
        CompletableFuture<byte[]> received = lendingReader(server, MIB);
        while (from.hasRemaining()) {
            if (client.tryWrite(from) == 0) {
                client.await(OffloadStream.WRITE, TimeUnit.SECONDS.toNanos(5));
            }
        }
        assertArrayEquals(sent, get(received));
        assertEquals(0, StreamPair.lentBytes(server));
        closeBoth();
    }

    @Test
    void smallHeapAndMortalBuffersAreNotLent() throws Exception {
        assertFalse(Operation.write(client, ByteBuffer.allocateDirect(65_536)).lent());
        assertFalse(Operation.write(client, ByteBuffer.allocate(MIB)).lent());
        try (Arena shared = Arena.ofShared();
                Arena confined = Arena.ofConfined()) {
            for (Arena arena : List.of(shared, confined)) {
                Operation read = Operation.read(client, arena.allocate(MIB).asByteBuffer());
                Operation write = Operation.write(client, arena.allocate(MIB).asByteBuffer());
                assertFalse(StreamPair.hasLoan(client));
                read.giveUp();
                write.giveUp();
            }
        }
        Operation mixed =
                Operation.write(client, ByteBuffer.allocate(10), ByteBuffer.allocateDirect(MIB));
        assertFalse(mixed.lent());
        closeBoth();
    }

    @Test
    void whatIsGivenUpComesBackAndTheStreamKeepsItsOrder() throws Exception {
        byte[] sent = bytes(6, MIB);
        ByteBuffer into = ByteBuffer.allocateDirect(MIB);
        Operation read = Operation.read(server, into);
        read.giveUp();
        Operation write = Operation.write(client, direct(sent));
        assertFalse(write.tried());
        write.giveUp();
        // the peer need do nothing but live
        await().atMost(Duration.ofSeconds(10))
                .until(
                        () -> {
                            server.ready();
                            return !StreamPair.hasLoan(client);
                        });
        client.shutdownOutput();
        ByteBuffer all = ByteBuffer.allocate(MIB);
        while (true) {
            int n = server.tryRead(all);
            if (n < 0) {
                break;
            }
            if (n == 0) {
                server.await(OffloadStream.READ, TimeUnit.SECONDS.toNanos(1));
            }
        }
        byte[] prefix = content(all);
        assertArrayEquals(java.util.Arrays.copyOf(sent, prefix.length), prefix);
        closeBoth();
    }

    @Test
    void closeFreesWhatIsLentAtOnce() throws Exception {
        Operation read = Operation.read(client, ByteBuffer.allocateDirect(MIB));
        Operation write = Operation.write(client, direct(bytes(7, MIB)));
        assertTrue(read.lent() && write.lent());
        assertFalse(write.tried());
        client.close(false);
        assertFalse(StreamPair.hasLoan(client));
        await().atMost(Duration.ofSeconds(10)).until(() -> over(server));
        server.close(false);
    }

    /** Takes what has come, and tells whether that was all. */
    private static boolean over(OffloadStream s) throws IOException {
        byte[] some = new byte[1 << 16];
        try {
            int n;
            do {
                n = s.tryRead(some, 0, some.length);
            } while (n > 0);
            return n < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    @Test
    void aPeerThatVanishesFailsWhatIsLent() throws Exception {
        Operation read = Operation.read(client, ByteBuffer.allocateDirect(MIB));
        Operation write = Operation.write(client, direct(bytes(8, MIB)));
        assertFalse(read.tried());
        assertFalse(write.tried());
        server.close(true);
        assertThrows(SocketException.class, read::get);
        assertThrows(
                IOException.class,
                () -> {
                    while (true) {
                        write.get();
                        Operation.write(client, direct(bytes(8, MIB))).get();
                    }
                });
        read.giveUp();
        write.giveUp();
        assertFalse(StreamPair.hasLoan(client));
        client.close(false);
    }

    @Test
    void twoWritersAndNoReaderDoNotLockEachOtherUp() throws Exception {
        byte[] there = bytes(9, 400_000);
        byte[] back = bytes(10, 400_000);
        Operation one = Operation.write(client, direct(there));
        Operation two = Operation.write(server, direct(back));
        assertTrue(one.lent() && two.lent());
        CompletableFuture<Long> first = async(one);
        CompletableFuture<Long> second = async(two);
        // both fit the private buffers: a program that writes first and reads then must end
        assertEquals(there.length, get(first));
        assertEquals(back.length, get(second));
        assertArrayEquals(there, StreamPair.readFully(server, there.length));
        assertArrayEquals(back, StreamPair.readFully(client, back.length));
        closeBoth();
    }

    @Test
    void aWriteBehindUnreadInputLeavesAsDataAtOnce() throws Exception {
        byte[] unread = new byte[1 << 16];
        int came = 0;
        int n;
        while ((n = server.tryWrite(unread, 0, unread.length)) > 0) {
            came += n;
        }
        int all = came;
        await().until(() -> client.available() == all);
        byte[] sent = bytes(12, 70_000);
        Operation write = Operation.write(client, direct(sent));
        assertTrue(write.lent());
        assertTrue(write.tried(), "waits for a peer that has room and nothing to say");
        assertEquals(sent.length, write.moved);
        assertArrayEquals(sent, StreamPair.readFully(server, sent.length));
        assertEquals(came, StreamPair.readFully(client, came).length);
        closeBoth();
    }

    private static CompletableFuture<Long> async(Operation operation) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return operation.get();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                },
                task -> Thread.ofPlatform().daemon().start(task));
    }

    @Test
    void outputThatIsShutEndsBehindWhatIsLent() throws Exception {
        byte[] sent = bytes(11, MIB);
        Operation write = Operation.write(client, direct(sent));
        client.shutdownOutput();
        CompletableFuture<byte[]> received = lendingReader(server, 2 * MIB);
        assertEquals(MIB, write.get());
        assertArrayEquals(sent, get(received));
        closeBoth();
    }

    @Test
    void inputThatIsShutLetsTheWriterGoOn() throws Exception {
        Operation read = Operation.read(server, ByteBuffer.allocateDirect(MIB));
        server.shutdownInput();
        assertEquals(-1, read.get());
        for (int i = 0; i < 3; i++) {
            writeAll(client, direct(bytes(i, MIB)));
        }
        closeBoth();
    }

    /** Both directions at once; every kind of read and write, in random order. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void randomProgramsKeepEveryByte(int round) throws Exception {
        long seed = Long.getLong("sdp4j.test.seed", System.nanoTime() + round);
        try {
            randomProgram(seed);
        } catch (Exception | AssertionError e) {
            throw new AssertionError("replay: -Dsdp4j.test.seed=" + seed, e);
        }
    }

    private void randomProgram(long seed) throws Exception {
        int total = 12 * MIB;
        CompletableFuture<Void> out = writer(client, seed, total);
        CompletableFuture<Void> back = writer(server, seed + 1, total);
        CompletableFuture<byte[]> there = reader(server, seed + 2, total);
        CompletableFuture<byte[]> here = reader(client, seed + 3, total);
        get(out);
        get(back);
        assertArrayEquals(bytes(seed, total), get(there));
        assertArrayEquals(bytes(seed + 1, total), get(here));
        closeBoth();
    }

    private static CompletableFuture<Void> writer(OffloadStream s, long seed, int total) {
        return CompletableFuture.runAsync(
                () -> {
                    Random random = new Random(seed * 31);
                    byte[] all = bytes(seed, total);
                    try {
                        for (int at = 0; at < total; ) {
                            int kind = random.nextInt(4);
                            int most = kind == 0 ? 5000 : kind == 1 ? 300_000 : 2 * MIB;
                            int n = Math.min(total - at, 1 + random.nextInt(most));
                            if (kind == 3 && n > 8) {
                                ByteBuffer[] many = new ByteBuffer[4];
                                for (int i = 0; i < 4; i++) {
                                    int part = i < 3 ? n / 4 : n - 3 * (n / 4);
                                    many[i] = ByteBuffer.allocateDirect(part);
                                    many[i].put(all, at + i * (n / 4), part).flip();
                                }
                                at += (int) Operation.write(s, many).get();
                            } else if (kind == 2) {
                                ByteBuffer one = ByteBuffer.allocateDirect(n).put(all, at, n);
                                at += (int) Operation.write(s, one.flip()).get();
                            } else {
                                int done = s.tryWrite(all, at, n);
                                if (done == 0) {
                                    s.await(OffloadStream.WRITE, TimeUnit.SECONDS.toNanos(5));
                                }
                                at += done;
                            }
                        }
                        s.shutdownOutput();
                    } catch (IOException e) {
                        throw new AssertionError("seed " + seed, e);
                    }
                },
                task -> Thread.ofPlatform().daemon().start(task));
    }

    private static CompletableFuture<byte[]> reader(OffloadStream s, long seed, int total) {
        return CompletableFuture.supplyAsync(
                () -> {
                    Random random = new Random(seed);
                    ByteBuffer all = ByteBuffer.allocate(total);
                    ByteBuffer one = ByteBuffer.allocateDirect(2 * MIB);
                    boolean lends = true;
                    try {
                        while (true) {
                            lends ^= random.nextInt(10) == 0;
                            int most = lends ? 2 * MIB : random.nextInt(3) == 0 ? 200 : 100_000;
                            one.clear().limit(1 + random.nextInt(most));
                            long n;
                            if (lends) {
                                n = Operation.read(s, one).get();
                            } else {
                                n = s.tryRead(one);
                                if (n == 0) {
                                    s.await(OffloadStream.READ, TimeUnit.SECONDS.toNanos(5));
                                }
                            }
                            if (n < 0) {
                                return content(all);
                            }
                            all.put(one.flip());
                        }
                    } catch (IOException e) {
                        throw new AssertionError("seed " + seed, e);
                    }
                },
                task -> Thread.ofPlatform().daemon().start(task));
    }
}
