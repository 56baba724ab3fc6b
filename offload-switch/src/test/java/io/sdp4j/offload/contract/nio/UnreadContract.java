package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Non-blocking writers in bursts, whose peer is not reading just then. */
interface UnreadContract extends NioChannels {
    /** Of more than a peer takes. */
    private static ByteBuffer pattern() {
        ByteBuffer b = ByteBuffer.allocateDirect(16 << 20);
        for (int i = 0; i < b.capacity(); i++) {
            b.put(i, pattern(i));
        }
        return b;
    }

    private static byte pattern(long at) {
        return (byte) (at % 251);
    }

    /** Writes messages until one does not fit: its length and it, as many protocols do. */
    private static int write(SocketChannel c, ByteBuffer bytes, int message) throws Exception {
        for (int at = 0; ; ) {
            ByteBuffer[] parts = {
                bytes.slice(at, Integer.BYTES), bytes.slice(at + Integer.BYTES, message)
            };
            long n = c.write(parts);
            at += (int) n;
            if (n < Integer.BYTES + message) {
                return at;
            }
        }
    }

    private static void read(SocketChannel c, long from, long to) throws Exception {
        ByteBuffer b = ByteBuffer.allocateDirect(64 * 1024);
        for (long at = from; at < to; ) {
            b.clear().limit((int) Math.min(b.capacity(), to - at));
            Nio.readFully(c, b);
            for (int i = 0; i < b.position(); i++) {
                assertEquals(pattern(at + i), b.get(i));
            }
            at += b.position();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5_000, 60_000, 1 << 20})
    @DisplayName("99: a peer that does not read takes megabytes, and room is told of at once")
    default void takesMegabytes(int bytes) throws Exception {
        ByteBuffer pattern = pattern();
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            p.client().register(selector, SelectionKey.OP_WRITE);
            for (int round = 0; round < 3; round++) {
                int taken = write(p.client(), pattern, bytes);
                assertTrue(taken >= leastUnreadBytes(), () -> taken + " bytes taken");
                int most = taken / 4 * 3;
                read(p.server(), 0, most);
                long start = System.nanoTime();
                selector.selectedKeys().clear();
                assertEquals(1, selector.select(20_000));
                long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                assertTrue(millis < 1_000, () -> "told of after " + millis + " ms");
                read(p.server(), most, taken);
            }
        }
    }

    @Test
    @DisplayName("99: it takes many small writes with pauses, too")
    default void takesManySmallWrites() throws Exception {
        int bytes = 100;
        ByteBuffer pattern = pattern();
        try (var p = polledPair()) {
            for (int round = 0; round < 2; round++) {
                int least = leastUnreadInSmallWrites();
                int at = 0;
                for (int n = bytes; n == bytes && at < least; at += n) {
                    n = p.client().write(pattern.slice(at, bytes));
                    pause();
                }
                int taken = at;
                assertTrue(taken >= least, () -> taken + " bytes taken");
                read(p.server(), 0, taken);
            }
        }
    }

    /** As long as a program needs for its next message; to sleep takes longer. */
    private static void pause() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < 200_000) {
            Thread.onSpinWait();
        }
    }
}
