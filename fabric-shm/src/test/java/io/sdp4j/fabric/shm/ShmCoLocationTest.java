package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: two threads of a conversation are confined to a processor while they sleep, and are free
 * when they wake; not where that was not wanted. Method: the kernel's account of both threads,
 * looked at by a third one; fresh connections, because how often sleeping together is tried depends
 * on what it brings.
 */
@Timeout(120)
class ShmCoLocationTest {
    private static final int TRIES = 60;
    private final List<Throwable> wrong = Collections.synchronizedList(new ArrayList<>());

    @Test
    void sleepersAreConfinedAndFreeWhenTheyWake() throws Exception {
        assumeFree();
        boolean seen = false;
        for (int i = 0; i < TRIES && !seen; i++) {
            seen = converse(true);
        }
        assertTrue(seen);
        assertEquals(List.of(), wrong);
    }

    @Test
    void noThreadIsConfinedWhereThatWasNotWanted() throws Exception {
        assumeFree();
        assertEquals(false, converse(false));
        assertEquals(List.of(), wrong);
    }

    /** Some hundred milliseconds of round trips; whether both threads were ever seen confined. */
    @SuppressWarnings("try") // the listener is only kept open
    private boolean converse(boolean together) throws Exception {
        Path dir = Ends.directory();
        ShmConfig config =
                new ShmConfig(dir, 0, 0, ShmConfig.defaults().memoryMaxBytes(), together);
        try (ShmFabric active = ShmFabric.open(config, Ends.loop());
                ShmFabric passive = ShmFabric.open(config, Ends.loop());
                ServerSocket kernel = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            BlockingQueue<QueuePair> accepted = new ArrayBlockingQueue<>(1);
            var to = (InetSocketAddress) kernel.getLocalSocketAddress();
            try (FabricListener l =
                    passive.listen(
                            new ListenRequest(
                                    to,
                                    false,
                                    r ->
                                            r.accept(
                                                    Peer.SPEC,
                                                    new byte[0],
                                                    new Taker(accepted::add, wrong::add))))) {
                QueuePair a = Ends.connect(active, to, Peer.SPEC);
                return watch(a, accepted.take());
            }
        } finally {
            Ends.remove(dir);
        }
    }

    private boolean watch(QueuePair a, QueuePair b) throws Exception {
        BlockingQueue<Path> tasks = new ArrayBlockingQueue<>(2);
        CountDownLatch said = new CountDownLatch(2);
        CountDownLatch seen = new CountDownLatch(1);
        Thread asks = talker(tasks, () -> ask(a), said, seen);
        Thread answers = talker(tasks, () -> Peer.echo(b), said, seen);
        Path one = tasks.take();
        Path other = tasks.take();
        boolean oneSeen = false;
        boolean otherSeen = false;
        while (said.getCount() == 2) {
            oneSeen |= confined(one);
            otherSeen |= confined(other);
        }
        seen.countDown();
        asks.join();
        answers.join();
        return oneSeen && otherSeen;
    }

    /**
     * Its processors are those it began with at every moment that it can look at them. It lives
     * until it was seen for the last time: the kernel keeps no account of a thread that ended.
     */
    private Thread talker(
            BlockingQueue<Path> tasks, Runnable talk, CountDownLatch said, CountDownLatch seen) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                Path self = Path.of("/proc/thread-self").toRealPath();
                                tasks.add(self);
                                String before = allowed(self);
                                try {
                                    talk.run();
                                } finally {
                                    said.countDown();
                                }
                                assertEquals(before, allowed(self));
                                seen.await();
                            } catch (IOException | InterruptedException | AssertionError e) {
                                wrong.add(e);
                            }
                        });
    }

    private void ask(QueuePair qp) {
        Completion c = new Completion();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(400);
        while (System.nanoTime() < end) {
            qp.postSend(qp.takeSendSlot(), 64, 0);
            while (!qp.completions().poll(c)) {
                qp.completions().await(TimeUnit.SECONDS.toNanos(20));
            }
            qp.postReceive(c.slot);
        }
        qp.close();
    }

    private static boolean confined(Path task) throws IOException {
        return allowed(task).matches("\\d+");
    }

    private static String allowed(Path task) throws IOException {
        return Proc.status(task, "Cpus_allowed_list");
    }

    /** Else this JVM's processors were chosen, and there is nothing to confine. */
    private static void assumeFree() throws IOException {
        Path online = Path.of("/sys/devices/system/cpu/online");
        assumeTrue(Files.exists(online));
        String all = Files.readString(online).strip();
        assumeTrue(all.contains("-") && all.equals(allowed(Path.of("/proc/thread-self"))));
    }
}
