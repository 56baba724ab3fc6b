package io.sdp4j.fabric.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.testing.HeldAddress;
import java.util.Arrays;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** How a fabric connects two queue pairs, and how it does not. */
@SuppressWarnings("try") // listeners that are only closed
public abstract class SetUpContract extends FabricEnds {
    protected SetUpContract() {}

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
            assertEquals(HeldAddress.on(address().getAddress()), seen.get().remoteAddress());
        }
    }

    /** The kernel has a listener there, which a fabric may see. */
    private static final Set<FabricException.Cause> NO_LISTENER =
            Set.of(FabricException.Cause.NO_LISTENER, FabricException.Cause.NOT_OFFERED);

    @Test
    void withoutListenerThereIsNoConnectionAndNoLocalAddressIsAskedFor() {
        AtomicInteger asked = new AtomicInteger();
        ConnectRequest r =
                request(
                        source -> {
                            asked.incrementAndGet();
                            return held(source);
                        },
                        new byte[0],
                        SPEC,
                        LONG,
                        () -> false);
        FabricException e = assertThrows(FabricException.class, () -> active.connect(r));
        assertTrue(NO_LISTENER.contains(e.why()), e.toString());
        assertTrue(asked.get() <= (findsListenerFirst() ? 0 : 1), "asked " + asked.get());
    }

    @Test
    void afterCloseOfTheListenerThereIsNoConnection() throws Exception {
        listen(r -> r.accept(SPEC, new byte[0], new Result())).close();
        FabricException e =
                assertThrows(
                        FabricException.class, () -> active.connect(request(new byte[0], LONG)));
        assertTrue(NO_LISTENER.contains(e.why()), e.toString());
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
                                            request(new byte[0], TimeUnit.SECONDS.toNanos(1))));
            assertEquals(FabricException.Cause.TIMED_OUT, e.why());
            long took = System.nanoTime() - start;
            assertTrue(took >= TimeUnit.MILLISECONDS.toNanos(990), "took " + took);
            assertTrue(took < TimeUnit.SECONDS.toNanos(6), "took " + took);
            assertTrue(asked.await(20, TimeUnit.SECONDS));
            Result late = new Result();
            pending.get().accept(SPEC, new byte[0], late);
            assertNotEquals(null, late.failure());
        }
    }

    /** Time that a busy machine takes from this side is not the peer's silence. */
    @Test
    void thePeersTimeBeginsWhenItIsAsked() throws Exception {
        Result result = new Result();
        try (FabricListener l = listen(r -> r.accept(SPEC, new byte[0], result))) {
            long now = System.nanoTime();
            ConnectRequest slow =
                    new ConnectRequest(
                            address(),
                            _ -> {
                                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1500));
                                return HeldAddress.on(kernel.getInetAddress());
                            },
                            new byte[0],
                            SPEC,
                            now,
                            now + TimeUnit.SECONDS.toNanos(1),
                            now + LONG,
                            () -> false,
                            _ -> {},
                            -1);
            open.add(active.connect(slow).queuePair());
            open.add(result.queuePair());
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
            ConnectRequest r = request(this::held, new byte[0], SPEC, LONG, abandoned::get);
            FutureTask<FabricException> attempt =
                    new FutureTask<>(
                            () -> assertThrows(FabricException.class, () -> active.connect(r)));
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
}
