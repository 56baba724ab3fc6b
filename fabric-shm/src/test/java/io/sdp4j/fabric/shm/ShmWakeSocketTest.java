package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.Futex;
import io.sdp4j.linux.WakeSignal;
import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** A peer that wakes the other side for nothing, again and again, loses its connection. */
@Timeout(60)
@SuppressWarnings("try") // listeners are closed with their fabric
final class ShmWakeSocketTest extends ShmDirectory {
    private static final long CALM_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

    private ServerSocket kernel;
    private ShmFabric fabric;
    private ShmQueuePair hostile;
    private QueuePair victim;

    @BeforeEach
    void connect() throws Exception {
        kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
        fabric = Ends.fabric(dir);
        BlockingQueue<QueuePair> accepted = new ArrayBlockingQueue<>(1);
        fabric.listen(
                new ListenRequest(
                        at,
                        false,
                        r -> r.accept(SPEC, new byte[0], new Taker(accepted::add, f -> {}))));
        hostile = (ShmQueuePair) Ends.connect(fabric, at, SPEC);
        victim = accepted.take();
    }

    @AfterEach
    void close() throws Exception {
        hostile.close();
        victim.close();
        fabric.close();
        kernel.close();
    }

    private boolean cut() {
        Completion c = new Completion();
        if (!victim.completions().poll(c)) {
            return false;
        }
        assertEquals(Completion.ERROR, c.opcode);
        assertEquals(WcStatus.REM_INV_REQ_ERR, c.status);
        return true;
    }

    @Test
    void unsolicitedBytesEndIt() {
        await().pollInterval(1, TimeUnit.MILLISECONDS)
                .until(
                        () -> {
                            hostile.liveness.link.ring();
                            return cut();
                        });
    }

    @Test
    void unsolicitedBytesOnTheDescriptorOfASelectorEndIt() {
        await().atMost(30, TimeUnit.SECONDS)
                .pollDelay(0, TimeUnit.MILLISECONDS)
                .pollInterval(1, TimeUnit.MILLISECONDS)
                .until(
                        () -> {
                            for (int i = 0; i < 100; i++) {
                                hostile.liveness.link.ring();
                                victim.completions().armDescriptor(true);
                            }
                            return cut();
                        });
    }

    /** A selector asks again and again while its descriptor is readable. */
    @Test
    void thePeersEndIsSeenBeforeTheEventThreadRuns() throws Throwable {
        whileTheEventThreadIsHeld(
                () -> {
                    assertTrue(victim.completions().armDescriptor(true));
                    hostile.fail(WcStatus.REM_OP_ERR);
                    boolean first = victim.completions().armDescriptor(true);
                    assertFalse(first && victim.completions().armDescriptor(true));
                    Completion c = new Completion();
                    assertTrue(victim.completions().poll(c));
                    assertEquals(Completion.DISCONNECTED, c.opcode);
                });
    }

    private void whileTheEventThreadIsHeld(Executable steps) throws Throwable {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        fabric.loop.execute(
                () -> {
                    held.countDown();
                    assertDoesNotThrow(() -> free.await());
                });
        held.await();
        try {
            steps.execute();
        } finally {
            free.countDown();
        }
    }

    @Test
    void sleepsThatEndForNothingEndIt() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        long word = hostile.sendMemory().address() + ShmLayout.control(1) + ShmLayout.SLEEP_WORD;
        Thread waking =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    while (!over.get()) {
                                        Futex.wake(word);
                                    }
                                });
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        boolean cut = false;
        while (!cut && System.nanoTime() < end) {
            victim.completions().await(end - System.nanoTime());
            cut = cut();
        }
        over.set(true);
        waking.join();
        assertTrue(cut);
    }

    /** As credits that a thread which writes takes before the one that reads is on a processor. */
    @Test
    void sleepsThatEndForWhatAnotherThreadHasTakenDoNot() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Thread waiting =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    while (!over.get()) {
                                        victim.completions().await(Long.MAX_VALUE);
                                    }
                                });
        try {
            for (int i = 0; i < 2500; i++) {
                takeBeforeTheSleeper(i);
            }
        } finally {
            over.set(true);
            victim.completions().wake();
            waiting.join();
        }
        assertFalse(cut());
    }

    private void takeBeforeTheSleeper(int round) {
        MemorySegment memory = hostile.sendMemory();
        long word = ShmLayout.control(1) + ShmLayout.SLEEP_WORD;
        while (memory.get(JAVA_INT, word) != 1) {
            assertFalse(victim.completions().ready(), () -> "cut in round " + round);
            Thread.onSpinWait();
        }
        memory.set(JAVA_INT, word, 0); // so that sending wakes no thread yet
        hostile.postSend(hostile.takeSendSlot(), 16, QueuePair.QUIET);
        Completion c = new Completion();
        assertTrue(victim.completions().poll(c));
        assertEquals(Completion.RECEIVE, c.opcode);
        victim.postReceive(c.slot);
        Futex.wake(memory.address() + word);
    }

    /** As those of a profiler do; each ends a sleep in the kernel, which counts them. */
    @Test
    void signalsThatEndSleepsDoNot() throws Exception {
        assumeTrue(WakeSignal.usable(), "no signal ends a system call here");
        AtomicBoolean over = new AtomicBoolean();
        AtomicBoolean cut = new AtomicBoolean();
        CompletableFuture<Integer> number = new CompletableFuture<>();
        Thread waiting =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    number.complete(WakeSignal.self());
                                    while (!over.get()) {
                                        victim.completions().await(TimeUnit.HOURS.toNanos(1));
                                        cut.compareAndSet(false, cut());
                                    }
                                });
        Path thread = Path.of("/proc/self/task/" + number.get());
        long enough = sleeps(thread) + 1500;
        while (sleeps(thread) < enough && !cut.get()) {
            WakeSignal.send(number.get());
        }
        over.set(true);
        victim.completions().wake();
        waiting.join();
        assertFalse(cut.get());
    }

    /** It would take a minute to see, so the system call's own words are read. */
    @Test
    void aSleepWithoutALimitEndsByItself() throws Exception {
        CompletableFuture<Integer> number = new CompletableFuture<>();
        Thread waiting =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    number.complete(WakeSignal.self());
                                    victim.completions().await(Long.MAX_VALUE);
                                });
        Path call = Path.of("/proc/self/task/" + number.get() + "/syscall");
        assumeTrue(Files.isReadable(call), "this kernel does not show system calls");
        String word =
                Long.toHexString(
                        ((ShmQueuePair) victim).sendMemory().address()
                                + ShmLayout.control(1)
                                + ShmLayout.SLEEP_WORD);
        // number, address of the word, operation, value, address of the limit
        String[] futex =
                await().until(
                                () -> Files.readString(call).split(" "),
                                words -> words.length > 4 && words[1].equals("0x" + word));
        assertNotEquals("0x0", futex[4]);
        victim.completions().wake();
        waiting.join();
    }

    private static long sleeps(Path thread) throws IOException {
        return Long.parseLong(Proc.status(thread, "voluntary_ctxt_switches"));
    }

    @Test
    void aPeerThatSaysNothingKeepsIt() {
        long end = System.nanoTime() + CALM_NANOS;
        while (System.nanoTime() < end) {
            victim.completions().await(end - System.nanoTime());
            assertTrue(!cut());
        }
    }
}
