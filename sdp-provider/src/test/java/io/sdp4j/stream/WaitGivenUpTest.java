package io.sdp4j.stream;

import static io.sdp4j.offload.spi.OffloadStream.READ;
import static io.sdp4j.offload.spi.OffloadStream.WRITE;
import static io.sdp4j.stream.StreamPair.readFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadStream;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a waiter that asks for a notification, and then finds that it need not wait, leaves the
 * others theirs. Method: what it waits for comes just before, or just after, its queue asks the
 * peer; nothing looks at quiet streams, so one notification alone wakes the other waiter.
 */
@Timeout(60)
final class WaitGivenUpTest {
    /** Runs once, before the queue asks for a call of the event thread. */
    private final AtomicReference<Callable<?>> beforeArm = new AtomicReference<>();

    /** Runs once, after the queue has asked for a ring of the descriptor. */
    private final AtomicReference<Callable<?>> afterArmDescriptor = new AtomicReference<>();

    private final Semaphore told = new Semaphore(0);
    private TestFabric fabric;
    private StreamPair pair;
    private OffloadStream client;

    @BeforeEach
    void open() throws Exception {
        fabric = new TestFabric().neverTrimming();
        pair =
                new StreamPair(
                        fabric.provider(),
                        fabric.provider(f -> Shims.connecting(f, this::meeting)));
        client = pair.client;
    }

    @AfterEach
    void close() throws Exception {
        client.close(false);
        pair.server.close(false);
        pair.close();
        fabric.close();
    }

    private QueuePair meeting(QueuePair qp) {
        CompletionQueue real = qp.completions();
        return Shims.completing(
                qp,
                Shims.around(
                        CompletionQueue.class,
                        real,
                        (p, method, args) -> meet(real, method, args)));
    }

    private Object meet(CompletionQueue real, Method method, Object[] args) throws Throwable {
        if (method.getName().equals("arm")) {
            run(beforeArm.getAndSet(null));
        } else if (method.getName().equals("armDescriptor")) {
            Callable<?> after = afterArmDescriptor.getAndSet(null);
            if (after != null) {
                assertEquals(true, Shims.invoke(method, real, args));
                run(after);
                return !real.ready();
            }
        }
        return null;
    }

    private static void run(Callable<?> event) throws Exception {
        if (event != null) {
            event.call();
        }
    }

    private Thread waits(int op) {
        Thread thread = Thread.startVirtualThread(() -> client.await(op, Long.MAX_VALUE));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> thread.getState() == Thread.State.WAITING);
        return thread;
    }

    private static void assertEnds(Thread thread) throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(20));
        assertEquals(Thread.State.TERMINATED, thread.getState());
    }

    private void assertTold() throws InterruptedException {
        assertTrue(told.tryAcquire(20, TimeUnit.SECONDS));
    }

    /** Writes until the peer takes no more. Returns the number of bytes. */
    private int fill() throws Exception {
        byte[] chunk = new byte[1 << 16];
        int sent = 0;
        for (int n = 1; n > 0; sent += n) {
            n = client.tryWrite(chunk, 0, chunk.length);
        }
        assertEquals(0, client.ready() & WRITE);
        return sent;
    }

    /** The peer reads that much, and gives the last buffer back. */
    private Object takes(int bytes) throws Exception {
        assertEquals(bytes, readFully(pair.server, bytes).length);
        return pair.server.tryRead(new byte[1], 0, 1);
    }

    private Object says() throws Exception {
        return pair.server.tryWrite(new byte[1], 0, 1);
    }

    /**
     * A writer begins to wait; what it waits for comes meanwhile. The event thread hears of that
     * only afterwards.
     */
    private void writeWaitThatEndsAtOnce(Callable<?> begin) throws Exception {
        int filled = fill();
        Semaphore over = new Semaphore(0);
        fabric.loop().execute(over::acquireUninterruptibly);
        try {
            await().atMost(Duration.ofSeconds(20)).until(over::hasQueuedThreads);
            beforeArm.set(() -> takes(filled));
            begin.call();
            assertNull(beforeArm.get(), "it has asked");
        } finally {
            over.release();
        }
    }

    private Object writerWaits() throws InterruptedException {
        assertEnds(Thread.startVirtualThread(() -> client.await(WRITE, Long.MAX_VALUE)));
        return null;
    }

    @Test
    void aWriterLeavesItToAReader() throws Exception {
        Thread reader = waits(READ);
        writeWaitThatEndsAtOnce(this::writerWaits);
        says();
        assertEnds(reader);
    }

    @Test
    void aWriterLeavesItToATask() throws Exception {
        assertTrue(client.arm(READ, told::release));
        writeWaitThatEndsAtOnce(this::writerWaits);
        says();
        assertTold();
    }

    @Test
    void aTaskLeavesItToATask() throws Exception {
        assertTrue(client.arm(READ, told::release));
        writeWaitThatEndsAtOnce(() -> client.arm(WRITE, () -> {}));
        says();
        assertTold();
    }

    @Test
    void aReaderLeavesItToAWriter() throws Exception {
        int filled = fill();
        Thread writer = waits(WRITE);
        afterArmDescriptor.set(this::says);
        assertEnds(Thread.startVirtualThread(() -> client.await(READ, Long.MAX_VALUE)));
        takes(filled);
        assertEnds(writer);
    }

    /** A look whether a quiet stream can be put at rest asks, too. */
    @Test
    void aLookThatFindsAMessageTellsOfIt() throws Exception {
        assertTrue(client.arm(READ, told::release));
        beforeArm.set(this::says);
        StreamLife life = ((SdpStream) client).life();
        // on the event thread, so that the byte of the message is looked at afterwards
        fabric.loop().execute(life::onLook);
        await().atMost(Duration.ofSeconds(20)).until(() -> beforeArm.get() == null);
        assertTold();
    }
}
