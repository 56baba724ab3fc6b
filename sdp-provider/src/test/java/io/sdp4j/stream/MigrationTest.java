package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a session that one of its ends moves to another queue pair (docs/protocol.md 10) goes on
 * with every byte once and in order, urgent ones and ends of halves included, whichever side asks,
 * at any time. Method: two ends in one JVM, whose queue pairs are compared.
 */
@Timeout(60)
class MigrationTest {
    private TestFabric fabric;
    private StreamPair pair;
    private SdpStream client;
    private SdpStream server;

    @BeforeEach
    void open() throws Exception {
        fabric = openFabric().resumingWithin(TimeUnit.SECONDS.toNanos(30));
    }

    TestFabric openFabric() throws IOException {
        return new TestFabric().suspending();
    }

    /** Where both ends are. */
    InetAddress host() throws IOException {
        return InetAddress.getLoopbackAddress();
    }

    /** Listeners on the fabric. */
    Object listeners() throws IOException {
        return fabric.listeners();
    }

    @AfterEach
    void shut() throws IOException {
        pair.close();
        fabric.close();
    }

    private void connect(StreamSettings.Zcopy zcopy) throws Exception {
        connect(fabric.provider(zcopy));
    }

    private void connect(OffloadProvider provider) throws Exception {
        pair = new StreamPair(provider, provider, host());
        client = (SdpStream) pair.client;
        server = (SdpStream) pair.server;
    }

    private void connect() throws Exception {
        connect(TestFabric.NO_ZCOPY);
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(2));
    }

    private static QueuePair qp(SdpStream s) {
        synchronized (s.life().core) {
            return s.life().core.qp;
        }
    }

    private static boolean settled(SdpStream s) {
        synchronized (s.life().core) {
            return !s.life().core.suspension.asked() && !s.life().core.suspension.suspended();
        }
    }

    /** Moves the session, and waits until both ends are somewhere else. */
    private void move(SdpStream by) {
        QueuePair c = qp(client);
        QueuePair s = qp(server);
        soon().until(by::migrate);
        soon().until(() -> qp(client) != c && qp(server) != s);
    }

    private static void write(SdpStream to, String s) throws IOException {
        StreamPair.writeFully(to, s.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String read(SdpStream from, int len) throws IOException {
        return new String(StreamPair.readFully(from, len), StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void goesOnInOrder(boolean byClient) throws Exception {
        connect();
        SdpStream mover = byClient ? client : server;
        SdpStream other = byClient ? server : client;
        other.oobInline(true);
        write(mover, "one");
        assertTrue(mover.tryWriteUrgent('!'));
        write(other, "eins ");
        assertEquals("ei", read(mover, 2));
        move(mover);
        write(mover, " two");
        assertTrue(mover.tryWriteUrgent('?'));
        write(other, "zwei");
        assertEquals("ns zwei", read(mover, 7));
        assertEquals("one! two?", read(other, 9));
        assertEquals(9, mover.info().bytesWritten());
        assertEquals(9, other.info().bytesRead());
        // a half ends as ever, and the other one goes on
        mover.shutdownOutput();
        assertEquals("", read(other, 1));
        write(other, "!");
        assertEquals("!", read(mover, 1));
        other.close(false);
        assertEquals("", read(mover, 1));
        mover.close(false);
        soon().until(() -> mover.life().released() && other.life().released());
    }

    /** An urgent byte that was not read before counts as one afterwards: it is passed over. */
    @Test
    void anUrgentByteStaysUrgent() throws Exception {
        connect();
        write(client, "ab");
        assertTrue(client.tryWriteUrgent('!'));
        move(client);
        write(client, "cd");
        soon().until(() -> server.available() == 2);
        assertEquals("abcd", read(server, 4));
        client.close(true);
        server.close(true);
    }

    /**
     * More often than queue pairs are kept, by either side, while much goes either way. One way at
     * a time: a peer that spends its last credits on both cannot answer.
     */
    @Test
    void againAndAgainUnderLoad() throws Exception {
        connect();
        byte[] much = new byte[1 << 20];
        new Random(5).nextBytes(much);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            for (int i = 0; i < 8; i++) {
                SdpStream from = i % 4 < 2 ? client : server;
                SdpStream to = i % 4 < 2 ? server : client;
                Future<?> writer = threads.submit(() -> writeAll(from, much));
                Future<byte[]> reader = threads.submit(() -> StreamPair.readFully(to, 1 << 20));
                move(i % 2 == 0 ? client : server);
                writer.get();
                assertArrayEquals(much, reader.get());
            }
        }
        client.close(true);
        server.close(true);
    }

    /** A reader that is behind by as many connections as are kept loses nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void waitsForAReaderThatIsBehind(boolean byClient) throws Exception {
        connect();
        SdpStream mover = byClient ? client : server;
        SdpStream other = byClient ? server : client;
        for (int i = 0; i < 3; i++) {
            write(mover, "" + i);
            move(mover);
        }
        write(mover, "3");
        QueuePair last = qp(other);
        soon().until(mover::migrate);
        soon().until(() -> other.life().suspended());
        assertEquals("01", read(other, 2));
        soon().until(() -> qp(other) != last && settled(mover));
        write(mover, "4");
        write(other, "!");
        assertEquals("234", read(other, 3));
        assertEquals("!", read(mover, 1));
        client.close(true);
        server.close(true);
    }

    /** Likewise where both ask at once, so that the second wish finds no room at either end. */
    @Test
    void bothAtOnceWhileReadersAreBehind() throws Exception {
        connect();
        for (int i = 0; i < 2; i++) {
            write(client, "" + i);
            write(server, "" + i);
            move(server); // so that the client remains the one that connects
        }
        QueuePair third = qp(server);
        synchronized (client.life().core) { // it hears nothing before it has asked
            assertTrue(server.migrate());
            assertTrue(client.migrate());
        }
        soon().until(() -> qp(server) != third && server.life().suspended());
        QueuePair fourth = qp(server);
        assertEquals("01", read(server, 2));
        soon().until(() -> qp(server) != fourth && client.life().suspended());
        assertEquals("01", read(client, 2));
        soon().until(() -> settled(client) && settled(server));
        write(client, "2");
        write(server, "2");
        assertEquals("2", read(server, 1));
        assertEquals("2", read(client, 1));
        client.close(true);
        server.close(true);
    }

    private static Object writeAll(SdpStream to, byte[] all) throws IOException {
        StreamPair.writeFully(to, all);
        return to;
    }

    /** The accepting side's wish comes first, the connecting side repeats its own. */
    @Test
    void bothAtOnce() throws Exception {
        AtomicInteger connects = new AtomicInteger();
        connect(fabric.provider(f -> counting(f, connects)));
        write(client, "un");
        write(server, "deux");
        QueuePair[] old = {qp(client), qp(server)};
        soon().until(
                        () -> {
                            connects.set(0);
                            boolean first = server.migrate();
                            boolean both = client.migrate() && first;
                            soon().until(() -> settled(client) && settled(server));
                            return both;
                        });
        assertTrue(connects.get() >= 2, "one wish was forgotten");
        assertFalse(Arrays.asList(old).contains(qp(client)));
        assertFalse(Arrays.asList(old).contains(qp(server)));
        write(client, "trois");
        write(server, "quatre");
        assertEquals("untrois", read(server, 7));
        assertEquals("deuxquatre", read(client, 10));
        client.close(true);
        server.close(true);
    }

    private static Fabric counting(Fabric fabric, AtomicInteger connects) {
        return Shims.around(
                Fabric.class,
                fabric,
                (p, method, args) -> {
                    if (method.getName().equals("connect")) {
                        connects.incrementAndGet();
                    }
                    return null;
                });
    }

    @Test
    void notWhileAHalfEnds() throws Exception {
        connect();
        Object before = listeners();
        client.shutdownOutput();
        assertFalse(client.migrate());
        assertEquals("", read(server, 1));
        assertFalse(server.migrate());
        assertEquals(before, listeners());
        client.close(false);
        server.close(false);
    }

    /** A half that is ended after having asked is reported over the next connection. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closedMeanwhile(boolean abortive) throws Exception {
        if (abortive) {
            fabric.resumingWithin(
                    TimeUnit.MILLISECONDS.toNanos(500)); // the asking side may be gone
        }
        connect();
        Object before = listeners();
        assertTrue(client.migrate());
        client.close(abortive);
        if (abortive) {
            SocketException e = assertThrows(SocketException.class, () -> read(server, 1));
            assertEquals("Connection reset", e.getMessage());
        } else {
            assertEquals("", read(server, 1));
        }
        server.close(false);
        soon().until(() -> client.life().released() && server.life().released());
        soon().until(() -> listeners().equals(before));
    }

    /** The part of a lent buffer that had not moved follows on the next connection. */
    @Test
    void aLoanComesBack() throws Exception {
        connect(TestFabric.zcopy(true, false));
        byte[] much = new byte[1 << 20];
        new Random(3).nextBytes(much);
        ByteBuffer lent = ByteBuffer.allocateDirect(much.length).put(much).flip();
        QueuePair c = qp(client);
        QueuePair s = qp(server);
        Operation write = Operation.write(client, lent);
        assertTrue(client.migrate());
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<byte[]> came = threads.submit(() -> StreamPair.readFully(server, much.length));
            soon().until(() -> qp(client) != c && qp(server) != s);
            assertFalse(StreamPair.hasLoan(client));
            assertTrue(write.get() > 0);
            byte[] rest = new byte[lent.remaining()];
            lent.get(rest);
            StreamPair.writeFully(client, rest);
            assertArrayEquals(much, came.get());
        }
        client.close(true);
        server.close(true);
    }

    /** A buffer that the program uses again and again is lent before the move and after it. */
    @Test
    void theSameBuffersAreLentAgain() throws Exception {
        connect(TestFabric.zcopy(true, false));
        ByteBuffer from = ByteBuffer.allocateDirect(1 << 18);
        ByteBuffer into = ByteBuffer.allocateDirect(from.capacity());
        exchange(from, into);
        move(client);
        long before = StreamPair.lentBytes(server);
        exchange(from, into);
        assertTrue(StreamPair.lentBytes(server) > before, "lent again");
        client.close(true);
        server.close(true);
    }

    private void exchange(ByteBuffer from, ByteBuffer into) throws Exception {
        byte[] content = new byte[from.capacity()];
        new Random(StreamPair.lentBytes(server)).nextBytes(content);
        from.clear().put(content).flip();
        Operation read = Operation.read(server, into.clear());
        Operation write = Operation.write(client, from);
        assertTrue(read.lent() && write.lent());
        AtomicBoolean came = new AtomicBoolean();
        AtomicBoolean went = new AtomicBoolean();
        soon().until(
                        () -> {
                            came.set(came.get() || read.tried());
                            went.set(went.get() || write.tried());
                            return came.get() && went.get();
                        });
        assertEquals(content.length, read.moved);
        into.flip();
        assertEquals(ByteBuffer.wrap(content), into);
    }
}
