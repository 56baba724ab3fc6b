package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sun.nio.ch.SelChImpl;

/**
 * Goal: a read that takes a reset from TCP, which tells it once, and goes on by the stream is told
 * of it at the end of that. Method: the stream ends in order when the read waits in it.
 */
@Timeout(60)
class WithheldResetTest extends MovedByHand {
    @BeforeEach
    void moveOnlyOutput() throws IOException {
        moveOutput();
        assertEquals(1, accepted.read(ByteBuffer.allocate(9)));
        channel.configureBlocking(true);
    }

    private int read() throws IOException {
        return channel.read(ByteBuffer.allocate(1));
    }

    private void assertReset(Task<Integer> reader) throws Exception {
        SocketException told = assertThrows(SocketException.class, reader::get);
        assertEquals("Connection reset", told.getMessage());
        told = assertThrows(SocketException.class, this::read);
        assertEquals("Connection reset", told.getMessage());
        IOException broken =
                assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(1)));
        assertEquals("Broken pipe", broken.getMessage());
    }

    /** A read that has met the end of TCP, and is to learn how the peer goes on. */
    private Task<Integer> readerAtEnd(boolean reset) throws IOException {
        Task<Integer> reader = Task.start(this::read);
        await().until(() -> reader.isIn("readOnce"));
        if (reset) {
            accepted.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        accepted.close();
        await().until(() -> reader.done() || reader.isIn("goesOn"));
        return reader;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itIsToldAtTheEnd(boolean reset) throws Exception {
        Task<Integer> reader = readerAtEnd(reset);
        tellLimit(0);
        if (reset) {
            assertReset(reader);
        } else {
            assertEquals(-1, reader.get());
            assertEquals(-1, read());
        }
    }

    /** The reset comes after the read was woken, and before it runs: all carriers are busy. */
    @Test
    void aReadThatRunsLateIsTold() throws Exception {
        Task<Integer> reader = Task.start(Task.Kind.VIRTUAL, this::read);
        await().until(() -> reader.thread().getState() == Thread.State.WAITING);
        int carriers =
                Integer.getInteger(
                        "jdk.virtualThreadScheduler.parallelism",
                        Runtime.getRuntime().availableProcessors());
        CountDownLatch busy = new CountDownLatch(carriers);
        CountDownLatch over = new CountDownLatch(1);
        try {
            for (int i = 0; i < carriers; i++) {
                Thread.startVirtualThread(
                        () -> {
                            busy.countDown();
                            while (over.getCount() > 0) {
                                Thread.onSpinWait();
                            }
                        });
            }
            busy.await();
            tellLimit(0);
            accepted.setOption(StandardSocketOptions.SO_LINGER, 0);
            accepted.close();
            JdkBridge.awaitEnd(((SelChImpl) channel).getFD());
        } finally {
            over.countDown();
        }
        assertReset(reader);
    }

    /** The stream has a byte first. The channel has not become an offloaded one yet. */
    @Test
    void itIsNotToldBefore() throws Exception {
        SwitchedConnection connection = SwitchedConnection.of(channel);
        connection.writeLock.lock();
        try {
            Task<Integer> reader = readerAtEnd(true);
            payload = 1;
            tellLimit(0);
            assertEquals(1, reader.get());
            assertEquals(0, Task.start(() -> channel.read(ByteBuffer.allocate(0))).get());
        } finally {
            connection.writeLock.unlock();
        }
        assertReset(Task.start(this::read));
    }

    /** Of a read that began before the switch had started. */
    @Test
    void anEarlyReadsIsTold() throws Exception {
        SwitchedConnection.of(channel).moving.goesOnAfter(new SocketException("Connection reset"));
        tellLimit(0);
        assertReset(Task.start(this::read));
    }

    /** The peer's process ends, and the end of its TCP is late. */
    @ParameterizedTest
    @EnumSource(Task.Kind.class)
    void aReadThatWaitsForTheEndOfTcpHoldsNoLockThatACloseNeeds(Task.Kind kind) throws Exception {
        tellLimit(0);
        vanished = true;
        ready = OffloadStream.READ;
        AtomicBoolean over = new AtomicBoolean();
        Task<Integer> reader =
                Task.start(
                        kind,
                        () -> {
                            int n = -1;
                            while (n == -1 && !over.get()) {
                                n = read(); // each waits for a moment
                            }
                            return n;
                        });
        Object lock = SwitchedConnection.of(channel).stateLock;
        await().until(
                        () -> {
                            synchronized (lock) {
                                return reader.isIn("awaitEnd");
                            }
                        });
        over.set(true);
        assertEquals(-1, reader.get());
    }

    /** The peer's input had moved, its output had not: TCP ends in order. */
    @Test
    void aPeerThatDiedWithInputOfTheStreamUnreadHasReset() throws Exception {
        Task<Integer> reader = Task.start(this::read);
        await().until(() -> reader.isIn("readOnce"));
        died = true;
        ready = OffloadStream.READ;
        Thread.ofPlatform().start(toRead).join();
        accepted.close();
        assertReset(reader);
    }
}
