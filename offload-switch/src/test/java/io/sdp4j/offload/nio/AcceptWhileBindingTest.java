package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a thread that accepts as soon as the kernel listens does not hold up the bind, which makes
 * the providers listen, and finds their clients. Method: a provider that takes its time.
 */
@Timeout(60)
class AcceptWhileBindingTest implements OffloadProvider {
    private final LoopbackProvider loop = new LoopbackProvider();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);

    @Override
    public String name() {
        return "slow";
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        return loop.connect(spec);
    }

    @Override
    public OffloadListener listen(ListenSpec spec) {
        asked.countDown();
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return loop.listen(spec);
    }

    @Test
    void bindDoesNotWaitForAClient() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(Policy::allowAll, List.of(this), SwitchSettings.defaults());
        try (ServerSocketChannel l = SwitchChannels.provider(owner).openServerSocketChannel();
                SocketChannel c = SwitchChannels.provider(owner).openSocketChannel()) {
            InetAddress here = InetAddress.getLoopbackAddress();
            Task<?> bind = Task.start(() -> l.bind(new InetSocketAddress(here, 0)));
            asked.await();
            Task<SocketChannel> accept = Task.start(l::accept);
            await().atMost(Duration.ofSeconds(20)).until(() -> accepts(accept.thread()));
            go.countDown();
            Object _ = bind.get();
            c.connect(l.getLocalAddress());
            try (SocketChannel s = accept.get()) {
                assertEquals(c.getLocalAddress(), s.getRemoteAddress());
                assertEquals(1, owner.report().acceptedOffloaded().size());
            }
        }
    }

    /** Whether the thread waits for the kernel's listener. */
    private static boolean accepts(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0
                && stack[0].isNativeMethod()
                && stack[0].getClassName().equals("sun.nio.ch.Net");
    }
}
