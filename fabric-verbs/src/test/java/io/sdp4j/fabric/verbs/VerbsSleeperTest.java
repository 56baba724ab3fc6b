package io.sdp4j.fabric.verbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.contract.FabricEnds.QpPair;
import io.sdp4j.linux.WakeSignal;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Goal: a thread that sleeps at a queue pair comes out when what another thread has posted since is
 * over and somebody waits for that, although the peer says nothing; and when another thread takes
 * the event that it waits for.
 */
@EnabledIf(value = "io.sdp4j.fabric.verbs.Lab#present", disabledReason = Lab.ABSENT)
@Timeout(120)
class VerbsSleeperTest {
    private static final int SEND_SLOTS = 8;
    private static final int LEN = 64;

    /** Messages before the test, whose slots no thread has asked for. */
    private static final int SAID = 2;

    private LabPairs pairs;
    private QpPair pair;

    @BeforeEach
    void open() throws Exception {
        // the peer has room for all that is sent; a thread that waits sleeps at once
        pairs =
                new LabPairs(
                        new QpSpec(4 * SEND_SLOTS, 1024, SEND_SLOTS),
                        VerbsConfig.defaults().withSpin(0, 0));
        pair = pairs.connectSoon();
        // an end that has answered waits for any message, without a limit
        LabPairs.say(pair.a(), pair.b(), new byte[LEN]);
        LabPairs.say(pair.b(), pair.a(), new byte[LEN]);
        LabPairs.say(pair.a(), pair.b(), new byte[LEN]);
    }

    @AfterEach
    void close() throws Exception {
        pair.close();
        pairs.close();
    }

    /** Sleeps once, on a thread of its own; what it finds then. */
    private static CompletableFuture<Integer> sleeper(QueuePair at) {
        CompletableFuture<Integer> opcode = new CompletableFuture<>();
        Thread sleeper =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    Completion c = new Completion();
                                    while (!at.completions().poll(c)) {
                                        at.completions().await(Long.MAX_VALUE);
                                    }
                                    opcode.complete(c.opcode);
                                });
        patiently().until(() -> sleeps(sleeper));
        return opcode;
    }

    private static boolean sleeps(Thread thread) {
        return Stream.of(thread.getStackTrace())
                .anyMatch(
                        e ->
                                e.getClassName().equals(Sleeper.class.getName())
                                        && e.getMethodName().equals("sleep"));
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(20));
    }

    @Test
    void comesOutForSendSlots() {
        CompletableFuture<Integer> found = sleeper(pair.a());
        for (int left = SEND_SLOTS - SAID; left > 0; left--) {
            int slot = pair.a().takeSendSlot();
            assertTrue(slot >= 0);
            pair.a().postSend(slot, LEN, 0);
        }
        patiently().until(found::isDone);
        assertEquals(Completion.SEND, found.join());
    }

    @Test
    void comesOutAtTheEndOfARead() throws Exception {
        try (MemoryRegion into = pair.a().register(Arena.ofAuto().allocate(LEN), false, false);
                MemoryRegion from = pair.b().register(Arena.ofAuto().allocate(LEN), true, false)) {
            CompletableFuture<Integer> found = sleeper(pair.a());
            assertTrue(pair.a().postRead(1, into, 0, LEN, from.address(), from.rkey()));
            patiently().until(found::isDone);
            assertEquals(Completion.READ, found.join());
        }
    }

    /**
     * Another thread that arms the descriptor and finds something takes the event. Method: the
     * sleeping thread gets a processor only when no other thread wants it.
     */
    @Test
    void comesOutWhenAPollerTakesItsEvent() throws Exception {
        CompletionQueue queue = pair.a().completions();
        CompletableFuture<Void> out = new CompletableFuture<>();
        Thread sleeper =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    stepBack();
                                    queue.await(Long.MAX_VALUE);
                                    out.complete(null);
                                });
        patiently().until(() -> sleeps(sleeper));
        pair.b().postSend(pair.b().takeSendSlot(), LEN, 0);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!queue.ready() && System.nanoTime() - end < 0) {
            Thread.onSpinWait(); // without a pause for the sleeping thread
        }
        assertFalse(queue.armDescriptor(true));
        patiently().until(out::isDone);
    }

    private static void stepBack() {
        try {
            Process p =
                    new ProcessBuilder("chrt", "-i", "-p", "0", "" + WakeSignal.self())
                            .inheritIO()
                            .start();
            assertEquals(0, p.waitFor());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
