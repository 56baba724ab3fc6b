package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.Handover;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a connected channel that carries little without blocking, which the default never moves,
 * costs nothing per call, nor does one whose move was refused; one that blocks or carries much goes
 * on being counted. Method: looks whether there is something that counts.
 */
class UncountedChannelTest {
    /** As the default, but known after half a second. */
    private static final UpgradePolicy SOON =
            new UpgradePolicy(
                    UpgradePolicy.AUTO.bytes(),
                    UpgradePolicy.AUTO.turns(),
                    UpgradePolicy.AUTO.allTurns(),
                    UpgradePolicy.AUTO.ageNanos(),
                    UpgradePolicy.AUTO.bulkBytes(),
                    TimeUnit.SECONDS.toNanos(1));

    private ServerSocketChannel listener;
    private SocketChannel channel;
    private OffloadSwitch owner;

    @BeforeEach
    void connect() throws IOException {
        listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        listener.close();
    }

    private void connected(UpgradePolicy upgrade) throws IOException {
        owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(new FailingProvider())),
                        SwitchSettings.defaults().withUpgrade(upgrade));
        SelectorProvider provider = SwitchChannels.provider(owner);
        channel = provider.openSocketChannel();
        channel.connect(listener.getLocalAddress());
    }

    private void write() throws IOException {
        assertEquals(1, channel.write(ByteBuffer.allocate(1)));
    }

    /** The counter, or null. No signature here may name a class that needs the JDK's internals. */
    private Object counting() {
        return SwitchedConnection.of(channel).moving;
    }

    /** Without blocking, until it is known that it carries little. */
    private void writeOften() throws IOException {
        channel.configureBlocking(false);
        for (int i = 0; i < 256; i++) {
            write();
            assertNotNull(counting(), "it may yet carry more");
        }
        await().pollInterval(1, TimeUnit.MILLISECONDS)
                .until(
                        () -> {
                            write();
                            return counting() == null;
                        });
    }

    @Test
    void oneThatCarriesLittleWithoutBlockingIsNotCounted() throws IOException {
        connected(SOON);
        writeOften();
        assertEquals(ReasonCode.NOT_WORTH, reason());
        assertEquals(Map.of(ReasonCode.NOT_WORTH, 1L), owner.report().reasons());
    }

    @Test
    void oneThatCarriesMuchIsCounted() throws Exception {
        connected(SOON);
        channel.configureBlocking(false);
        ByteBuffer bytes = ByteBuffer.allocate(32 << 10);
        try (SocketChannel accepted = listener.accept()) {
            long end = System.nanoTime() + SOON.bulkAgeNanos(); // known by then
            while (System.nanoTime() < end) {
                // all of it is taken before the next call, which is not one in vain then
                int sent = channel.write(bytes.clear());
                bytes.clear().limit(sent);
                while (bytes.hasRemaining()) {
                    assertTrue(accepted.read(bytes) > 0);
                }
            }
        }
        assertNotNull(counting());
    }

    /** Its calls may carry much there. */
    @Test
    void withOneProcessorTheReasonIsThat() throws IOException {
        long never = Long.MAX_VALUE;
        connected(new UpgradePolicy(1 << 30, 1_000, 1_000, 1, never, never));
        channel.configureBlocking(false);
        write();
        assertNull(counting());
        String why = SwitchChannels.explain(channel).orElseThrow().detail();
        assertTrue(why.contains("one processor") && !why.contains("little"), why);
        assertEquals(ReasonCode.NOT_WORTH, reason());
    }

    private ReasonCode reason() {
        return SwitchChannels.explain(channel).orElseThrow().reason();
    }

    @Test
    void norIsItOnceItBlocks() throws IOException {
        connected(SOON);
        writeOften();
        channel.configureBlocking(true);
        write();
        channel.finishConnect();
        assertNull(counting(), "what it has carried is not known");
    }

    @Test
    void oneThatBlocksIsCounted() throws IOException {
        connected(SOON);
        write();
        assertNotNull(counting());
    }

    /** Its provider refuses without asking the peer. */
    @Test
    void oneThatCannotMoveIsNotCounted() throws Exception {
        connected(UpgradePolicy.afterBytes(1));
        AtomicLong counted = counted();
        await().until(
                        () -> {
                            long before = counted.get();
                            write();
                            return counted.get() == before;
                        });
        assertEquals(ReasonCode.PEER_REFUSED, reason());
        channel.socket().setSoTimeout(1);
        Expect.thrown(
                SocketTimeoutException.class,
                "Read timed out",
                () -> channel.socket().getInputStream().read());
    }

    private AtomicLong counted() throws ReflectiveOperationException {
        Handover handover = SwitchedConnection.of(channel).moving.handover;
        Field sent = Handover.class.getDeclaredField("sent");
        sent.setAccessible(true);
        return (AtomicLong) sent.get(handover);
    }

    @Test
    void oneThatMayMoveAnywayIsCounted() throws IOException {
        connected(UpgradePolicy.afterBytes(1_000));
        channel.configureBlocking(false);
        write();
        assertNotNull(counting());
    }
}
