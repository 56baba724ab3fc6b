package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.contract.FabricContract;
import io.sdp4j.linux.UnixFd;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The contract over shared memory, in a directory that is empty again afterwards. */
final class ShmContractTest extends FabricContract {
    private Path dir;

    private Path directory() throws Exception {
        if (dir == null) {
            dir = Ends.directory();
        }
        return dir;
    }

    @Override
    protected void afterClose() throws Exception {
        assertEquals(List.of(), Ends.remove(dir));
        assertEquals(List.of(), List.copyOf(Ends.THROWN));
    }

    @Override
    protected Fabric openActive() throws Exception {
        return Ends.fabric(directory());
    }

    @Override
    protected Fabric openPassive() throws Exception {
        return Ends.fabric(directory());
    }

    private static void sendQuietly(QueuePair from) {
        from.postSend(from.takeSendSlot(), 16, QueuePair.QUIET);
    }

    private static boolean readable(int fd) {
        return UnixFd.awaitReadable(
                fd, 0); // the byte is there when the post that sent it has returned
    }

    @Test
    void quietMessagesRingOnlyForWhoWantsThem() throws Exception {
        QpPair p = connect();
        CompletionQueue b = p.b().completions();
        int fd = b.descriptor();
        for (int i = 0; i < 50; i++) {
            assertTrue(b.armDescriptor(false));
            sendQuietly(p.a());
            assertFalse(readable(fd), "quiet");
            assertFalse(b.armDescriptor(false), "but there");
            assertEquals(16, receive(p.b()).length);
            assertTrue(b.armDescriptor(false));
            send(p.a(), bytes(i, 9));
            assertTrue(readable(fd), "not quiet");
            assertArrayEquals(bytes(i, 9), receive(p.b()));
            assertTrue(b.armDescriptor(true));
            sendQuietly(p.a());
            assertTrue(readable(fd), "wanted");
            assertEquals(16, receive(p.b()).length);
        }
    }

    @Test
    void aRungDescriptorStaysReadableAndIsNotRungAgain() throws Exception {
        QpPair p = connect();
        CompletionQueue b = p.b().completions();
        int fd = b.descriptor();
        assertFalse(b.rung(), "not asked for");
        for (int i = 0; i < 50; i++) {
            assertTrue(b.armDescriptor(false));
            assertFalse(b.rung());
            send(p.a(), bytes(i, 9));
            send(p.a(), bytes(i, 10));
            assertTrue(b.rung());
            assertTrue(readable(fd));
            assertArrayEquals(bytes(i, 9), receive(p.b()));
            assertArrayEquals(bytes(i, 10), receive(p.b()));
            assertTrue(b.rung() && readable(fd), "until it is asked for again");
            send(p.a(), bytes(i, 11));
            assertFalse(b.armDescriptor(false), "something is there");
            assertArrayEquals(bytes(i, 11), receive(p.b()));
            assertTrue(b.armDescriptor(false));
            assertFalse(b.rung() || readable(fd), "each asking is answered once");
        }
        b.releaseDescriptor();
        send(p.a(), bytes(1, 9));
        assertFalse(b.rung(), "the event thread takes the bytes");
        assertArrayEquals(bytes(1, 9), receive(p.b()));
    }

    /**
     * Goal: a thread that relies on {@code rung} or on the descriptor never waits in vain, however
     * asking and ringing meet. Method: a sender with pauses of random length; the other end sleeps
     * after every look that found nothing, asking for a ring, also several times, or, if it was
     * rung, not.
     */
    @Test
    void rungIsAlwaysReadable() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        QpPair p = connect();
        CompletionQueue b = p.b().completions();
        int rounds = 20_000;
        Semaphore free = new Semaphore(SPEC.receiveSlots());
        CompletableFuture<Void> sender =
                CompletableFuture.runAsync(
                        () -> sendAll(p.a(), rounds, free, new Random(seed + 1)));
        Completion c = new Completion();
        boolean armed = false;
        for (int taken = 0; taken < rounds; ) {
            pause(random);
            if (poll(p.b(), c)) {
                taken++;
                p.b().postReceive(c.slot);
                free.release();
            } else if ((random.nextBoolean() && armed && b.rung()) || armSomeTimes(b, random)) {
                armed = true;
                assertTrue(
                        UnixFd.awaitReadable(b.descriptor(), TimeUnit.SECONDS.toNanos(20)),
                        "not readable after " + taken + ", seed " + seed);
            }
        }
        sender.get(20, TimeUnit.SECONDS);
    }

    private static boolean armSomeTimes(CompletionQueue b, Random random) {
        boolean granted;
        do {
            granted = b.armDescriptor(true);
        } while (granted && random.nextInt(8) > 0);
        return granted;
    }

    private static void sendAll(QueuePair from, int rounds, Semaphore free, Random random) {
        for (int i = 0; i < rounds; i++) {
            pause(random);
            free.acquireUninterruptibly();
            sendQuietly(from);
        }
    }

    private static void pause(Random random) {
        for (int n = random.nextInt(300); n > 0; n--) {
            Thread.onSpinWait();
        }
    }

    /** Goal: an unsolicited wake-up byte is gone soon. Method: sends one, and asks twice. */
    @Test
    void anUnwantedByteDoesNotKeepAPollerBusy() throws Exception {
        QpPair p = connect();
        CompletionQueue b = p.b().completions();
        int fd = b.descriptor();
        for (int i = 0; i < 50; i++) {
            assertTrue(b.armDescriptor(true));
            ((ShmQueuePair) p.a()).liveness.link.ring();
            assertTrue(readable(fd));
            assertTrue(b.armDescriptor(true));
            assertTrue(b.armDescriptor(true));
            assertFalse(readable(fd));
            send(p.a(), bytes(i, 9));
            assertTrue(readable(fd), "what was asked for still comes");
            assertArrayEquals(bytes(i, 9), receive(p.b()));
        }
    }
}
