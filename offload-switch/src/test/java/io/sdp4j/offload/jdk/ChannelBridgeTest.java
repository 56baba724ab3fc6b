package io.sdp4j.offload.jdk;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sun.nio.ch.SelChImpl;

class ChannelBridgeTest {
    /** Else the selector would find a descriptor for which it has no key, for ever. */
    @Test
    void aKeyThatIsCancelledMeanwhileLeavesNothingInTheSelector() throws IOException {
        Pipe pipe = Pipe.open();
        try (Selector selector = Selector.open();
                Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            sink.write(ByteBuffer.allocate(1));
            source.configureBlocking(false);
            SelectionKey key = source.register(selector, 0);
            ChannelBridge.putIn(
                    key,
                    ((SelChImpl) source).getFDVal(),
                    () -> {
                        key.cancel();
                        try {
                            selector.selectNow(); // forgets the key
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                        return JdkBridge.POLLIN;
                    });
            long start = System.nanoTime();
            assertEquals(0, selector.select(200));
            assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(190));
        }
    }

    /**
     * Goal: a channel that moves puts nothing into a selector that was opened after another one was
     * closed, while that one's keys are valid still. Method: the one that is being closed waits for
     * its selected keys, and the number of its epoll is given to a new one.
     */
    @Test
    @Timeout(60)
    void nothingIsPutIntoASelectorThatHasTheNumberOfAClosedOne() throws Exception {
        Pipe pipe = Pipe.open();
        try (Selector closing = Selector.open();
                Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            sink.write(ByteBuffer.allocate(1));
            source.configureBlocking(false);
            SelectionKey key = source.register(closing, 0);
            List<Selector> opened = new ArrayList<>();
            synchronized (closing.selectedKeys()) {
                assertTrue(
                        ChannelBridge.putIn(
                                key,
                                ((SelChImpl) source).getFDVal(),
                                () -> {
                                    opened.add(replace(closing));
                                    return JdkBridge.POLLIN;
                                }));
                assertTrue(key.isValid());
                try (Selector next = opened.getFirst()) {
                    long start = System.nanoTime();
                    assertEquals(0, next.select(200));
                    assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(190));
                }
            }
        }
    }

    /** Goal: as above, and the new selector watches the channel itself. */
    @Test
    @Timeout(60)
    void nothingIsTakenOutOfASelectorThatHasTheNumberOfAClosedOne() throws Exception {
        Pipe pipe = Pipe.open();
        try (Selector closing = Selector.open();
                Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            sink.write(ByteBuffer.allocate(1));
            source.configureBlocking(false);
            SelectionKey key = source.register(closing, SelectionKey.OP_READ);
            assertEquals(1, closing.selectNow());
            synchronized (closing.selectedKeys()) {
                try (Selector next = replace(closing)) {
                    source.register(next, SelectionKey.OP_READ);
                    assertEquals(1, next.selectNow());
                    next.selectedKeys().clear();
                    assertTrue(key.isValid());
                    assertFalse(ChannelBridge.takeOut(key, ((SelChImpl) source).getFDVal()));
                    assertEquals(1, next.selectNow());
                }
            }
        }
    }

    /**
     * Begins to close a selector, and returns a new one whose epoll has the same number. The caller
     * holds the selected keys, for which the close waits.
     */
    private static Selector replace(Selector closing) {
        Task<Void> close =
                Task.start(
                        () -> {
                            closing.close();
                            return null;
                        });
        await().until(() -> close.thread().getState() == Thread.State.BLOCKED);
        int number = (int) ChannelBridge.Handles.EPOLL.get(closing);
        try {
            return openAt(number);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes the free lower numbers one by one, as a selector needs two descriptors. */
    private static Selector openAt(int number) throws IOException {
        List<Closeable> others = new ArrayList<>();
        try {
            Selector next = Selector.open();
            while ((int) ChannelBridge.Handles.EPOLL.get(next) != number) {
                next.close();
                others.add(new FileInputStream("/dev/null"));
                assertTrue(others.size() < 1000);
                next = Selector.open();
            }
            return next;
        } finally {
            for (Closeable other : others) {
                other.close();
            }
        }
    }
}
