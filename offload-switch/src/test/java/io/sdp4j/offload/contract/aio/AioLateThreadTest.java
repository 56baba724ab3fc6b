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
import java.nio.channels.CompletionHandler;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Goal: a thread that is late leaves the operation alone that follows its own. */
class AioLateThreadTest {
    /** Done once, by a thread that is about to have its operation wait. */
    private final AtomicReference<Runnable> atArm = new AtomicReference<>();

    private void before(String call) {
        Runnable then = call.equals("arm") ? atArm.getAndSet(null) : null;
        if (then != null) {
            then.run();
        }
    }

    /** Starts a second read when the first one is over. */
    private static final class First implements CompletionHandler<Integer, Object> {
        private final AsynchronousSocketChannel channel;
        private final Outcome<Integer> second;
        private final AtomicInteger times = new AtomicInteger();
        private volatile Thread thread;

        First(AsynchronousSocketChannel channel, Outcome<Integer> second) {
            this.channel = channel;
            this.second = second;
        }

        @Override
        public void completed(Integer n, Object none) {
            if (times.incrementAndGet() == 1) {
                thread = Thread.currentThread();
                channel.read(ByteBuffer.allocate(1), null, second);
            }
        }

        @Override
        public void failed(Throwable failure, Object none) {
            times.addAndGet(100);
        }

        boolean blocked() {
            Thread t = thread;
            return t != null && t.getState() == Thread.State.BLOCKED;
        }
    }

    /**
     * Method: the starter of the first read is held up until that was ended by another thread, the
     * second one waits, and there is something for it.
     */
    @Test
    void starterIsLate() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new Observed(new LoopbackProvider(), (_, call, _) -> before(call))),
                        Patience.SETTINGS);
        var channels = new SwitchAsynchronousChannelProvider(owner);
        try (AsynchronousServerSocketChannel listener =
                        channels.openAsynchronousServerSocketChannel(null)
                                .bind(new InetSocketAddress(Here.ADDRESS, 0));
                AsynchronousSocketChannel client = channels.openAsynchronousSocketChannel(null)) {
            Aio.get(client.connect(listener.getLocalAddress()));
            try (AsynchronousSocketChannel server = Aio.get(listener.accept())) {
                Outcome<Integer> second = new Outcome<>();
                First first = new First(client, second);
                atArm.set(() -> endFirst(client, server, first));
                client.read(ByteBuffer.allocate(1), null, first);
                assertEquals(1, second.get());
                assertEquals(1, first.times.get());
            }
        }
    }

    private static void endFirst(
            AsynchronousSocketChannel client, AsynchronousSocketChannel server, First first) {
        try {
            Aio.send(server, "1");
            client.shutdownOutput(); // has what waits look
            Awaitility.await().until(first::blocked);
            Aio.send(server, "2");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
