package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.wire.SdpMachine;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a buffer that is back with the application is not touched any more, although it was being
 * filled when the stream was cut. Method: nothing makes progress but the calls here, so a read of
 * the peer's buffer is under way for as long as the peer is not asked to answer it.
 */
@Timeout(60)
final class ZcopyCutTest {
    private static final int LEN = 1 << 18;

    private TestFabric fabric;
    private StreamPair pair;
    private SdpStream client;
    private SdpStream server;
    private final ByteBuffer into = ByteBuffer.allocateDirect(LEN);
    private Operation read;
    private final AtomicInteger discarded = new AtomicInteger();

    /** Counts the regions whose registrations are not to be kept. */
    private QueuePair counting(QueuePair qp) {
        IdentityHashMap<Object, MemoryRegion> regions = new IdentityHashMap<>();
        return Shims.around(
                QueuePair.class,
                qp,
                (p, method, args) -> {
                    if (method.getName().equals("register")) {
                        MemoryRegion region = (MemoryRegion) Shims.invoke(method, qp, args);
                        MemoryRegion counted =
                                Shims.around(
                                        MemoryRegion.class,
                                        region,
                                        (r, called, none) -> {
                                            if (called.getName().equals("discard")) {
                                                discarded.incrementAndGet();
                                            }
                                            return null;
                                        });
                        regions.put(counted, region);
                        return counted;
                    }
                    if (method.getName().equals("postRead")) {
                        args[1] = regions.get(args[1]);
                    }
                    return null;
                });
    }

    @BeforeEach
    void open() throws Exception {
        StreamSettings.Zcopy zcopy = TestFabric.zcopy(true, false);
        fabric = new TestFabric().neverTrimming();
        pair =
                new StreamPair(
                        fabric.provider(zcopy),
                        fabric.provider(f -> Shims.connecting(f, this::counting), zcopy));
        client = (SdpStream) pair.client;
        server = (SdpStream) pair.server;
    }

    @AfterEach
    void shut() throws Exception {
        pair.close();
        fabric.close();
    }

    /** The client reads from a buffer of the server's, and has ended its own output. */
    private void beginRead() {
        byte[] content = new byte[LEN];
        Arrays.fill(content, (byte) 7);
        read = Operation.read(client, into);
        Operation write =
                Operation.write(server, ByteBuffer.allocateDirect(LEN).put(content).flip());
        assertTrue(read.lent() && write.lent());
        client.ready();
        assertTrue(StreamPair.ask(client, core -> core.machine.sink().lent() > 0));
        client.shutdownOutput();
        assertTrue(StreamPair.hasLoan(client));
    }

    private byte[] content() {
        byte[] b = new byte[LEN];
        into.get(0, b);
        return b;
    }

    @Test
    void aReadThatAShutOutputEndsIsOverWhenItsBufferIsBack() throws Exception {
        beginRead();
        client.reclaim(OffloadStream.READ, false);
        assertEquals(1, discarded.get());
        byte[] before = content();
        server.ready(); // answers
        client.ready();
        assertArrayEquals(before, content());
        assertFalse(StreamPair.hasLoan(client));
        SocketException e =
                assertThrows(SocketException.class, () -> client.tryRead(new byte[1], 0, 1));
        assertEquals("Connection reset", e.getMessage());
        client.close(false);
        server.close(false);
        await().atMost(Duration.ofSeconds(20)).until(() -> client.life().released());
    }

    @Test
    void soIsOneThatTheMachineCutsWhileItsReaderWaits() throws Exception {
        beginRead();
        client.life().readiness.change(() -> client.life().core.onTimer(SdpMachine.TIMER_RDMA));
        assertTrue(StreamPair.ask(client, core -> core.machine.reset()));
        SocketException e =
                assertThrows(
                        SocketException.class,
                        () -> {
                            while (client.tryRead(into) > 0) {
                                // it had come before
                            }
                        });
        assertEquals("Connection reset", e.getMessage());
        assertEquals(1, discarded.get());
        assertFalse(StreamPair.hasLoan(client));
        byte[] before = content();
        server.ready(); // answers
        client.ready();
        assertArrayEquals(before, content());
        client.reclaim(OffloadStream.READ, false);
        client.close(false);
        server.close(false);
        await().atMost(Duration.ofSeconds(20)).until(() -> client.life().released());
    }

    @Test
    void soIsOneThatWasGivenUpBeforeTheClose() throws Exception {
        beginRead();
        read.giveUp();
        client.close(false);
        byte[] before = content();
        assertFalse(StreamPair.hasLoan(client));
        assertEquals(1, discarded.get());
        server.ready(); // answers
        server.close(false);
        await().atMost(Duration.ofSeconds(20)).until(() -> client.life().released());
        assertArrayEquals(before, content());
    }

    @Test
    void aBufferThatWasFilledMayBeRegisteredAsBefore() throws Exception {
        beginRead();
        await().until(
                        () -> {
                            server.ready();
                            return read.tried();
                        });
        assertEquals(LEN, read.moved);
        assertEquals(0, discarded.get());
        client.close(true);
        server.close(true);
    }
}
