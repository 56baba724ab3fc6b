package io.sdp4j.linux;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.Proc;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: datagrams go to this machine's own kernel and back, and nothing stays open. */
@Timeout(60)
class NetlinkSocketTest {
    private static final int ROUTE = 0;
    private static final int GETLINK = 18;
    private static final int NEWLINK = 16;

    /** {@code RTM_GETLINK} as a dump; the sequence number is 7. */
    private static byte[] links() {
        return ByteBuffer.allocate(32)
                .order(ByteOrder.nativeOrder())
                .putInt(32)
                .putShort((short) GETLINK)
                .putShort((short) 0x301)
                .putInt(7)
                .array();
    }

    private static long sockets() throws IOException {
        return Proc.descriptors().stream().filter(d -> d.startsWith("socket:")).count();
    }

    @Test
    void theKernelListsItsLinks() throws IOException {
        long before = sockets();
        NetlinkSocket s = NetlinkSocket.open(ROUTE);
        try {
            assertNull(s.receive());
            s.send(links());
            ByteBuffer first = ByteBuffer.wrap(s.receive()).order(ByteOrder.nativeOrder());
            assertEquals(NEWLINK, first.getShort(4));
            assertEquals(7, first.getInt(8));
            int datagrams = 1;
            while (s.receive() != null) {
                datagrams++;
            }
            assertTrue(datagrams >= 2, "links, then the end");
        } finally {
            s.close();
        }
        s.close();
        assertThrows(IOException.class, s::receive);
        assertThrows(IOException.class, () -> s.send(links()));
        assertEquals(before, sockets());
    }

    @Test
    void aProtocolThatIsNotThereIsAnError() {
        assertThrows(IOException.class, () -> NetlinkSocket.open(31));
    }

    @Test
    void aDatagramThatDoesNotFitIsAnErrorAndNotACutOne() throws IOException {
        try (NetlinkSocket s = NetlinkSocket.open(ROUTE);
                Arena arena = Arena.ofConfined()) {
            s.send(links());
            assertEquals(-90, NetlinkSocket.receive(s.fd, arena.allocate(48, 8)));
        }
    }

    @Test
    void watchingEndsWhenItIsClosed() throws IOException {
        long before = sockets();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        EventLoop loop = EventLoop.start("test-loop", t -> failure.compareAndSet(null, t));
        try {
            Closeable watch = NetlinkSocket.watch(loop, ROUTE, 0x111, d -> {});
            assertEquals(before + 1, sockets());
            watch.close();
            watch.close();
            await().until(() -> sockets() == before);
            assertNull(failure.get());
        } finally {
            loop.end();
        }
    }

    /** Goal: an error that lasts leaves the event thread to others. Method: no socket at all. */
    @Test
    void anErrorThatLastsDoesNotHoldUpTimers() {
        AtomicInteger lost = new AtomicInteger();
        AtomicBoolean timer = new AtomicBoolean();
        EventLoop loop = EventLoop.start("test-loop", t -> {});
        try {
            NetlinkSocket.Watch watch =
                    new NetlinkSocket.Watch((EpollLoop) loop, datagram -> lost.incrementAndGet());
            loop.execute(() -> watch.onReady(0));
            await().until(() -> lost.get() >= 2);
            loop.schedule(() -> timer.set(true), 1);
            await().untilTrue(timer);
        } finally {
            loop.end();
        }
    }

    @Test
    void aLoopWithoutNativeCallsCannotWatch() {
        EventLoop loop = new ParkingLoop("test-loop", t -> {});
        assertThrows(IOException.class, () -> NetlinkSocket.watch(loop, ROUTE, 1, d -> {}));
    }
}
