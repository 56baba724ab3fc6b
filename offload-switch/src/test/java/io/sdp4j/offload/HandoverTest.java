package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two ends of one connection that move at any step, over a TCP that delays and cuts anywhere, and a
 * stream that is slower or faster than that. One seed chooses everything.
 */
class HandoverTest {
    private static final int SCHEDULES = 50_000;

    /** One direction: bytes that were sent, that have arrived, and whether the sender has ended. */
    private static final class Pipe {
        private final Queue<Byte> onTheWay = new ArrayDeque<>();
        private final Queue<Byte> arrived = new ArrayDeque<>();
        private boolean ended;

        void send(byte b) {
            onTheWay.add(b);
        }

        void deliver(int bytes) {
            for (int i = 0; i < bytes && !onTheWay.isEmpty(); i++) {
                arrived.add(onTheWay.remove());
            }
        }

        boolean over() {
            return ended && onTheWay.isEmpty() && arrived.isEmpty();
        }
    }

    /** The sending end and the receiving end of one direction. */
    private static final class Direction {
        private final Random random;
        private final Handover sender = new Handover(new AtomicLong(), new AtomicLong());
        private final Handover receiver = new Handover(new AtomicLong(), new AtomicLong());
        private final Pipe tcp = new Pipe();
        private final Pipe stream = new Pipe();
        private final ByteBuffer limit = ByteBuffer.allocate(Handover.LIMIT_BYTES);
        private final int total;
        private int sent;
        private int received;
        private boolean senderHas; // the stream
        private boolean receiverHas; // likewise
        private boolean ended;
        private boolean over;

        Direction(Random random) {
            this.random = random;
            total = random.nextInt(60);
        }

        void step(boolean mayMove) throws SocketException {
            switch (random.nextInt(8)) {
                case 0 -> senderHas |= mayMove;
                case 1 -> receiverHas |= mayMove;
                case 2 -> tcp.deliver(random.nextInt(10));
                case 3 -> stream.deliver(random.nextInt(10));
                case 4 -> send();
                case 5 -> end();
                case 6 -> readLimit();
                default -> receive();
            }
        }

        private void send() {
            int n = Math.min(random.nextInt(1, 9), total - sent);
            if (ended || n == 0) {
                return;
            }
            if (senderHas && sender.mayMove() && random.nextBoolean()) {
                for (byte b : sender.limitToTell()) {
                    stream.send(b);
                }
                sender.moveOut();
            }
            for (int i = 0; i < n; i++) {
                (sender.outMoved() ? stream : tcp).send((byte) sent++);
            }
            if (!sender.outMoved()) {
                sender.sent(n);
            }
        }

        private void end() {
            if (sent == total && !ended) {
                ended = true;
                sender.stay();
                tcp.ended = true;
                stream.ended = true;
            }
        }

        private void readLimit() {
            if (!receiverHas || receiver.limitKnown()) {
                return;
            }
            while (limit.hasRemaining() && !stream.arrived.isEmpty()) {
                limit.put(stream.arrived.remove());
            }
            if (!limit.hasRemaining()) {
                assertTrue(receiver.limit(limit.array()));
            }
        }

        private void receive() throws SocketException {
            int wanted = random.nextInt(1, 9);
            if (!receiver.inMoved()) {
                long room = receiver.room(wanted);
                if (room > 0) {
                    receiveByTcp(room);
                    return;
                }
            }
            for (int i = 0; i < wanted && !stream.arrived.isEmpty(); i++) {
                assertEquals((byte) received++, stream.arrived.remove());
            }
            over |= stream.over();
        }

        private void receiveByTcp(long room) {
            int n = 0;
            for (; n < room && !tcp.arrived.isEmpty(); n++) {
                assertEquals((byte) received++, tcp.arrived.remove());
            }
            receiver.received(n);
            // an end of TCP is one of the data where the stream has ended without a limit
            over |= n == 0 && tcp.over() && stream.over() && !receiver.limitKnown();
        }
    }

    @Test
    @DisplayName("every byte comes once and in order, whenever either end moves")
    void everyByteOnceAndInOrder() throws SocketException {
        long first = Long.getLong("sdp4j.test.seed", System.nanoTime());
        for (int i = 0; i < SCHEDULES; i++) {
            long seed = first + i;
            try {
                run(new Random(seed));
            } catch (AssertionError e) {
                throw new AssertionError("replay with -Dsdp4j.test.seed=" + seed, e);
            }
        }
    }

    private static void run(Random random) throws SocketException {
        Direction there = new Direction(random);
        Direction back = new Direction(random);
        boolean mayMove = random.nextInt(8) != 0;
        int steps = 0;
        while (!there.over || !back.over) {
            there.step(mayMove);
            back.step(mayMove);
            assertTrue(++steps < 100_000, "it does not end");
        }
        assertEquals(there.total, there.received);
        assertEquals(back.total, back.received);
    }

    @Test
    @DisplayName("a limit below what has come already is refused")
    void refusesWhatCannotBe() throws SocketException {
        Handover h = new Handover(new AtomicLong(), new AtomicLong());
        h.received(10);
        assertFalse(h.limit(ByteBuffer.allocate(8).putLong(0, 9).array()));
        assertFalse(h.limit(ByteBuffer.allocate(8).putLong(0, -1).array()));
        assertFalse(h.limitKnown());
        assertEquals(5, h.room(5));
        assertTrue(h.limit(ByteBuffer.allocate(8).putLong(0, 10).array()));
        assertEquals(0, h.room(5));
        assertTrue(h.inMoved());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    @DisplayName("bytes of TCP behind the limit are a reset")
    void refusesMoreThanTheLimit(int more) {
        Handover h = new Handover(new AtomicLong(), new AtomicLong());
        h.received(10);
        assertTrue(h.limit(ByteBuffer.allocate(8).putLong(0, 10).array()));
        h.received(more);
        assertThrows(SocketException.class, () -> h.room(5));
        assertFalse(h.inMoved());
    }
}
