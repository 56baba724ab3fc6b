package io.sdp4j.offload.jdk;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.Pipe;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sun.nio.ch.SelChImpl;

/**
 * Goal: the descriptors that a group's threads watch for us take nothing away from the group's own
 * work.
 */
@Timeout(60)
class GroupPortTest {
    private record Blocking(CountDownLatch busy, CountDownLatch release)
            implements KernelAsync.Watcher {
        @Override
        public void readable(boolean direct) {
            busy.countDown();
            await(release);
        }

        @Override
        public void closeChannel() {}
    }

    /**
     * Goal: a descriptor that is readable when its watch ends does not cost the only thread the
     * task that came after it. Method: both wait for that thread while another one keeps it busy.
     */
    @Test
    void noTaskIsLostWithAWatchThatEnds() throws Exception {
        KernelAsync kernel = KernelAsync.get();
        AsynchronousChannelGroup group =
                kernel.provider()
                        .openAsynchronousChannelGroup(1, Thread.ofPlatform().daemon().factory());
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Blocking watcher = new Blocking(busy, release);
        Pipe first = Pipe.open();
        Pipe second = Pipe.open();
        try (Pipe.SourceChannel source = first.source();
                Pipe.SinkChannel sink = first.sink();
                Pipe.SourceChannel otherSource = second.source();
                Pipe.SinkChannel otherSink = second.sink()) {
            GroupPort blocking = kernel.watch(group, number(source), watcher);
            GroupPort watch = kernel.watch(group, number(otherSource), watcher);
            blocking.poll();
            sink.write(ByteBuffer.allocate(1));
            await(busy);
            watch.poll();
            otherSink.write(ByteBuffer.allocate(1));
            kernel.execute(group, done::countDown);
            watch.end();
            release.countDown();
            assertTrue(done.await(20, TimeUnit.SECONDS), "a task of the group never ran");
            blocking.end();
            group.shutdown();
            assertTrue(group.awaitTermination(20, TimeUnit.SECONDS), "the group lives on");
        }
    }

    private static int number(Pipe.SourceChannel channel) {
        return ((SelChImpl) channel).getFDVal();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
