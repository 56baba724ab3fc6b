package io.sdp4j.fabric.contract;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.RequestHandler;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.testing.HeldAddress;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * Two ends of a fabric, and what tests of them have in common. The suites, each about one subject,
 * are one line of classes down to {@link FabricContract}, because a fabric's own test class has to
 * say but once how its ends are made.
 */
@Timeout(60)
@SuppressWarnings({"try", "exports"}) // closed only; test modules export nothing
public abstract class FabricEnds {
    protected static final QpSpec SPEC = new QpSpec(8, 1024, 8);
    static final long LONG = TimeUnit.SECONDS.toNanos(20);

    protected Fabric active;
    protected Fabric passive;
    protected ServerSocket kernel;

    /** Closed at the end. */
    final List<QueuePair> open = new ArrayList<>();

    protected final Queue<Throwable> strays = new ConcurrentLinkedQueue<>();

    /** The fabric of the side that connects. */
    protected abstract Fabric openActive() throws Exception;

    /** The fabric of the side that listens. */
    protected abstract Fabric openPassive() throws Exception;

    /** Checks that nothing is left. */
    protected abstract void afterClose() throws Exception;

    /** An address of this host that both ends reach each other by. */
    protected InetAddress host() throws Exception {
        return InetAddress.getLoopbackAddress();
    }

    /**
     * Whether a fabric knows that there is no listener before it has to name the caller. A
     * connection manager learns it only from the answer to the request that carries the caller's
     * port.
     */
    protected boolean findsListenerFirst() {
        return true;
    }

    /**
     * Whether the target of an RDMA operation takes part in it by polling; a device answers by
     * itself.
     */
    protected boolean targetServesByPolling() {
        return true;
    }

    /** Connections that may be set up at a time. */
    protected int crowd() {
        return 40;
    }

    /** Whether reading a region that only grants writes is refused. */
    protected boolean checksRightToRead() {
        return true;
    }

    /**
     * Checks what the end that forbade an access reports. The shared-memory fabric names the
     * breach.
     */
    protected void assertBreachAtTarget(Completion at) {
        assertEquals(Completion.ERROR, at.opcode);
        assertEquals(WcStatus.REM_ACCESS_ERR, at.status);
    }

    /** Checks what the end that tried a forbidden access reports, all of it. */
    protected void assertBreachAtInitiator(QueuePair qp) {
        Completion c = next(qp);
        assertEquals(1, c.wrId);
        assertEquals(WcStatus.REM_ACCESS_ERR, c.status);
        assertEquals(Completion.ERROR, next(qp).opcode);
        Completion flushed = next(qp);
        assertEquals(2, flushed.wrId);
        assertEquals(WcStatus.WR_FLUSH_ERR, flushed.status);
    }

    @BeforeEach
    void openBoth() throws Exception {
        kernel = new ServerSocket(0, 50, host());
        passive = openPassive();
        active = openActive();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (QueuePair qp : open) {
            qp.close();
        }
        active.close();
        passive.close();
        kernel.close();
        assertEquals(List.of(), List.copyOf(strays));
        afterClose();
    }

    protected FabricEnds() {}

    protected InetSocketAddress address() {
        return (InetSocketAddress) kernel.getLocalSocketAddress();
    }

    protected ConnectRequest request(byte[] data, long nanos) {
        return request(this::held, data, SPEC, nanos, () -> false);
    }

    protected ConnectRequest request(
            ConnectRequest.LocalAddress local,
            byte[] data,
            QpSpec spec,
            long nanos,
            BooleanSupplier abandoned) {
        long now = System.nanoTime();
        return new ConnectRequest(
                address(),
                local,
                data,
                spec,
                now,
                now + nanos,
                now + nanos,
                abandoned,
                _ -> {},
                -1);
    }

    protected InetSocketAddress held(InetAddress source) {
        return HeldAddress.on(kernel.getInetAddress());
    }

    protected FabricListener listen(RequestHandler handler) throws FabricException {
        return passive.listen(new ListenRequest(address(), false, handler));
    }

    /** Both ends of one connection. */
    public record QpPair(QueuePair a, QueuePair b) {
        public void close() {
            a.close();
            b.close();
        }
    }

    /** Takes what becomes of an accepted request. */
    protected static final class Result implements ConnectionRequest.Outcome {
        public Result() {}

        private final CountDownLatch told = new CountDownLatch(1);
        private final AtomicReference<QueuePair> queuePair = new AtomicReference<>();
        private final AtomicReference<FabricException> failure = new AtomicReference<>();

        @Override
        public void onEstablished(QueuePair qp) {
            queuePair.set(qp);
            told.countDown();
        }

        @Override
        public void onFailed(FabricException why) {
            failure.set(why);
            told.countDown();
        }

        public QueuePair queuePair() throws InterruptedException {
            assertTrue(told.await(20, TimeUnit.SECONDS), "no outcome");
            assertNotEquals(null, queuePair.get(), () -> String.valueOf(failure.get()));
            return queuePair.get();
        }

        public FabricException failure() throws InterruptedException {
            assertTrue(told.await(20, TimeUnit.SECONDS), "no outcome");
            return failure.get();
        }
    }

    protected QpPair connect() throws Exception {
        return connect(SPEC, SPEC);
    }

    protected QpPair connect(QpSpec a, QpSpec b) throws Exception {
        Result result = new Result();
        try (FabricListener l = listen(r -> r.accept(b, new byte[0], result))) {
            ConnectRequest r = request(this::held, new byte[0], a, LONG, () -> false);
            QueuePair left = active.connect(r).queuePair();
            open.add(left);
            QueuePair right = result.queuePair();
            open.add(right);
            return new QpPair(left, right);
        }
    }

    protected void closeNow(QueuePair qp) {
        assertTrue(open.remove(qp));
        qp.close();
    }

    protected static byte[] bytes(int seed, int len) {
        byte[] b = new byte[len];
        new Random(seed).nextBytes(b);
        return b;
    }

    protected static void send(QueuePair qp, byte[] b) {
        int slot = qp.takeSendSlot();
        assertTrue(slot >= 0, "no send slot");
        MemorySegment.copy(b, 0, qp.sendMemory(), JAVA_BYTE, qp.sendOffset(slot), b.length);
        qp.postSend(slot, b.length, 0);
    }

    /** Takes the next completion that is not the end of ordinary sends, which only free slots. */
    protected static boolean poll(QueuePair qp, Completion into) {
        while (qp.completions().poll(into)) {
            if (into.opcode != Completion.SEND || into.signalled) {
                return true;
            }
        }
        return false;
    }

    /** The next completion, waited for. */
    protected static Completion next(QueuePair qp) {
        Completion c = new Completion();
        long end = System.nanoTime() + LONG;
        while (!poll(qp, c)) {
            assertTrue(System.nanoTime() < end, "no completion");
            qp.completions().await(end - System.nanoTime());
        }
        return c;
    }

    protected static byte[] content(QueuePair qp, Completion c) {
        assertEquals(Completion.RECEIVE, c.opcode, () -> "status " + c.status);
        byte[] b = new byte[c.byteLen];
        MemorySegment.copy(
                qp.receiveMemory(), JAVA_BYTE, qp.receiveOffset(c.slot), b, 0, c.byteLen);
        return b;
    }

    protected static byte[] receive(QueuePair qp) {
        Completion c = next(qp);
        byte[] b = content(qp, c);
        qp.postReceive(c.slot);
        return b;
    }

    /** Runs both ends until {@code of} has a completion; RDMA needs its target to poll. */
    static Completion nextWhilePolling(QueuePair of, QueuePair other) {
        Completion c = new Completion();
        Completion ignored = new Completion();
        long end = System.nanoTime() + LONG;
        while (!poll(of, c)) {
            assertTrue(System.nanoTime() < end, "no completion");
            if (poll(other, ignored)) {
                assertEquals(Completion.ERROR, ignored.opcode);
            }
        }
        return c;
    }

    static void assertNothing(QueuePair qp) {
        assertFalse(poll(qp, new Completion()));
    }
}
