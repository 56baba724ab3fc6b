package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.Pair;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.InterruptedByTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Data, time-out, cancel, half-close and close that come at the same moment. */
interface AsyncRaceContract extends Aio {
    /** Events that may happen to a waiting read; each is aimed at the same moment as the others. */
    private static void strike(
            int how,
            Pair<AsynchronousServerSocketChannel, AsynchronousSocketChannel> p,
            Future<Integer> future)
            throws Exception {
        switch (how) {
            case 0 -> Aio.send(p.client(), "x");
            case 1 -> p.server().shutdownInput();
            case 2 -> p.client().shutdownOutput();
            case 3 -> p.server().close();
            default -> {
                if (future != null) {
                    boolean _ = future.cancel(false);
                }
            }
        }
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    private static Thread strikeAt(
            int how,
            int after,
            Pair<AsynchronousServerSocketChannel, AsynchronousSocketChannel> p,
            Future<Integer> future) {
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            spin(after);
                            try {
                                strike(how, p, future);
                            } catch (Exception e) {
                                // the other one was faster: a closed or shut channel
                            }
                        });
    }

    /**
     * Goal: exactly one end for every read, and the one that fits. Method: two things happen to it
     * at nearly the same time; the seed is printed when it fails.
     */
    @Test
    default void everyReadEndsOnce() throws Exception {
        long seed = Long.getLong("sdp4j.test.seed", System.nanoTime());
        Random random = new Random(seed);
        List<Outcome<Integer>> outcomes = new ArrayList<>();
        try {
            for (int round = 0; round < 150; round++) {
                race(random, outcomes);
            }
            outcomes.forEach(Outcome::assertOnce);
        } catch (Exception | AssertionError e) {
            throw new AssertionError("-Dsdp4j.test.seed=" + seed, e);
        }
    }

    private void race(Random random, List<Outcome<Integer>> outcomes) throws Exception {
        boolean withHandler = random.nextBoolean();
        boolean timed = withHandler && random.nextBoolean();
        int first = random.nextInt(withHandler ? 4 : 5);
        int second = random.nextInt(withHandler ? 4 : 5);
        try (var p = pair()) {
            ByteBuffer dst = ByteBuffer.allocate(4);
            Outcome<Integer> outcome = new Outcome<>();
            Future<Integer> future = null;
            int after = random.nextInt(20_000);
            if (withHandler) {
                long timeout = timed ? 1 + random.nextInt(200) : 0;
                p.server().read(dst, timeout, TimeUnit.MICROSECONDS, null, outcome);
                outcomes.add(outcome);
            } else {
                future = p.server().read(dst);
            }
            Thread a = strikeAt(first, after, p, future);
            Thread b = strikeAt(second, after + random.nextInt(2_000), p, future);
            a.join();
            b.join();
            if (first == 4 && second == 4) {
                assertTrue(future.isCancelled());
            } else if (withHandler) {
                judge(outcome, dst, timed);
            } else {
                judge(future, dst);
            }
        }
    }

    private static void judge(Outcome<Integer> outcome, ByteBuffer dst, boolean timed)
            throws Exception {
        try {
            assertEquals(Math.max(outcome.get(), 0), dst.position());
        } catch (AssertionError e) {
            if (!(timed && e.getCause() instanceof InterruptedByTimeoutException)
                    && !(e.getCause() instanceof AsynchronousCloseException)) {
                throw e;
            }
            assertEquals(0, dst.position());
        }
    }

    private static void judge(Future<Integer> future, ByteBuffer dst) throws Exception {
        try {
            assertEquals(Math.max(Aio.get(future), 0), dst.position());
        } catch (AsynchronousCloseException e) {
            assertEquals(0, dst.position());
        } catch (java.util.concurrent.CancellationException e) {
            assertTrue(future.isCancelled());
        }
    }

    /**
     * Goal: no wake-up is lost. Method: many rounds in which the answer comes as the read starts.
     */
    @Test
    default void noWakeUpIsLost() throws Exception {
        long seed = Long.getLong("sdp4j.test.seed", System.nanoTime());
        Random random = new Random(seed);
        try (var p = pair()) {
            Thread echo = Thread.ofPlatform().daemon().start(() -> echo(p.server(), seed));
            ByteBuffer in = ByteBuffer.allocate(1);
            for (int round = 0; round < 3_000; round++) {
                spin(random.nextInt(200));
                if (random.nextBoolean()) {
                    Future<Integer> read = p.client().read(in.clear());
                    Aio.send(p.client(), "x");
                    assertEquals(1, Aio.get(read), "seed " + seed);
                } else {
                    Outcome<Integer> read = new Outcome<>();
                    Aio.send(p.client(), "x");
                    p.client().read(in.clear(), 30, TimeUnit.SECONDS, null, read);
                    assertEquals(1, read.get(), "seed " + seed);
                }
            }
            p.client().shutdownOutput();
            echo.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            assertFalse(echo.isAlive());
        }
    }

    private static void echo(AsynchronousSocketChannel channel, long seed) {
        Random random = new Random(seed + 1);
        ByteBuffer b = ByteBuffer.allocate(1);
        try {
            while (Aio.get(channel.read(b.clear())) == 1) {
                spin(random.nextInt(200));
                Aio.get(channel.write(b.flip()));
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
