package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.Here;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.policy.Policy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: no handler waits for a carrier of virtual threads. Method: the application's virtual
 * threads have all of them.
 */
@Timeout(120)
class AioBusyCarriersTest {
    @Test
    void handlersNeedNoCarrier() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll, List.of(new LoopbackProvider()), Patience.SETTINGS);
        var channels = new SwitchAsynchronousChannelProvider(owner);
        AtomicBoolean end = new AtomicBoolean();
        try (AsynchronousServerSocketChannel listener =
                        channels.openAsynchronousServerSocketChannel(null)
                                .bind(new InetSocketAddress(Here.ADDRESS, 0));
                AsynchronousSocketChannel client = channels.openAsynchronousSocketChannel(null)) {
            takeCarriers(end);
            Outcome<AsynchronousSocketChannel> accept = new Outcome<>();
            listener.accept(null, accept);
            Outcome<Void> connect = new Outcome<>();
            client.connect(listener.getLocalAddress(), null, connect);
            connect.get();
            try (AsynchronousSocketChannel server = accept.get()) {
                Outcome<Integer> read = new Outcome<>();
                server.read(ByteBuffer.allocate(1), null, read);
                client.write(ByteBuffer.allocate(1), null, new Outcome<>());
                assertEquals(1, read.get());
            }
            assertEquals(1L, owner.report().offloaded().get(LoopbackProvider.FABRIC));
        } finally {
            end.set(true);
        }
    }

    private static void takeCarriers(AtomicBoolean end) throws InterruptedException {
        int processors = Runtime.getRuntime().availableProcessors();
        int carriers = Integer.getInteger("jdk.virtualThreadScheduler.parallelism", processors);
        CountDownLatch taken = new CountDownLatch(carriers);
        for (int i = 0; i < carriers; i++) {
            Thread _ =
                    Thread.startVirtualThread(
                            () -> {
                                taken.countDown();
                                while (!end.get()) {
                                    Thread.onSpinWait();
                                }
                            });
        }
        taken.await();
    }
}
