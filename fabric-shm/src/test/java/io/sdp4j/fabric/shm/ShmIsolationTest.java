package io.sdp4j.fabric.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.linux.EventLoop;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a hostile process delays only itself. Method: every connection of a server is served by its
 * notify handler, so on the event thread, the one thing that they share; an innocent one plays
 * ping-pong, first alone, then while {@link Hostile} does its worst to connections and listener of
 * the same server.
 */
@Timeout(180)
@SuppressWarnings("try") // listeners are closed with their fabric
final class ShmIsolationTest extends ShmDirectory {
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long ATTACK_NANOS =
            TimeUnit.SECONDS.toNanos(
                    System.getProperty("sdp4j.test.profile", "verify").equals("deep") ? 60 : 3);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long MEDIAN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();

    /** Echoes what comes at each notification. */
    private static final class Served implements Runnable {
        private static final int ROUNDS = 16;
        private static final int MESSAGES = 64;

        private final QueuePair qp;
        private final EventLoop loop;
        private final Completion c = new Completion();
        private boolean closed;

        Served(QueuePair qp, EventLoop loop) {
            this.qp = qp;
            this.loop = loop;
            qp.completions().onNotify(this);
        }

        @Override
        public void run() {
            for (int round = 0; !closed; round++) {
                for (int n = 0; n < MESSAGES && qp.completions().poll(c); n++) {
                    if (!echo()) {
                        closed = true;
                        qp.close();
                        return;
                    }
                }
                if (qp.completions().arm()) {
                    return;
                }
                if (round == ROUNDS) {
                    loop.execute(this); // a busy peer must not keep the event thread
                    return;
                }
            }
        }

        private boolean echo() {
            if (c.opcode != Completion.RECEIVE) {
                return false;
            }
            qp.postReceive(c.slot);
            int slot = qp.takeSendSlot();
            if (slot >= 0) {
                qp.postSend(slot, Math.min(c.byteLen, qp.sendBytes()), 0);
            }
            return true;
        }
    }

    @Test
    void aHostileProcessDelaysOnlyItself() throws Exception {
        long seed = Long.getLong("sdp4j.test.seed", System.nanoTime());
        EventLoop loop = Ends.loop();
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            fabric.listen(
                    new ListenRequest(
                            at, false, r -> r.accept(Peer.SPEC, new byte[0], server(loop))));
            QueuePair innocent = Ends.connect(fabric, at, Peer.SPEC);
            long[] calm = pingPong(innocent, CALM_NANOS);
            Process hostile = Hostile.start(dir, kernel.getLocalPort(), seed);
            AtomicInteger spoilt = new AtomicInteger();
            try {
                Thread.ofPlatform().daemon().start(() -> count(hostile, spoilt));
                await().atMost(30, TimeUnit.SECONDS).until(() -> spoilt.get() > 0);
                long[] attacked = pingPong(innocent, ATTACK_NANOS);
                String told =
                        "seed "
                                + seed
                                + ", median "
                                + median(calm)
                                + " ns calm, "
                                + median(attacked)
                                + " ns attacked, longest "
                                + attacked[attacked.length - 1]
                                + " ns, "
                                + spoilt
                                + " connections spoilt";
                assertTrue(spoilt.get() > 5, told);
                assertTrue(attacked[attacked.length - 1] < LONGEST_NANOS, told);
                assertTrue(median(attacked) < MEDIAN_NANOS, told);
            } finally {
                hostile.destroyForcibly().waitFor();
            }
            innocent.close();
            assertEquals(0, thrown.size(), () -> "seed " + seed + ": " + thrown);
        }
    }

    private static Taker server(EventLoop loop) {
        // a hostile hand-shake may come to nothing
        return new Taker(qp -> loop.execute(new Served(qp, loop)), failure -> {});
    }

    /** Times of all round trips, sorted. */
    private long[] pingPong(QueuePair qp, long nanos) {
        long[] trips = new long[1 << 20];
        int count = 0;
        Completion c = new Completion();
        long end = System.nanoTime() + nanos;
        for (long start = System.nanoTime(); start < end && count < trips.length; ) {
            qp.postSend(qp.takeSendSlot(), 100, 0);
            while (!qp.completions().poll(c)) {
                qp.completions().await(LONGEST_NANOS);
            }
            assertEquals(Completion.RECEIVE, c.opcode, "the innocent connection was hit");
            qp.postReceive(c.slot);
            long now = System.nanoTime();
            trips[count++] = now - start;
            start = now;
        }
        long[] sorted = Arrays.copyOf(trips, count);
        Arrays.sort(sorted);
        return sorted;
    }

    private static long median(long[] sorted) {
        return sorted[sorted.length / 2];
    }

    private void count(Process hostile, AtomicInteger spoilt) {
        try (BufferedReader out = hostile.inputReader()) {
            while (out.readLine() != null) {
                spoilt.incrementAndGet();
            }
        } catch (IOException e) {
            // killed
        }
    }
}
