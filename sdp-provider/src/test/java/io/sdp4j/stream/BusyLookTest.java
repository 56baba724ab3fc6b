package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a selector that is busy with many channels polls before it asks all of them for
 * notifications. Method: the test's own poll, in which the peers say something, or nothing; what
 * the connecting ends ask for is counted.
 */
@Timeout(60)
class BusyLookTest {
    private static final int CHANNELS = 8;

    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();
    private final List<SocketChannel> ours = new ArrayList<>();
    private final List<SocketChannel> theirs = new ArrayList<>();
    private OffloadStream.BusyLook look = (streams, something, elsewhere) -> false;
    private TestFabric fabric;
    private Selector selector;

    @BeforeEach
    void connect() throws IOException {
        fabric = new TestFabric();
        SelectorProvider provider = TestChannels.provider(looking(fabric.provider()));
        selector = provider.openSelector();
        try (ServerSocketChannel listener = TestChannels.listen(provider)) {
            for (int i = 0; i < CHANNELS; i++) {
                SocketChannel a = provider.openSocketChannel();
                a.connect(listener.getLocalAddress());
                a.configureBlocking(false);
                a.register(selector, SelectionKey.OP_READ, i);
                ours.add(a);
                theirs.add(listener.accept());
            }
        }
        assertEquals(0, selector.selectNow());
        for (SocketChannel b : theirs) {
            b.write(ByteBuffer.wrap(new byte[1])); // has rung when it returns
        }
        takeAll(CHANNELS);
        asked.set(0);
    }

    @AfterEach
    void close() throws IOException {
        selector.close();
        for (int i = 0; i < CHANNELS; i++) {
            ours.get(i).close();
            theirs.get(i).close();
        }
        fabric.close();
    }

    private OffloadProvider looking(OffloadProvider real) {
        return TestChannels.around(
                OffloadProvider.class,
                real,
                (name, result) ->
                        result instanceof OffloadStream stream
                                ? TestChannels.around(OffloadStream.class, stream, this::answer)
                                : result);
    }

    private Object answer(String call, Object result) {
        if (call.equals("requestNotify")) {
            asked.incrementAndGet();
        }
        return call.equals("busyLook") ? (OffloadStream.BusyLook) this::look : result;
    }

    private boolean look(int streams, BooleanSupplier something, BooleanSupplier elsewhere) {
        looks.incrementAndGet();
        return look.look(streams, something, elsewhere);
    }

    /** Reads everything that is ready now; that many channels are. */
    private void takeAll(int count) throws IOException {
        assertEquals(count, selector.select(TestChannels.PATIENCE_MS));
        for (SelectionKey key : selector.selectedKeys()) {
            SocketChannel a = (SocketChannel) key.channel();
            assertTrue(a.read(ByteBuffer.allocate(9)) > 0);
        }
        selector.selectedKeys().clear();
    }

    private void say(int i) {
        write(theirs.get(i));
    }

    @Test
    void whatComesMeanwhileNeedsNoRing() throws IOException {
        AtomicInteger next = new AtomicInteger();
        look =
                (streams, something, elsewhere) -> {
                    assertFalse(something.getAsBoolean());
                    assertFalse(elsewhere.getAsBoolean());
                    say(next.getAndIncrement() % CHANNELS);
                    boolean found = false;
                    for (int i = 0; i < CHANNELS; i++) {
                        found |= something.getAsBoolean();
                    }
                    assertTrue(found, "each channel is looked at in its turn");
                    return found;
                };
        for (int i = 0; i < 3 * CHANNELS; i++) {
            takeAll(1);
        }
        assertEquals(3 * CHANNELS, looks.get());
        assertEquals(0, asked.get());
    }

    @Test
    void whenNothingComesAllAskForRings() throws IOException {
        assertEquals(0, selector.selectNow());
        assertEquals(1, looks.get());
        assertEquals(CHANNELS, asked.get());
        for (int i = 0; i < CHANNELS; i++) {
            say(i);
            takeAll(1);
        }
        assertEquals(1, looks.get(), "no thread waits");
        TestChannels.becomesIdle(selector);
    }

    /**
     * Goal: channels that become ready one by one, each of which has notified, come to hold all of
     * them, so that no peer notifies any more. Method: two rounds; in the first one each says
     * something before the last one's channel could ask for another notification.
     */
    @Test
    void ratherFewAtATimeAreManyInTheEnd() throws IOException {
        assertEquals(0, selector.selectNow());
        asked.set(0);
        for (int i = 0; i < 2 * CHANNELS; i++) {
            say(i % CHANNELS);
            takeAll(1);
        }
        assertEquals(0, asked.get());
        assertEquals(1, looks.get());
    }

    /** A selector that was woken does not wait, so no notification is needed. */
    @Test
    void aWakeUpEndsIt() throws IOException {
        look =
                (streams, something, elsewhere) -> {
                    assertFalse(elsewhere.getAsBoolean());
                    selector.wakeup();
                    assertTrue(elsewhere.getAsBoolean());
                    return false;
                };
        assertEquals(0, selector.select(TestChannels.PATIENCE_MS));
        assertEquals(0, asked.get());
        look = (streams, something, elsewhere) -> false;
        TestChannels.becomesIdle(selector);
        assertEquals(CHANNELS, asked.get());
        say(3);
        takeAll(1);
    }

    /** A channel that is not ours ends it, too, though not at once; nothing of ours does. */
    @Test
    void anotherChannelIsSeen() throws IOException {
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        look =
                (streams, something, elsewhere) -> {
                    assertEquals(CHANNELS, streams);
                    for (int i = 0; i < 100; i++) {
                        assertFalse(elsewhere.getAsBoolean());
                    }
                    write(pipe.sink());
                    boolean wanted = false;
                    for (int i = 0; i < 100; i++) {
                        wanted |= elsewhere.getAsBoolean();
                    }
                    assertTrue(wanted);
                    return false;
                };
        SelectionKey other = pipe.source().register(selector, SelectionKey.OP_READ);
        for (int i = 0; i < CHANNELS; i++) {
            say(i);
        }
        takeAll(CHANNELS);
        assertEquals(1, selector.select(TestChannels.PATIENCE_MS));
        assertEquals(Set.of(other), selector.selectedKeys());
        assertEquals(0, asked.get(), "the selector does not wait");
        look = (streams, something, elsewhere) -> false;
        assertEquals(0, selector.selectNow());
        assertEquals(CHANNELS, asked.get());
        pipe.sink().close();
        pipe.source().close();
    }

    private static void write(WritableByteChannel to) {
        try {
            assertEquals(1, to.write(ByteBuffer.wrap(new byte[1])));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
