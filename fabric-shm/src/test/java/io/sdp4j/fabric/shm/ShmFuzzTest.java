package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.linux.Mapping;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A peer that writes anything anywhere into the shared memory at any time: it may end its own
 * connection, and nothing else.
 */
@SuppressWarnings("try") // listeners are closed with their fabric
final class ShmFuzzTest extends ShmDirectory {
    private static final long SECONDS =
            System.getProperty("sdp4j.test.profile", "verify").equals("deep") ? 60 : 3;
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<QueuePair> accepted = new ArrayBlockingQueue<>(10);

    @Test
    @Timeout(180)
    void randomWritesEndOnlyTheirOwnConnection() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            fabric.listen(
                    new ListenRequest(
                            at,
                            false,
                            r ->
                                    r.accept(
                                            SPEC,
                                            new byte[0],
                                            new Taker(accepted::add, thrown::add))));
            Bystander bystander = new Bystander(Ends.connect(fabric, at, SPEC), accepted.take());
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            int rounds = 0;
            while (System.nanoTime() < end) {
                round(fabric, at, random.nextLong());
                rounds++;
            }
            long[] trips = bystander.stop();
            Arrays.sort(trips);
            assertEquals(0, thrown.size(), () -> "seed " + seed + ": " + thrown);
            assertTrue(rounds > 5, "rounds " + rounds);
            assertTrue(trips.length > 100, "bystander's trips " + trips.length);
            assertTrue(
                    trips[trips.length / 2] < TimeUnit.MILLISECONDS.toNanos(20),
                    () -> "bystander's median " + trips[trips.length / 2]);
        }
    }

    /** One connection in traffic, its memory under fire, then cut: both threads must end. */
    private void round(ShmFabric fabric, InetSocketAddress at, long seed) throws Exception {
        Random random = new Random(seed);
        QueuePair a = Ends.connect(fabric, at, SPEC);
        QueuePair b = accepted.take();
        AtomicBoolean stop = new AtomicBoolean();
        Thread ta = traffic(a, true, stop, random.nextLong());
        Thread tb = traffic(b, false, stop, random.nextLong());
        MemorySegment victim = random.nextBoolean() ? a.sendMemory() : b.sendMemory();
        long until = System.nanoTime() + ROUND_NANOS;
        int style = random.nextInt(4);
        while (System.nanoTime() < until && (ta.isAlive() || tb.isAlive())) {
            shoot(victim, random, style);
            if (style == 3) {
                Thread.onSpinWait();
            }
        }
        stop.set(true);
        a.completions().wake();
        b.completions().wake();
        ta.join(5_000);
        tb.join(5_000);
        assertFalse(ta.isAlive(), () -> "active side hangs, seed " + seed + stack(ta));
        assertFalse(tb.isAlive(), () -> "passive side hangs, seed " + seed + stack(tb));
        a.close();
        b.close();
    }

    private static String stack(Thread t) {
        return " " + Arrays.toString(t.getStackTrace());
    }

    private static void shoot(MemorySegment victim, Random random, int style) {
        long size = style == 0 ? victim.byteSize() : Mapping.PAGE_BYTES;
        long at = random.nextLong(size / 8) * 8;
        switch (random.nextInt(4)) {
            case 0 -> victim.set(JAVA_LONG, at, random.nextLong());
            case 1 -> victim.set(JAVA_INT, at + 4, random.nextInt());
            // almost right is worse than wild: a plausible descriptor, of either phase
            case 2 ->
                    victim.set(
                            JAVA_LONG,
                            at,
                            Descriptor.of(
                                            1 + random.nextInt(8),
                                            random.nextInt(14),
                                            random.nextInt(700) - 50)
                                    | (random.nextBoolean() ? Long.MIN_VALUE : 0));
            default ->
                    victim.set(
                            JAVA_INT,
                            at,
                            random.nextInt(14) | (random.nextBoolean() ? 1 << 31 : 0));
        }
    }

    private Thread traffic(QueuePair qp, boolean first, AtomicBoolean stop, long seed) {
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try (Arena arena = Arena.ofShared()) {
                                run(qp, first, stop, new Random(seed), arena);
                            } catch (Throwable t) {
                                thrown.add(t);
                            }
                        });
    }

    private static void run(
            QueuePair qp, boolean first, AtomicBoolean stop, Random random, Arena arena)
            throws FabricException {
        CompletionQueue cq = qp.completions();
        Completion c = new Completion();
        MemoryRegion region = qp.register(arena.allocate(1000), true, true);
        cq.onNotify(cq::wake);
        if (first) {
            send(qp, random);
        }
        while (!stop.get()) {
            while (!cq.poll(c)) {
                if (stop.get()) {
                    return;
                }
                if (random.nextInt(4) == 0) {
                    cq.arm();
                }
                // bounded, because a forged ring may swallow a message for ever
                cq.await(TimeUnit.MILLISECONDS.toNanos(5));
                if (random.nextInt(8) == 0) {
                    send(qp, random);
                }
            }
            switch (c.opcode) {
                case Completion.RECEIVE -> {
                    assertTrue(c.slot >= 0 && c.slot < SPEC.receiveSlots());
                    assertTrue(c.byteLen >= 0 && c.byteLen <= SPEC.receiveBytes());
                    qp.postReceive(c.slot);
                    send(qp, random);
                    if (random.nextInt(4) == 0) {
                        qp.postWrite(1, region, 0, random.nextInt(1000), 0, region.rkey());
                    }
                }
                case Completion.ERROR, Completion.DISCONNECTED -> {
                    return;
                }
                default -> {
                    // RDMA that ended, well or not
                }
            }
        }
    }

    private static void send(QueuePair qp, Random random) {
        int slot = qp.takeSendSlot();
        if (slot >= 0) {
            qp.postSend(slot, random.nextInt(SPEC.receiveBytes() + 1), 0);
        }
    }

    /** A connection that is not attacked. */
    private final class Bystander {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final QueuePair a;
        private final long[] trips = new long[1 << 16];
        private final AtomicLong count = new AtomicLong();
        private final Thread pinging;
        private final Thread echoing;

        Bystander(QueuePair a, QueuePair b) {
            this.a = a;
            echoing = Thread.ofPlatform().daemon().start(() -> Peer.echo(b));
            pinging = Thread.ofPlatform().daemon().start(this::ping);
        }

        private void ping() {
            Completion c = new Completion();
            while (!stop.get()) {
                long start = System.nanoTime();
                a.postSend(a.takeSendSlot(), 100, 0);
                while (!a.completions().poll(c)) {
                    a.completions().await(Long.MAX_VALUE);
                }
                if (c.opcode != Completion.RECEIVE) {
                    thrown.add(new AssertionError("the bystander was hit: " + c.opcode));
                    return;
                }
                a.postReceive(c.slot);
                trips[(int) count.getAndIncrement() & trips.length - 1] = System.nanoTime() - start;
                if (count.get() % 16 == 0) {
                    java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                }
            }
            a.close();
        }

        long[] stop() {
            stop.set(true);
            await().until(() -> !pinging.isAlive() && !echoing.isAlive());
            return Arrays.copyOf(trips, (int) Math.min(count.get(), trips.length));
        }
    }
}
