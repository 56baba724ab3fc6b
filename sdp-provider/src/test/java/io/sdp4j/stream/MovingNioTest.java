package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.nio.Scale;
import io.sdp4j.offload.contract.nio.SwitchedNioTest;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The contract of channels and selectors that leave kernel TCP with the first byte. */
class MovingNioTest extends SwitchedNioTest {
    private static final TestFabric FABRIC = TestFabric.opened();

    MovingNioTest() {
        super(Policy.allowAll(), List.of(FABRIC.provider()), UpgradePolicy.afterBytes(1));
    }

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    @Override
    public boolean offloads() {
        return true; // sooner or later
    }

    @Override
    public boolean writesByKernel() {
        return true;
    }

    @Override
    public boolean urgentByKernel() {
        return true;
    }

    /** The end depends on the way by which came what was not read. */
    @Test
    @Override
    public void closeWithUnreadData() throws Exception {
        try (var p = pair()) {
            p.server().write(ByteBuffer.wrap(new byte[14]));
            p.client().write(ByteBuffer.wrap(new byte[10]));
            await().until(() -> p.server().socket().getInputStream().available() == 10);
            p.server().close();
            ByteBuffer room = ByteBuffer.allocate(14);
            while (room.hasRemaining()) {
                assertTrue(p.client().read(room) > 0);
            }
            room.clear();
            try {
                assertEquals(-1, p.client().read(room));
            } catch (SocketException e) {
                assertEquals("Connection reset", e.getMessage());
            }
        }
    }

    /** Bytes from TCP and bytes from the stream are one. */
    @Test
    void tellsOfAllThatIsThere() throws Exception {
        try (var p = pair()) {
            p.client().configureBlocking(false);
            p.server().configureBlocking(false);
            p.client().write(ByteBuffer.wrap(new byte[492]));
            await().until(
                            () ->
                                    SwitchChannels.explain(p.server()).orElseThrow().reason()
                                            == ReasonCode.OFFLOADED);
            p.client().write(ByteBuffer.wrap(new byte[1000]));
            await().untilAsserted(
                            () ->
                                    assertEquals(
                                            1492,
                                            p.server().socket().getInputStream().available()));
        }
    }

    /** Both the stream and TCP below are reset. */
    @Test
    void aResetIsToldOnce() throws Exception {
        try (var p = pair()) {
            SocketChannel told = p.server();
            p.client().write(ByteBuffer.wrap(new byte[1]));
            await().until(
                            () ->
                                    SwitchChannels.explain(told).orElseThrow().reason()
                                            == ReasonCode.OFFLOADED);
            assertEquals(1, told.read(ByteBuffer.allocate(9)));
            p.client().setOption(StandardSocketOptions.SO_LINGER, 0);
            p.client().close();
            IOException reset =
                    assertThrows(
                            IOException.class,
                            () -> {
                                while (true) {
                                    told.write(ByteBuffer.wrap(new byte[1]));
                                }
                            });
            assertEquals("Connection reset by peer", reset.getMessage());
            assertEquals(-1, told.read(ByteBuffer.allocate(1)));
        }
    }

    /** By TCP or by the stream; also a read that has no room for a byte is told. */
    @Test
    void aResetThatWasReadStays() throws Exception {
        for (int i = 0; i < 50; i++) { // the connection moves meanwhile, or has moved
            try (var p = pair()) {
                SocketChannel told = p.server();
                p.client().write(ByteBuffer.wrap(new byte[1]));
                assertEquals(1, told.read(ByteBuffer.allocate(9)));
                p.client().setOption(StandardSocketOptions.SO_LINGER, 0);
                p.client().close();
                for (int room : new int[] {1, 0, 0}) {
                    IOException reset =
                            assertThrows(
                                    IOException.class, () -> told.read(ByteBuffer.allocate(room)));
                    assertEquals("Connection reset", reset.getMessage());
                }
            }
        }
    }

    /** As the kernel's, which is not asked for it. */
    @Test
    void anEmptyWriteTakesNoNewsOfAReset() throws Exception {
        for (int i = 0; i < 20; i++) { // it is TCP below that tells of it in some
            try (var p = pair()) {
                SocketChannel told = p.server();
                p.client().write(ByteBuffer.wrap(new byte[1]));
                await().until(() -> isReady(told));
                assertEquals(1, told.read(ByteBuffer.allocate(9)));
                told.shutdownOutput();
                assertEquals(-1, p.client().read(ByteBuffer.allocate(1)));
                p.client().setOption(StandardSocketOptions.SO_LINGER, 0);
                p.client().close();
                assertThrows(
                        AsynchronousCloseException.class, () -> told.write(ByteBuffer.allocate(0)));
                IOException reset =
                        assertThrows(IOException.class, () -> told.read(ByteBuffer.allocate(1)));
                assertEquals("Connection reset", reset.getMessage());
            }
        }
    }

    /** Else it would find a descriptor that is ready, and no key for it, until that is closed. */
    @Test
    void aSelectorThatNeverAskedForgetsAMovedChannel() throws Exception {
        try (var p = pair();
                Selector selector = provider().openSelector()) {
            SocketChannel moves = p.server();
            moves.configureBlocking(false);
            SelectionKey key = moves.register(selector, SelectionKey.OP_WRITE);
            p.client().write(ByteBuffer.wrap(new byte[1]));
            await().until(() -> moves.read(ByteBuffer.allocate(1)) == 1);
            await().until(() -> isReady(moves));
            key.cancel();
            long start = System.nanoTime();
            assertEquals(0, selector.select(200));
            assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(190));
        }
    }

    /** The bytes that came by TCP are not read; TCP has room, the stream has none. */
    @Test
    void aFullStreamIsNotShownAsWritable() throws Exception {
        try (var p = pair();
                Selector selector = provider().openSelector()) {
            SocketChannel writes = p.server();
            p.client().write(ByteBuffer.wrap(new byte[1]));
            await().until(() -> isReady(writes));
            writes.configureBlocking(false);
            SelectionKey key = writes.register(selector, SelectionKey.OP_WRITE);
            ByteBuffer chunk = ByteBuffer.allocateDirect(64 << 10);
            long[] written = {0};
            await().until(
                            () -> {
                                for (int n = -1; n != 0; written[0] += n) {
                                    n = writes.write(chunk.clear());
                                }
                                selector.selectedKeys().clear();
                                return selector.selectNow() == 0;
                            });
            while (written[0] > 0) {
                written[0] -= p.client().read(chunk.clear());
            }
            await().until(() -> selector.select(1_000) == 1); // it may be woken to ask again
            assertEquals(SelectionKey.OP_WRITE, key.readyOps());
            assertEquals(1, writes.read(ByteBuffer.allocate(9)));
        }
    }

    /** Whether it has moved: then writes go by the stream. */
    private static boolean isReady(SocketChannel channel) {
        return SwitchChannels.explain(channel).orElseThrow().bytesWritten() > 0;
    }

    /** Each takes longer than elsewhere, as its connections move. */
    @Override
    public int programs() {
        return Scale.of(300, 10_000);
    }

    /** A write that moves the output may find the stream full for a moment. */
    @Override
    public int leastUnreadBytes() {
        return 5_000;
    }

    @Override
    public void checkCarrier(SocketChannel connected) {
        // on TCP as long as it has carried nothing
    }
}
