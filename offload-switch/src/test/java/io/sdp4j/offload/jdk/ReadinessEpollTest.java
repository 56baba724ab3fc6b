package io.sdp4j.offload.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sun.nio.ch.SelChImpl;

class ReadinessEpollTest {
    /** More than Linux lets share one descriptor below nested epolls. */
    private static final int MANY = 1_200;

    private static boolean readable(ReadinessEpoll epoll) throws IOException {
        return JdkClasses.CHANNELS.poll(epoll.descriptor(), JdkBridge.POLLIN, 0) != 0;
    }

    @Test
    void isReadableWhileRaisedOrWhileTheOtherIs() throws IOException {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            ReadinessEpoll epoll = new ReadinessEpoll(((SelChImpl) source).getFDVal());
            assertFalse(readable(epoll));
            epoll.raise();
            assertTrue(readable(epoll));
            epoll.lower();
            assertFalse(readable(epoll));
            sink.write(ByteBuffer.allocate(1));
            assertTrue(readable(epoll));
            epoll.heedOther(false);
            assertFalse(readable(epoll));
            epoll.heedOther(true);
            assertTrue(readable(epoll));
            epoll.forgetOther();
            assertFalse(readable(epoll));
            epoll.raise();
            assertTrue(readable(epoll));
            epoll.close();
        }
    }

    @Test
    void ofManyBelowASelectorEachIsRaisedByItself() throws IOException {
        ReadinessEpoll selector = new ReadinessEpoll(-1);
        List<ReadinessEpoll> all = new ArrayList<>();
        try {
            for (int i = 0; i < MANY; i++) {
                ReadinessEpoll epoll = new ReadinessEpoll(-1);
                all.add(epoll);
                int _ =
                        JdkClasses.CHANNELS.epollAdd(
                                selector.value(), epoll.value(), JdkBridge.POLLIN);
            }
            for (ReadinessEpoll epoll : all) {
                assertFalse(readable(selector));
                epoll.raise();
                assertTrue(readable(selector));
                epoll.lower();
            }
        } finally {
            for (ReadinessEpoll epoll : all) {
                epoll.close();
            }
            selector.close();
        }
    }

    /** Goal: selectors of two virtual threads can watch the same channels. */
    @Test
    void manyBelowTwoSelectorsThatAnotherEpollWatches() throws IOException {
        List<ReadinessEpoll> all = new ArrayList<>();
        try {
            ReadinessEpoll poller = opened(all);
            ReadinessEpoll first = opened(all);
            ReadinessEpoll second = opened(all);
            add(poller, first);
            add(poller, second);
            for (int i = 0; i < 200; i++) {
                ReadinessEpoll channel = opened(all);
                add(first, channel);
                add(second, channel);
            }
        } finally {
            for (ReadinessEpoll epoll : all) {
                epoll.close();
            }
        }
    }

    private static ReadinessEpoll opened(List<ReadinessEpoll> all) throws IOException {
        ReadinessEpoll epoll = new ReadinessEpoll(-1);
        all.add(epoll);
        return epoll;
    }

    private static void add(ReadinessEpoll above, ReadinessEpoll below) {
        assertEquals(
                0, JdkClasses.CHANNELS.epollAdd(above.value(), below.value(), JdkBridge.POLLIN));
    }

    @Test
    void noneWithinWhatIsNoEpoll() throws IOException {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel _ = pipe.sink()) {
            int fdVal = ((SelChImpl) source).getFDVal();
            assertThrows(IOException.class, () -> ReadinessEpoll.within(fdVal));
        }
    }

    @Test
    @Timeout(60)
    void raisingWakesAThreadThatWaits() throws Exception {
        ReadinessEpoll epoll = new ReadinessEpoll(-1);
        FileDescriptor descriptor = epoll.descriptor();
        Thread waiting =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    try {
                                        int _ =
                                                JdkClasses.CHANNELS.poll(
                                                        descriptor, JdkBridge.POLLIN, -1);
                                    } catch (IOException e) {
                                        throw new IllegalStateException(e);
                                    }
                                });
        Awaitility.await()
                .until(
                        () ->
                                Arrays.stream(waiting.getStackTrace())
                                        .anyMatch(
                                                f ->
                                                        f.isNativeMethod()
                                                                && f.getMethodName()
                                                                        .equals("poll")));
        epoll.raise();
        waiting.join();
        epoll.close();
    }
}
