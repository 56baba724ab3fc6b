package io.sdp4j.fabric.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.contract.FabricEnds.QpPair;
import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a connection that ended in order leaves its socket and memory to the next one between the
 * same two ends, for a short time, and nothing of its own in them.
 *
 * <p>Method: both ends in this JVM, as two fabrics; segments are counted in the process's own map.
 */
final class ShmTransportPoolTest extends ShmDirectory {
    private static final int MOST_RESTING = 64;
    private ServerSocket kernel;
    private InetSocketAddress at;
    private ShmFabric server;
    private ShmFabric client;
    private FabricListener listener;
    private volatile boolean full;
    private final BlockingQueue<QueuePair> accepted = new LinkedBlockingQueue<>();

    @BeforeEach
    void listen() throws IOException {
        kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        at = (InetSocketAddress) kernel.getLocalSocketAddress();
        server = Ends.fabric(dir);
        client = Ends.fabric(dir);
        listener = listenAgain(SPEC);
    }

    private FabricListener listenAgain(QpSpec spec) throws FabricException {
        return server.listen(
                new ListenRequest(
                        at,
                        false,
                        r -> {
                            if (full) {
                                r.reject(new byte[0]);
                            } else {
                                r.accept(spec, new byte[0], Taker.into(accepted));
                            }
                        }));
    }

    @AfterEach
    void closeAll() throws IOException {
        client.close();
        server.close();
        kernel.close();
        await().untilAsserted(() -> assertEquals(0, segments()));
    }

    /** Mappings of fabric memory in this process. */
    private static int segments() throws IOException {
        return Proc.mappings("memfd:sdp4j").size();
    }

    private ConnectRequest request() {
        return Ends.request(at, SPEC);
    }

    private QpPair connect() throws Exception {
        QueuePair mine = client.connect(request()).queuePair();
        return new QpPair(mine, accepted.poll(20, TimeUnit.SECONDS));
    }

    /** One message each way that only this connection can have sent. */
    private static void exchange(QpPair p, int mark) {
        send(p.a(), mark);
        receive(p.b(), mark);
        send(p.b(), ~mark);
        receive(p.a(), ~mark);
    }

    private static void send(QueuePair qp, int mark) {
        int slot = qp.takeSendSlot();
        qp.sendMemory().set(ValueLayout.JAVA_INT, qp.sendOffset(slot), mark);
        qp.postSend(slot, 4, 0);
    }

    private static void receive(QueuePair qp, int mark) {
        Completion c = next(qp);
        assertEquals(Completion.RECEIVE, c.opcode);
        assertEquals(4, c.byteLen);
        assertEquals(mark, qp.receiveMemory().get(ValueLayout.JAVA_INT, qp.receiveOffset(c.slot)));
        qp.postReceive(c.slot);
    }

    /** Both sides hear the other's farewell, then let go. */
    private static void endInOrder(QpPair p) {
        p.a().disconnect();
        assertEquals(Completion.DISCONNECTED, next(p.b()).opcode);
        assertEquals(Completion.DISCONNECTED, next(p.a()).opcode);
        p.b().close();
        p.a().close();
    }

    private void awaitRest() {
        await().pollDelay(0, TimeUnit.MILLISECONDS)
                .pollInterval(1, TimeUnit.MILLISECONDS)
                .until(client.pool::ready);
    }

    @Test
    void theNextConnectionHasTheSameMemoryAndNothingOfTheLast() throws Exception {
        for (int n = 0; n < 200; n++) {
            QpPair p = connect();
            exchange(p, n);
            if (n % 3 == 0) {
                send(p.a(), 77); // never received: must not show in the next connection
                send(p.b(), 78);
            }
            assertTrue(segments() <= 2, "connection " + n);
            endInOrderAfterAll(p);
            awaitRest();
        }
    }

    /** As {@link #endInOrder}, with messages before the farewell. */
    private static void endInOrderAfterAll(QpPair p) {
        p.a().disconnect();
        while (next(p.b()).opcode != Completion.DISCONNECTED) {
            // what was sent before
        }
        while (next(p.a()).opcode != Completion.DISCONNECTED) {
            // likewise
        }
        p.b().close();
        p.a().close();
    }

    @Test
    void unusedTransportsAreGivenBackSoon() throws Exception {
        endInOrder(connect());
        awaitRest();
        assertTrue(client.reservedBytes() > 0);
        await().atMost(10, TimeUnit.SECONDS)
                .untilAsserted(
                        () -> {
                            assertEquals(0, segments());
                            assertEquals(0, client.reservedBytes());
                            assertEquals(0, server.reservedBytes());
                        });
    }

    @Test
    void aConnectionThatWasCutLeavesNothing() throws Exception {
        QpPair p = connect();
        p.a().abort();
        assertEquals(Completion.DISCONNECTED, next(p.b()).opcode);
        p.b().close();
        p.a().close();
        await().untilAsserted(() -> assertEquals(0, segments()));
    }

    @Test
    void theOtherSideMayStillHoldTheMemory() throws Exception {
        QpPair p = connect();
        p.a().disconnect();
        assertEquals(Completion.DISCONNECTED, next(p.b()).opcode);
        assertEquals(Completion.DISCONNECTED, next(p.a()).opcode);
        p.a().close();
        // its side has not let go: the next connection must have memory of its own
        QpPair q = connect();
        assertEquals(4, segments());
        exchange(q, 5);
        p.b().close();
        endInOrder(q);
    }

    @Test
    void aListenerThatLeftTakesItsCablesAlong() throws Exception {
        endInOrder(connect());
        awaitRest();
        listener.close();
        FabricException e = assertThrows(FabricException.class, () -> client.connect(request()));
        assertEquals(FabricException.Cause.NOT_OFFERED, e.why());
        listener = listenAgain(SPEC);
        QpPair p = connect();
        exchange(p, 6);
        endInOrder(p);
    }

    @Test
    void aProcessThatLostThePortIsNotConnectedWith() throws Exception {
        endInOrder(connect());
        awaitRest();
        kernel.close();
        FabricException e = assertThrows(FabricException.class, () -> client.connect(request()));
        assertEquals(FabricException.Cause.NO_LISTENER, e.why());
        kernel = new ServerSocket(at.getPort(), 5, at.getAddress());
        QpPair p = connect();
        exchange(p, 6);
        endInOrder(p);
    }

    /** A caller that does not wait takes the peer for one that may have accepted otherwise. */
    @Test
    void afterARefusalOverItThePeerHasNotAccepted() throws Exception {
        endInOrder(connect());
        awaitRest();
        full = true;
        AtomicReference<BooleanSupplier> mayBe = new AtomicReference<>();
        ConnectRequest r = request();
        ConnectRequest watched =
                new ConnectRequest(
                        r.remote(),
                        r.localAddress(),
                        r.privateData(),
                        r.spec(),
                        r.askedNanos(),
                        r.deadlineNanos(),
                        r.limitNanos(),
                        r.abandoned(),
                        mayBe::set,
                        -1);
        FabricException e = assertThrows(FabricException.class, () -> client.connect(watched));
        assertEquals(FabricException.Cause.REFUSED, e.why());
        assertFalse(mayBe.get().getAsBoolean());
    }

    @Test
    void aListenerOfAnotherShapeGetsOtherMemory() throws Exception {
        endInOrder(connect());
        awaitRest();
        QueuePair mine = Ends.connect(client, at, new QpSpec(16, 2048, 16));
        QueuePair its = accepted.poll(20, TimeUnit.SECONDS);
        assertEquals(2048, its.sendBytes());
        exchange(new QpPair(mine, its), 7);
        endInOrder(new QpPair(mine, its));
    }

    @Test
    void memoryThatWaitsGivesWayToAConnection() throws Exception {
        QpPair p = connect();
        long one = server.reservedBytes();
        endInOrder(p);
        client.pool.drop(); // so that below the other listener's is waited for
        ShmConfig config = Ends.config(dir, one + one / 2);
        try (ShmFabric tight = ShmFabric.open(config, Ends.loop());
                ShmFabric other = Ends.fabric(dir);
                ServerSocket port = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            at = (InetSocketAddress) port.getLocalSocketAddress();
            tight.listen(
                    new ListenRequest(
                            at, false, r -> r.accept(SPEC, new byte[0], Taker.into(accepted))));
            endInOrder(connect());
            awaitRest();
            QueuePair mine = other.connect(request()).queuePair();
            QpPair q = new QpPair(mine, accepted.poll(20, TimeUnit.SECONDS));
            exchange(q, 8);
            endInOrder(q);
        }
    }

    /** A Hello that is refused whatever is shown with it: nothing was accepted. */
    private byte[] refusedHello() {
        return new ShmHandshake.Hello(ShmHandshake.VERSION, SPEC, at, Ends.HELD, true, new byte[0])
                .encode();
    }

    /** The answer that comes on {@code link}, or null if that ends instead. */
    private static ShmHandshake.Reply answer(PeerSocket link) {
        byte[] all = new byte[ShmHandshake.MESSAGE_BYTES];
        int have = 0;
        try {
            while (have < all.length) {
                int n = link.receive(all, have, all.length - have);
                if (n < 0) {
                    return null;
                }
                have += n;
                link.awaitReadable(TimeUnit.SECONDS.toNanos(20));
            }
        } catch (IOException e) {
            return null;
        }
        return ShmHandshake.Reply.parse(all);
    }

    @ParameterizedTest
    @CsvSource({"7, true", "4097, false"})
    void lateWakeUpBytesAreSkippedUpToABound(int zeros, boolean answered) throws Exception {
        endInOrder(connect());
        awaitRest();
        ShmTransport spare = client.pool.take(at);
        byte[] hello = refusedHello();
        byte[] all = new byte[zeros + hello.length];
        System.arraycopy(hello, 0, all, zeros, hello.length);
        spare.link().send(all, all.length, -1);
        assertEquals(answered, answer(spare.link()) != null);
        spare.close();
    }

    /** Neither do refusals keep a transport from resting that may. */
    @Test
    void noMoreRestThanMayWhateverWasRefusedBefore() throws Exception {
        for (int n = 0; n < MOST_RESTING + 6; n++) {
            endInOrder(connect());
            awaitRest();
            ShmTransport spare = client.pool.take(at);
            spare.link().send(refusedHello(), ShmHandshake.MESSAGE_BYTES, -1);
            assertEquals(ShmHandshake.NOT_ACCEPTED, answer(spare.link()).status());
            spare.close();
        }
        await().until(() -> server.reservedBytes() == 0);
        List<QpPair> all = new ArrayList<>();
        for (int n = 0; n < MOST_RESTING + 6; n++) {
            QpPair p = connect();
            p.a().disconnect();
            assertEquals(Completion.DISCONNECTED, next(p.b()).opcode);
            assertEquals(Completion.DISCONNECTED, next(p.a()).opcode);
            all.add(p);
        }
        long one = server.reservedBytes() / all.size();
        all.forEach(p -> p.b().close());
        long resting = server.reservedBytes() / one;
        assertTrue(resting <= MOST_RESTING, "transports that rest: " + resting);
        all.forEach(p -> p.a().close());
    }

    @Test
    void aPeerThatWasKilledMeanwhileIsNotWaitedFor() throws Exception {
        Process peer = Peer.start(dir);
        try {
            at = new InetSocketAddress(InetAddress.getLoopbackAddress(), Peer.port(peer));
            QueuePair mine = client.connect(request()).queuePair();
            mine.disconnect();
            assertEquals(Completion.DISCONNECTED, next(mine).opcode);
            mine.close();
            awaitRest();
        } finally {
            peer.destroyForcibly();
            peer.waitFor();
        }
        FabricException e = assertThrows(FabricException.class, () -> client.connect(request()));
        assertEquals(FabricException.Cause.NO_LISTENER, e.why());
    }
}
