package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.policy.Policy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: what fails because a thread holds the data locks that neither reads nor writes is made good
 * by that thread: the stream of a channel that was closed is given back, a moved channel becomes an
 * offloaded one. Method: has the thread wait for the second lock, while it holds the first.
 */
@Timeout(60)
class LocksGivenBackTest extends MovedByHand {
    enum Holder {
        BIND,
        CONNECT,
        FINISH_CONNECT,
        CONFIGURE_BLOCKING;

        Callable<Object> call(SocketChannel c) {
            return switch (this) {
                case BIND -> () -> c.bind(null);
                case CONNECT -> () -> c.connect(c.getRemoteAddress());
                case FINISH_CONNECT -> c::finishConnect;
                case CONFIGURE_BLOCKING -> () -> c.configureBlocking(false);
            };
        }
    }

    /** Runs {@code meanwhile} while a thread in {@code holder} has one lock of {@code c}. */
    private static Task<Object> holding(SocketChannel c, Holder holder, Callable<?> meanwhile)
            throws Exception {
        ReentrantLock readLock = SwitchedConnection.of(c).readLock;
        ReentrantLock writeLock = SwitchedConnection.of(c).writeLock;
        writeLock.lock();
        try {
            Task<Object> task = Task.start(holder.call(c));
            await().until(() -> writeLock.hasQueuedThread(task.thread()));
            assertTrue(readLock.isLocked());
            meanwhile.call();
            return task;
        } finally {
            writeLock.unlock();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theStreamOfAClosedChannelIsGivenBack(Holder holder) throws Exception {
        LoopbackProvider loopback = new LoopbackProvider();
        SelectorProvider provider =
                SwitchChannels.provider(
                        new OffloadSwitch(Policy::allowAll, List.of(loopback), Patience.SETTINGS));
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel client = provider.openSocketChannel();
            client.connect(listener.getLocalAddress());
            listener.accept().close();
            assertEquals(1, loopback.openStreams());
            Callable<Void> close =
                    () -> {
                        client.close();
                        return null;
                    };
            assertThrows(ClosedChannelException.class, holding(client, holder, close)::get);
            await().until(() -> loopback.openStreams() == 0);
        }
    }

    /** The thread that could move it found its lock taken; no writer comes. */
    @Test
    void aReaderMovesTheOutput() throws Exception {
        SwitchedConnection c = SwitchedConnection.of(channel);
        ByteBuffer room = ByteBuffer.allocate(1);
        c.writeLock.lock();
        try {
            accepted.write(ByteBuffer.allocate(1));
            await().until(() -> channel.read(room) == 1);
            await().until(() -> toRead != null);
        } finally {
            c.writeLock.unlock();
        }
        assertFalse(c.moving.handover.outMoved());
        assertEquals(0, channel.read(room.clear()));
        assertTrue(c.moving.handover.outMoved());
    }

    @Test
    void aMovedChannelBecomesAnOffloadedOne() throws Exception {
        moveOutput();
        SwitchedConnection c = SwitchedConnection.of(channel);
        Callable<Void> end =
                () -> {
                    tellLimit(0);
                    return null;
                };
        Task<Object> finishing = holding(channel, Holder.FINISH_CONNECT, end);
        assertEquals(true, finishing.get());
        assertNotNull(c.connectedStream());
    }
}
