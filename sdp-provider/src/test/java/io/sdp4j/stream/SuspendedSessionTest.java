package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.testing.HeldAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a session that the peer suspends (docs/protocol.md 10) goes on at another of its ports
 * without a byte lost or out of order; waits are ended by nothing but time, resumption, or a reset
 * when the peer never comes back. Method: a peer made by hand; a port without a listener keeps the
 * session suspended for as long as the test wants.
 */
@Timeout(60)
final class SuspendedSessionTest {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);

    private TestFabric fabric;
    private HandMadePeer peer;
    private SdpStream stream;

    @BeforeEach
    void open() throws Exception {
        fabric = new TestFabric().suspending();
    }

    @AfterEach
    void shut() throws IOException {
        peer.close();
        fabric.close();
    }

    private void connect(StreamSettings.Zcopy zcopy, long resumeNanos) throws Exception {
        fabric.resumingWithin(resumeNanos);
        AtomicReference<Fabric> raw = new AtomicReference<>();
        var provider =
                fabric.provider(
                        f -> {
                            raw.set(f);
                            return f;
                        },
                        zcopy);
        peer = new HandMadePeer(raw.get());
        InetSocketAddress at = peer.listen(peer.port());
        stream =
                (SdpStream)
                        provider.connect(
                                new ConnectSpec(
                                        at,
                                        _ -> HeldAddress.on(at.getAddress()),
                                        List.of(),
                                        System.nanoTime() + TimeUnit.SECONDS.toNanos(10),
                                        false,
                                        () -> false));
        peer.accept();
    }

    private void connect() throws Exception {
        connect(TestFabric.NO_ZCOPY, LONG_NANOS);
    }

    private static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.ISO_8859_1);
    }

    private String read(int len) throws IOException {
        return new String(StreamPair.readFully(stream, len), StandardCharsets.ISO_8859_1);
    }

    private void write(String s) throws IOException {
        StreamPair.writeFully(stream, bytes(s));
    }

    private void expect(String all) {
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(
                        () ->
                                assertEquals(
                                        all,
                                        new String(peer.received(), StandardCharsets.ISO_8859_1)));
    }

    /** Suspends the session; a thread has to wait in it to answer. */
    private InetSocketAddress suspend() throws IOException {
        InetSocketAddress next = peer.port();
        peer.askToSuspend(next.getPort());
        await().atMost(Duration.ofSeconds(10))
                .until(
                        () -> {
                            stream.ready();
                            return peer.suspended();
                        });
        await().atMost(Duration.ofSeconds(10))
                .until(() -> StreamPair.ask(stream, c -> c.suspension.ever()));
        return next;
    }

    private void resume(InetSocketAddress at) throws IOException {
        peer.listen(at);
        peer.accept();
        await().atMost(Duration.ofSeconds(10)).until(() -> !stream.life().suspended());
    }

    @Test
    void goesOnElsewhereInOrder() throws Exception {
        connect();
        write("one ");
        expect("one ");
        peer.send(bytes("eins "), false);
        assertEquals("ei", read(2));
        peer.send(bytes("zwei "), false);
        InetSocketAddress next = suspend();
        assertEquals(0, stream.tryWrite(bytes("x"), 0, 1));
        assertEquals(0, stream.ready() & OffloadStream.WRITE);
        assertFalse(stream.tryWriteUrgent('!'));
        assertEquals("ns z", read(4));
        resume(next);
        write("two ");
        expect("one two ");
        peer.send(bytes("drei "), false);
        assertEquals("wei drei ", read(9));
        assertEquals(8, stream.info().bytesWritten());
        assertEquals(15, stream.info().bytesRead());
        stream.close(false);
        await().atMost(Duration.ofSeconds(10))
                .until(
                        () -> {
                            peer.pump();
                            return peer.machine.eof();
                        });
    }

    /**
     * Else an accepted end would show its listener, as the only socket of its address, to a peer
     * that has nothing to move.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void withinAHostNoneIsSuspended(boolean connects) throws Exception {
        fabric.close();
        fabric = new TestFabric();
        AtomicReference<Fabric> raw = new AtomicReference<>();
        var provider =
                fabric.provider(
                        f -> {
                            raw.set(f);
                            return f;
                        });
        peer = new HandMadePeer(raw.get());
        InetSocketAddress at = peer.port();
        ConnectSpec spec =
                new ConnectSpec(
                        at,
                        _ -> HeldAddress.on(at.getAddress()),
                        List.of(),
                        System.nanoTime() + TimeUnit.SECONDS.toNanos(10),
                        false,
                        () -> false);
        if (connects) {
            peer.listen(at);
            stream = (SdpStream) provider.connect(spec);
            peer.accept();
        } else {
            OffloadListener listener =
                    provider.listen(new ListenSpec(at, false, 50, List.of(), () -> {}));
            Fabric able = TestFabric.suspending(raw.get());
            peer.take(ActiveOpen.connect(able, fabric.context(), spec));
            await().until(listener::pending);
            stream = (SdpStream) listener.poll();
            listener.close();
        }
        assertFalse(stream.migrate());
        peer.askToSuspend(at.getPort());
        SocketException e = assertThrows(SocketException.class, () -> read(1));
        assertEquals("Connection reset", e.getMessage());
        assertFalse(StreamPair.ask(stream, c -> c.suspension.ever()));
        stream.close(true);
    }

    /**
     * The new owner listens before it asks, as docs/protocol.md has it, and no thread waits in the
     * stream.
     */
    @Test
    void isFollowedWithoutAThreadInIt() throws Exception {
        connect();
        InetSocketAddress next = peer.listen(peer.port());
        peer.suspend(next.getPort());
        peer.accept();
        peer.send(bytes("hi"), false);
        assertEquals("hi", read(2));
        stream.close(true);
    }

    @Test
    void againAndAgain() throws Exception {
        connect();
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            peer.send(bytes("v" + i), false);
            InetSocketAddress next = suspend();
            resume(next);
            peer.send(bytes("n" + i), false);
            assertEquals("v" + i + "n" + i, read(4));
            write("w" + i);
            all.append("w").append(i);
            expect(all.toString());
        }
        stream.close(true);
    }

    /** Waits last as long as they are to, and not longer. */
    @Test
    void waitsAreTimed() throws Exception {
        connect();
        suspend();
        long before = System.nanoTime();
        while (System.nanoTime() - before < TimeUnit.MILLISECONDS.toNanos(50)) {
            long left = TimeUnit.MILLISECONDS.toNanos(50) - (System.nanoTime() - before);
            stream.await(OffloadStream.READ, left);
            assertEquals(0, stream.ready());
        }
        assertEquals(0, stream.tryRead(new byte[1], 0, 1));
        stream.close(true);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoWaitsGoesOn(boolean virtual) throws Exception {
        connect();
        byte[] much = new byte[1 << 20];
        new Random(7).nextBytes(much);
        AtomicReference<Object> came = new AtomicReference<>();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        Thread.Builder threads = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        Thread writer =
                threads.start(
                        () -> {
                            try {
                                StreamPair.writeFully(stream, much);
                            } catch (IOException e) {
                                failed.set(e);
                            }
                        });
        Thread reader =
                threads.start(
                        () -> {
                            try {
                                came.set(read(3));
                            } catch (IOException e) {
                                failed.set(e);
                            }
                        });
        await().until(() -> (stream.ready() & OffloadStream.WRITE) == 0);
        InetSocketAddress next = peer.port();
        peer.suspend(next.getPort());
        await().during(Duration.ofMillis(50)).until(() -> writer.isAlive() && reader.isAlive());
        resume(next);
        peer.send(bytes("ok!"), false);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> peer.received().length == much.length && !reader.isAlive());
        writer.join();
        assertArrayEquals(much, peer.received());
        assertEquals("ok!", came.get());
        assertEquals(null, failed.get());
        stream.close(true);
    }

    @Test
    void whatIsEndedMeanwhileIsSaidAfterwards() throws Exception {
        connect();
        InetSocketAddress next = suspend();
        stream.shutdownOutput();
        assertFalse(stream.drained());
        SocketException e =
                assertThrows(SocketException.class, () -> stream.tryWrite(bytes("x"), 0, 1));
        assertEquals("Broken pipe", e.getMessage());
        resume(next);
        await().atMost(Duration.ofSeconds(10))
                .until(
                        () -> {
                            peer.pump();
                            return peer.machine.eof();
                        });
        peer.send(bytes("late"), false);
        assertEquals("late", read(4));
        assertTrue(stream.drained());
        stream.close(false);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closedMeanwhile(boolean abortive) throws Exception {
        connect();
        InetSocketAddress next = suspend();
        stream.close(abortive);
        peer.listen(next);
        peer.accept();
        await().atMost(Duration.ofSeconds(10))
                .until(
                        () -> {
                            peer.pump();
                            return abortive ? peer.machine.reset() : peer.machine.eof();
                        });
        assertEquals(abortive, peer.machine.reset());
        peer.closeMachine(abortive);
        await().atMost(Duration.ofSeconds(10))
                .until(
                        () -> {
                            peer.pump();
                            return stream.life().released();
                        });
    }

    /**
     * The peer never comes back: received bytes are read, then it is a reset. The log is told
     * through the limit on what peers can have written there.
     */
    @Test
    void isLostWhenThePeerNeverComesBack() throws Exception {
        List<String> complaints = new CopyOnWriteArrayList<>();
        fabric.complainingTo(complaints::add);
        connect(TestFabric.NO_ZCOPY, TimeUnit.MILLISECONDS.toNanos(200));
        peer.send(bytes("last"), false);
        suspend();
        await().atMost(Duration.ofSeconds(10)).until(() -> !stream.life().suspended());
        assertEquals(OffloadStream.READ | OffloadStream.WRITE, stream.ready());
        assertEquals("last", read(4));
        SocketException e = assertThrows(SocketException.class, () -> read(1));
        assertEquals("Connection reset", e.getMessage());
        e = assertThrows(SocketException.class, () -> write("x"));
        assertEquals("Broken pipe", e.getMessage());
        assertEquals(1, complaints.size());
        assertTrue(complaints.getFirst().contains(" did not get a suspended session back: "));
        stream.close(false);
        await().atMost(Duration.ofSeconds(10)).until(() -> stream.life().released());
    }

    @Test
    void closedAndLost() throws Exception {
        connect(TestFabric.NO_ZCOPY, TimeUnit.MILLISECONDS.toNanos(200));
        suspend();
        stream.close(false);
        await().atMost(Duration.ofSeconds(10)).until(() -> stream.life().released());
    }

    /** Queue pairs of a reader that does not read are not kept without end. */
    @Test
    void isCutWhenEarlierInputIsNotRead() throws Exception {
        connect(TestFabric.NO_ZCOPY, TimeUnit.SECONDS.toNanos(2));
        StringBuilder all = new StringBuilder();
        int suspensions = 0;
        while (!StreamPair.ask(stream, c -> c.end.reset())) {
            peer.send(bytes("abcd"), false);
            all.append("abcd");
            peer.listen(suspend());
            await().until(() -> peer.knocked() || StreamPair.ask(stream, c -> c.end.reset()));
            if (peer.knocked()) {
                peer.accept();
                await().until(() -> !stream.life().suspended());
                assertTrue(++suspensions < 10, "without end");
            }
        }
        assertTrue(suspensions > 1);
        assertEquals(all.toString(), read(all.length()));
        assertThrows(SocketException.class, () -> read(1));
        stream.close(false);
    }

    /**
     * A lent buffer comes back; the part of it that had not moved follows on the next connection.
     */
    @Test
    void aLoanComesBack() throws Exception {
        connect(TestFabric.zcopy(true, false), LONG_NANOS);
        byte[] much = new byte[1 << 20];
        new Random(3).nextBytes(much);
        ByteBuffer lent = ByteBuffer.allocateDirect(much.length).put(much).flip();
        Operation write = Operation.write(stream, lent);
        assertTrue(StreamPair.hasLoan(stream));
        InetSocketAddress next = suspend(); // what it says crosses the offer
        assertFalse(StreamPair.hasLoan(stream));
        assertTrue(write.tried());
        assertEquals(0, stream.ready() & OffloadStream.WRITE);
        resume(next);
        byte[] rest = new byte[lent.remaining()];
        lent.get(rest);
        Thread writer =
                Thread.ofPlatform()
                        .start(() -> assertDoesNotThrow(() -> StreamPair.writeFully(stream, rest)));
        await().atMost(Duration.ofSeconds(20)).until(() -> peer.received().length == much.length);
        writer.join();
        assertArrayEquals(much, peer.received());
        stream.close(true);
    }
}
