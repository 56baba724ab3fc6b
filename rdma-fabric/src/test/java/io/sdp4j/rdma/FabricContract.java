package io.sdp4j.rdma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.rdma.os.UnixFd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every fabric does, whichever it is. A fabric's own test class makes the two ends. */
@Timeout(60)
@SuppressWarnings({"try", "exports"}) // listeners that are only closed; test modules export nothing
public abstract class FabricContract {
    protected static final QpSpec SPEC = new QpSpec(8, 1024, 8);
    private static final long LONG = TimeUnit.SECONDS.toNanos(20);

    protected Fabric active;
    protected Fabric passive;
    protected ServerSocket kernel;
    private final List<QueuePair> open = new ArrayList<>();
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
     * Whether a fabric knows that nobody listens before it has to say who calls. A connection
     * manager learns it only from the answer to the request that carries the caller's port.
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

    protected FabricContract() {}

    // ---- helpers

    protected InetSocketAddress address() {
        return (InetSocketAddress) kernel.getLocalSocketAddress();
    }

    protected ConnectRequest request(byte[] data, long nanos) {
        return new ConnectRequest(
                address(),
                () -> new InetSocketAddress(kernel.getInetAddress(), 4711),
                data,
                SPEC,
                System.nanoTime() + nanos);
    }

    protected FabricListener listen(RequestHandler handler) throws FabricException {
        return passive.listen(new ListenRequest(address(), false, handler));
    }

    /** Both ends of one connection. */
    protected record Pair(QueuePair a, QueuePair b) {}

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

    protected Pair connect() throws Exception {
        return connect(SPEC, SPEC);
    }

    protected Pair connect(QpSpec a, QpSpec b) throws Exception {
        Result result = new Result();
        try (FabricListener l = listen(r -> r.accept(b, new byte[0], result))) {
            ConnectRequest r = request(new byte[0], LONG);
            QueuePair left =
                    active.connect(
                                    new ConnectRequest(
                                            r.remote(),
                                            r.localAddress(),
                                            r.privateData(),
                                            a,
                                            r.deadlineNanos()))
                            .queuePair();
            open.add(left);
            QueuePair right = result.queuePair();
            open.add(right);
            return new Pair(left, right);
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
    private static Completion nextWhilePolling(QueuePair of, QueuePair other) {
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

    private void assertNothing(QueuePair qp) {
        assertFalse(poll(qp, new Completion()));
    }

    // ---- setting up

    @Test
    void privateDataAndAddressesTravelBothWays() throws Exception {
        Result result = new Result();
        AtomicReference<ConnectionRequest> seen = new AtomicReference<>();
        try (FabricListener l =
                listen(
                        r -> {
                            seen.set(r);
                            r.accept(SPEC, bytes(2, 20), result);
                        })) {
            int most = Math.min(76, active.capabilities().maxRequestPrivateDataBytes());
            Fabric.Connection c = active.connect(request(bytes(1, most), LONG));
            open.add(c.queuePair());
            open.add(result.queuePair());
            assertArrayEquals(bytes(2, 20), Arrays.copyOf(c.privateData(), 20));
            assertArrayEquals(bytes(1, most), Arrays.copyOf(seen.get().privateData(), most));
            assertEquals(address(), seen.get().localAddress());
            assertEquals(4711, seen.get().remoteAddress().getPort());
        }
    }

    @Test
    void withoutListenerThereIsNoConnectionAndNoLocalAddressIsAskedFor() {
        AtomicInteger asked = new AtomicInteger();
        ConnectRequest r =
                new ConnectRequest(
                        address(),
                        () -> {
                            asked.incrementAndGet();
                            return new InetSocketAddress(kernel.getInetAddress(), 1);
                        },
                        new byte[0],
                        SPEC,
                        System.nanoTime() + LONG);
        FabricException e = assertThrows(FabricException.class, () -> active.connect(r));
        assertEquals(FabricException.Cause.NO_LISTENER, e.why());
        assertTrue(asked.get() <= (findsListenerFirst() ? 0 : 1), "asked " + asked.get());
    }

    @Test
    void afterCloseOfTheListenerThereIsNoConnection() throws Exception {
        listen(r -> r.accept(SPEC, new byte[0], new Result())).close();
        FabricException e =
                assertThrows(
                        FabricException.class, () -> active.connect(request(new byte[0], LONG)));
        assertEquals(FabricException.Cause.NO_LISTENER, e.why());
    }

    @Test
    void rejectCarriesPrivateData() throws Exception {
        try (FabricListener l = listen(r -> r.reject(bytes(7, 30)))) {
            FabricException e =
                    assertThrows(
                            FabricException.class,
                            () -> active.connect(request(new byte[0], LONG)));
            assertEquals(FabricException.Cause.REFUSED, e.why());
            assertArrayEquals(bytes(7, 30), Arrays.copyOf(e.privateData(), 30));
        }
    }

    @Test
    void theDeadlineIsKeptAndALateAcceptFails() throws Exception {
        AtomicReference<ConnectionRequest> pending = new AtomicReference<>();
        CountDownLatch asked = new CountDownLatch(1);
        try (FabricListener l =
                listen(
                        r -> {
                            pending.set(r);
                            asked.countDown();
                        })) {
            long start = System.nanoTime();
            FabricException e =
                    assertThrows(
                            FabricException.class,
                            () ->
                                    active.connect(
                                            request(
                                                    new byte[0],
                                                    TimeUnit.MILLISECONDS.toNanos(200))));
            assertEquals(FabricException.Cause.TIMED_OUT, e.why());
            long took = System.nanoTime() - start;
            assertTrue(took >= TimeUnit.MILLISECONDS.toNanos(190), "took " + took);
            assertTrue(took < TimeUnit.SECONDS.toNanos(5), "took " + took);
            assertTrue(asked.await(20, TimeUnit.SECONDS));
            Result late = new Result();
            pending.get().accept(SPEC, new byte[0], late);
            assertNotEquals(null, late.failure());
        }
    }

    @Test
    void anAbandonedAttemptEndsAtOnceAndALateAcceptFails() throws Exception {
        AtomicReference<ConnectionRequest> pending = new AtomicReference<>();
        CountDownLatch asked = new CountDownLatch(1);
        AtomicBoolean abandoned = new AtomicBoolean();
        try (FabricListener l =
                listen(
                        r -> {
                            pending.set(r);
                            asked.countDown();
                        })) {
            ConnectRequest r = request(new byte[0], LONG);
            FutureTask<FabricException> attempt =
                    new FutureTask<>(
                            () ->
                                    assertThrows(
                                            FabricException.class,
                                            () ->
                                                    active.connect(
                                                            new ConnectRequest(
                                                                    r.remote(),
                                                                    r.localAddress(),
                                                                    r.privateData(),
                                                                    r.spec(),
                                                                    r.deadlineNanos(),
                                                                    abandoned::get))));
            Thread.ofPlatform().start(attempt);
            assertTrue(asked.await(20, TimeUnit.SECONDS));
            assertFalse(attempt.isDone());
            long start = System.nanoTime();
            abandoned.set(true);
            assertEquals(FabricException.Cause.ABANDONED, attempt.get(20, TimeUnit.SECONDS).why());
            long took = System.nanoTime() - start;
            assertTrue(took < TimeUnit.SECONDS.toNanos(2), "took " + took);
            Result late = new Result();
            pending.get().accept(SPEC, new byte[0], late);
            assertNotEquals(null, late.failure());
        }
    }

    @Test
    void closeOfTheListenerRejectsWhatWasNotAnswered() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        FabricListener l = listen(r -> asked.countDown());
        AtomicReference<FabricException> failure = new AtomicReference<>();
        Thread t =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        active.connect(request(new byte[0], LONG));
                                    } catch (FabricException e) {
                                        failure.set(e);
                                    }
                                });
        assertTrue(asked.await(20, TimeUnit.SECONDS));
        l.close();
        t.join(20_000);
        assertEquals(FabricException.Cause.REFUSED, failure.get().why());
    }

    @Test
    void manyRequestsWaitTogetherAndAllAreAnswered() throws Exception {
        int n = crowd();
        Queue<ConnectionRequest> backlog = new ConcurrentLinkedQueue<>();
        CountDownLatch asked = new CountDownLatch(n);
        CountDownLatch connected = new CountDownLatch(n);
        try (FabricListener l =
                listen(
                        r -> {
                            backlog.add(r);
                            asked.countDown();
                        })) {
            for (int i = 0; i < n; i++) {
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    try {
                                        active.connect(request(new byte[0], LONG))
                                                .queuePair()
                                                .close();
                                        connected.countDown();
                                    } catch (FabricException e) {
                                        strays.add(e);
                                    }
                                });
            }
            assertTrue(
                    asked.await(20, TimeUnit.SECONDS),
                    () -> asked.getCount() + " requests are missing, " + strays);
            for (ConnectionRequest r : backlog) {
                Result result = new Result();
                r.accept(SPEC, new byte[0], result);
                result.queuePair().close();
            }
            assertTrue(connected.await(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void aClosedFabricTakesNothingMore() throws Exception {
        active.close();
        FabricException e =
                assertThrows(
                        FabricException.class, () -> active.connect(request(new byte[0], LONG)));
        assertEquals(FabricException.Cause.CLOSED, e.why());
    }

    // ---- sending

    @Test
    void messagesArriveInOrderWithTheirContent() throws Exception {
        Pair p = connect();
        for (int i = 0; i < 1000; i++) {
            byte[] there = bytes(i, 1 + i * 37 % 1024);
            send(p.a, there);
            assertArrayEquals(there, receive(p.b));
            byte[] back = bytes(-i, 1 + i * 91 % 1024);
            send(p.b, back);
            assertArrayEquals(back, receive(p.a));
        }
    }

    @Test
    void everyReceiveCanBeInFlightAndNoneMore() throws Exception {
        Pair p = connect();
        boolean slotsAreReceives = active.capabilities().sendsCompleteAtPost();
        for (int lap = 0; lap < 10; lap++) {
            for (int i = 0; i < SPEC.receiveSlots(); i++) {
                send(p.a, bytes(i, 100 + i));
            }
            if (slotsAreReceives) {
                assertEquals(-1, p.a.takeSendSlot());
            }
            ArrayDeque<Integer> slots = new ArrayDeque<>();
            for (int i = 0; i < SPEC.receiveSlots(); i++) {
                Completion c = next(p.b);
                assertArrayEquals(bytes(i, 100 + i), content(p.b, c));
                slots.add(c.slot);
            }
            assertNothing(p.b);
            if (slotsAreReceives) {
                assertEquals(-1, p.a.takeSendSlot());
            }
            while (!slots.isEmpty()) {
                p.b.postReceive(lap % 2 == 0 ? slots.removeFirst() : slots.removeLast());
            }
        }
    }

    @Test
    void unevenSpecsAreKept() throws Exception {
        Pair p = connect(new QpSpec(1, 64, 1), new QpSpec(100, 5000, 3));
        assertTrue(p.a.sendBytes() >= 5000);
        assertTrue(p.b.sendBytes() >= 64);
        for (int i = 0; i < 300; i++) {
            send(p.a, bytes(i, 5000));
            assertArrayEquals(bytes(i, 5000), receive(p.b));
            send(p.b, bytes(i, 64));
            assertArrayEquals(bytes(i, 64), receive(p.a));
        }
    }

    @Test
    void aReturnedSlotIsFreeAgain() throws Exception {
        Pair p = connect();
        for (int i = 0; i < 100; i++) {
            int slot = p.a.takeSendSlot();
            assertTrue(slot >= 0);
            p.a.returnSendSlot(slot);
        }
        send(p.a, bytes(1, 10));
        assertArrayEquals(bytes(1, 10), receive(p.b));
    }

    @Test
    void aSignalledSendCompletes() throws Exception {
        Pair p = connect();
        int slot = p.a.takeSendSlot();
        p.a.postSend(slot, 5, QueuePair.SIGNALLED);
        Completion c = next(p.a);
        assertEquals(Completion.SEND, c.opcode);
        assertTrue(c.signalled);
        assertEquals(slot, c.slot);
    }

    @Test
    void aMessageLongerThanTheSlotIsAnError() throws Exception {
        Pair p = connect();
        int slot = p.a.takeSendSlot();
        p.a.postSend(slot, p.a.sendBytes() + 1, 0);
        Completion c = next(p.a);
        assertEquals(Completion.ERROR, c.opcode);
        assertEquals(WcStatus.LOC_LEN_ERR, c.status);
        assertEquals(Completion.DISCONNECTED, next(p.b).opcode);
    }

    // ---- ends

    @Test
    void whatWasPostedBeforeDisconnectArrivesFirst() throws Exception {
        Pair p = connect();
        for (int i = 0; i < 5; i++) {
            send(p.a, bytes(i, 50));
        }
        p.a.disconnect();
        p.a.disconnect();
        for (int i = 0; i < 5; i++) {
            assertArrayEquals(bytes(i, 50), receive(p.b));
        }
        Completion c = next(p.b);
        assertEquals(Completion.DISCONNECTED, c.opcode);
        assertEquals(WcStatus.SUCCESS, c.status);
        assertNothing(p.b);
        assertEquals(Completion.DISCONNECTED, next(p.a).opcode);
        assertNothing(p.a);
    }

    @Test
    void closeDisconnectsAndWhatWasPostedArrives() throws Exception {
        Pair p = connect();
        send(p.a, bytes(3, 50));
        closeNow(p.a);
        assertArrayEquals(bytes(3, 50), receive(p.b));
        Completion c = next(p.b);
        assertEquals(Completion.DISCONNECTED, c.opcode);
        assertEquals(WcStatus.SUCCESS, c.status);
        int slot = p.b.takeSendSlot();
        p.b.postSend(slot, 10, 0); // nobody is there, and that is no harm
        assertNothing(p.b);
    }

    @Test
    void bothMayDisconnectAtOnce() throws Exception {
        Pair p = connect();
        p.a.disconnect();
        p.b.disconnect();
        assertEquals(Completion.DISCONNECTED, next(p.a).opcode);
        assertEquals(Completion.DISCONNECTED, next(p.b).opcode);
    }

    @Test
    void abortIsSeen() throws Exception {
        Pair p = connect();
        send(p.a, bytes(3, 50));
        p.a.abort();
        p.a.abort();
        assertArrayEquals(bytes(3, 50), receive(p.b));
        assertEquals(Completion.DISCONNECTED, next(p.b).opcode);
        assertEquals(Completion.DISCONNECTED, next(p.a).opcode);
    }

    @Test
    void closeOfTheFabricEndsItsQueuePairs() throws Exception {
        Pair p = connect();
        passive.close();
        assertEquals(Completion.DISCONNECTED, next(p.a).opcode);
        Completion c = next(p.b);
        assertTrue(c.opcode == Completion.ERROR || c.opcode == Completion.DISCONNECTED);
    }

    @Test
    void closeInEveryState() throws Exception {
        for (int state = 0; state < 6; state++) {
            Pair p = connect();
            switch (state) {
                case 0 -> send(p.a, bytes(1, 5));
                case 1 -> p.a.takeSendSlot();
                case 2 -> p.a.disconnect();
                case 3 -> p.b.disconnect();
                case 4 -> p.b.abort();
                default -> p.a.completions().arm();
            }
            closeNow(state % 2 == 0 ? p.a : p.b);
            closeNow(state % 2 == 0 ? p.b : p.a);
        }
    }

    // ---- waiting

    @Test
    void awaitEndsInTimeAndByWake() throws Exception {
        Pair p = connect();
        CompletionQueue cq = p.a.completions();
        long start = System.nanoTime();
        long want = TimeUnit.MILLISECONDS.toNanos(150);
        while (System.nanoTime() - start < want) {
            cq.await(want - (System.nanoTime() - start));
        }
        assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10));
        cq.wake();
        cq.await(Long.MAX_VALUE); // woken before it began
        CountDownLatch over = new CountDownLatch(1);
        Thread t =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    cq.await(Long.MAX_VALUE);
                                    over.countDown();
                                });
        assertFalse(over.await(100, TimeUnit.MILLISECONDS));
        cq.wake();
        assertTrue(over.await(20, TimeUnit.SECONDS));
        t.join();
    }

    @Test
    void anInterruptDoesNotEndAwaitAndIsKept() throws Exception {
        Pair p = connect();
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();
        Thread t =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    next(p.a);
                                    interrupted.set(Thread.currentThread().isInterrupted() ? 1 : 2);
                                    over.countDown();
                                });
        t.interrupt();
        assertFalse(over.await(100, TimeUnit.MILLISECONDS));
        send(p.b, bytes(1, 1));
        assertTrue(over.await(20, TimeUnit.SECONDS));
        assertEquals(1, interrupted.get());
    }

    @Test
    void theDoorbellRingsOnceForEachArm() throws Exception {
        Pair p = connect();
        SynchronousQueue<Integer> rung = new SynchronousQueue<>();
        AtomicInteger count = new AtomicInteger();
        p.b.completions()
                .onDoorbell(
                        () -> {
                            count.incrementAndGet();
                            try {
                                rung.offer(1, 20, TimeUnit.SECONDS);
                            } catch (InterruptedException e) {
                                strays.add(e);
                            }
                        });
        for (int i = 0; i < 50; i++) {
            assertTrue(p.b.completions().arm());
            send(p.a, bytes(i, 9));
            assertNotEquals(null, rung.poll(20, TimeUnit.SECONDS));
            assertFalse(p.b.completions().arm(), "something is there");
            assertArrayEquals(bytes(i, 9), receive(p.b));
        }
        assertEquals(50, count.get());
        assertTrue(p.b.completions().arm());
        closeNow(p.a);
        assertNotEquals(null, rung.poll(20, TimeUnit.SECONDS));
        assertEquals(Completion.DISCONNECTED, next(p.b).opcode);
    }

    /**
     * Goal: a descriptor given to another poller is readable exactly when asked for, bytes on it do
     * not reach the doorbell meanwhile, and the doorbell works again afterwards.
     */
    @Test
    void theDescriptorRingsInsteadOfTheDoorbell() throws Exception {
        Pair p = connect();
        CompletionQueue b = p.b.completions();
        Semaphore rung = new Semaphore(0);
        b.onDoorbell(rung::release);
        int fd = b.descriptor();
        if (fd >= 0) {
            for (int i = 0; i < 50; i++) {
                assertTrue(b.armDescriptor(true));
                assertFalse(UnixFd.awaitReadable(fd, 0), "nothing has come");
                send(p.a, bytes(i, 9));
                assertTrue(UnixFd.awaitReadable(fd, TimeUnit.SECONDS.toNanos(20)));
                assertFalse(b.armDescriptor(true), "something is there");
                assertArrayEquals(bytes(i, 9), receive(p.b));
            }
            assertEquals(0, rung.availablePermits());
            assertTrue(b.armDescriptor(true));
        }
        assertTrue(b.arm());
        send(p.a, bytes(1, 9));
        assertTrue(rung.tryAcquire(20, TimeUnit.SECONDS));
        assertArrayEquals(bytes(1, 9), receive(p.b));
        if (fd >= 0) {
            assertTrue(b.armDescriptor(true));
            closeNow(p.a);
            assertTrue(UnixFd.awaitReadable(fd, TimeUnit.SECONDS.toNanos(20)));
            b.releaseDescriptor();
        } else {
            closeNow(p.a);
        }
        assertEquals(Completion.DISCONNECTED, next(p.b).opcode);
    }

    /** Random pauses on both sides, so that sleeping, waking, arming and spinning all meet. */
    @Test
    void noWakeUpIsLost() throws Exception {
        long seed = System.nanoTime();
        int n = 20_000;
        Pair p = connect();
        CyclicBarrier start = new CyclicBarrier(2);
        CountDownLatch done = new CountDownLatch(2);
        for (QueuePair qp : List.of(p.a, p.b)) {
            Random random = new Random(seed + (qp == p.a ? 1 : 2));
            Thread.ofPlatform()
                    .daemon()
                    .start(
                            () -> {
                                try {
                                    start.await();
                                    exchange(qp, qp == p.a, n, random);
                                    done.countDown();
                                } catch (Throwable t) {
                                    strays.add(t);
                                }
                            });
        }
        assertTrue(done.await(40, TimeUnit.SECONDS), () -> "seed " + seed + " " + strays);
    }

    private static void exchange(QueuePair qp, boolean first, int n, Random random)
            throws InterruptedException {
        CompletionQueue cq = qp.completions();
        java.util.concurrent.Semaphore rung = new java.util.concurrent.Semaphore(0);
        cq.onDoorbell(rung::release);
        Completion c = new Completion();
        byte[] b = new byte[8];
        for (int i = 0; i < n; i++) {
            if (first) {
                send(qp, b);
            }
            while (!poll(qp, c)) {
                if (random.nextInt(8) != 0) {
                    cq.await(Long.MAX_VALUE);
                } else if (cq.arm()) {
                    assertTrue(rung.tryAcquire(20, TimeUnit.SECONDS), "no bell");
                }
            }
            assertEquals(Completion.RECEIVE, c.opcode);
            qp.postReceive(c.slot);
            for (int spin = random.nextInt(random.nextInt(8) == 0 ? 3000 : 3); spin > 0; spin--) {
                Thread.onSpinWait();
            }
            if (!first) {
                send(qp, b);
            }
        }
    }

    // ---- RDMA

    private static final int REGION_BYTES = 300_000;

    private MemorySegment filled(Arena arena, int seed) {
        return arena.allocate(REGION_BYTES)
                .copyFrom(MemorySegment.ofArray(bytes(seed, REGION_BYTES)));
    }

    @Test
    void writesAndReadsMoveTheirBytes() throws Exception {
        Pair p = connect();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mine = filled(arena, 1);
            MemorySegment yours = filled(arena, 2);
            MemoryRegion local = p.a.register(mine, false, false);
            MemoryRegion remote = p.b.register(yours, true, true);
            int[] sizes = {0, 1, 64, 4096, 100_000, 250_001};
            for (int len : sizes) {
                assertTrue(p.a.postWrite(len, local, 5, len, remote.address() + 11, remote.rkey()));
                Completion c = nextWhilePolling(p.a, p.b);
                assertEquals(Completion.WRITE, c.opcode);
                assertEquals(WcStatus.SUCCESS, c.status);
                assertEquals(len, c.wrId);
                assertEquals(-1, mine.asSlice(5, len).mismatch(yours.asSlice(11, len)));
            }
            yours.copyFrom(MemorySegment.ofArray(bytes(3, REGION_BYTES)));
            for (int len : sizes) {
                assertTrue(p.a.postRead(len, local, 7, len, remote.address() + 3, remote.rkey()));
                Completion c = nextWhilePolling(p.a, p.b);
                assertEquals(Completion.READ, c.opcode);
                assertEquals(WcStatus.SUCCESS, c.status);
                assertEquals(-1, mine.asSlice(7, len).mismatch(yours.asSlice(3, len)));
            }
        }
    }

    @Test
    void aSendIsDeliveredAfterTheWritesBeforeIt() throws Exception {
        Pair p = connect();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mine = filled(arena, 1);
            MemorySegment yours = arena.allocate(REGION_BYTES);
            MemoryRegion local = p.a.register(mine, false, false);
            MemoryRegion remote = p.b.register(yours, false, true);
            assertTrue(p.a.postWrite(9, local, 0, REGION_BYTES, remote.address(), remote.rkey()));
            send(p.a, bytes(5, 10));
            p.a.disconnect();
            Completion c = new Completion();
            Completion mineDone = new Completion();
            boolean wrote = false;
            while (!poll(p.b, c)) {
                wrote = wrote || poll(p.a, mineDone);
            }
            assertArrayEquals(bytes(5, 10), content(p.b, c));
            assertEquals(-1, mine.mismatch(yours));
            assertTrue(wrote || poll(p.a, mineDone));
            assertEquals(Completion.WRITE, mineDone.opcode);
            assertEquals(WcStatus.SUCCESS, mineDone.status);
        }
    }

    @Test
    void tooManyReadsAreRefusedUntilOneCompletes() throws Exception {
        Pair p = connect();
        int max = active.capabilities().maxOutstandingReads();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion local = p.a.register(arena.allocate(100), false, false);
            MemoryRegion remote = p.b.register(arena.allocate(100), true, false);
            for (int i = 0; i < max; i++) {
                assertTrue(p.a.postRead(i, local, 0, 100, remote.address(), remote.rkey()));
            }
            assertFalse(p.a.postRead(max, local, 0, 100, remote.address(), remote.rkey()));
            for (int i = 0; i < max; i++) {
                assertEquals(i, nextWhilePolling(p.a, p.b).wrId);
            }
            assertTrue(p.a.postRead(max, local, 0, 100, remote.address(), remote.rkey()));
        }
    }

    private static final int READ_BREACH = 3;

    private interface Breach {
        void post(QueuePair qp, MemoryRegion local, MemoryRegion remote);
    }

    @Test
    void accessOutsideOfARegionOrItsRightsEndsBothQueuePairs() throws Exception {
        List<Breach> breaches =
                List.of(
                        (q, l, r) -> q.postWrite(1, l, 0, 10, r.address() + 95, r.rkey()),
                        (q, l, r) -> q.postWrite(1, l, 0, 10, r.address() - 1, r.rkey()),
                        (q, l, r) -> q.postWrite(1, l, 0, 10, r.address(), r.rkey() + 1),
                        (q, l, r) -> q.postRead(1, l, 0, 10, r.address(), r.rkey()),
                        (q, l, r) -> q.postWrite(1, l, 0, 10, Long.MAX_VALUE - 5, r.rkey()),
                        (q, l, r) -> {
                            r.close();
                            q.postWrite(1, l, 0, 10, r.address(), r.rkey());
                        });
        for (Breach breach : breaches) {
            if (breach == breaches.get(READ_BREACH) && !checksRightToRead()) {
                continue;
            }
            Pair p = connect();
            try (Arena arena = Arena.ofShared()) {
                MemoryRegion local = p.a.register(arena.allocate(100), false, false);
                MemorySegment target = arena.allocate(100);
                MemoryRegion remote = p.b.register(target, false, true);
                breach.post(p.a, local, remote);
                p.a.postWrite(2, local, 0, 10, remote.address(), remote.rkey());
                if (targetServesByPolling()) {
                    assertBreachAtTarget(next(p.b));
                }
                assertBreachAtInitiator(p.a);
                if (!targetServesByPolling()) {
                    assertBreachAtTarget(next(p.b)); // it learns of it from the initiator
                }
                assertNothing(p.a);
                assertNothing(p.b);
                assertEquals(0, target.get(JAVA_INT, 0));
            }
        }
    }

    /**
     * Goal: memory that was freed and whose address is in use again is another region, which an old
     * key does not reach. Method: the same bytes registered twice, in memory of either lifetime.
     */
    @Test
    void aFreedAndReusedAddressIsAnotherRegion() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            for (MemorySegment block :
                    List.of(
                            arena.allocate(1000),
                            MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1000)))) {
                Pair p = connect();
                MemorySegment mine = arena.allocate(1000);
                MemoryRegion local = p.a.register(mine, false, false);
                block.copyFrom(MemorySegment.ofArray(bytes(1, 1000)));
                MemoryRegion first = p.b.register(block, true, false);
                long address = first.address();
                int key = first.rkey();
                assertTrue(p.a.postRead(1, local, 0, 1000, address, key));
                assertEquals(WcStatus.SUCCESS, nextWhilePolling(p.a, p.b).status);
                first.close();
                block.copyFrom(MemorySegment.ofArray(bytes(2, 1000))); // another owner's
                MemoryRegion second = p.b.register(block, true, false);
                assertTrue(p.a.postRead(1, local, 0, 1000, second.address(), second.rkey()));
                assertEquals(WcStatus.SUCCESS, nextWhilePolling(p.a, p.b).status);
                assertEquals(-1, mine.mismatch(block), "not what was there before");
                mine.fill((byte) 0);
                assertTrue(p.a.postRead(1, local, 0, 1000, address, key));
                p.a.postRead(2, local, 0, 1000, second.address(), second.rkey());
                if (targetServesByPolling()) {
                    assertBreachAtTarget(next(p.b));
                }
                assertBreachAtInitiator(p.a);
                assertEquals(-1, mine.mismatch(arena.allocate(1000)), "nothing was read");
            }
        }
    }

    @Test
    void aWrongLocalRegionIsALocalError() throws Exception {
        Pair p = connect();
        Pair other = connect();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion local = p.a.register(arena.allocate(100), false, false);
            MemoryRegion stranger = other.a.register(arena.allocate(100), false, false);
            MemoryRegion remote = p.b.register(arena.allocate(100), true, true);
            assertTrue(p.a.postWrite(1, local, 95, 10, remote.address(), remote.rkey()));
            assertEquals(WcStatus.LOC_PROT_ERR, next(p.a).status);
            assertEquals(Completion.ERROR, next(p.a).opcode);
            MemoryRegion otherRemote = other.b.register(arena.allocate(100), true, true);
            assertTrue(
                    other.b.postRead(
                            1, stranger, 0, 10, otherRemote.address(), otherRemote.rkey()));
            assertEquals(WcStatus.LOC_PROT_ERR, next(other.b).status);
        }
    }

    @Test
    void whatRunsWhenThePeerLeavesIsFlushed() throws Exception {
        Pair p = connect();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion local = p.a.register(arena.allocate(100), false, false);
            MemoryRegion remote = p.b.register(arena.allocate(100), true, true);
            assertTrue(p.a.postRead(77, local, 0, 100, remote.address(), remote.rkey()));
            closeNow(p.b);
            if (targetServesByPolling()) {
                assertEquals(Completion.DISCONNECTED, next(p.a).opcode);
                Completion c = next(p.a);
                assertEquals(77, c.wrId);
                assertEquals(WcStatus.WR_FLUSH_ERR, c.status);
            } else {
                // the device may have served it before it was told of the end: once, either way
                Completion first = next(p.a);
                Completion second = next(p.a);
                boolean inOrder = second.opcode == Completion.DISCONNECTED;
                Completion read = inOrder ? first : second;
                assertEquals(Completion.DISCONNECTED, (inOrder ? second : first).opcode, "the end");
                assertEquals(Completion.READ, read.opcode);
                assertEquals(77, read.wrId);
                assertTrue(read.status == WcStatus.SUCCESS || read.status == WcStatus.WR_FLUSH_ERR);
            }
            assertNothing(p.a);
        }
    }
}
