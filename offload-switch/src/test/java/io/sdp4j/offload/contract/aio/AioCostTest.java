package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Policy;
import io.sdp4j.testing.Pair;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cost of the switch's asynchronous channels, beside the JDK's own. */
class AioCostTest {
    private static final int ROUNDS = 20_000;

    private final LoopbackProvider loopback = new LoopbackProvider();

    private static Aio over(OffloadProvider provider) {
        OffloadSwitch owner =
                new OffloadSwitch(Policy::allowAll, List.of(provider), SwitchSettings.defaults());
        AsynchronousChannelProvider channels = new SwitchAsynchronousChannelProvider(owner);
        return new Aio() {
            @Override
            public AsynchronousChannelProvider provider() {
                return channels;
            }

            @Override
            public boolean offloads() {
                return true;
            }
        };
    }

    private static final Aio JDK =
            new Aio() {
                @Override
                public AsynchronousChannelProvider provider() {
                    return AsynchronousChannelProvider.provider();
                }

                @Override
                public boolean offloads() {
                    return false;
                }
            };

    /** A ping-pong on the one thread of a group, each step started by the handler before. */
    private static final class PingPong implements CompletionHandler<Integer, Object> {
        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final Pair<AsynchronousServerSocketChannel, AsynchronousSocketChannel> pair;
        private final ByteBuffer out = ByteBuffer.allocateDirect(64);
        private final ByteBuffer in = ByteBuffer.allocateDirect(64);
        private final CountDownLatch over = new CountDownLatch(1);
        private final boolean pendingReads;
        private int step;
        private int arrived; // of a write and the read that waits for it
        private long startBytes;
        private long bytes;
        private Throwable failure;

        /**
         * @param pendingReads whether a read is started before there is something to read
         */
        PingPong(
                Pair<AsynchronousServerSocketChannel, AsynchronousSocketChannel> pair,
                boolean pendingReads) {
            this.pair = pair;
            this.pendingReads = pendingReads;
        }

        long run() throws InterruptedException {
            next();
            assertTrue(over.await(60, TimeUnit.SECONDS));
            assertEquals(null, failure);
            return bytes;
        }

        private void next() {
            if (pendingReads) {
                pair.server().read(in.clear(), null, this);
            }
            pair.client().write(out.clear(), null, this);
        }

        @Override
        public void completed(Integer n, Object none) {
            if (++arrived == 1) {
                if (!pendingReads) {
                    pair.server().read(in.clear(), null, this);
                }
                return;
            }
            arrived = 0;
            step++;
            if (step == ROUNDS) {
                startBytes = threads.getCurrentThreadAllocatedBytes();
            }
            if (step < 2 * ROUNDS) {
                next();
            } else {
                bytes = threads.getCurrentThreadAllocatedBytes() - startBytes;
                over.countDown();
            }
        }

        @Override
        public void failed(Throwable thrown, Object none) {
            failure = thrown;
            over.countDown();
        }
    }

    private static long allocated(Aio aio, boolean pendingReads) throws Exception {
        AsynchronousChannelGroup group = aio.group(1, "one");
        try (var pair = aio.pair(group)) {
            return new PingPong(pair, pendingReads).run() / ROUNDS;
        } finally {
            group.shutdownNow();
        }
    }

    /** Goal: a step on our channels allocates no more than on the JDK's. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allocatesNoMoreThanTheJdk(boolean pendingReads) throws Exception {
        long theirs = allocated(JDK, pendingReads);
        long ours = allocated(over(loopback), pendingReads);
        assertTrue(ours <= theirs + 16, ours + " bytes, the JDK " + theirs);
    }

    /** Goal: no descriptor and no stream is left, however a connection ends. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("61: connections leave no descriptor behind, however they end")
    void nothingIsLeftBehind(boolean offloaded) throws Exception {
        UnixOperatingSystemMXBean system =
                (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Aio aio = over(offloaded ? loopback : new FailingProvider());
        for (int i = 0; i < 20; i++) {
            connectAndEnd(aio, i);
        }
        long before = system.getOpenFileDescriptorCount();
        for (int i = 0; i < 300; i++) {
            connectAndEnd(aio, i);
        }
        Awaitility.await().until(() -> loopback.openStreams() == 0);
        Awaitility.await().until(() -> system.getOpenFileDescriptorCount() - before < 20);
    }

    private static void connectAndEnd(Aio aio, int way) throws Exception {
        try (var p = aio.pair()) {
            ByteBuffer b = ByteBuffer.allocate(1);
            switch (way % 5) {
                case 0 -> p.client().close();
                case 1 -> {
                    Future<Integer> read = p.server().read(b);
                    assertTrue(read.cancel(true));
                }
                case 2 -> p.client().shutdownOutput();
                case 3 -> assertEquals(1, Aio.get(p.client().write(b)));
                default -> {
                    Future<Integer> read = p.client().read(b);
                    p.server().close();
                    assertEquals(-1, Aio.get(read));
                }
            }
        }
    }

    /** Goal: groups come and go without leaving a descriptor or a thread. */
    @Test
    void groupsLeaveNothing() throws Exception {
        UnixOperatingSystemMXBean system =
                (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Aio aio = over(loopback);
        long before = 0;
        for (int i = 0; i < 60; i++) {
            if (i == 10) {
                before = system.getOpenFileDescriptorCount();
            }
            AsynchronousChannelGroup group = aio.group(1, "passing");
            aio.pair(group);
            group.shutdownNow();
            assertTrue(group.awaitTermination(20, TimeUnit.SECONDS));
        }
        long start = before;
        Awaitility.await().until(() -> system.getOpenFileDescriptorCount() - start < 10);
        Awaitility.await()
                .until(
                        () ->
                                Thread.getAllStackTraces().keySet().stream()
                                        .noneMatch(t -> t.getName().equals("passing")));
    }

    /** Goal: many connections that wait cost neither a thread nor CPU. */
    @Test
    @DisplayName("62: idle connections cost neither thread nor processor time")
    void idleConnectionsCostNothing() throws Exception {
        Aio aio = over(loopback);
        List<AsynchronousSocketChannel> ends = new ArrayList<>();
        List<Outcome<Integer>> reads = new ArrayList<>();
        int threads = 0;
        try (AsynchronousServerSocketChannel listener = aio.listen(null)) {
            for (int i = 0; i < 300; i++) {
                Future<AsynchronousSocketChannel> accept = listener.accept();
                AsynchronousSocketChannel client = aio.channel(null);
                Aio.get(client.connect(listener.getLocalAddress()));
                for (AsynchronousSocketChannel end : List.of(client, Aio.get(accept))) {
                    ends.add(end);
                    Outcome<Integer> read = new Outcome<>();
                    end.read(ByteBuffer.allocate(1), 1, TimeUnit.HOURS, null, read);
                    reads.add(read);
                }
                if (i == 20) {
                    threads = Thread.activeCount();
                }
            }
            assertTrue(Thread.activeCount() - threads < 20, "a thread for each?");
            Expect.noProcessorTime();
        } finally {
            for (AsynchronousSocketChannel end : ends) {
                end.close();
            }
        }
        for (Outcome<Integer> read : reads) {
            try {
                assertEquals(-1, read.get(), "the other end was closed first");
            } catch (AssertionError e) {
                assertTrue(e.getCause() instanceof java.nio.channels.AsynchronousCloseException);
            }
        }
    }
}
