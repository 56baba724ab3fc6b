package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a selector that is busy with many channels, whose descriptors stay readable between its
 * looks, misses nothing, finds something nearly always, and becomes idle. Method: both ends of many
 * connections in one selector each, bursts of random length; channels that are not ours, keys that
 * are cancelled and channels that are closed in between.
 */
@Timeout(120)
class BusySelectorTest {
    private static final int CHANNELS = 24;
    private static final int ROUNDS = 400;

    private final Random random = new Random();
    private long selects;
    private long empty;

    /** One connection of this side. */
    private static final class Load {
        final SocketChannel channel;
        int asked;
        int answered;

        Load(SocketChannel channel) {
            this.channel = channel;
        }
    }

    @Test
    void nothingIsMissedAndItBecomesIdle() throws Exception {
        long seed = System.nanoTime();
        random.setSeed(seed);
        try (TestFabric fabric = new TestFabric()) {
            SelectorProvider provider = TestChannels.provider(fabric.provider());
            List<SocketChannel> theirs = new ArrayList<>();
            List<Load> ours = new ArrayList<>();
            try (ServerSocketChannel listener = TestChannels.listen(provider);
                    Selector selector = provider.openSelector()) {
                for (int i = 0; i < CHANNELS; i++) {
                    SocketChannel a = provider.openSocketChannel();
                    a.connect(listener.getLocalAddress());
                    ours.add(new Load(a));
                    theirs.add(listener.accept());
                }
                CompletableFuture<Void> echo =
                        CompletableFuture.runAsync(() -> echo(provider, theirs));
                ask(provider, selector, ours, "seed " + seed);
                TestChannels.becomesIdle(selector);
                for (Load load : ours) {
                    load.channel.close();
                }
                echo.get(TestChannels.PATIENCE_MS, TimeUnit.MILLISECONDS);
            }
        }
        assertTrue(empty <= 20 + selects / 10, empty + " of " + selects + " found nothing");
    }

    /**
     * Goal: between two looks of a busy selector no channel asks for a notification, and before it
     * waits each one does. Method: the calls of the connecting ends are counted; one channel stays
     * ready for a while.
     */
    @Test
    void onlyAWaitIsWorthARing() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (TestFabric fabric = new TestFabric()) {
            SelectorProvider provider =
                    TestChannels.provider(
                            counting(fabric.provider(), Set.of("requestNotify"), asked));
            List<SocketChannel> theirs = new ArrayList<>();
            List<SocketChannel> ours = new ArrayList<>();
            try (ServerSocketChannel listener = TestChannels.listen(provider);
                    Selector selector = provider.openSelector()) {
                for (int i = 0; i < 8; i++) {
                    SocketChannel a = provider.openSocketChannel();
                    a.connect(listener.getLocalAddress());
                    a.configureBlocking(false);
                    a.register(selector, SelectionKey.OP_READ);
                    ours.add(a);
                    theirs.add(listener.accept());
                }
                assertEquals(0, selector.selectNow());
                assertEquals(8, asked.getAndSet(0));
                for (SocketChannel b : theirs) {
                    b.write(ByteBuffer.wrap(new byte[1])); // has rung when it returns
                }
                assertEquals(8, selector.selectNow());
                selector.selectedKeys().clear();
                for (SocketChannel a : ours.subList(1, 8)) {
                    assertEquals(1, a.read(ByteBuffer.allocate(9)));
                }
                for (int i = 0; i < 3; i++) {
                    assertEquals(1, selector.selectNow(), "the first one is ready");
                    selector.selectedKeys().clear();
                }
                assertEquals(0, asked.get());
                assertEquals(1, ours.get(0).read(ByteBuffer.allocate(9)));
                assertEquals(0, selector.selectNow());
                assertEquals(8, asked.get());
                for (int i = 0; i < 8; i++) {
                    theirs.get(i).write(ByteBuffer.wrap(new byte[1]));
                    assertEquals(1, selector.select(TestChannels.PATIENCE_MS));
                    selector.selectedKeys().clear();
                    assertEquals(1, ours.get(i).read(ByteBuffer.allocate(9)));
                }
            }
            for (int i = 0; i < 8; i++) {
                ours.get(i).close();
                theirs.get(i).close();
            }
        }
    }

    /**
     * Goal: where one of many connections has something at a time, the others are not looked at for
     * long. Method: the notification requests of all channels are counted, once it was found that
     * nothing else comes of them.
     */
    @Test
    void oneAtATimeIsNotMany() throws Exception {
        int many = 48;
        AtomicInteger asked = new AtomicInteger();
        Set<String> questions = Set.of("requestNotify", "holdNotify");
        List<SocketChannel> theirs = new ArrayList<>();
        List<SocketChannel> ours = new ArrayList<>();
        try (TestFabric fabric = new TestFabric()) {
            SelectorProvider provider =
                    TestChannels.provider(counting(fabric.provider(), questions, asked));
            try (ServerSocketChannel listener = TestChannels.listen(provider);
                    Selector selector = provider.openSelector()) {
                for (int i = 0; i < many; i++) {
                    SocketChannel a = provider.openSocketChannel();
                    a.connect(listener.getLocalAddress());
                    a.configureBlocking(false);
                    a.register(selector, SelectionKey.OP_READ);
                    ours.add(a);
                    theirs.add(listener.accept());
                }
                for (int i = 0; i < 6 * many; i++) {
                    if (i == 5 * many) {
                        asked.set(0);
                    }
                    theirs.get(i % many).write(ByteBuffer.wrap(new byte[1])); // has rung
                    assertEquals(1, selector.select(TestChannels.PATIENCE_MS));
                    selector.selectedKeys().clear();
                    assertEquals(1, ours.get(i % many).read(ByteBuffer.allocate(9)));
                }
                assertTrue(asked.get() <= 4 * many, asked + " questions for " + many + " bytes");
            }
            for (int i = 0; i < many; i++) {
                ours.get(i).close();
                theirs.get(i).close();
            }
        }
    }

    /**
     * Goal: before a wait a stream is asked once, whether or not something is there. Method: a
     * channel's notification requests are counted.
     */
    @Test
    void aStreamIsAskedOnceForEachWait() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Set<String> questions = Set.of("requestNotify", "holdNotify");
        try (TestFabric fabric = new TestFabric()) {
            SelectorProvider provider =
                    TestChannels.provider(counting(fabric.provider(), questions, asked));
            try (ServerSocketChannel listener = TestChannels.listen(provider);
                    Selector selector = provider.openSelector();
                    SocketChannel ours = provider.openSocketChannel()) {
                ours.connect(listener.getLocalAddress());
                ours.configureBlocking(false);
                ours.register(selector, SelectionKey.OP_READ);
                try (SocketChannel theirs = listener.accept()) {
                    assertEquals(0, selector.selectNow());
                    assertEquals(1, asked.getAndSet(0));
                    theirs.write(ByteBuffer.wrap(new byte[1])); // has rung when it returns
                    for (int i = 0; i < 3; i++) {
                        assertEquals(1, selector.selectNow());
                        selector.selectedKeys().clear();
                        assertEquals(i == 0 ? 0 : 1, asked.getAndSet(0));
                    }
                    assertEquals(1, ours.read(ByteBuffer.allocate(9)));
                    assertEquals(0, selector.selectNow());
                    assertEquals(1, asked.get());
                }
            }
        }
    }

    /**
     * Goal: what was noted about the channels of a busy selector does not keep it. Method: they
     * know it since before they connected; the last one that it asks is not ours, so that none of
     * ours learns that it is about to wait.
     */
    @Test
    void aSelectorThatIsClosedWhileItIsBusyIsForgotten() throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            WeakReference<Selector> closed =
                    closedWhileBusy(TestChannels.provider(fabric.provider()));
            await().until(
                            () -> {
                                System.gc();
                                return closed.refersTo(null);
                            });
        }
    }

    private static WeakReference<Selector> closedWhileBusy(SelectorProvider provider)
            throws IOException {
        Pipe pipe = provider.openPipe();
        List<SocketChannel> channels = new ArrayList<>();
        try (ServerSocketChannel listener = TestChannels.listen(provider);
                Selector selector = provider.openSelector()) {
            pipe.source().configureBlocking(false);
            SelectionKey last = pipe.source().register(selector, SelectionKey.OP_READ);
            List<SocketChannel> ours = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                SocketChannel a = provider.openSocketChannel();
                a.configureBlocking(false);
                SelectionKey key = a.register(selector, SelectionKey.OP_CONNECT);
                selector.selectNow();
                if (!a.connect(listener.getLocalAddress())) {
                    while (!a.finishConnect()) {
                        selector.select(TestChannels.PATIENCE_MS);
                    }
                }
                key.interestOps(SelectionKey.OP_READ);
                selector.selectedKeys().clear();
                ours.add(a);
                channels.add(listener.accept());
            }
            TestChannels.becomesIdle(selector);
            for (SocketChannel b : channels) {
                b.write(ByteBuffer.wrap(new byte[1])); // has rung when it returns
            }
            channels.addAll(ours);
            assertEquals(8, selector.selectNow());
            selector.selectedKeys().clear();
            for (SocketChannel a : ours) {
                assertEquals(1, a.read(ByteBuffer.allocate(9)));
            }
            last.interestOps(0);
            assertEquals(0, selector.selectNow());
            return new WeakReference<>(selector);
        } finally {
            for (SocketChannel c : channels) {
                c.close();
            }
            pipe.source().close();
            pipe.sink().close();
        }
    }

    /** Streams that it connects count which of these calls they get. */
    private static OffloadProvider counting(
            OffloadProvider real, Set<String> calls, AtomicInteger asked) {
        return TestChannels.around(
                OffloadProvider.class,
                real,
                (name, result) ->
                        result instanceof OffloadStream stream
                                ? TestChannels.around(
                                        OffloadStream.class,
                                        stream,
                                        (call, answer) -> {
                                            if (calls.contains(call)) {
                                                asked.incrementAndGet();
                                            }
                                            return answer;
                                        })
                                : result);
    }

    private void ask(SelectorProvider provider, Selector selector, List<Load> loads, String seed)
            throws IOException {
        Pipe pipe = provider.openPipe();
        pipe.source().configureBlocking(false);
        SelectionKey other = pipe.source().register(selector, SelectionKey.OP_READ);
        for (Load load : loads) {
            load.channel.configureBlocking(false);
            load.channel.register(selector, SelectionKey.OP_READ, load);
            say(load);
        }
        int open = loads.size();
        while (open > 0) {
            empty += TestChannels.look(selector, seed) == 0 ? 1 : 0;
            selects++;
            for (SelectionKey key : selector.selectedKeys()) {
                if (key == other) {
                    pipe.source().read(ByteBuffer.allocate(16));
                } else if (take(key)) {
                    open--;
                }
            }
            selector.selectedKeys().clear();
            if (random.nextInt(50) == 0) {
                pipe.sink().write(ByteBuffer.wrap(new byte[1]));
            }
        }
        pipe.sink().close();
        pipe.source().close();
        selector.selectNow();
    }

    /** Reads what is there, says more when all was answered; whether this one is done. */
    private boolean take(SelectionKey key) throws IOException {
        Load load = (Load) key.attachment();
        ByteBuffer into = ByteBuffer.allocate(1 + random.nextInt(600));
        int n = load.channel.read(into);
        for (int i = 0; i < n; i++) {
            assertEquals((byte) load.answered++, into.get(i));
        }
        if (load.answered < load.asked) {
            return false;
        }
        if (load.asked >= ROUNDS * 8) {
            return n > 0;
        }
        say(load);
        return false;
    }

    private void say(Load load) throws IOException {
        int n = 1 + random.nextInt(16);
        ByteBuffer[] words = new ByteBuffer[n];
        for (int i = 0; i < n; i++) {
            words[i] = ByteBuffer.wrap(new byte[] {(byte) load.asked++});
        }
        assertEquals(n, load.channel.write(words));
    }

    private static void echo(SelectorProvider provider, List<SocketChannel> channels) {
        Random pauses = new Random(1);
        try (Selector selector = provider.openSelector()) {
            for (SocketChannel channel : channels) {
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
            }
            ByteBuffer buffer = ByteBuffer.allocate(64);
            int open = channels.size();
            while (open > 0) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    SocketChannel channel = (SocketChannel) key.channel();
                    if (channel.read(buffer.clear()) < 0) {
                        channel.close();
                        open--;
                    } else {
                        channel.write(buffer.flip());
                    }
                    for (int n = pauses.nextInt(500); n > 0; n--) {
                        Thread.onSpinWait();
                    }
                }
                selector.selectedKeys().clear();
                if (pauses.nextInt(20) == 0) {
                    selector.selectNow();
                    cancelOne(selector, pauses);
                }
                selector.selectedKeys().clear();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Takes a channel out of the selector, which is in the middle of its looks, and back in. */
    private static void cancelOne(Selector selector, Random random) throws IOException {
        List<SelectionKey> keys = new ArrayList<>(selector.keys());
        SelectionKey key = keys.isEmpty() ? null : keys.get(random.nextInt(keys.size()));
        if (key != null && key.isValid()) {
            key.cancel();
            selector.selectNow();
            key.channel().register(selector, SelectionKey.OP_READ);
        }
    }
}
