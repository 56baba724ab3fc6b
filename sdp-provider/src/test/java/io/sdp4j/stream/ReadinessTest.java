package io.sdp4j.stream;

import static io.sdp4j.offload.spi.OffloadStream.READ;
import static io.sdp4j.offload.spi.OffloadStream.WRITE;
import static io.sdp4j.stream.StreamPair.readFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.linux.UnixFd;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a caller that does not wait in {@code await} is told once when a stream becomes ready,
 * never missed. Method: both ends in one JVM.
 */
@Timeout(60)
class ReadinessTest {
    /** One pair over a fabric of its own. */
    private record Setting(TestFabric fabric, StreamPair pair) implements AutoCloseable {
        static Setting open() throws Exception {
            TestFabric fabric = new TestFabric();
            return new Setting(fabric, new StreamPair(fabric.provider()));
        }

        OffloadStream client() {
            return pair.client;
        }

        OffloadStream server() {
            return pair.server;
        }

        @Override
        public void close() throws IOException {
            client().close(false);
            server().close(false);
            pair.close();
            fabric.close();
        }
    }

    private static boolean soon(Semaphore called) throws InterruptedException {
        return called.tryAcquire(20, TimeUnit.SECONDS);
    }

    @Test
    void eachArmIsAnsweredOnce() throws Exception {
        try (Setting s = Setting.open()) {
            Semaphore called = new Semaphore(0);
            for (int i = 0; i < 200; i++) {
                assertTrue(s.server().arm(READ, called::release), "nothing has come");
                StreamPair.writeFully(s.client(), new byte[] {(byte) i});
                assertTrue(soon(called));
                assertFalse(s.server().arm(READ, called::release), "something is there");
                assertEquals((byte) i, readFully(s.server(), 1)[0]);
            }
            assertEquals(0, called.availablePermits());
        }
    }

    @Test
    void wakeAndCloseAnswerToo() throws Exception {
        try (Setting s = Setting.open()) {
            Semaphore called = new Semaphore(0);
            assertTrue(s.server().arm(READ, called::release));
            s.server().wake();
            assertTrue(soon(called));
            assertFalse(s.server().arm(READ, called::release), "woken");
            assertTrue(s.server().arm(READ, called::release));
            s.server().shutdownInput();
            assertTrue(soon(called));
            assertEquals(-1, s.server().tryRead(new byte[1], 0, 1));
            assertTrue(s.client().arm(READ, called::release));
            s.server().shutdownOutput();
            assertTrue(soon(called));
            assertEquals(-1, s.client().tryRead(new byte[1], 0, 1));
        }
        TestFabric fabric = new TestFabric();
        StreamPair pair = new StreamPair(fabric.provider());
        Semaphore called = new Semaphore(0);
        assertTrue(pair.server.arm(READ, called::release));
        pair.server.close(false);
        assertTrue(soon(called));
        pair.client.close(false);
        pair.close();
        fabric.close();
    }

    @Test
    void readerAndWriterAreToldApart() throws Exception {
        try (Setting s = Setting.open()) {
            byte[] block = new byte[100_000];
            long written = 0;
            for (int n = 1; n > 0; written += n) {
                n = s.client().tryWrite(block, 0, block.length);
            }
            Semaphore room = new Semaphore(0);
            Semaphore data = new Semaphore(0);
            assertTrue(s.client().arm(WRITE, room::release));
            assertTrue(s.client().arm(READ, data::release));
            readFully(s.server(), (int) written);
            assertTrue(soon(room));
            assertEquals(0, data.availablePermits());
            assertTrue((s.client().ready() & WRITE) != 0);
            StreamPair.writeFully(s.server(), new byte[1]);
            assertTrue(soon(data));
        }
    }

    /** Pauses of random length, so that arming, arriving and looking meet in every order. */
    @Test
    void noArmIsForgotten() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (Setting s = Setting.open()) {
            CompletableFuture<Void> echo =
                    CompletableFuture.runAsync(() -> echo(s.server(), new Random(seed + 1)));
            Semaphore called = new Semaphore(0);
            for (int i = 0; i < 5_000; i++) {
                StreamPair.writeFully(s.client(), new byte[] {(byte) i});
                pause(random);
                byte[] one = new byte[1];
                while (s.client().tryRead(one, 0, 1) == 0) {
                    if (s.client().arm(READ, called::release)) {
                        assertTrue(soon(called), "no answer, seed " + seed + ", round " + i);
                    }
                }
                assertEquals((byte) i, one[0], "seed " + seed);
            }
            s.client().shutdownOutput();
            echo.get(20, TimeUnit.SECONDS);
        }
    }

    private static void echo(OffloadStream stream, Random random) {
        Semaphore called = new Semaphore(0);
        byte[] one = new byte[1];
        try {
            for (int n = 0; n >= 0; n = stream.tryRead(one, 0, 1)) {
                if (n > 0) {
                    pause(random);
                    StreamPair.writeFully(stream, one);
                } else if (stream.arm(READ, called::release) && !soon(called)) {
                    throw new IllegalStateException("no answer");
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void pause(Random random) {
        for (int n = random.nextInt(2_000); n > 0; n--) {
            Thread.onSpinWait();
        }
    }

    /**
     * Goal: the notify descriptor tells at once what is ready, and steps back where the provider
     * must look after the stream itself.
     */
    @Test
    void theNotifyDescriptorTellsWhatIsReady() throws Exception {
        try (Setting s = Setting.open()) {
            OffloadStream server = s.server();
            assertTrue(server.notifyFd() >= 0);
            assertEquals(0, server.requestNotify(READ));
            assertEquals(WRITE, server.requestNotify(READ | WRITE));
            StreamPair.writeFully(s.client(), new byte[3]);
            assertEquals(READ | OffloadStream.RUNG, server.requestNotify(READ));
            assertTrue(rung(server), "as it says");
            readFully(server, 3);
            assertEquals(0, server.requestNotify(READ));
            server.shutdownInput();
            assertEquals(-1, server.requestNotify(READ), "input is thrown away in the background");
            assertEquals(0, server.requestNotify(0));
            // which it is, though no thread looks: the peer's writes go on without end
            byte[] block = new byte[100_000];
            for (int i = 0; i < 200; i++) {
                StreamPair.writeFully(s.client(), block);
            }
        }
    }

    /**
     * Goal: a caller that watches only now and then, as a selector whose keys lose their interest
     * after each message, is no reason to doubt the peer. Each round leaves one notification that
     * no thread waits for any more.
     */
    @Test
    void watchingNowAndThenLastsForEver() throws Exception {
        try (Setting s = Setting.open()) {
            OffloadStream server = s.server();
            for (int i = 0; i < 1_500; i++) {
                assertEquals(0, server.requestNotify(READ), "round " + i);
                StreamPair.writeFully(s.client(), new byte[] {(byte) i});
                assertTrue(rung(server), "round " + i);
                assertEquals((byte) i, readFully(server, 1)[0]);
                assertEquals(0, server.requestNotify(0));
                await().pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> !UnixFd.awaitReadable(server.notifyFd(), 0));
            }
        }
    }

    /**
     * Goal: a call of the event thread that was on its way when the notification was granted does
     * not take it away again.
     */
    @Test
    void aLateCallLeavesTheNotificationAlone() throws Exception {
        try (Setting s = Setting.open()) {
            OffloadStream server = s.server();
            assertTrue(server.arm(READ, () -> {}));
            assertEquals(0, server.requestNotify(READ));
            ((SdpStream) server).life().onNotify();
            StreamPair.writeFully(s.client(), new byte[1]);
            assertTrue(rung(server));
        }
    }

    /**
     * Goal: an operation that ends while another one waits does not take the notification away from
     * it. Method: the write begins the last message that the peer takes, so that something is left
     * to look after.
     */
    @Test
    void aWriteThatEndsLeavesTheNotificationToTheReader() throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            StreamPair pair = new StreamPair(fabric.provider(TestFabric.tinyZcopy(true, 100_000)));
            OffloadStream client = pair.client;
            assertEquals(0, client.requestNotify(READ));
            StreamCore core = ((SdpStream) client).life().core;
            while (!fillsTheLast(core)) {
                StreamPair.writeFully(client, new byte[5_000]);
            }
            await().pollInterval(Duration.ofMillis(1)).until(() -> waits(core));
            client.reclaim(WRITE, false);
            StreamPair.writeFully(pair.server, new byte[1]);
            awaitByteThatStays(client);
            client.close(false);
            pair.server.close(false);
            pair.close();
        }
    }

    /**
     * Goal: the task of a caller comes after the call that asked for it, also on the event thread:
     * a selector's descriptor that it raised would be lowered again by the rest of that call.
     */
    @Test
    void aTaskComesAfterTheCall() throws Exception {
        try (Setting s = Setting.open()) {
            OffloadStream client = s.client();
            List<String> order = new CopyOnWriteArrayList<>();
            CountDownLatch done = new CountDownLatch(1);
            SdpStream server = (SdpStream) s.server();
            server.life()
                    .core
                    .later(
                            () -> {
                                client.tryBegin(new byte[3]);
                                boolean comes = server.arm(READ, () -> order.add("task"));
                                order.add("call");
                                if (!comes) {
                                    order.add("task"); // the caller's to do
                                }
                                server.life().core.later(done::countDown);
                            });
            assertTrue(done.await(10, TimeUnit.SECONDS));
            assertEquals(List.of("call", "task"), order);
        }
    }

    /**
     * Goal: a selector that was told that the descriptor is readable finds it so. Method: the
     * descriptor was asked for, and then given up by a call that found something to read; the event
     * thread looks after small writes that wait.
     */
    @Test
    void aByteThatWasToldOfStays() throws Exception {
        try (TestFabric fabric = new TestFabric(8)) {
            StreamPair pair = new StreamPair(fabric.provider());
            OffloadStream client = pair.client;
            StreamCore core = ((SdpStream) client).life().core;
            assertEquals(0, client.requestNotify(READ));
            StreamPair.writeFully(pair.server, new byte[1]);
            client.arm(READ, () -> {}); // the call comes, or it is the caller's: both give up
            assertEquals(READ | OffloadStream.RUNG, client.requestNotify(READ));
            while (!fillsTheLast(core)) {
                assertEquals(5, client.tryWrite(new byte[5], 0, 5));
            }
            await().pollInterval(Duration.ofMillis(1)).until(() -> waits(core));
            awaitByteThatStays(client);
            client.close(false);
            pair.server.close(false);
            pair.close();
        }
    }

    /** The event thread does not take the byte. */
    private static void awaitByteThatStays(OffloadStream stream) {
        await().pollInterval(Duration.ofMillis(1))
                .during(Duration.ofMillis(50))
                .until(() -> UnixFd.awaitReadable(stream.notifyFd(), 0));
    }

    private static boolean fillsTheLast(StreamCore core) {
        synchronized (core) {
            return core.coalescer.isOpen() && core.machine.credit() <= 2;
        }
    }

    private static boolean waits(StreamCore core) {
        synchronized (core) {
            return core.coalescer.waits();
        }
    }

    private static boolean rung(OffloadStream stream) {
        return UnixFd.awaitReadable(stream.notifyFd(), TimeUnit.SECONDS.toNanos(10));
    }
}
