package io.sdp4j.offload.aio;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.jdk.KernelAsync;
import java.io.Closeable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SwitchChannelGroupTest {
    private static final int PATIENCE_SECONDS = 20;

    /**
     * Goal: an operation that ends while everything is closed has a thread for its handler. Method:
     * the last channel leaves the group before the handler is handed over.
     */
    @Test
    void operationHoldsAGroupThatCloses() throws Exception {
        KernelAsync kernel = KernelAsync.get();
        SwitchChannelGroup group =
                new SwitchChannelGroup(
                        kernel.provider(),
                        kernel,
                        kernel.provider()
                                .openAsynchronousChannelGroup(
                                        Executors.newCachedThreadPool(
                                                Thread.ofPlatform().daemon().factory()),
                                        0));
        CountDownLatch told = new CountDownLatch(1);
        Closeable last =
                new Closeable() {
                    @Override
                    public void close() {
                        group.hold();
                        try {
                            group.remove(this);
                            group.execute(told::countDown);
                        } finally {
                            group.release();
                        }
                    }
                };
        assertTrue(group.add(last));
        group.shutdownNow();
        assertTrue(told.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertTrue(group.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
}
