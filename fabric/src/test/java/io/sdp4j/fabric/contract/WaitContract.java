package io.sdp4j.fabric.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.linux.UnixFd;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How a thread, or a poller on its behalf, learns that something has completed. */
@SuppressWarnings("try") // listeners that are only closed
public abstract class WaitContract extends EndContract {
    protected WaitContract() {}

    @Test
    void awaitEndsInTimeAndByWake() throws Exception {
        QpPair p = connect();
        CompletionQueue cq = p.a().completions();
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

    /**
     * Goal: a thread that has waited without an end many times is woken as before, however close to
     * its going to sleep the call comes, and learns of the peer's end.
     */
    @Test
    void awaitEndsByWakeEachTime() throws Exception {
        QpPair p = connect();
        CompletionQueue cq = p.a().completions();
        int n = 2_000;
        AtomicInteger wanted = new AtomicInteger();
        Semaphore woken = new Semaphore(0);
        Thread t =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    for (int i = 1; i <= n; i++) {
                                        while (wanted.get() < i) {
                                            cq.await(Long.MAX_VALUE);
                                        }
                                        woken.release();
                                    }
                                    next(p.a());
                                    woken.release();
                                });
        Random random = new Random(n);
        for (int i = 1; i <= n; i++) {
            int spins = random.nextInt(random.nextInt(4) == 0 ? 30_000 : 300);
            for (int spin = spins; spin > 0; spin--) {
                Thread.onSpinWait();
            }
            wanted.set(i);
            cq.wake();
            assertTrue(woken.tryAcquire(20, TimeUnit.SECONDS), "wake-up " + i + " was lost");
        }
        closeNow(p.b());
        assertTrue(woken.tryAcquire(20, TimeUnit.SECONDS));
        t.join();
    }

    @Test
    void anInterruptDoesNotEndAwaitAndIsKept() throws Exception {
        QpPair p = connect();
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();
        Thread t =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    next(p.a());
                                    interrupted.set(Thread.currentThread().isInterrupted() ? 1 : 2);
                                    over.countDown();
                                });
        t.interrupt();
        assertFalse(over.await(100, TimeUnit.MILLISECONDS));
        send(p.b(), bytes(1, 1));
        assertTrue(over.await(20, TimeUnit.SECONDS));
        assertEquals(1, interrupted.get());
    }

    @Test
    void theHandlerIsNotifiedOnceForEachArm() throws Exception {
        QpPair p = connect();
        SynchronousQueue<Integer> rung = new SynchronousQueue<>();
        AtomicInteger count = new AtomicInteger();
        p.b().completions()
                .onNotify(
                        () -> {
                            count.incrementAndGet();
                            try {
                                rung.offer(1, 20, TimeUnit.SECONDS);
                            } catch (InterruptedException e) {
                                strays.add(e);
                            }
                        });
        for (int i = 0; i < 50; i++) {
            assertTrue(p.b().completions().arm());
            send(p.a(), bytes(i, 9));
            assertNotEquals(null, rung.poll(20, TimeUnit.SECONDS));
            assertFalse(p.b().completions().arm(), "something is there");
            assertArrayEquals(bytes(i, 9), receive(p.b()));
        }
        assertEquals(50, count.get());
        assertTrue(p.b().completions().arm());
        closeNow(p.a());
        assertNotEquals(null, rung.poll(20, TimeUnit.SECONDS));
        assertEquals(Completion.DISCONNECTED, next(p.b()).opcode);
    }

    /**
     * Goal: a descriptor given to another poller is readable exactly when asked for, bytes on it do
     * not reach the handler meanwhile, and the handler is notified again afterwards.
     */
    @Test
    void theDescriptorIsNotifiedInsteadOfTheHandler() throws Exception {
        QpPair p = connect();
        CompletionQueue b = p.b().completions();
        Semaphore rung = new Semaphore(0);
        b.onNotify(rung::release);
        int fd = b.descriptor();
        if (fd >= 0) {
            for (int i = 0; i < 50; i++) {
                assertTrue(b.armDescriptor(true));
                assertFalse(UnixFd.awaitReadable(fd, 0), "nothing has come");
                send(p.a(), bytes(i, 9));
                assertTrue(UnixFd.awaitReadable(fd, TimeUnit.SECONDS.toNanos(20)));
                assertFalse(b.armDescriptor(true), "something is there");
                assertArrayEquals(bytes(i, 9), receive(p.b()));
            }
            assertEquals(0, rung.availablePermits());
            assertTrue(b.armDescriptor(true));
        }
        assertTrue(b.arm());
        send(p.a(), bytes(1, 9));
        assertTrue(rung.tryAcquire(20, TimeUnit.SECONDS));
        assertArrayEquals(bytes(1, 9), receive(p.b()));
        if (fd >= 0) {
            assertTrue(b.armDescriptor(true));
            closeNow(p.a());
            assertTrue(UnixFd.awaitReadable(fd, TimeUnit.SECONDS.toNanos(20)));
            b.releaseDescriptor();
        } else {
            closeNow(p.a());
        }
        assertEquals(Completion.DISCONNECTED, next(p.b()).opcode);
    }

    /** Random pauses on both sides, so that sleeping, waking, arming and spinning all meet. */
    @Test
    void noWakeUpIsLost() throws Exception {
        long seed = System.nanoTime();
        int n = 20_000;
        QpPair p = connect();
        CyclicBarrier start = new CyclicBarrier(2);
        CountDownLatch done = new CountDownLatch(2);
        AtomicLong exchanged = new AtomicLong();
        for (QueuePair qp : List.of(p.a(), p.b())) {
            Random random = new Random(seed + (qp == p.a() ? 1 : 2));
            Thread.ofPlatform()
                    .daemon()
                    .start(
                            () -> {
                                try {
                                    start.await();
                                    exchange(qp, qp == p.a(), n, random, exchanged);
                                    done.countDown();
                                } catch (Throwable t) {
                                    strays.add(t);
                                }
                            });
        }
        // However slow the machine is, one more comes.
        for (long before = -1; !done.await(20, TimeUnit.SECONDS); ) {
            long now = exchanged.get();
            assertTrue(now > before && strays.isEmpty(), () -> "seed " + seed + " " + strays);
            before = now;
        }
    }

    private static void exchange(
            QueuePair qp, boolean first, int n, Random random, AtomicLong exchanged)
            throws InterruptedException {
        CompletionQueue cq = qp.completions();
        java.util.concurrent.Semaphore rung = new java.util.concurrent.Semaphore(0);
        cq.onNotify(rung::release);
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
                    assertTrue(rung.tryAcquire(20, TimeUnit.SECONDS), "not notified");
                }
            }
            assertEquals(Completion.RECEIVE, c.opcode);
            exchanged.incrementAndGet();
            qp.postReceive(c.slot);
            for (int spin = random.nextInt(random.nextInt(8) == 0 ? 3000 : 3); spin > 0; spin--) {
                Thread.onSpinWait();
            }
            if (!first) {
                send(qp, b);
            }
        }
    }
}
